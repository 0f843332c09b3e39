"""The files in `server/editors` that users copy: each is one that its editor can read, and the page shows it.

What an editor accepts is stated here, with the page or the code that documents it; Neovim and Emacs are run with theirs
by `make e2e`.
"""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped] # it ships no types
import pytest
from ruamel.yaml import YAML

from callwright.hosts.catalogue import host_of_name
from callwright.tools.shipped import schemas_folder

ROOT = Path(__file__).parents[2]
EDITORS = ROOT / "server" / "editors"
STORE = EDITORS / "schemastore"
MANIFEST = json.loads((ROOT / "client-vscode" / "package.json").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PAGE = (ROOT / "server" / "docs" / "editors.md").read_text(encoding="utf-8")
COMMAND = ["callwright", "server"]
#: Endings that only prompts have, and names of rule files; every editor has to know them.
ENDINGS = ("prompt", "prompty", "poml", "toolcall", "mdc")
#: Endings whose file types IDEs know.
USUAL = ("md", "txt", "json", "yaml", "yml")
RULE_FILES = (".cursorrules", ".windsurfrules", ".clinerules")
#: For each file of an editor the words in which it states its command.
COMMANDS = {
    "neovim/lsp/callwright.lua": "cmd = { 'callwright', 'server' }",
    "neovim-0.7/plugin/callwright.lua": "cmd = { 'callwright', 'server' }",
    "helix/languages.toml": 'command = "callwright"\nargs = ["server"]',
    "emacs/callwright-eglot.el": '("callwright" "server")',
    "emacs/callwright-lsp.el": '("callwright" "server")',
    "sublime-text/LSP.sublime-settings": '"command": ["callwright", "server"]',
    "zed/settings.json": '"path": "callwright", "arguments": ["server"]',
    "jetbrains/callwright/template.json": '"default": "callwright server"',
}
#: The file of each editor that names the files to open.
NAMES = {
    "neovim/plugin/callwright.lua": "neovim",
    "neovim-0.7/plugin/callwright.lua": "neovim-0.7",
    "helix/languages.toml": "helix",
    "emacs/callwright-prompt-mode.el": "emacs",
    "zed/settings.json": "zed",
    "jetbrains/callwright/template.json": "jetbrains",
}


def text(name: str) -> str:
    return (EDITORS / name).read_text(encoding="utf-8")


def read_json(name: str) -> Any:
    return json.loads(text(name))


def test_every_file_is_on_the_page() -> None:
    """A page that shows a file is generated from it, which `test_generated.py` holds."""
    shown = set(re.findall(r"<!-- file: \.\./editors/(\S+) -->", PAGE))
    linked = set(re.findall(r"\]\(\.\./editors/([^)#]+)\)", PAGE))
    for file in sorted(EDITORS.rglob("*")):
        if file.is_file():
            name = file.relative_to(EDITORS).as_posix()
            assert name in shown or name in linked or any(name.startswith(f"{folder}/") for folder in linked), name
    folders = {folder.name for folder in EDITORS.iterdir()}
    assert folders == {name.partition("/")[0] for name in shown | linked}


@pytest.mark.parametrize("name", COMMANDS)
def test_each_starts_the_server(name: str) -> None:
    assert COMMANDS[name] in text(name)


@pytest.mark.parametrize("name", NAMES)
def test_each_knows_the_names_of_prompts(name: str) -> None:
    written = text(name)
    for ending in ENDINGS:
        assert re.search(rf"(?<![\w]){ending}(?!\w)", written), ending
        assert host_of_name(f"a.{ending}") is not None
    for file in RULE_FILES:
        stem = file.removeprefix(".").removesuffix("rules")
        assert stem in written, file


def test_the_entry_for_nvim_lspconfig_has_its_form() -> None:
    """Keys of `vim.lsp.Config` and the leading comment: neovim/nvim-lspconfig, CONTRIBUTING.md and `lsp/ruff.lua`."""
    entry = text("neovim/lsp/callwright.lua")
    assert entry.startswith("---@brief\n---\n--- https://github.com/callwright/callwright\n")
    body = entry.split("\n---@type vim.lsp.Config\nreturn {\n")[1]
    assert re.findall(r"^  (\w+) = ", body, re.MULTILINE) == ["cmd", "filetypes", "root_markers"]
    assert body.endswith("}\n")


def test_the_mason_package_has_the_fields_of_the_registry() -> None:
    """Fields: mason-org/mason-registry, CONTRIBUTING.md. The `source`: mason-org/registry-schema, `pypi.json`."""
    package = YAML(typ="safe").load(text("mason/packages/callwright/package.yaml"))
    assert set(package) == {
        "name", "description", "homepage", "licenses", "languages", "categories", "source", "bin"
    }  # fmt: skip
    assert package["name"] == PROJECT["name"]
    assert re.match(r"https?://", package["homepage"])
    assert package["licenses"] == [PROJECT["license"]]
    assert set(package["categories"]) <= {"Compiler", "DAP", "Formatter", "LSP", "Linter", "Runtime"}
    assert package["source"] == {"id": f"pkg:pypi/{PROJECT['name']}@{PROJECT['version']}"}
    assert package["bin"] == {"callwright": "pypi:callwright"}
    assert "callwright" in PROJECT["scripts"]


def test_helix_accepts_its_keys() -> None:
    """Fields of `LanguageConfiguration`, others are an error: helix-editor/helix, helix-core/src/syntax/config.rs.

    A language of that name that Helix knows is merged with; a new one needs a scope and file types.
    """
    stated = tomllib.loads(text("helix/languages.toml"))
    assert stated["language-server"] == {"callwright": {"command": COMMAND[0], "args": COMMAND[1:]}}
    for language in stated["language"]:
        assert set(language) <= {"name", "scope", "file-types", "roots", "language-servers"}
        assert "callwright" in language["language-servers"]
        if language["name"] == "callwright-prompt":
            assert {"scope", "file-types"} <= set(language)
            assert all(isinstance(each, str) or set(each) == {"glob"} for each in language["file-types"])
        else:
            assert language["name"] in {"markdown", "yaml", "json", "toml"}
            assert "file-types" not in language, "that would replace the list of Helix"


def test_sublime_text_accepts_its_keys() -> None:
    """Keys of a client: sublimelsp/LSP, docs/src/client_configuration.md."""
    (client,) = read_json("sublime-text/LSP.sublime-settings")["clients"].values()
    assert set(client) <= {"enabled", "command", "env", "settings", "initializationOptions", "selector"}
    assert client["enabled"] is True
    assert client["command"] == COMMAND


def test_zed_accepts_its_keys() -> None:
    """Keys of the settings: zed-industries/zed, docs/src/configuring-languages.md."""
    settings = read_json("zed/settings.json")
    assert set(settings) == {"lsp", "languages", "file_types"}
    binary = settings["lsp"]["callwright"]["binary"]
    assert [binary["path"], *binary["arguments"]] == COMMAND
    assert settings["languages"]["Markdown"]["language_servers"] == ["callwright", "..."]


def test_the_template_of_lsp4ij_has_its_form() -> None:
    """Files and keys: redhat-developer/lsp4ij, docs/UserDefinedLanguageServerTemplate.md.

    Where an IDE knows a file type of that name, the patterns beside it do not count: other names have an entry without.
    """
    folder = EDITORS / "jetbrains" / "callwright"
    assert {file.name for file in folder.iterdir()} == {"template.json", "settings.json", "README.md"}
    template = read_json("jetbrains/callwright/template.json")
    assert set(template) == {"id", "name", "programArgs", "fileTypeMappings"}
    assert set(template["programArgs"]) == {"windows", "default"}
    for mapping in template["fileTypeMappings"]:
        assert set(mapping) == {"fileType", "languageId"}
        assert {"patterns"} <= set(mapping["fileType"]) <= {"name", "patterns"}
        named = mapping["fileType"].get("name") is not None
        assert named is all(
            pattern.startswith("*.") and pattern.partition(".")[2] in USUAL
            for pattern in mapping["fileType"]["patterns"]
        )
    own = next(each for each in template["fileTypeMappings"] if each["languageId"] == "callwright-prompt")
    assert own["fileType"]["patterns"] == [f"*.{ending}" for ending in ENDINGS[:4]]


def test_the_settings_of_lsp4ij_are_the_defaults_of_the_extension() -> None:
    declared = MANIFEST["contributes"]["configuration"][0]["properties"]
    settings = read_json("jetbrains/callwright/settings.json")["callwright"]
    flat = {
        f"callwright.{key}{f'.{name}' if name else ''}": value
        for key, stated in settings.items()
        for name, value in (stated.items() if isinstance(stated, dict) else [("", stated)])
    }
    assert flat == {key: declared[key]["default"] for key in flat}
    shown = ("callwright.inlayHints.", "callwright.codeLens.", "callwright.chatTemplates")
    assert set(flat) == {key for key in declared if key.startswith(shown)}


# --- SchemaStore ----------------------------------------------------------------------------------------------------

CATALOG = read_json("schemastore/catalog.json")
#: The folder of the test files of each schema.
SCHEMAS = {"callwright.schema.json": "callwright", "tool-set.schema.json": "callwright-tool-set"}
CASES = sorted(file for kind in ("test", "negative_test") for file in (STORE / kind).rglob("*") if file.is_file())
PUBLISHED = sorted(schemas_folder().glob("*.schema.json"))


def schema_of(url: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((schemas_folder() / url.rpartition("/")[2]).read_text(encoding="utf-8"))
    return schema


def test_the_entries_have_the_fields_of_the_catalog() -> None:
    """Fields of an entry, sorted by name: SchemaStore/schemastore, CONTRIBUTING.md."""
    for entry in CATALOG:
        assert list(entry) == ["name", "description", "fileMatch", "url"]
        assert schema_of(entry["url"])["$id"] == entry["url"]
        assert not entry["description"].endswith((".", ":"))
    assert [entry["name"] for entry in CATALOG] == sorted(entry["name"] for entry in CATALOG)
    assert {entry["url"].rpartition("/")[2] for entry in CATALOG} == set(SCHEMAS)


def test_the_entries_match_the_files_that_the_extension_matches() -> None:
    """The extension has more: files that programs write, under names that other programs use, too."""
    contributed = MANIFEST["contributes"]
    matched = {each["fileMatch"] for key in ("jsonValidation", "tomlValidation") for each in contributed[key]}
    assert {pattern for entry in CATALOG for pattern in entry["fileMatch"]} == matched - {
        "*.session.json",
        "tools.lock.json",
    }
    assert [each["url"] for each in contributed["tomlValidation"]] == [CATALOG[0]["url"]]


@pytest.mark.parametrize("file", PUBLISHED, ids=lambda file: file.name)
def test_a_schema_is_of_draft_7_with_an_id_and_nothing_remote(file: Path) -> None:
    schema = json.loads(file.read_text(encoding="utf-8"))
    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
    assert schema["$id"].endswith(f"/schemas/{file.name}")
    jsonschema.Draft7Validator.check_schema(schema)
    assert all(target.startswith("#/definitions/") for target in re.findall(r'"\$ref": "([^"]*)"', json.dumps(schema)))
    # What Ajv's strict mode rejects, in which SchemaStore compiles a schema: several types at once, but for null.
    several = re.findall(r'"type": \[([^\]]*)\]', json.dumps(schema))
    assert [types for types in several if types.count(",") > 1 or '"null"' not in types] == []
    newer = {"unevaluatedProperties", "unevaluatedItems", "dependentRequired", "dependentSchemas", "prefixItems"}
    assert not newer & set(re.findall(r'"(\w+)":', json.dumps(schema)))


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.relative_to(STORE).as_posix())
def test_a_test_file_is_valid_or_not_as_its_folder_says(file: Path) -> None:
    kind, folder = file.relative_to(STORE).parts[:2]
    (name,) = (name for name, own in SCHEMAS.items() if own == folder)
    content = file.read_text(encoding="utf-8")
    document = tomllib.loads(content) if file.suffix == ".toml" else json.loads(content)
    assert jsonschema.Draft7Validator(schema_of(name)).is_valid(document) is (kind == "test")


def test_every_schema_has_test_files_of_both_kinds() -> None:
    for folder in SCHEMAS.values():
        assert any((STORE / "test" / folder).iterdir())
        assert any((STORE / "negative_test" / folder).iterdir())
