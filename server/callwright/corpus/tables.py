"""Tables: the rows of Parquet and Arrow files, as JSON where they are checked, and as they are where they are kept.

Owns: the groups of a table's rows, which columns are read, how a row becomes JSON, how columns are changed. Must not
know: what is in a row.

A column of a table is of one type, so programs that write tables merge the members of objects: a struct has the members
of all of them, null where a row has none. So a null in a struct says that there is no such member. Items of lists are
kept as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from callwright.corpus.lines import Row
from callwright.text.records import NamedTuple

if TYPE_CHECKING:
    import pyarrow as pa

    from callwright.corpus.shards import Shard
    from callwright.corpus.units import Unit

#: About how many bytes of rows are read at once, and how many rows at most.
BATCH: Final = 8 << 20
MAX_COUNT: Final = 1_024
#: How many rows are read to find the columns with JSON.
_FIRST: Final = 16


class Batch(NamedTuple):
    """Some rows of a table: `first` is the number of the first one in the unit.

    `fault` says why nothing can be read from there on.
    """

    first: int
    rows: pa.RecordBatch | None
    fault: str | None = None


def groups_of(shard: Shard) -> list[int]:
    """Return about how many bytes each group of a table's rows has; one group where the file cannot be read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        if shard.format == "parquet":
            with pq.ParquetFile(shard.path) as file:
                about = file.metadata
                return [about.row_group(number).total_byte_size for number in range(about.num_row_groups)]
        with pa.OSFile(shard.path) as file:
            count = pa.ipc.open_file(file).num_record_batches
            return [shard.size // count] * count if count else []
    except (OSError, pa.ArrowException):
        # A stream has no list of its batches; what is broken is reported when it is read.
        return [shard.size]


def schema_of(shard: Shard) -> pa.Schema | None:
    """Return the columns of a table with their metadata in its file, None where it cannot be read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        if shard.format == "parquet":
            return pq.read_schema(shard.path)
        with pa.OSFile(shard.path) as file:
            return _opened(file).schema
    except (OSError, pa.ArrowException):
        return None


def batches(unit: Unit) -> Iterator[Batch]:
    """Yield the rows of a unit in batches of bounded size."""
    import pyarrow as pa

    first = 0
    try:
        for rows in _parquet(unit) if unit.shard.format == "parquet" else _arrow(unit.shard.path, unit.start, unit.end):
            at = 0
            step = max(min(MAX_COUNT, BATCH * rows.num_rows // max(rows.nbytes, 1)), 1)
            while at < rows.num_rows:
                part = rows.slice(at, step)
                yield Batch(first, part)
                at += part.num_rows
                first += part.num_rows
    except (OSError, pa.ArrowException) as error:
        yield Batch(first, None, str(error).strip())


def _parquet(unit: Unit) -> Iterator[pa.RecordBatch]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(unit.shard.path, pre_buffer=False) as file:
        for number in range(unit.start, min(unit.end, file.metadata.num_row_groups)):
            group = file.metadata.row_group(number)
            size = max(min(MAX_COUNT, BATCH * group.num_rows // max(group.total_byte_size, 1)), 1)
            yield from file.iter_batches(batch_size=size, row_groups=[number], use_threads=False)


def _arrow(path: str, start: int, end: int) -> Iterator[pa.RecordBatch]:
    """Yield the record batches from `start` up to `end` of a file, and all of a stream."""
    import pyarrow as pa

    # Mapped, so that a batch costs memory only as far as it is read.
    with pa.memory_map(path) as file:
        reader = _opened(file)
        if isinstance(reader, pa.ipc.RecordBatchStreamReader):
            yield from reader
            return
        for number in range(start, min(end, reader.num_record_batches)):
            yield reader.get_batch(number)


def _opened(file: Any) -> Any:
    """Return what reads the batches of a file of Arrow's, or of a stream."""
    import pyarrow as pa

    try:
        return pa.ipc.open_file(file)
    except pa.ArrowInvalid:
        file.seek(0)
        return pa.ipc.open_stream(file)


class RowWriter:
    """Makes JSON of the rows of a table; `columns` are those that can hold text.

    With `wanted`, only the columns of these names are read. What one column cannot hold is kept as JSON in a column of
    texts: the columns named in `written` are such, and their texts are in the row as they are.
    """

    def __init__(self, table: pa.Schema, wanted: Sequence[str] | None, written: Collection[str] = ()) -> None:
        import orjson

        self._dumps: Callable[[Any], bytes] = lambda value: orjson.dumps(value, None, orjson.OPT_APPEND_NEWLINE)
        self._loads: Callable[[str], Any] = orjson.loads
        self._as_it_is: Callable[[bytes], Any] = orjson.Fragment
        self._written = frozenset(written)
        self.columns = [
            number
            for number, field in enumerate(table)
            if (holds_text(field.type) if wanted is None else field.name in wanted)
        ]
        self._names = [table.field(number).name for number in self.columns]
        self._plain = [plain_values(table.field(number).type) for number in self.columns]

    def values(self, rows: pa.RecordBatch) -> list[list[Any]]:
        """Return the values of the columns, each as plain data; a null column of a row is None."""
        values = []
        for number, plain in zip(self.columns, self._plain, strict=True):
            own = rows.column(number).to_pylist()
            values.append(own if plain is None else [each if each is None else plain(each) for each in own])
        return values

    def rows(self, batch: Batch, longest: int) -> Iterator[Row]:
        """Yield the rows of a batch as lines of JSON; of one that is longer than `longest`, the fault."""
        assert batch.rows is not None, "a batch with rows"
        large = sum(batch.rows.column(number).nbytes for number in self.columns) > longest
        for at in range(batch.rows.num_rows) if large else ():
            # Only a batch that is large as a whole can hold a row that is.
            yield from self._one(batch.rows.slice(at, 1), batch.first + at, longest)
        if large:
            return
        for at, values in enumerate(zip(*self.values(batch.rows), strict=True) if self.columns else ()):
            yield Row(batch.first + at, self.line(values))

    def _one(self, row: pa.RecordBatch, number: int, longest: int) -> Iterator[Row]:
        length = sum(row.column(each).nbytes for each in self.columns)
        if length > longest:
            yield Row(number, b"", ("row-too-long", {"length": length}))
            return
        yield Row(number, self.line([values[0] for values in self.values(row)]))

    def line(self, values: Sequence[Any]) -> bytes:
        """Return the line of JSON that the values of the columns in one row are."""
        row = {name: value for name, value in zip(self._names, values, strict=True) if value is not None}
        try:
            return self._dumps({**row, **{name: self._fragment(row[name]) for name in self._written & row.keys()}})
        except (TypeError, ValueError):
            # What is not JSON (a time, a decimal number, half a surrogate pair) is written in words.
            import json

            own = {name: value_of(row[name]) for name in self._written & row.keys()}
            return json.dumps({**row, **own}, default=str, ensure_ascii=True).encode() + b"\n"

    def _fragment(self, text: str) -> Any:
        """Return a text of JSON to be put into a row as it is; as a text, where it is not JSON after all."""
        try:
            value = self._loads(text)
        except ValueError:
            return text
        # A row is one line.
        return value if "\n" in text or "\r" in text else self._as_it_is(text.encode())

    def changes(self, before: bytes, after: bytes) -> dict[int, Any]:
        """Return the values that differ in two lines of one row, by the numbers of their columns in the table."""
        import json

        from callwright.syntax.json import read_json

        old, new = json.loads(before), json.loads(after)
        values = {}
        text, read = after.decode(), None
        for number, name in zip(self.columns, self._names, strict=True):
            if old.get(name) != new.get(name):
                values[number] = new.get(name)
                if name in self._written and not isinstance(new.get(name), str):
                    read = read or read_json(text)
                    node = read.locate((name,))
                    assert node is not None, "the member is there"
                    values[number] = node.span.of(text)
        return values


def written_columns(shard: Shard) -> frozenset[str]:
    """Return the columns of a table whose texts are JSON, judged by its first rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        if shard.format == "parquet":
            with pq.ParquetFile(shard.path, pre_buffer=False) as file:
                texts = [field.name for field in file.schema_arrow if _is_text(field.type)]
                first = next(file.iter_batches(batch_size=_FIRST, columns=texts, use_threads=False), None)
        else:
            first = next(_arrow(shard.path, 0, 1), None)
            first = None if first is None else first.slice(0, _FIRST)
        return _written_in(first)
    except (OSError, pa.ArrowException):
        return frozenset()


def _written_in(rows: pa.RecordBatch | None) -> frozenset[str]:
    found: set[str] = set()
    if rows is None:
        return frozenset()
    for number, field in enumerate(rows.schema):
        if _is_text(field.type):
            values = [each for each in rows.column(number).to_pylist() if each is not None]
            if values and all(isinstance(value_of(each), dict | list) for each in values):
                found.add(field.name)
    return frozenset(found)


def value_of(text: str) -> Any:
    """Return the object or array that a text is, the text itself where it is none."""
    import json

    if text[:1] not in ("{", "["):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def holds_text(kind: Any) -> bool:
    """Return whether values of a type can hold text somewhere inside."""
    import pyarrow as pa

    if pa.types.is_struct(kind):
        return any(holds_text(field.type) for field in kind)
    if _is_list(kind):
        return holds_text(kind.value_type)
    if pa.types.is_map(kind):
        return holds_text(kind.item_type)
    if pa.types.is_dictionary(kind):
        return holds_text(kind.value_type)
    return _is_text(kind)


def _is_list(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def plain_values(kind: Any) -> Callable[[Any], Any] | None:
    """Return what makes of a value of a type what its writer had: structs without nulls. None where nothing changes."""
    import pyarrow as pa

    if pa.types.is_struct(kind):
        return _plain_struct({field.name: plain_values(field.type) for field in kind})
    if _is_list(kind):
        inner = plain_values(kind.value_type)
        return None if inner is None else _plain_list(inner)
    if pa.types.is_map(kind):
        inner = plain_values(kind.item_type)
        return lambda value: {str(key): item if inner is None or item is None else inner(item) for key, item in value}
    return None


def _plain_list(inner: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: [item if item is None else inner(item) for item in value]


def _plain_struct(members: dict[str, Callable[[Any], Any] | None]) -> Callable[[Any], Any]:
    stated = "role" in members and "content" in members

    def plain(value: dict[str, Any]) -> dict[str, Any]:
        found = {}
        for name, own in value.items():
            if own is not None:
                inner = members[name]
                found[name] = own if inner is None else inner(own)
            elif stated and name == "content":
                # A message that only calls has null there, as programs that write messages have it.
                found[name] = None
        return found

    return plain


def changed(column: pa.Array, values: dict[int, Any]) -> pa.Array:
    """Return a column with other values in some of its rows. Raises ValueError where its type cannot hold one."""
    import pyarrow as pa

    parts = []
    at = 0
    for row, value in sorted(values.items()):
        try:
            fresh = pa.array([value], column.type)
        except (pa.ArrowException, TypeError) as error:
            raise ValueError(str(error)) from None
        plain = plain_values(column.type)
        if (plain(fresh[0].as_py()) if plain is not None else fresh[0].as_py()) != value:
            # Arrow skips members that a struct does not have.
            raise ValueError("the column has no room for what the fix adds")
        parts += [column.slice(at, row - at), fresh]
        at = row + 1
    return pa.concat_arrays([*parts, column.slice(at)])
