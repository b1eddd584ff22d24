"""How fast this machine is: the fixed program, what is remembered of it, and the host that follows."""

import hashlib
import inspect
import json
import platform
import threading
import time
from dataclasses import fields, replace
from pathlib import Path

import pytest

from arena.errors import LaunchError
from arena.match import calibration, speed
from arena.match.hosts import MOST_SPEED, MOST_WORD, Host
from arena.match.launch import usable_cpus

HOST = Host("vm", 8, 97, "3.11.7", "x86_64", 1)
CORES = [0, 1]


# The program


def test_the_program_of_version_1_has_not_changed():
    """If this fails, undo your change: speeds that are stored with matches must stay comparable."""
    parts = (calibration.score, calibration.work, calibration.shortest)
    code = "".join(inspect.getsource(part) for part in parts)
    facts = (calibration.VERSION, calibration.REFERENCE_US, calibration.CHECKSUM)
    assert (*facts, hashlib.sha256(code.encode()).hexdigest()[:16]) == (
        1,
        1000.0,
        "a61ac0c6aafc0b1f",
        "76e2fb80989ddbfc",
    )


def test_its_work_has_its_checksum():
    assert calibration.work() == calibration.CHECKSUM


@pytest.fixture
def slices(monkeypatch):
    """Slices that take as long as the test says, one after the other from 0 s on."""

    def script(*lengths: float) -> None:
        now, left = [0.0], list(lengths)

        def work() -> str:
            now[0] += left.pop(0)
            return calibration.CHECKSUM

        monkeypatch.setattr(calibration, "monotonic", lambda: now[0])
        monkeypatch.setattr(calibration, "work", work)

    return script


def test_only_slices_in_the_window_count_because_all_cores_are_busy_then(slices):
    slices(0.1, 0.9, 0.5, 0.4, 0.6, 0.1, 0.1)
    assert calibration.shortest(1.0, 2.5) == pytest.approx(0.4)


def test_a_slice_that_is_longer_than_the_window_counts_if_there_is_no_other(slices):
    slices(0.5, 0.6, 7.0)
    assert calibration.shortest(1.0, 2.0) == pytest.approx(7.0)


def test_a_wrong_result_is_no_speed(slices, monkeypatch):
    slices(1.0, 1.0)
    monkeypatch.setattr(calibration, "CHECKSUM", "another")
    monkeypatch.setattr(calibration, "work", lambda: "wrong")
    assert calibration.shortest(0.0, 1.0) == 0.0


# Measuring


@pytest.mark.usefixtures("processes")
def test_the_speed_is_the_mean_of_all_cores_at_once():
    began = time.monotonic()
    found = speed.measure(usable_cpus())
    assert 1 <= found <= MOST_SPEED
    assert time.monotonic() - began >= speed.WINDOW_S


@pytest.mark.usefixtures("processes")
def test_all_cores_are_measured_in_the_same_window(tmp_path, monkeypatch):
    program = tmp_path / "program.py"
    program.write_text(
        "import sys\nprint('ready', flush=True)\nline = sys.stdin.readline()\n"
        f"open({str(tmp_path / 'seen')!r}, 'a').write(sys.argv[1] + ' ' + line)\n"
        f"print({{'3': 500.0, '5': 1000.0}}[sys.argv[1]], {calibration.CHECKSUM!r})\n"
    )
    monkeypatch.setattr(calibration, "__file__", str(program))
    assert speed.measure([3, 5]) == 150  # twice as fast, and as fast as the reference
    seen = dict(line.split(" ", 1) for line in (tmp_path / "seen").read_text().splitlines())
    assert seen.keys() == {"3", "5"}
    assert seen["3"] == seen["5"]


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("raise SystemExit", "a process that measures a core ended at once"),
        ("print('ready')", "a process that measures a core ended early"),
        ("import os; os.close(0); print('ready')", "a process that measures a core ended early"),
        ("print('ready', flush=True); input(); print(1000.0, 'other')", "a core calculates wrong results"),
        ("print('ready', flush=True); input(); print(0.0, '{checksum}')", "a core calculates wrong results"),
    ],
)
def test_what_cannot_be_measured_is_an_error_with_a_way_out(program, why, tmp_path, monkeypatch):
    path = tmp_path / "program.py"
    path.write_text(program.format(checksum=calibration.CHECKSUM))
    monkeypatch.setattr(calibration, "__file__", str(path))
    with pytest.raises(LaunchError) as caught:
        speed.measure([0])
    assert str(caught.value).startswith(f"the speed of this machine cannot be measured: {why}. Run it again")


# Remembering


