"""Completion: the scripts as the shells run them, where there are such shells."""

import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from callwright.cli.main import main
from callwright.cli.support.arguments import command_names, load_command
from callwright.cli.support.completions import SHELLS, script
from callwright.dialects.catalogue import dialect_names


@cache
def made(shell: str) -> str:
    return script(shell)


def needs(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"{shell} is not installed")


def shell(*words: str, folder: Path) -> str:
    result = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, timeout=60)
    assert result.stderr == ""
    return result.stdout


def in_bash(folder: Path, *words: str) -> list[str]:
    """What bash offers for the last of the words."""
    (folder / "script").write_text(made("bash"), encoding="utf-8")
    typed = " ".join(f"'{word}'" for word in ("callwright", *words))
    program = (
        f'source ./script; COMP_WORDS=({typed}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _callwright; printf "%s\\n" '
        '"${COMPREPLY[@]}"'
    )
    return shell("bash", "--norc", "-c", program, folder=folder).split()


def in_fish(folder: Path, line: str) -> list[str]:
    """What fish offers at the end of a line."""
    (folder / "script").write_text(made("fish"), encoding="utf-8")
    out = shell("fish", "--no-config", "-c", f"source ./script; complete -C '{line}'", folder=folder)
    return [one.partition("\t")[0] for one in out.splitlines()]


@pytest.mark.parametrize("name", SHELLS)
def test_a_script_is_printed_and_the_shell_can_read_it(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", name]) == 0
    assert capsys.readouterr() == (made(name), "")
    (tmp_path / "script").write_text(made(name), encoding="utf-8")
    if shutil.which(name) is not None:
        assert shell(name, "-n", "script", folder=tmp_path) == ""


@pytest.mark.parametrize("name", SHELLS)
def test_every_command_and_option_is_in_every_script(name: str) -> None:
    for command in command_names():
        for option in load_command(command).options.every:
            assert option.kind != "option" or option.written[2:] in made(name)
        assert command.split()[-1] in made(name)


@needs("bash")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["ch"], ["chat-template", "check"]),
        (["check", "--output-f"], ["--output-format", "--output-file"]),
        (["check", "--output-format", "gi"], ["github", "gitlab"]),
        (["check", "--output-format", "=", "sa"], ["sarif"]),
        (["check", "a.prompt", "--color", ""], ["auto", "always", "never"]),
        (["check", "--output-file", "--x"], []),
        (["check", "--select", "unknown-t"], ["unknown-tool"]),
        (["convert", "--to", "xml-"], [name for name in dialect_names() if name.startswith("xml-")]),
        (["tools", "l"], ["lock"]),
        (["tools", "lock", "--time"], ["--timeout"]),
        (["corp"], ["corpus"]),
        (["corpus", "ded"], ["dedupe-diagnostics"]),
        (["corpus", "dedupe-diagnostics", "--mo"], ["--most"]),
        (["check", "tools", "lock", "--time"], []),
        (["completion", "f"], ["fish"]),
        (["rule", "TC30"], ["TC301", "TC302", "TC303", "TC304", "TC305", "TC306", "TC307", "TC308"]),
        (["--v"], ["--version"]),
    ],
)
def test_bash_offers(words: list[str], offered: list[str], tmp_path: Path) -> None:
    found = in_bash(tmp_path, *words)
    assert [one for one in found if not one.startswith("TC309") and not one.startswith("TC31")] == offered


@needs("bash")
def test_bash_offers_all_commands_and_files_for_other_words(tmp_path: Path) -> None:
    assert in_bash(tmp_path, "") == sorted({name.split()[0] for name in command_names()})
    assert in_bash(tmp_path, "check", "scr") == ["script"]
    assert in_bash(tmp_path, "check", "--output-file", "scr") == ["script"]


@needs("fish")
def test_fish_offers(tmp_path: Path) -> None:
    assert set(in_fish(tmp_path, "callwright ")) >= {name.split()[0] for name in command_names()}
    assert in_fish(tmp_path, "callwright check --output-format gi") == ["github", "gitlab"]
    assert in_fish(tmp_path, "callwright check --output-f") == ["--output-file", "--output-format"]
    assert in_fish(tmp_path, "callwright tools lo") == ["lock"]
    assert in_fish(tmp_path, "callwright tools lock --time") == ["--timeout"]
    assert in_fish(tmp_path, "callwright corpus ded") == ["dedupe-diagnostics"]
    (tmp_path / "some.prompt").write_bytes(b"")
    assert in_fish(tmp_path, "callwright check some") == ["some.prompt"]
    assert in_fish(tmp_path, "callwright completion z") == ["zsh"]


def in_zsh(folder: Path, line: str) -> str:
    """What an interactive zsh shows when the key for completion is hit twice after a line."""
    (folder / "script").write_text(made("zsh"), encoding="utf-8")
    program = (
        "zmodload zsh/zpty; zpty shell zsh -f -i\n"
        "zpty -w shell 'PS1=; unsetopt beep; autoload -U compinit; compinit -u -D; source ./script; echo re\"\"ady'\n"
        "zpty -r shell out '*ready*'\n"
        f"zpty -w -n shell '{line}'$'\\t\\t'\n"
        "zpty -w -n shell $'\\x01: \\x05 ; echo do\"\"ne\\n'\n"
        "zpty -r shell out '*done*'; print -r -- $out"
    )
    result = subprocess.run(
        ["zsh", "-f", "-c", program], cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )
    return result.stdout


@needs("zsh")
def test_zsh_offers(tmp_path: Path) -> None:
    assert "callwright check --output-format" in in_zsh(tmp_path, "callwright check --output-fo").replace("\x08", "")
    shown = in_zsh(tmp_path, "callwright check --output-format gi")
    assert "github" in shown
    assert "gitlab" in shown
    assert "lock" in in_zsh(tmp_path, "callwright tools loc")
    assert "dedupe-diagnostics" in in_zsh(tmp_path, "callwright corpus ded")
