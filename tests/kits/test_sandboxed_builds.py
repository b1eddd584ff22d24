"""The kits built in the sandbox, without a network, after their dependencies were fetched: what docs/check.md says."""

import subprocess
from pathlib import Path

import pytest

from arena.roster.kits import LANGUAGES, create
from tests.cli.command import arena
from tests.machine import need_tier

SANDBOXED = ("c", "cpp", "go", "rust", "java")
"""What the kit needs was fetched by its build outside of the sandbox, and lies where a sandboxed one may read it."""
FETCHING = ("javascript", "typescript")
"""Their builds call `npm ci`, which fetches."""
WITHOUT = ("python", "shell")
HASTY = {
    "cpp": ("Makefile", "-O2", "-O0"),
    "rust": ("Cargo.toml", "[profile.release]", "[profile.release]\nopt-level = 0"),
}
"""How compilers are told to take less time: what they optimize is compiled as the guide says in test_kits.py."""


def test_every_kit_is_known_to_build_in_the_sandbox_or_not():
    assert {*SANDBOXED, *FETCHING, *WITHOUT} == LANGUAGES.keys()


@pytest.mark.parametrize("language", SANDBOXED)
def test_a_kit_whose_dependencies_were_fetched_builds_in_the_sandbox_and_plays(language, made, tmp_path):
    need_tier("full")
    assert [step.code for step in made(language).steps] == [0] * 4
    folder = tmp_path / "rex"
    create(folder, language)
    if language in HASTY:
        hurry(folder, *HASTY[language])
    ended = arena("play", folder, "random", "--build", "sandboxed", "-o", tmp_path / "x.match.jsonl.gz")
    assert ended.code == 0, ended.err + ended.out


def hurry(folder: Path, file: str, usual: str, hasty: str) -> None:
    settings = (folder / file).read_text()
    assert settings.count(usual) == 1
    (folder / file).write_text(settings.replace(usual, hasty))


@pytest.mark.parametrize("language", FETCHING)
def test_a_build_that_fetches_is_refused_by_its_package_manager_at_once(language, made, tmp_path):
    need_tier("full")
    assert [step.code for step in made(language).steps] == [0] * 4
    folder = tmp_path / "rex"
    create(folder, language)
    ended = arena("play", folder, "random", "--build", "sandboxed", "-o", tmp_path / "x.match.jsonl.gz")
    assert ended.code == 4
    assert "ENOTCACHED" in ended.err


def test_typescript_with_its_modules_in_the_folder_builds_in_the_sandbox(made, tmp_path):
    need_tier("full")
    assert made("typescript").steps[-1].code == 0
    folder = tmp_path / "rex"
    create(folder, "typescript")
    subprocess.run(["npm", "ci", "--silent"], cwd=folder, check=True)
    manifest = folder / "bot.toml"
    manifest.write_text(manifest.read_text().replace('["npm", "run", "build"]', '["npx", "--no-install", "tsc"]'))
    ended = arena("play", folder, "random", "--build", "sandboxed", "-o", tmp_path / "x.match.jsonl.gz")
    assert ended.code == 0, ended.err + ended.out
