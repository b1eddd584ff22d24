"""The transcript of the virtual machine: a step is well only if it ended with 0 and showed what it had to."""

import shlex

import pytest

from tests.anywhere.virtual import STEPS, USERS, faults, filled, steps, write_steps

SHOWN = {
    "tests": "52 passed in 3.21s",
    "two arenas in one scope": "cgroup memory pids\n   cpu\ncgroup memory pids cpu",
    "a league": "After 18 matches:",
    "no group of a bot is left": "",
}


def transcript(odd: str = "", instead: str = "", code: int = 0) -> str:
    """What a machine writes on which all is well, but for one step."""
    parts = []
    for mark, user, step in steps():
        usual = SHOWN.get(step.name, filled(step.shows, user))
        parts.append(f"{mark}\n{instead}\n[{code}]\n" if step.name == odd else f"{mark}\n{usual}\n[0]\n")
    return "".join(parts)


def test_where_every_step_shows_what_it_has_to_all_is_well():
    assert faults(transcript()) == []


@pytest.mark.parametrize("step", [step for step in STEPS if step.shows], ids=lambda step: step.name)
def test_a_step_that_does_not_show_it_is_named_for_each_user(step):
    assert faults(transcript(step.name, "cgroup memory pids")) == [f"{step.name}, {user}" for user in USERS]


def test_a_step_that_fails_is_named():
    assert faults(transcript("tests", "1 failed, 51 passed", 1)) == [f"tests, {user}" for user in USERS]


def test_what_a_machine_that_did_not_boot_has_not_shown_is_named():
    assert len(faults("")) == len(STEPS) * len(USERS)


def test_each_user_has_the_line_of_the_doctor(tmp_path):
    write_steps(tmp_path / "steps", tmp_path / "checkout", tmp_path)
    texts = [(tmp_path / "steps" / str(number)).read_text() for number in range(len(steps()))]
    assert any("; systemd-run --user --scope -p Delegate=yes arena doctor\n" in text for text in texts)
    assert any("; systemd-run --scope -p Delegate=yes arena doctor\n" in text for text in texts)
    every = (tmp_path / "steps" / "all").read_text()
    assert [line for line in shlex.split(every) if line.startswith("== ")] == [mark for mark, _, _ in steps()]
