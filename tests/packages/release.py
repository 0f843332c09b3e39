"""Builds all that a release publishes into `build/release`, tries it offline, and publishes nothing.

    make release                       the tree must be clean, and its version dated in both changelogs
    make release RELEASE="--unready"   both are reported, and do not fail
    make release RELEASE="--python-only"   without the extension and the site

Owns: the steps, their order, and what a person must still do. Must not know: how a package is tried (`trial.py`), where
a version is stated (`versions.py`).
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from packages import bill, trial, versions
from packages.locked import ROOT, locked
from support.interpreters import PYTHONS

OUT: Final = ROOT / "build" / "release"
CLIENT: Final = ROOT / "client-vscode"
UV: Final = ROOT / ".tools" / "bin" / "uv"
#: What the checksums list does not name.
UNLISTED: Final = {"SHA256SUMS"}
#: Packages that build ours, and what they need.
BUILDERS: Final = (
    "hatchling",
    "hatch-fancy-pypi-readme",
    "packaging",
    "pathspec",
    "pluggy",
    "tomlkit",
    "trove-classifiers",
)


class ReleaseError(Exception):
    """The release cannot be made; the text states why."""


def run(*words: str | Path, folder: Path = ROOT, **more: str) -> str:
    """Run a program, and return its output; where it fails, its output is the reason."""
    done = subprocess.run(
        list(map(str, words)),
        cwd=folder,
        env=os.environ | {"NO_COLOR": "1"} | more,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise ReleaseError(f"{Path(words[0]).name} {words[1]} ended with {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


def program(name: str) -> Path:
    """Return a program of the environment that runs this."""
    return Path(sys.executable).parent / name


@contextmanager
def step(title: str) -> Iterator[None]:
    """Print a title before, and the time after."""
    sys.stdout.write(f"== {title}\n")
    sys.stdout.flush()
    began = time.monotonic()
    yield
    sys.stdout.write(f"   {time.monotonic() - began:.0f} s\n")


def say(text: str) -> None:
    """Print a line below the title of a step."""
    sys.stdout.write(f"   {text}\n")
    sys.stdout.flush()


def ready(*, strict: bool) -> None:
    """Check the tree and the versions."""
    found = [f"not committed: {line[3:]}" for line in run("git", "status", "--porcelain").splitlines()]
    found += [*versions.disagreements(ROOT, versions.tracked()), *versions.undated(ROOT)]
    found += unlocked()
    for each in found:
        say(each)
    if found and strict:
        raise ReleaseError("the tree is not ready")
    say(f"{len(versions.places(ROOT, versions.tracked()))} places state {versions.current()}")


def unlocked() -> list[str]:
    """Return what says that the lock file is old."""
    done = subprocess.run([UV, "lock", "--check", "--quiet"], cwd=ROOT, capture_output=True, check=False)
    return [] if done.returncode == 0 else ["uv.lock is not that of pyproject.toml; run `uv lock`"]


def python_packages(scratch: Path, epoch: str) -> Path:
    """Build the sdist and the wheel twice, in different folders and at different times; return the wheel."""
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
    built: list[dict[str, bytes]] = []
    for name in ("one", "another-place"):
        tree = scratch / name / "tree"
        tree.mkdir(parents=True)
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            tar.extractall(tree, filter="data")
        if built:
            for file in tree.rglob("*"):
                os.utime(file, (1_000_000_000, 1_000_000_000))
        folder = scratch / name / "dist"
        run(sys.executable, "-m", "hatchling", "build", "-d", folder, folder=tree, SOURCE_DATE_EPOCH=epoch)
        built.append({file.name: file.read_bytes() for file in sorted(folder.iterdir())})
    if built[0] != built[1]:
        raise ReleaseError("two builds of one tree are not the same bytes")
    for name, content in built[0].items():
        (OUT / name).write_bytes(content)
        say(f"{name}: twice the same {len(content):,} bytes")
    say(run(program("twine"), "check", "--strict", *(OUT / name for name in built[0])).strip().replace("\n", "\n   "))
    (wheel,) = OUT.glob("*.whl")
    (sdist,) = OUT.glob("*.tar.gz")
    with tarfile.open(sdist) as tar:
        tar.extractall(scratch / "unpacked", filter="data")
    (tree,) = (scratch / "unpacked").iterdir()
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", folder=tree, SOURCE_DATE_EPOCH=epoch)
    if (tree / "dist" / wheel.name).read_bytes() != wheel.read_bytes():
        raise ReleaseError("the sdist builds another wheel")
    say("the sdist builds the same wheel")
    return wheel


def extension(version: str, wheel: Path, epoch: str) -> None:
    """Build both packages of the extension; the wheel that they carry is the released one."""
    lock = CLIENT / "package-lock.json"
    installed = CLIENT / "node_modules" / ".installed-lock.json"
    if not installed.is_file() or installed.read_bytes() != lock.read_bytes():
        run("npm", "ci", "--ignore-scripts", "--loglevel=error", folder=CLIENT)
        shutil.copyfile(lock, installed)
    universal = OUT / f"callwright-vscode-{version}.vsix"
    run("npm", "run", "--silent", "package", "--", universal, folder=CLIENT, UV=str(UV), SOURCE_DATE_EPOCH=epoch)
    for package in sorted(OUT.glob("*.vsix")):
        with zipfile.ZipFile(package) as archive:
            (carried,) = [
                each for each in archive.namelist() if re.fullmatch(r"extension/server/callwright-.*\.whl", each)
            ]
            same_wheel(wheel.read_bytes(), archive.read(carried))
            (OUT / f"{package.stem}.cdx.json").write_bytes(archive.read("extension/sbom.cdx.json"))
        say(f"{package.name}: {package.stat().st_size:,} bytes")


def same_wheel(released: bytes, carried: bytes) -> None:
    """Check that two wheels hold the same files; what names the builder and its version may differ."""
    contents = []
    for content in (released, carried):
        with zipfile.ZipFile(io.BytesIO(content)) as wheel:
            contents.append(
                {name: wheel.read(name) for name in wheel.namelist() if not name.endswith(("/WHEEL", "/RECORD"))}
            )
    if contents[0] != contents[1]:
        different = sorted(
            name for name in contents[0].keys() | contents[1].keys() if contents[0].get(name) != contents[1].get(name)
        )
        raise ReleaseError(f"the extension carries another wheel; these differ: {', '.join(different[:5])}")


def packed(name: str, files: dict[str, bytes], epoch: str) -> None:
    """Write files into an archive whose bytes depend on nothing else."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path, content in sorted(files.items()):
            member = tarfile.TarInfo(path)
            member.size, member.mtime, member.mode = len(content), int(epoch), 0o644
            tar.addfile(member, io.BytesIO(content))
    (OUT / name).write_bytes(gzip.compress(plain.getvalue(), mtime=int(epoch)))
    say(f"{name}: {len(files)} files")


