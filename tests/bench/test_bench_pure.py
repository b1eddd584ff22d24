"""The rules in pure Python, beside compiled ones: they come from their source files, wherever compiled modules lie."""

from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from arena.bench import pure
from arena.bench.pure import PureRow, pure_rules, source_finder


def test_beside_a_compiled_module_its_source_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(pure, "ENGINE", tmp_path)
    for suffix in (".py", EXTENSION_SUFFIXES[0]):
        (tmp_path / f"rules{suffix}").touch()
    assert source_finder(str(tmp_path)).find_spec("rules").origin == str(tmp_path / "rules.py")


def test_other_folders_are_left_to_others(tmp_path, monkeypatch):
    monkeypatch.setattr(pure, "ENGINE", tmp_path / "engine")
    with pytest.raises(ImportError):
        source_finder(str(tmp_path))
    assert Path(source_finder(str(tmp_path / "engine" / "nim")).path) == tmp_path / "engine" / "nim"


@pytest.mark.usefixtures("processes")
def test_the_other_process_plays_a_slice_when_it_is_told_to():
    with pure_rules() as process:
        row = PureRow("draftosaurus summer 2p", process)
        row.measure()
        row.measure()
    assert process.returncode == 0
    assert len(row.rates) == 2
    assert all(decisions > games > 0 for decisions, games in row.rates)
