"""Whatever a template does, it ends, reads nothing and runs nothing, and the next one is rendered as ever."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2.filters import FILTERS
from jinja2.tests import TESTS

from callwright.chat_templates.model import Failed, Job, Rendered
from callwright.chat_templates.renderer import Renderer

USER = [{"role": "user", "content": "a"}]
AGAIN = "{% for m in messages %}{{ m.role }}{% endfor %}"

#: Ways to take long, to take much, or to break what reads the template.
EXPENSIVE = [
    "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "{% macro m(n) %}{% for i in range(99999) %}{{ m(n) }}{% endfor %}{% endmacro %}{{ m(1) }}",
    "{{ 7 ** (7 ** 11) }}",
    "{{ (range(99999) | list * 99999) | length }}",
    "{{ lipsum(n=99999) }}",
    "{{ 'a' * 10 ** 9 }}",
    "{{ 'a' * 10 ** 30 }}",
    "{{ ('a' * 10 ** 8) ~ ('a' * 10 ** 8) ~ ('a' * 10 ** 8) ~ ('a' * 10 ** 8) ~ ('a' * 10 ** 8) ~ ('a' * 10 ** 8) }}",
    "{{ 'a' | center(10 ** 9) }}",
    "{{ 'a\nb' | indent(10 ** 9) }}",
    "{{ '%999999999d' | format(1) }}",
    "{{ '{:999999999}'.format(1) }}",
    "{{ 'a'.ljust(10 ** 9) }}",
    "{{ strftime_now('%1000000000d') * 9 }}",
    "{{ [1] * 10 ** 9 }}",
    "{% set ns = namespace(s='a') %}{% for i in range(9999) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
    "{% set ns = namespace(s=[1]) %}{% for i in range(9999) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}{{ ns.s }}",
    "{% set ns = namespace(s='a') %}{% for i in range(99) %}{% set ns.s = ns.s | replace('a', 'aa') %}{% endfor %}",
    "{% for i in range(99999) %}{{ 'a' * 1000 }}{% endfor %}",
    "{% for i in range(99999) %}{% for j in range(99999) %}a{% endfor %}{% endfor %}",
    "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "{% macro m(a) %}{{ a(a) }}{% endmacro %}{{ m(m) }}",
    "{% for a in [[1]] recursive %}{{ loop([a]) }}{% endfor %}",
    "{% set a = namespace() %}{% set a.a = a %}{{ a | tojson }}",
    "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
    "{{ " + "[" * 5000 + "]" * 5000 + " }}",
    "{{ " + "not " * 20000 + "1 }}",
    "{{ 1" + " + 1" * 20000 + " }}",
    "{% if 1 %}" * 2000 + "{% endif %}" * 2000,
    "{% for a in [1] %}" * 60 + "{% endfor %}" * 60,
    "{{ " + "9" * 5000 + " }}",
    "{{ 9 ** 9999 ** 2 }}",
    "{{ range(10 ** 9) | list }}",
    "{{ 'a' | urlize * 10 ** 9 }}",
    "{% macro a(n) %}{{ b(n) }}{% endmacro %}{% macro b(n) %}{{ a(n) }}{{ a(n) }}{% endmacro %}{{ a(1) }}",
    "{% macro m() %}{{ varargs[0](*varargs) }}{% endmacro %}{{ m(m) }}",
    "{% macro m() %}{{ caller(caller) }}{% endmacro %}{% call(c) m() %}{{ c(c) }}{% endcall %}",
    "{% block a %}{{ self.a() }}{% endblock %}",
    "{% set ns = namespace(s='ab') %}{% for i in range(40) %}{% set ns.s = ns.s | replace('b', 'ba') %}{% endfor %}",
    "{% set ns = namespace(s='a') %}{% for i in range(40) %}{% set ns.s = ns.s | replace('', 'a') %}{% endfor %}",
    "{% set ns = namespace(l=[0]) %}{% for a in range(40) %}{% set ns.l = ns.l + ns.l %}{% endfor %}{{ ns.l | join }}",
    "{% set ns = namespace(l=[1]) %}{% for a in range(60) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l ~ '' }}",
    "{% set ns = namespace() %}{% set ns.a = ns %}{{ ns }}{{ [ns] | tojson }}",
    "{{ ('a ' * 5000000) | wordwrap(1) }}",
    "{{ ('<!--' * 2000000) | striptags | length }}{{ ('<' * 3000000) | striptags | length }}",
    "{{ (('www.' * 9 ~ 'a@') * 100000) | urlize | length }}",
    "{{ '%*d' | format(999999999, 1) }}",
    "{{ '%.999999999f' | format(1.5) }}",
    "{{ '{0:{1}}'.format('a', 999999999) }}",
    "{{ (2 ** 40000000) % 7 }}{{ (10 ** 4000) | string | int ** 999 }}",
    "{{ ('9' * 9999999) | int }}{{ ('9' * 9999999) | float }}",
    "{{ messages | tojson(indent=99999999) }}",
    "{{ range(99999) | map('string') | map('center', 99999) | join }}",
    "{{ range(99999) | slice(99999999) | list | length }}",
    "{% for a in range(99999) %}{{ cycler(*range(99999)) }}{% endfor %}",
    "{% set j = joiner('a' * 9999999) %}{% for a in range(99) %}{{ j() }}{% endfor %}",
    "{{ lipsum(html=true, n=9999) * 99 }}",
    "{% filter upper | replace('A', 'AA' * 999999) %}{{ 'a' * 9999 }}{% endfilter %}",
    "{{ ('a' * 99999).translate({97: 'a' * 99999}) }}",
    "{{ ('\\u0130' * 99999999).lower() }}",
    "{{ 'a'.zfill(999999999) }}{{ 'a'.encode('utf-32') * 99999999 }}",
    "{{ messages | map(attribute='.'.join(['a'] * 999999)) | list }}",
    "{{ a" + "[0]" * 20000 + " }}",
    "{{ 'a'" + " ~ 'a'" * 50000 + " }}",
    "{% macro m() %}" * 1500 + "{% endmacro %}" * 1500,
    "{#" * 100000,
    "{{" * 100000 + "}}" * 100000,
    "{{ '" + "\\" * 100001 + "' }}",
    "{{ " + "1 if 1 else " * 5000 + "1 }}",
]

#: Ways out of the sandbox that were known once, and things that no template should reach.
ESCAPES = [
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ ''['__class__'] }}",
    "{{ '' | attr('__class__') }}",
    "{{ messages | map(attribute='__class__') | list }}",
    "{{ ['__class__'] | map('attr', '__class__') | list }}",
    "{{ '{0.__class__.__mro__}'.format(1) }}",
    "{{ ('{0.__class__}' | attr('format'))(1) }}",
    "{{ ['{0.__class__}'] | map('format', 1) | list }}",
    "{% set f = '{0.__class__.__init__.__globals__}'.format %}{{ f(raise_exception) }}",
    "{{ '{a.__class__}'.format_map({'a': 1}) }}",
    "{{ cycler.__init__.__globals__.os.popen('touch MARK').read() }}",
    "{{ joiner.__init__.__globals__ }}",
    "{{ lipsum.__globals__['os'].popen('touch MARK').read() }}",
    "{{ namespace.__init__.__globals__ }}",
    "{{ raise_exception.__globals__['__builtins__']['open']('SECRET').read() }}",
    "{{ strftime_now.__globals__ }}",
    "{{ self.__init__.__globals__ }}",
    "{{ self._TemplateReference__context.environment }}",
    "{{ range.__class__ }}",
    "{{ dict.__class__.__init__.__globals__ }}",
    "{{ dict.mro() }}",
    "{{ messages.append(1) }}",
    "{{ messages[0].update({'a': 1}) }}",
    "{{ loop.__init__ }}{% for a in [1] %}{{ loop.__init__.__globals__ }}{% endfor %}",
    "{% macro m() %}{{ caller.__globals__ }}{% endmacro %}{{ m.__init__.__globals__ }}{{ m._func.__globals__ }}",
    "{{ (1).__class__ }}",
    "{{ ().__class__.__base__ }}",
    "{{ missing.__class__.__init__.__globals__ }}",
    "{{ tojson.__globals__ }}",
    "{{ 'open'.encode('idna') }}",
    "{{ 'a'.encode('cp1252') }}",
    "{{ 'a'.encode('zlib_codec') }}",
    "{% include 'SECRET' %}",
    "{% import 'SECRET' as a %}{{ a }}",
    "{% from 'SECRET' import a %}",
    "{% extends 'SECRET' %}",
    "{{ environment.from_string('a') }}",
    "{{ _pieces }}{{ _joined }}{{ environment }}{{ context }}",
    "{{ messages | tojson(default=range) }}",
    "{{ messages | groupby('__class__') }}",
    "{{ messages | sort(attribute='__class__.__name__') }}",
    "{% set ns = namespace() %}{% set ns.__class__ = 1 %}",
    "{{ namespace(__class__=1) }}",
    "{{ 'a'.origin_ }}{{ 'a'.part_.__func__.__globals__ }}",
    "{% set f = ''.format %}{{ f.__self__ }}{{ f | attr('__self__') }}",
    "{{ ('{0.__class__.__base__}' | attr('for' ~ 'mat'))(1) }}",
    "{{ (['{0.__class__}'] | map(attribute='format') | first)(1) }}",
    "{{ {'a': '{0.__class__}'.format}['a'](1) }}{{ dict(a='{0.__class__}'.format).a(1) }}",
    "{% macro m(f='{0.__class__}'.format) %}{{ f(1) }}{% endmacro %}{{ m() }}",
    "{{ ('{a.__class__}' | attr('format_map'))({'a': 1}) }}",
    "{{ ''['\\x5f\\x5fclass\\x5f\\x5f'] }}{{ '' | attr('\\u005f_class__') }}",
    # Full-width letters, which Python takes for plain ones in the names of programs.
    "{{ ''.__\N{FULLWIDTH LATIN SMALL LETTER C}lass__ }}{{ '' | attr('__\N{FULLWIDTH LATIN SMALL LETTER C}lass__') }}",
    "{% set ns = namespace() %}{% set ns.__\N{FULLWIDTH LATIN SMALL LETTER C}lass__ = 1 %}{{ ns }}",
    "{{ messages | rejectattr('keys.__func__') | list }}{{ messages | sum(attribute='__len__') }}",
    "{{ messages | unique(attribute='__class__') | list }}{{ messages | min(attribute='__class__') }}",
    "{{ messages[0].pop('role') }}{{ messages[0].setdefault('a', 1) }}{{ messages.sort() }}",
    "{{ cycler('a').next.__globals__ }}{{ cycler('a').reset.__self__ }}{{ joiner('a').__call__.__globals__ }}",
    "{{ lipsum | attr('__globals__') }}{{ lipsum.__wrapped__ }}{{ lipsum.__defaults__ }}",
    "{{ (messages | map('upper')) | attr('gi_frame') }}{{ (messages | map('string')).gi_code }}",
    "{% macro m() %}{% endmacro %}{{ m._environment }}{{ m | attr('_func') }}{{ m | attr('_environment') }}",
    "{% for a in [1] %}{{ loop._iterable }}{{ loop | attr('_recurse') }}{{ loop | attr('_undefined') }}{% endfor %}",
    "{{ self | attr('_TemplateReference__context') }}",
    "{{ ().__reduce_ex__(2) }}{{ 'a'.__getattribute__('upper') }}",
    "{{ 'a'.encode('punycode') }}{{ 'a'.encode('bz2_codec') }}",
    "{{ 'a'.encode().decode('SECRET') }}{{ '\\ud800'.encode('utf-8', 'SECRET') }}",
    "{% include ['SECRET', 'b'] ignore missing %}",
    "{% from 'SECRET' import a with context %}",
    "{{ open('SECRET') }}{{ __import__('os') }}{{ eval('1') }}",
    "{{ strftime_now('\\ud800%E%O%Q') }}{{ strftime_now.__self__ }}",
]


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    with Renderer(seconds=10, seconds_of_job=1) as started:
        yield started


def _check_again(renderer: Renderer) -> None:
    assert renderer.render(AGAIN, [Job(USER), Job(USER)]) == [Rendered("user"), Rendered("user")]


@pytest.mark.parametrize("source", EXPENSIVE, ids=range(len(EXPENSIVE)))
def test_an_expensive_template_ends(renderer: Renderer, source: str) -> None:
    for outcome in renderer.render(source, [Job(USER), Job(USER, tagged=True)]):
        assert isinstance(outcome, Failed) or len(outcome.text) < 10_000
    _check_again(renderer)


@pytest.mark.parametrize("source", ESCAPES, ids=range(len(ESCAPES)))
def test_a_template_gets_nowhere(renderer: Renderer, source: str, tmp_path: Path) -> None:
    secret, trace = tmp_path / "secret", tmp_path / "trace"
    secret.write_text("the secret", encoding="utf-8")
    source = source.replace("SECRET", str(secret)).replace("MARK", str(trace))
    for outcome in renderer.render(source, [Job(USER), Job(USER, tagged=True)]):
        if isinstance(outcome, Rendered):
            assert "the secret" not in outcome.text
            for word in ("<class", "<module", "object at", "subprocess", "builtins"):
                # Objects of Jinja's have a text; none of them leads anywhere.
                assert word not in outcome.text or word == "object at", outcome.text[:200]
        else:
            assert "the secret" not in outcome.message
    assert not trace.exists()
    _check_again(renderer)


CODE = {
    "open": "open({path!r}).read()",
    "write": "open({path!r}, 'w')",
    "list": "__import__('os').listdir('/')",
    "import": "__import__('xml.dom')",
    "system": "__import__('os').system('true')",
    "fork": "__import__('os').fork()",
    "exec": "__import__('os').execv('/bin/true', ['true'])",
    "kill": "__import__('os').kill(__import__('os').getppid(), 0)",
    "socket": "__import__('socket').socket()",
    "ctypes": "__import__('ctypes').CDLL(None)",
    "eval": "eval('1')",
    "compile": "compile('1', 'a', 'eval')",
    "frames": "__import__('sys')._getframe()",
    "hooks": "__import__('sys').addaudithook(print)",
    "limits": "__import__('resource').setrlimit(__import__('resource').RLIMIT_NOFILE, (9, 9))",
    "gc": "__import__('gc').get_objects()",
}


@pytest.mark.parametrize("name", sorted(CODE))
def test_even_code_of_its_own_can_do_nothing(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a template had found a way to run code in the process."""
    from callwright.chat_templates import renderer as module

    path = tmp_path / "secret"
    path.write_text("the secret", encoding="utf-8")
    code = CODE[name].format(path=str(path))
    program = (
        "import builtins, ctypes, gc, os, resource, socket, sys\n"
        "from callwright.chat_templates import environment\n"
        f"def escaped(value): return {code}\n"
        "environment.tojson.__code__ = (lambda x, ensure_ascii=False, indent=None, separators=None, sort_keys=False:"
        " str(escaped(x))).__code__\n"
        "environment.escaped = lambda x: x\n"
        f"{module._PROGRAM.split('; ')[0]}\n"
        "from callwright.chat_templates import child, guard\n"
        "forbid = guard.forbid\n"
        "def armed():\n"
        "    forbid()\n"
        "    environment.escaped = escaped\n"
        "guard.forbid = armed\n"
        "main()\n"
    )
    monkeypatch.setattr(module, "_PROGRAM", program)
    with Renderer() as renderer:
        outcome = renderer.render("{{ 1 | tojson }}", [Job(USER)])[0]
        assert isinstance(outcome, Failed), outcome
        assert outcome.kind == "refused"
        assert outcome.message.startswith("a chat template cannot use what Python calls")
        # The process is not used again.
        assert renderer._child is None
        assert renderer.render("{% if", [Job(USER)])[0].kind == "syntax"  # type: ignore[union-attr]
    assert path.read_text(encoding="utf-8") == "the secret"


@pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="limits are read where Linux shows them")
def test_the_platform_holds_beside_the_hook() -> None:
    with Renderer() as renderer:
        assert renderer.render("a", [Job(USER)]) == [Rendered("a")]
        assert renderer._child is not None
        number = renderer._child._process.pid
        limits = Path(f"/proc/{number}/limits").read_text(encoding="utf-8")
        environment = Path(f"/proc/{number}/environ").read_bytes().split(b"\0")
        folder = Path(f"/proc/{number}/cwd").readlink()
    rows = {line[:26].strip(): line[26:].split()[:2] for line in limits.splitlines()}
    assert rows["Max open files"] == ["3", "3"]
    assert rows["Max file size"] == ["0", "0"]
    assert rows["Max processes"] == ["0", "0"]
    assert rows["Max core file size"] == ["0", "0"]
    for name in ("Max address space", "Max data size"):
        assert int(rows[name][1]) < 1_000_000_000
    assert rows["Max cpu time"][0] != "unlimited"
    assert folder == Path(os.__file__).parent
    names = {entry.split(b"=")[0].decode() for entry in environment if entry}
    assert {name for name in names if not name.startswith("PYTHON")} <= {
        *("HOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LC_CTYPE")
    }


def test_what_finds_templates_and_keeps_compiled_ones_is_not_loaded() -> None:
    program = (
        "from callwright.chat_templates import child, guard\n"
        "def stop():\n"
        "    print(*child.sys.modules, flush=True)\n"
        "    child.os._exit(0)\n"
        "guard.forbid = stop\n"
        "child.main()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        modules = set(process.stdout.read().decode().split())
    assert {"jinja2.sandbox", "jinja2.environment", "unicodedata"} <= modules
    assert not {"pickle", "tempfile", "shutil", "hashlib", "importlib.metadata", "socket", "ctypes"} & modules


@pytest.mark.parametrize("number", ["1.5", "1_0.5e3", "0.1e-400"])
def test_a_number_with_a_point_does_not_meet_the_guard(renderer: Renderer, number: str) -> None:
    """Jinja evaluates it when it reads the template."""
    outcome = renderer.render(f"{{{{ {number} > 1 }}}}", [Job(USER)])[0]
    assert outcome == Rendered(str(float(number) > 1))


ARGUMENTS = {
    **dict.fromkeys(("attr", "groupby"), "('a')"),
    **dict.fromkeys(("batch", "slice", "format"), "(1)"),
    "map": "('string')",
    "replace": "('a', 'b')",
}


@pytest.mark.parametrize("name", sorted(FILTERS))
def test_no_filter_meets_the_guard(renderer: Renderer, name: str) -> None:
    """What a filter imports when it is first used is there before the guard is."""
    for value in ("'a<b> www.a.org'", "1", "[1, 2]", "{'a': 1}", "none", "[{'a': 1}]"):
        for outcome in renderer.render(f"{{{{ {value} | {name}{ARGUMENTS.get(name, '')} }}}}", [Job(USER)]):
            assert isinstance(outcome, Rendered) or outcome.kind == "error", (value, outcome)


@pytest.mark.parametrize("name", sorted(set(TESTS) - {"==", "!=", "<", ">", "<=", ">="}))
def test_no_test_meets_the_guard(renderer: Renderer, name: str) -> None:
    source = f"{{{{ 'a' is {name} }}}}{{{{ 'a' is {name}('b') }}}}"
    for outcome in renderer.render(source, [Job(USER)]):
        assert isinstance(outcome, Rendered) or outcome.kind in ("error", "syntax"), outcome


@pytest.mark.parametrize("form", ["%" + char for char in "aAbBcdfHIjmMpSUwWxXyYzZ%"])
def test_no_date_meets_the_guard(renderer: Renderer, form: str) -> None:
    assert isinstance(renderer.render(f"{{{{ strftime_now('{form}') }}}}", [Job(USER)])[0], Rendered)
