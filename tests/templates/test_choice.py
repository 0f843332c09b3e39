"""Which template language a document is in, and what kind of text it is besides."""

from __future__ import annotations

import pytest

from callwright.document.settings import Settings
from callwright.document.snapshot import Origin, Snapshot
from callwright.text.document import TextDocument
from callwright.tools.registry import ToolRegistry

FRONT = "---\nmodel: x\n---\n"


def opened(path: str | None, language: str | None = None, text: str = "", template: str | None = None) -> Snapshot:
    return Snapshot.open(
        TextDocument.from_text(text),
        Origin("", path, language),
        registry=ToolRegistry(),
        settings=Settings(template=template),
    )


@pytest.mark.parametrize(
    ("path", "language", "host", "template"),
    [
        ("prompt.md.j2", None, "markdown", "jinja"),
        ("PROMPT.MD.J2", None, "markdown", "jinja"),
        ("a/b/prompt.jinja2", None, "markdown", "jinja"),
        ("notes.txt.jinja", None, "plain", "jinja"),
        ("tools.json.j2", None, "plain", "jinja"),
        ("agents.yaml.j2", None, "plain", "jinja"),
        ("chat.prompty", None, "prompt", "jinja"),
        ("system.hbs", None, "markdown", "handlebars"),
        ("system.txt.mustache", None, "plain", "handlebars"),
        ("prompt.md", None, "markdown", None),
        ("prompt.md", "jinja-md", "markdown", "jinja"),
        ("data.json", "jinja-json", "plain", "jinja"),
        ("data.json", "json", "json", None),
        (None, "jinja", "markdown", "jinja"),
        (None, "handlebars", "markdown", "handlebars"),
        (None, "mustache", "markdown", "handlebars"),
        ("prompt.md.j2", "plaintext", "markdown", "jinja"),
        ("chat.prompt", "dotprompt", "prompt", "handlebars"),
        ("chat.prompt", None, "prompt", None),
    ],
)
def test_name_and_language_report_it(path: str | None, language: str | None, host: str, template: str | None) -> None:
    snapshot = opened(path, language)
    assert (snapshot.host.name, snapshot.template) == (host, template)


def test_dotprompt_is_known_by_its_front_matter() -> None:
    assert opened("chat.prompt", None, FRONT).template == "handlebars"
    assert opened("chat.md", None, FRONT).template is None


@pytest.mark.parametrize(
    ("line", "template"),
    [
        ("{# callwright: template=jinja #}", "jinja"),
        ("{#- callwright: template=jinja2 -#}", "jinja"),
        ("<!-- callwright: template=mustache -->", "handlebars"),
        ("{{!-- callwright: template=handlebars --}}", "handlebars"),
        ("{{! callwright: template = handlebars }}", "handlebars"),
        ("# callwright: template=format", "format"),
        ("// callwright: template=dollar", "dollar"),
        ("<!-- callwright: template=none -->", None),
        ("callwright: template=jinja", "format"),
        ("# callwright: template=unheard-of", "format"),
        ("Write `# callwright: template=jinja`.", "format"),
    ],
)
def test_a_line_at_the_top_goes_before_the_setting(line: str, template: str | None) -> None:
    assert opened("a.md", None, f"\n\n{line}\n", "format").template == template
    assert opened("a.md", None, f"\n\n\n\n\n{line}\n", "format").template == "format"


def test_the_setting_goes_before_the_file_kind() -> None:
    assert opened("a.md.j2", template="handlebars").template == "handlebars"
    assert opened("a.md.j2", template="none").template is None