def bills(version: str) -> None:
    """Write the bill of the Python package, and validate all bills."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    bill.main([str(OUT / f"callwright-{version}.cdx.json")])
    validator = JsonStrictValidator(SchemaVersion.V1_5)
    for file in sorted(OUT.glob("*.cdx.json")):
        text = file.read_text(encoding="utf-8")
        error = validator.validate_str(text)
        if error is not None:
            raise ReleaseError(f"{file.name} is not valid: {error.data}")
        say(f"{file.name}: {len(json.loads(text)['components'])} components, valid")


def wheels(scratch: Path) -> Path:
    """Collect what installs without a network: for each Python what the wheel needs, what builds it, what tests it."""
    folder = ROOT / "build" / "release-wheels"
    folder.mkdir(parents=True, exist_ok=True)
    lock = locked()
    names = {*lock.closure(), *lock.closure(["templates"]), *BUILDERS, *trial.TESTERS}
    pinned = scratch / "pinned.txt"
    pinned.write_text(
        "".join(f"{each}=={lock.packages[each]['version']}\n" for each in sorted(names)), encoding="utf-8"
    )
    pip = (ROOT / ".tools" / "bin" / "python", "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:")
    for python in PYTHONS:
        run(*pip, "--python-version", python, "--dest", folder, "--requirement", pinned)
    say(f"{len(list(folder.iterdir()))} wheels of {len(names)} packages for Python {', '.join(PYTHONS)}")
    return folder


def notes(version: str) -> None:
    """Write the notes: the section of the changelog."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {re.escape(version)}\b.*?\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if section is None:
        raise ReleaseError(f"CHANGELOG.md has no section for {version}")
    (OUT / "NOTES.md").write_text(section[1].strip() + "\n", encoding="utf-8")


