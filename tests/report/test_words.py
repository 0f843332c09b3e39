"""The page speaks the reader's language: each of its words is translated and used, and set as the language
is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from callwright import report
from callwright.document.settings import Settings
from callwright.lint.opening import open_snapshot
from callwright.report.labels import TRANSLATIONS, Words
from callwright.report.model import view_of
from callwright.report.page import page
from callwright.tools.registry import ToolRegistry

FOLDER = Path(report.__file__).parent
LANGUAGES = sorted(TRANSLATIONS)
CHAT = (
    '{"messages": [{"role": "user", "content": "Start it."}, '
    '{"role": "assistant", "content": "<debug_launch>{\\"program\\": 1</debug_launch>"}]}'
)


def trees() -> Iterator[ast.AST]:
    for name in ("page.py", "charts.py"):
        yield from ast.walk(ast.parse((FOLDER / name).read_text(encoding="utf-8")))


def is_words(node: ast.expr) -> bool:
    return getattr(node, "id", None) == "words" or getattr(node, "attr", None) == "_words"


def turn_texts() -> set[str]:
    """Return every literal that is given to `Words`."""
    found: set[str] = set()
    for node in trees():
        if not isinstance(node, ast.Call):
            continue
        counted = isinstance(node.func, ast.Attribute) and node.func.attr == "counted" and is_words(node.func.value)
        if is_words(node.func) or counted:
            found |= {arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)}
    return found - {"p", "n"}


def literals() -> set[str]:
    return {node.value for node in trees() if isinstance(node, ast.Constant) and isinstance(node.value, str)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_is_translated_and_used(language: str) -> None:
    table = TRANSLATIONS[language]
    assert turn_texts() - set(table) == set()
    assert set(table) - literals() == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_placeholders_are_kept(language: str) -> None:
    for text, translated in TRANSLATIONS[language].items():
        assert sorted(re.findall(r"\{\d\}", translated)) == sorted(re.findall(r"\{\d\}", text))
        assert translated.strip()


def test_french_is_set_as_french_is() -> None:
    for text in TRANSLATIONS["fr"].values():
        assert not re.search(r"\w'\w", text), text
        assert not re.search(r"[^\u00a0]:(?:\s|$)|[^\u202f][;!?]", text), text


def test_numbers_and_nouns() -> None:
    english, french = Words("en-GB"), Words("fr_CA")
    assert (english.language, french.language, Words("xx").language, Words().language) == ("en", "fr", "en", "en")
    assert (english.number(1234567), french.number(1234567)) == ("1,234,567", "1\u202f234\u202f567")
    assert [english.counted(n, "{0} call", "{0} calls") for n in (0, 1, 2)] == ["0 calls", "1 call", "2 calls"]
    assert [french.counted(n, "{0} call", "{0} calls") for n in (0, 1, 2)] == ["0 appel", "1 appel", "2 appels"]
    assert english("Turn {0} · {1}", 1, "{a}") == "Turn 1 · {a}"


def test_a_page_is_in_the_readers_language_and_states_so() -> None:
    snapshot = open_snapshot(CHAT, path="chat.json", registry=ToolRegistry(()), settings=Settings())
    view = view_of(snapshot, "chat.json")
    english, french = (page([view], view.counts, title="chat.json", locale=locale) for locale in ("", "fr"))
    assert '<html lang="en">' in english
    assert "Turn 2 · assistant" in english
    assert '<html lang="fr">' in french
    assert "Tour 2 · assistant" in french
    assert "Problème suivant" in french
    assert "Next problem" not in french
