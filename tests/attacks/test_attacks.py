"""What hostile bots try, in real matches against a good one: with `none` each attack works, in the tiers none does.

The attacks that leave the bot alive are made one after the other in one match for each tier and user, QUIET, and so are
the controls of most others; in the tiers these have a match each. Facts of the host are what counts; the errors that the bot got are looked at besides.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from arena.match.launch import ENGINE
from arena.sandbox import landlock
from tests.attacks.theatre import HERE, MISSING, ROOT, SYSTEM_PYTHON, TIERS, USERS, perform, put_up, site_packages
from tests.machine import need_freedom

QUIET = (
    "descriptors", "network", "families", "read", "processes_of_others", "environment", "write", "metadata", "fifo",
    "scratch", "set_user_id", "locks", "processes", "bomb", "signals", "spy", "scheduling", "watch_others",
    "watch_oneself", "kernel_memory", "asynchronous_io", "page_cache", "memory", "kernel",
)  # fmt: skip
MEMORY = ("made_read_only", "headless", "page_tables")
WORK = ("spin", "spin_in_four_threads", "spin_deaf_to_warnings")
TIGHT = {"policy": {"memory_mb": 64, "cpu_s": 1}, "strikes": 1}
HURRY = {"clock": {"bank_ms": 0, "increment_ms": 300}}
KILLED = ("was ended by signal 9 (SIGKILL)", "was ended by signal 3 (SIGQUIT)")
"""The second if the bot is awake when it is asked for its stack, just before it is killed, and does not know how."""
REFUSED = {"EACCES", "EPERM", "ENOENT", "ESRCH", "EROFS", "ENOSYS", "ENOMEM", "ENOTSUP"}

in_sandboxes = pytest.mark.parametrize("tier", TIERS[1:])


@pytest.fixture
def quiet(user: str, tier: str, once: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    """What the match with the attacks that leave the bot alive has shown; it is played once for all tests."""
    return once(f"{user}-{tier}", lambda: play_quietly(user, tier))


def play_quietly(user: str, tier: str) -> dict[str, Any]:
    attacks: tuple[str, ...] = (*QUIET, *MEMORY, "thread_storm") if tier == "none" else QUIET
    attacks = (*(attack for attack in attacks if attack != "kernel"), "kernel")  # after which it sees no files
    found = perform(user, tier, *attacks)
    check_the_match(found, tier)
    assert found["faults"] == []
    assert set(found["notes"]["hostile"]) == set(attacks), "it has made all its attacks"
    return found


def said(quiet: dict[str, Any], attack: str) -> Any:
    return quiet["notes"]["hostile"][attack]


def check_the_match(found: dict[str, Any], tier: str) -> None:
    """Whatever one bot does: the other plays on, the record is right, and nothing is left."""
    assert found["void"] is None
    assert found["verify"] is None
    assert found["same_when_read"]
    assert found["sandbox"][0] == tier
    assert bool(found["sandbox"][1]) == (tier != "none"), "the record tells the layers"
    assert all(seat == 1 for _, seat, _ in found["faults"])
    assert found["out"] in ([], [1])
    assert set(found["statuses"]) <= {"accepted", "forced"}, "the opponent is asked and heard as always"
    assert found["left"] == [], "nobody is alive after the verdict"
    assert found["changed"] == [], "no zombie, no descriptor, no mount"
    assert found["arena_rss_mb"] < 128


def assert_all_refused(results: dict[str, Any], *but: str) -> None:
    assert {name: result for name, result in results.items() if name not in but and result not in REFUSED} == {}


def assert_all_work(results: dict[str, Any], *but: str) -> None:
    assert {name: result for name, result in results.items() if name not in but and result in REFUSED} == {}


# Network


def test_nothing_reaches_a_listener(tier: str, quiet: dict[str, Any]) -> None:
    results = said(quiet, "network")
    if tier == "none":
        assert_all_work(results)
        assert quiet["heard"] == list(results)
    else:
        assert set(results.values()) == {"EACCES"}
        assert quiet["heard"] == []


def test_no_family_has_sockets_but_pairs_work(tier: str, quiet: dict[str, Any]) -> None:
    results = said(quiet, "families")
    assert results["pair"] == "across"
    if tier == "none":
        assert {1, 2} <= set(results["made"])
        assert results["sent"] == 1
    else:
        assert results["made"] == []
        assert results["sent"] == "EPERM", "a descriptor that is on its way would outlive the bot"
        assert results["errors"] == {"EACCES": 46 * 3}


# Files


def test_what_is_not_the_bots_cannot_be_read(user: str, tier: str, quiet: dict[str, Any]) -> None:
    results = said(quiet, "read")
    if tier == "none":
        assert_all_work(results, *(["shadow"] if user == "ordinary" else []))  # which no ordinary user may read
    elif tier == "lite":
        assert set(results.values()) == {"EACCES"}
    else:
        assert results.pop("bots") == 1, "of the folder of all bots it sees itself"
        assert set(results.values()) == {"ENOENT"}


def test_other_processes_cannot_be_looked_at(tier: str, quiet: dict[str, Any]) -> None:
    results = said(quiet, "processes_of_others")
    if tier == "none":
        assert_all_work(results)
    else:
        assert set(results.values()) == {"EACCES" if tier == "lite" else "ENOENT"}


def test_no_secret_of_the_arena_is_in_an_environment_that_the_bot_can_read(tier: str, quiet: dict[str, Any]) -> None:
    results = dict(said(quiet, "environment"))
    keys = set(results.pop("keys"))
    assert not results.pop("own")
    assert "ARENA_SECRET" not in keys
    if tier == "none":
        assert True in results.values(), "the arena's own environment holds it"
    else:
        assert keys <= {
            "GOMAXPROCS", "GOMEMLIMIT", "HOME", "JAVA_TOOL_OPTIONS", "LANG", "LC_ALL", "NODE_OPTIONS", "OMP_NUM_THREADS",
            "OPENBLAS_NUM_THREADS", "PATH",
            "PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "TMPDIR", "TZ",
        }  # fmt: skip
        assert results.pop("self") is False
        assert_all_refused(results)


def test_nothing_is_written_on_the_host(tier: str, quiet: dict[str, Any]) -> None:
    results, found = said(quiet, "write"), quiet
    if tier == "none":
        assert_all_work(results)
        assert found["written"] == ["tmp", "shm", "vartmp", "league", "own"]
        assert found["folder_changed"]
    else:
        assert_all_refused(results, "tmp", "scratch")
        is_scratch = tier == "full"
        assert (results["scratch"] == "ok") == is_scratch
        # /tmp is the scratch space as well, unless something that the bot may read is there, such as the rules of a checkout.
        assert (results["tmp"] == "ok") == is_scratch or (ENGINE.startswith("/tmp/") and results["tmp"] == "EROFS")
        assert found["written"] == []
        assert not found["folder_changed"]


def test_modes_owners_and_times_stay_as_they_are(tier: str, quiet: dict[str, Any]) -> None:
    results, found = said(quiet, "metadata"), quiet
    if tier == "none":
        assert_all_work(results)
        assert found["league_changed"]
    else:
        assert_all_refused(results)
        assert not found["league_changed"]
        assert not found["folder_changed"]


def test_a_named_pipe_in_the_bots_folder_is_no_channel(tier: str, quiet: dict[str, Any]) -> None:
    assert (said(quiet, "fifo") == "ok") == (tier == "none")
    assert quiet["fifo"] == ("psst" if tier == "none" else "")


def test_scratch_space_has_an_end(tier: str, quiet: dict[str, Any]) -> None:
    results = said(quiet, "scratch")
    if tier == "none":
        assert (results["mb"], results["files"]) == (64, 100), "all that the control asks for"
    elif tier == "lite":
        assert results["made"] in REFUSED, "there is none"
    else:
        assert (results["bytes"], results["inodes"]) == ("ENOSPC", "ENOSPC")
        assert 48 <= results["mb"] <= 64
        assert 4000 <= results["files"] <= 4096


def test_no_file_can_be_made_set_user_id(tier: str, quiet: dict[str, Any]) -> None:
    results = said(quiet, "set_user_id")
    if tier == "none":
        assert results["mode"] == "0o4755"
    else:
        assert (results["chmod"], results["open"]) == ("EPERM", "EPERM")
        assert results["mode"] == ("0o755" if tier == "full" else "ENOENT")


def test_locks_and_watches_are_no_channel(tier: str, quiet: dict[str, Any]) -> None:
    assert set(said(quiet, "locks").values()) == {"ok" if tier == "none" else "EPERM"}
    assert quiet["locked"] == (tier == "none")


# Processes


def test_no_other_process_can_be_started(tier: str, quiet: dict[str, Any]) -> None:
    results, bomb = said(quiet, "processes"), said(quiet, "bomb")
    if tier == "none":
        assert set(results.values()) == {"ok"}
        assert bomb == {"children": 50}, "as many as the control asks for, none of whom is left"
    else:
        assert set(results.values()) == {"EPERM"}
        assert bomb == {"children": 0, "error": "EPERM"}


def test_no_descriptor_of_the_arena_is_inherited(quiet: dict[str, Any]) -> None:
    """Not even with `none`, although the arena has some open that any plain child would inherit: see the next one."""
    assert said(quiet, "descriptors") == []


def test_the_search_for_descriptors_finds_those_that_are_there() -> None:
    read, write = os.pipe()
    os.set_inheritable(read, True)
    code = "import sys; sys.argv[1:] = ['x']; sys.path.insert(0, sys.argv.pop(0)); import hostile_bot; print(hostile_bot.descriptors())"
    words = [sys.executable, "-c", code.replace("sys.argv.pop(0)", repr(str(HERE)))]
    found = subprocess.run(words, close_fds=False, capture_output=True, text=True, check=True)
    os.close(read)
    os.close(write)
    assert f"{read}" in found.stdout.strip("[]\n").split(", ")


def test_no_signal_reaches_anybody(tier: str, quiet: dict[str, Any]) -> None:
    """With `none` kill(-1) is left out: it would reach every process of the machine."""
    results, found = said(quiet, "signals"), quiet
    heard = found["notes"]["witness"]["signals"]
    if tier == "none":
        assert_all_work(results["arena"] | results["sibling"])
        assert (results["parent"], results["spawner"]) == ("ok", "ok")
        assert found["signals"] > 0
        assert heard > 0
    else:
        assert_all_refused(results["arena"])
        assert_all_refused(results["sibling"])
        assert results["spawner"] in REFUSED
        assert results["all"] in REFUSED
        assert results["parent"] in REFUSED or tier == "full", "there it is the bot's own init, which is deaf"
        assert (found["signals"], heard) == (0, 0)


def test_no_memory_of_a_sibling_is_read(tier: str, quiet: dict[str, Any]) -> None:
    results = said(quiet, "spy")
    if tier == "none":
        assert results["readv"] == results["mem"] == "what the witness knows"
        assert_all_work(results)
    else:
        assert_all_refused(results)


def test_priority_cores_and_limits_are_not_the_bots_to_change(user: str, tier: str, quiet: dict[str, Any]) -> None:
    results = said(quiet, "scheduling")
    before, after = quiet["sibling"]
    if tier == "none":
        need_freedom()
        assert_all_work(results, "nice of user", *(["real time", "first"] if user == "ordinary" else []))
        assert after == {"nice": 5, "cores": 1, "files": "200"}
    else:
        assert_all_refused(results)
        assert before == after


def test_nobody_sees_how_long_another_has_thought(tier: str, quiet: dict[str, Any]) -> None:
    results = dict(said(quiet, "watch_others"))
    assert set(said(quiet, "watch_oneself").values()) == {"ok"}, "and everybody sees it of oneself"
    if tier == "none":
        assert set(results.values()) == {"ok"}
    else:
        assert {results.pop(name) for name in ("clock", "resolution", "timer")} == {"EINVAL"}
        assert_all_refused(results)


# Memory and time


def test_the_kernel_keeps_no_memory_for_a_bot_that_no_limit_counts(tier: str, quiet: dict[str, Any]) -> None:
    """Buffers of sockets stay as they are, and so many as descriptors allow are some 50 MB."""
    results = said(quiet, "kernel_memory")
    if tier == "none":
        assert results["wide"] > 1.3 * results["plain"]
        assert results["all"] >= 80, "all that the control asks for"
        assert (results["in a pipe"], results["size of a pipe"]) == (1 << 20, 1 << 20)
        assert results["rules"] == "ok" or landlock.is_possible() is not None
    else:
        assert results["wide"] == results["plain"]
        assert results["all"] <= 64
        assert (results["in a pipe"], results["size of a pipe"]) == ("EPERM", "EPERM")
        assert (results["force"], results["rules"]) == ("ENOPROTOOPT", "ENOSYS")


def test_no_part_of_what_the_machine_has_for_asynchronous_io_is_taken(tier: str, quiet: dict[str, Any]) -> None:
    assert said(quiet, "asynchronous_io") == ("ok" if tier == "none" else "ENOSYS")
    assert quiet["aio"] == (tier == "none")


def test_the_page_cache_is_neither_asked_nor_emptied(tier: str, quiet: dict[str, Any]) -> None:
    results = dict(said(quiet, "page_cache"))
    assert (results.pop("harmless advice"), results.pop("harmless")) == ("ok", "ok")
    if tier == "none":
        assert results.pop("cachestat") in ("ok", "ENOSYS"), "it came with Linux 6.5"
        assert results.pop("nowait") in ("ok", "EAGAIN"), "it tells that the page has just been put out"
        assert set(results.values()) == {"ok"}
    else:
        assert {results.pop(name) for name in ("advice", "cold", "out")} == {"EINVAL"}
        assert set(results.values()) == {"ENOSYS"}


def test_memory_ends_where_the_policy_says(tier: str, quiet: dict[str, Any]) -> None:
    results, found = said(quiet, "memory"), quiet
    peak = found["rss_mb"][1]
    if tier == "none":
        assert set(results.values()) == {600, 96}, "all that the control asks for"
        assert peak >= 600
    else:
        assert 150 <= results.pop("in_steps") <= 256
        assert results["at_once"] == "ENOMEM"
        assert_all_refused(results)
        assert peak <= 256 + 32


@pytest.mark.parametrize("attack", MEMORY)
def test_memory_that_no_limit_counts_is_counted_by_the_spawner(
    user: str, tier: str, attack: str, quiet: dict[str, Any]
) -> None:
    """The spawner looks five times a second, so a bot can have more for a moment, but not all that it wants."""
    if tier == "none":
        assert said(quiet, attack) >= (100 if attack == "page_tables" else 600)
    else:
        found = perform(user, tier, attack, **TIGHT)
        check_the_match(found, tier)
        assert found["faults"] == [["crash", 1, "it used more than 64 MB of memory"]]
        assert found["exits"][1] == "used more than 64 MB of memory"
        assert found["rss_mb"][1] < 1500


def test_threads_end_where_the_policy_says(user: str, tier: str, quiet: dict[str, Any]) -> None:
    found = quiet if tier == "none" else perform(user, tier, "thread_storm")
    check_the_match(found, tier)
    started = found["notes"]["hostile"].get("thread_storm")
    if tier == "none":
        assert started == 300
    elif started is None:
        assert found["faults"] == [["crash", 1, f"it used more than {found['threads']} threads"]]
    else:
        assert started == found["threads"]


@pytest.mark.parametrize("attack", WORK)
def test_work_ends_where_the_policy_says(user: str, tier: str, attack: str) -> None:
    found = perform(user, tier, attack, **TIGHT)
    check_the_match(found, tier)
    if tier == "none":
        assert found["notes"]["hostile"][attack] >= 1.2, "more than a tier would allow"
        assert found["faults"] == []
    else:
        assert found["faults"] == [["crash", 1, "it used more than 1 s of CPU time"]]


@pytest.mark.parametrize("attack", ["stop", "stubborn"])
def test_who_does_not_answer_is_late_and_then_gone(user: str, tier: str, attack: str) -> None:
    found = perform(user, tier, attack, **TIGHT, **HURRY)
    check_the_match(found, tier)
    assert [kind for kind, _, _ in found["faults"]] == ["late", "strikes"]
    assert found["endings"][1] in KILLED


def test_a_daemon_that_holds_stdout_open_delays_no_verdict(user: str, tier: str) -> None:
    found = perform(user, tier, "daemon")
    check_the_match(found, tier)
    if tier == "none":
        assert found["faults"] == [["crash", 1, "it exited with status 0"]]
    else:
        assert found["notes"]["hostile"] == {"daemon": "EPERM"}
        assert found["faults"] == []


# The kernel


def test_calls_that_only_attackers_make_are_refused(user: str, tier: str, quiet: dict[str, Any]) -> None:
    results = said(quiet, "kernel")
    if tier == "none":
        need_freedom()
        closed = ["io_uring", "bpf", "userfaultfd", "perf"]  # by many administrators, to ordinary users or to all
        if user == "ordinary":
            closed += ["unshare", "mount", "setns", "chroot", "pivot_root"]
        assert_all_work(results, *closed)
    else:
        assert results.pop("io_uring") == "ENOSYS"
        assert len(results) == 10
        assert set(results.values()) == {"EPERM"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a program that is root for everybody")
def test_a_set_user_id_program_has_no_effect(user: str, tier: str) -> None:
    if tier == "none":
        need_freedom()
    found = perform(user, tier, "who_am_i", set_user_id=True)
    check_the_match(found, tier)
    me = found["notes"]["hostile"]["who_am_i"]
    if tier == "none":
        assert me["euid"] == 0, "for an ordinary user by the program; a root arena's bots are root anyway"
        assert isinstance(me["shadow"], int)
    else:
        assert me["euid"] == 12345 if user == "ordinary" else me["euid"] > 2_100_000_000
        assert me["shadow"] in REFUSED


@in_sandboxes
def test_a_bot_below_tmp_is_held_back_as_well(user: str, tier: str) -> None:
    found = perform(user, tier, "read", "write", where="/tmp")
    check_the_match(found, tier)
    notes = found["notes"]["hostile"]
    assert_all_refused(notes["read"], "bots")
    assert_all_refused(notes["write"], "scratch")
    assert found["written"] == []
    assert not found["folder_changed"]


# The terminal


def controls(text: str) -> set[str]:
    return {letter for letter in text if letter != "\n" and (letter < " " or "\x7f" <= letter < "\xa0")}


def test_no_escape_sequence_of_a_bot_reaches_the_terminal(tier: str) -> None:
    """The command line itself, as whoever runs the tests."""
    user = USERS[0]
    with put_up(user) as base:
        for name, attacks in (("witness", "witness"), ("hostile", "escapes")):
            folder = base / "bots" / name
            command = f'["{SYSTEM_PYTHON}", "-I", "-S", "hostile_bot.py", "{attacks}"]'
            (folder / "bot.toml").write_text(f'name = "{name}"\ncommand = {command}\n')
            (folder / "targets.json").write_text("{}")
        words = [sys.executable, "-m", "arena", "play", "--sandbox", tier, "../bots/witness", "../bots/hostile"]
        environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{site_packages()}"}
        ended = subprocess.run(words, cwd=base / "league", capture_output=True, text=True, env=environment, timeout=60)
    if missing := MISSING.search(ended.stderr):
        pytest.skip(f"{missing[1]}")
    assert ended.returncode == 3, ended.stderr
    assert "pwned" in ended.stdout, "it is shown"
    assert controls(ended.stdout + ended.stderr) == set(), "but not obeyed"
