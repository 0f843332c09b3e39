"""Serves vLLM's tool parsers over pipes to the benchmark beside it, in an environment that vLLM can be imported in.

`python vllm_peer.py SOURCES` reads one JSON line for each text and answers with one. What vLLM's other parts import
(torch, transformers, its engine) is replaced by empty modules, and its tokenizer by one that knows markers and words:
the parsers themselves are untouched. Must not know: Callwright.
"""

import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import json
import re
import sys
import time
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

#: Packages that may be missing, since no parser of tool calls needs them.
PACKAGES = frozenset(
    """PIL aiohttp anthropic blake3 cbor2 cloudpickle compressed_tensors cpuinfo cv2 depyf einops gguf huggingface_hub
    lark llguidance mcp mistral_common openai_harmony opentelemetry oss_harmony outlines_core prometheus_client pybase64
    psutil requests safetensors sentencepiece setproctitle tiktoken tokenizers torch transformers triton uvloop
    watchfiles xgrammar zmq""".split()  # noqa: SIM905 (a list of so many words is read more easily)
)
#: Parts of vLLM that run models.
PARTS = tuple(f"vllm.{name}" for name in ("config", "distributed", "lora", "model_executor", "multimodal", "platforms"))
#: Texts in a program that may be tokens of their own.
MARKER = re.compile(r"<[^<>\s\"']{1,48}>|\[[A-Z_]{3,24}\]")


class Blank(type):
    """Answers for every class that a missing package would have."""

    def __getattr__(cls, name: str) -> object:
        """Return something of that name, so that decorators and constants find a value."""
        if name.startswith("__"):
            raise AttributeError(name)
        return Blank(name, (), {})


class EmptyModule(types.ModuleType):
    """An empty module that has every name."""

    def __init__(self, name: str) -> None:
        """Make it a package, so that modules below it are looked for."""
        super().__init__(name)
        self.__path__ = []

    def __getattr__(self, name: str) -> object:
        """Return an empty class for a class's name, something that can be called for any other."""
        if name.startswith("__"):
            raise AttributeError(name)
        from unittest.mock import MagicMock

        any_schema = importlib.import_module("pydantic_core.core_schema").any_schema
        value: object = MagicMock(name=name)
        if name[0].isupper():
            members = {
                "__init__": lambda *_, **__: None,
                "__class_getitem__": classmethod(lambda cls, _: cls),
                "__get_pydantic_core_schema__": classmethod(lambda *_: any_schema()),
            }
            value = Blank(name, (), members)
        setattr(self, name, value)
        return value


class EmptyFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds an empty module for the packages that are not installed, and for those parts of vLLM that run models."""

    def __init__(self) -> None:
        """Look which packages are missing."""
        self.missing = {name for name in PACKAGES if importlib.util.find_spec(name) is None}
        self.used: set[str] = set()

    def find_spec(self, fullname: str, _path: object = None, _target: object = None) -> Any:
        """Return an empty module's specification, or None where the module itself shall be imported."""
        parts = [part for part in PARTS if fullname == part or fullname.startswith(f"{part}.")]
        name = parts[0] if parts else fullname.partition(".")[0]
        if not parts and name not in self.missing:
            return None
        self.used.add(name)
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """Return the empty module."""
        return EmptyModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing: the module answers when it is asked."""


class Words:
    """Replaces a tokenizer: markers, words and signs are its tokens."""

    TOKEN = re.compile(r"<[^<>\s]{1,48}>|\[[A-Z_]{3,24}\]|\w+|\s+|[^\w\s]")
    eos_token_id = 0
    all_special_tokens: ClassVar[list[str]] = []
    all_special_ids: ClassVar[list[int]] = []

    def __init__(self, texts: Sequence[str]) -> None:
        """Learn the markers of `texts`."""
        self.ids: dict[str, int] = {}
        for text in texts:
            self.encode(text)

    def get_vocab(self) -> dict[str, int]:
        """Return the tokens seen so far."""
        return self.ids

    @property
    def vocab(self) -> dict[str, int]:
        """The tokens seen so far."""
        return self.ids

    def encode(self, text: str, **_: object) -> list[int]:
        """Return the number of each token, numbering new ones."""
        return [self.ids.setdefault(token, len(self.ids)) for token in self.TOKEN.findall(text)]

    def decode(self, ids: Sequence[int], **_: object) -> str:
        """Return the text of the tokens."""
        tokens = list(self.ids)
        return "".join(tokens[number] for number in ids)


def main() -> None:
    """Answer requests on standard input; the first line holds the tools."""
    sources = sys.argv[1]
    answers, sys.stdout = sys.stdout, sys.stderr
    sys.path.insert(0, sources)
    package = types.ModuleType("vllm")
    package.__path__ = [str(Path(sources, "vllm"))]
    sys.modules["vllm"] = package
    finder = EmptyFinder()
    sys.meta_path.insert(0, finder)
    installed = importlib.metadata.version
    importlib.metadata.version = lambda distribution_name: (
        "99" if distribution_name.replace("-", "_") in finder.missing else installed(distribution_name)
    )
    manager = importlib.import_module("vllm.tool_parsers").ToolParserManager
    protocol = importlib.import_module("vllm.entrypoints.openai.chat_completion.protocol")
    tools = [
        protocol.ChatCompletionToolsParam(type="function", function=tool) for tool in json.loads(sys.stdin.readline())
    ]
    request = protocol.ChatCompletionRequest(messages=[], model="none", tools=tools)
    markers = [path.read_text("utf-8") for path in Path(sources, "vllm").glob("*pars*/**/*.py")]
    tokenizer = Words([marker for text in markers for marker in MARKER.findall(text)])
    for line in sys.stdin:
        asked = json.loads(line)
        answer: dict[str, Any]
        try:
            parser = manager.get_tool_parser(asked["parser"])
            taken = []
            for _ in range(asked["repeats"]):
                started = time.process_time()
                found = parser(tokenizer, tools).extract_tool_calls(asked["text"], request)
                taken.append(time.process_time() - started)
            calls = [[call.function.name, json.loads(call.function.arguments)] for call in found.tool_calls or ()]
            answer = {"seconds": min(taken), "calls": calls, "stood_in": sorted(finder.used)}
        except Exception as error:  # noqa: BLE001 (whatever a foreign parser raises is a result to print)
            answer = {"error": f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:160]}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