@pytest.fixture
def measured(tmp_path, monkeypatch) -> list[list[int]]:
    """The cores of each measurement; the first finds 101, the next 102."""
    found: list[list[int]] = []

    def measure(cores):
        found.append(list(cores))
        return 100 + len(found)

    (tmp_path / "boot").write_text("one\n")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(speed, "BOOT_ID", tmp_path / "boot")
    monkeypatch.setattr(speed, "measure", measure)
    return found


def note(tmp_path: Path) -> Path:
    (found,) = (tmp_path / "state" / "dino-arena").glob("speed-*.json")
    return found


def test_a_machine_is_measured_once_while_it_runs(measured):
    assert [speed.speed(CORES), speed.speed(CORES)] == [101, 101]
    assert measured == [CORES]


@pytest.mark.usefixtures("measured")
def test_after_a_start_it_is_measured_again(tmp_path):
    speed.speed(CORES)
    (tmp_path / "boot").write_text("two\n")
    assert [speed.speed(CORES), speed.speed(CORES)] == [102, 102]


@pytest.mark.usefixtures("measured")
def test_other_cores_are_measured_again():
    speed.speed(CORES)
    assert speed.speed([0]) == 102


@pytest.mark.parametrize("name", ["python_version", "python_implementation"])
@pytest.mark.usefixtures("measured")
def test_another_python_is_measured_again(name, monkeypatch):
    speed.speed(CORES)
    monkeypatch.setattr(platform, name, lambda: "another")
    assert speed.speed(CORES) == 102


@pytest.mark.usefixtures("measured")
def test_another_program_measures_again(monkeypatch):
    speed.speed(CORES)
    monkeypatch.setattr(calibration, "VERSION", 2)
    assert speed.speed(CORES) == 102


@pytest.mark.parametrize("speed_text", ["0", "100001", "true", '"97"', "97.0", "null"])
@pytest.mark.usefixtures("measured")
def test_a_note_with_another_value_is_not_believed(speed_text, tmp_path):
    speed.speed(CORES)
    path = note(tmp_path)
    path.write_text(path.read_text().replace("101", speed_text))
    assert speed.speed(CORES) == 102


@pytest.mark.parametrize("text", ["", "no JSON", "[1]", "{}", '{"key": 1}', "[" * 3000, "x" * 5000])
@pytest.mark.usefixtures("measured")
def test_a_damaged_note_is_written_again(text, tmp_path):
    speed.speed(CORES)
    note(tmp_path).write_text(text)
    assert [speed.speed(CORES), speed.speed(CORES)] == [102, 102]


@pytest.mark.usefixtures("measured")
def test_without_a_home_every_process_measures(monkeypatch):
    monkeypatch.setattr(speed, "state_folder", lambda: None)
    assert [speed.speed(CORES), speed.speed(CORES)] == [101, 102]


@pytest.mark.usefixtures("measured")
def test_a_folder_that_cannot_be_written_is_no_reason_to_stop(tmp_path):
    (tmp_path / "state").write_text("a file, not a folder")
    assert [speed.speed(CORES), speed.speed(CORES)] == [101, 102]


@pytest.mark.usefixtures("measured")
def test_where_the_start_of_the_machine_is_not_known_nothing_is_remembered(tmp_path):
    (tmp_path / "boot").unlink()
    assert [speed.speed(CORES), speed.speed(CORES)] == [101, 102]


def test_two_processes_do_not_measure_at_the_same_time(measured, monkeypatch):
    slow = speed.measure

    def measure(cores):
        time.sleep(0.05)
        return slow(cores)

    monkeypatch.setattr(speed, "measure", measure)
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(speed.speed(CORES))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [101, 101, 101]
    assert measured == [CORES]


# The host


def test_this_host_is_this_machine(measured):
    host = speed.this_host()
    assert (host.cores, host.speed, host.calibration) == (len(usable_cpus()), 101, 1)
    assert measured == [usable_cpus()]


@pytest.mark.usefixtures("measured")
def test_a_machine_can_have_another_name_in_leagues(monkeypatch):
    monkeypatch.setenv("ARENA_HOST", "node-" * 40)
    assert speed.this_host().name == ("node-" * 40)[:MOST_WORD]


@pytest.mark.parametrize("name", [field.name for field in fields(Host)])
def test_the_id_of_a_host_follows_from_every_fact(name):
    value = getattr(HOST, name)
    other = Host.from_plain({**HOST.plain(), name: value + 1 if isinstance(value, int) else value + "x"})
    assert other.id != HOST.id


def test_the_id_of_a_host_never_changes():
    assert HOST.id == "986e33364d0d6dd7"


def test_a_host_is_the_same_after_it_was_sent():
    assert Host.from_plain(json.loads(json.dumps(HOST.plain()))) == HOST


def test_a_host_that_is_measured_again_keeps_its_place():
    assert replace(HOST, speed=99, python="3.12.0").place == HOST.place
    assert replace(HOST, name="other").place != HOST.place