def checksums() -> None:
    """Write the checksums, and print the table of what there is."""
    rows = [
        (file.name, file.stat().st_size, hashlib.sha256(file.read_bytes()).hexdigest())
        for file in sorted(OUT.iterdir())
        if file.name not in UNLISTED
    ]
    (OUT / "SHA256SUMS").write_text("".join(f"{digest}  {name}\n" for name, _, digest in rows), encoding="utf-8")
    width = max(len(name) for name, _, _ in rows)
    sys.stdout.write(f"\n{'File':<{width}}  {'Bytes':>12}  SHA-256\n")
    sys.stdout.writelines(f"{name:<{width}}  {size:>12,}  {digest}\n" for name, size, digest in rows)


def remaining(version: str) -> str:
    """Return what a person must still do."""
    return f"""
Nothing was uploaded. What is left, by a person with the keys:

 Once, on the code host and the registries
  1. Create the repository callwright/callwright, with private vulnerability reporting.
  2. Create the environments `pypi`, `marketplaces` and `release`, each with required reviewers.
  3. On the package index, add a trusted publisher: owner callwright, repository callwright, workflow release.yml,
     environment pypi. No token is stored.
  4. Create the publisher `callwright` on the marketplace, and store its token as the secret VSCE_PAT of `marketplaces`.

 For this version
  5. git tag --sign v{version} --message "Callwright {version}" && git push origin v{version}
     The workflow Release builds all this again; compare SHA256SUMS, then approve its jobs.
 or, without the workflow
  5. twine upload build/release/callwright-{version}-py3-none-any.whl build/release/callwright-{version}.tar.gz
     (cd client-vscode && npx vsce publish --packagePath ../build/release/*.vsix)
     gh release create v{version} --verify-tag --notes-file build/release/NOTES.md build/release/*

 Afterwards
  6. Offer the extension to Open VSX: npx ovsx publish build/release/*.vsix
  7. Remove "Version {version} is not on the package index yet" from README.md.
"""


def main(arguments: list[str]) -> int:
    """Make the release."""
    if set(arguments) - {"--unready", "--python-only"}:
        sys.stderr.write("usage: release.py [--unready] [--python-only]\n")
        return 2
    version = versions.current()
    epoch = run("git", "log", "-1", "--format=%ct").strip()
    whole = "--python-only" not in arguments
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    try:
        with tempfile.TemporaryDirectory(prefix="callwright-release-") as folder:
            scratch = Path(folder)
            with step("the tree and its version"):
                ready(strict="--unready" not in arguments)
            with step("wheel and sdist"):
                wheel = python_packages(scratch, epoch)
            if whole:
                with step("extension"):
                    extension(version, wheel, epoch)
                with step("site"):
                    run("make", "site")
                    site = ROOT / "build" / "site"
                    files = {
                        f"site/{each.relative_to(site).as_posix()}": each.read_bytes()
                        for each in site.rglob("*")
                        if each.is_file()
                    }
                    packed(f"callwright-{version}-site.tar.gz", files, epoch)
            with step("schemas"):
                schemas = sorted((ROOT / "schemas").glob("*.schema.json"))
                run(program("check-jsonschema"), "--check-metaschema", *schemas)
                packed(
                    f"callwright-{version}-schemas.tar.gz",
                    {f"schemas/{each.name}": each.read_bytes() for each in schemas},
                    epoch,
                )
            with step("bills of materials"):
                bills(version)
            with step("wheels to install without a network"):
                collected = wheels(scratch)
            trial.all_of_it(wheel, collected, scratch, step, say)
            notes(version)
    except (ReleaseError, trial.TrialError) as error:
        sys.stdout.write(f"release: {error}\n")
        return 1
    checksums()
    sys.stdout.write(remaining(version))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
