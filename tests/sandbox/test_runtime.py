"""What a bot is shown of the host for the sake of its program, whatever its command and its scripts name."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.errors import HostError
from arena.sandbox.policy import Policy
from arena.sandbox.runtime import Located, check_folder, check_reach, locate, runtime, stand_in


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a bot."""
    (tmp_path / "bot").mkdir()
    return tmp_path / "bot"


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., Path]:
    """Makes a program, a script if an interpreter is named."""

    def make(name: str, interpreter: object = "/bin/sh") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!{interpreter}\n")
        path.chmod(0o755)
        return path

    return make


def test_a_program_of_the_system_needs_nothing(folder, program):
    program("bot/run", "/usr/bin/env sh")
    assert locate(["sh", "run"], folder) == Located(shutil.which("sh", path="/usr/local/bin:/usr/bin:/bin"), [], [])
    assert locate(["./run"], folder) == Located(f"{folder}/run", [], [])


def test_our_own_interpreter_is_shown_with_all_that_it_needs(folder):
    located = locate([sys.executable, "bot.py"], folder)
    assert located.program == sys.executable
    assert located.hidden == []
    for path in (sys.executable, os.path.realpath(sys.executable)):
        assert any(path.startswith(shown) for shown in (*located.shown, "/usr/"))


def test_what_is_on_our_path_is_shown_by_its_name_or_its_place(folder, program, monkeypatch):
    tool = program("tools/bin/tool", program("real/interpreter"))
    monkeypatch.setenv("PATH", f"/usr/bin:{tool.parent}")
    seen = sorted([str(tool), str(tool.parents[2] / "real" / "interpreter")])
    assert locate(["tool"], folder) == Located(str(tool), seen, [])
    assert locate([str(tool)], folder).shown == seen
    (tool.parents[1] / "lib").mkdir()
    installed = [str(tool.parents[1] / part) for part in ("bin", "lib")]
    assert locate(["tool"], folder).shown == [str(tool.parents[2] / "real" / "interpreter"), *installed]
    program("bot/run", tool)
    assert {*installed} <= {*locate(["./run"], folder).shown}
    assert {*installed} <= {*locate(["env", "X=1", str(tool)], folder).shown}


def test_of_an_installed_program_nothing_is_shown_but_what_belongs_to_it(folder, program, tmp_path, monkeypatch):
    """Not the folder that it was installed in, where a league may lie, nor where links in it lead."""
    tool = program("project/bin/tool")
    private = [tmp_path / "project" / name for name in ("leagues", "notes.txt", "src", ".env")]
    for path in private:
        path.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "project" / "lib").mkdir()
    (tmp_path / "project" / "lib64").symlink_to("lib")
    (tmp_path / "project" / "share").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "project" / "conf").symlink_to("../elsewhere")
    monkeypatch.setenv("PATH", f"/usr/bin:{tool.parent}")
    shown = [f"{tmp_path}/project/{part}" for part in ("bin", "lib", "lib64")]
    assert locate(["tool"], folder).shown == shown
    assert not [path for path in private if any(path.is_relative_to(part) for part in shown)]


@pytest.mark.usefixtures("processes")
def test_a_program_that_is_only_an_argument_is_not_shown(folder, program, tmp_path, monkeypatch):
    tool = program("project/bin/tool")
    (tmp_path / "project" / "lib").mkdir()
    monkeypatch.setenv("PATH", f"/usr/bin:{tool.parent}")
    assert locate(["python3", "bot.py", str(tool)], folder).shown == []
    assert locate(["env", str(tool)], folder).shown == [f"{tmp_path}/project/{part}" for part in ("bin", "lib")]


def test_a_program_elsewhere_is_not_shown(folder, program):
    secret = program("elsewhere/secret")
    for argv in ([str(secret)], ["../elsewhere/secret"], ["env", "A=1", str(secret)], [f"/{secret}"]):
        assert locate(argv, folder)[1:] == ([], [str(secret)])


@pytest.mark.parametrize("what", ["elsewhere/secret", "elsewhere"])
def test_what_a_script_of_the_bot_calls_its_interpreter_is_not_shown(folder, program, tmp_path, what):
    program("elsewhere/secret")
    program("bot/run", tmp_path / what)
    assert locate(["./run"], folder)[1:] == ([], [str(tmp_path / what)])
    program("bot/run", tmp_path / "bot" / ".." / what)
    assert locate(["env", "X=1", "./run"], folder)[1:] == ([], [str(tmp_path / what)])


def test_what_a_link_of_the_bot_stands_for_is_not_shown(folder, program):
    secret = program("elsewhere/secret")
    (folder / "link").symlink_to(secret)
    (folder / "sub").symlink_to(secret.parent)
    assert locate(["./link"], folder)[1:] == ([], [str(secret)])
    assert locate(["./sub/secret"], folder)[1:] == ([], [f"{folder}/sub/secret"])


def test_what_a_virtual_environment_of_the_bot_calls_its_home_is_not_shown(folder, program):
    program("bot/env/bin/python")
    home = program("elsewhere/python3").parent
    (folder / "env" / "pyvenv.cfg").write_text(f"home = {home}\n")
    assert locate(["env/bin/python"], folder)[1:] == ([], [f"{home}/python3"])


@pytest.mark.parametrize("name", ["/proc/kmsg", "/etc/shadow", "/dev/zero", "/", "//", ".."])
def test_nothing_that_a_stranger_names_is_opened_here(folder, program, name):
    """To read /proc/kmsg would wait for ever, and what may not be read would be an error of ours."""
    program("bot/run", name)
    (folder / "link").symlink_to(name)
    (folder / "env").mkdir()
    (folder / "env" / "pyvenv.cfg").symlink_to(name)
    program("bot/env/bin/python", name)
    for word in ("./run", "./link", "env/bin/python", name):
        assert locate(["env", word], folder).shown == []
        assert locate([word], folder).shown == []


def test_a_bot_in_a_folder_named_bin_does_not_see_what_lies_beside_it(program, tmp_path):
    program("league/bin/run")
    (tmp_path / "league" / "lib").mkdir()
    (tmp_path / "league" / "bin" / "python").symlink_to("/usr/bin/python3")
    for word in ("./run", "./python"):
        assert locate([word], tmp_path / "league" / "bin").shown == []


def test_only_programs_on_our_path_are_shown(folder, program, tmp_path, monkeypatch):
    """Not what lies beside them, nor what their links stand for."""
    tools = program("tools/tool").parent
    (tools / "private").mkdir()
    (tools / "notes").touch()
    (tmp_path / "project").mkdir()
    (tools / "linked").symlink_to(tmp_path / "project")
    monkeypatch.setenv("PATH", f"{tools}/:/usr/bin")
    assert locate(["tool"], folder) == Located(f"{tools}/tool", [f"{tools}/tool"], [])
    for name in ("private", "notes", "linked"):
        program("bot/run", tools / name)
        assert locate(["./run"], folder)[1:] == ([], [])


def test_a_prefix_that_is_a_link_is_shown_with_what_it_stands_for(folder, program, tmp_path, monkeypatch):
    program("sdk/17/bin/tool")
    (tmp_path / "sdk" / "17" / "lib").mkdir()
    (tmp_path / "sdk" / "current").symlink_to("17")
    monkeypatch.setenv("PATH", f"{tmp_path}/sdk/current/bin")
    assert locate(["tool"], folder).shown == [
        f"{tmp_path}/sdk/{x}/{y}" for x in ("17", "current") for y in ("bin", "lib")
    ]


def test_what_is_hidden_can_be_told(folder, program):
    odd = os.fsdecode(b"odd\xff\n\x1b[2J")
    secret = program(f"elsewhere/{odd}")
    (folder / "link").symlink_to(secret)
    (hidden,) = locate(["./link"], folder).hidden
    assert hidden == f"{secret.parent}/odd\N{REPLACEMENT CHARACTER}\\n\\x1b[2J"
    for number in range(9):
        program(f"elsewhere/{number}")
    assert len(locate(["env", *(f"../elsewhere/{number}" for number in range(9))], folder).hidden) == 3


def test_a_huge_configuration_is_not_read_to_its_end(folder, program):
    program("bot/env/bin/python")
    with open(folder / "env" / "pyvenv.cfg", "wb") as file:
        file.truncate(1 << 40)
    assert locate(["env/bin/python"], folder).shown == []


def test_a_bot_cannot_lie_where_its_scratch_space_will_be():
    with pytest.raises(HostError, match="a bot has its own /scratch"):
        check_folder(Path("/scratch/bot"))


# What root's bots reach in the tier lite


@pytest.fixture
def closed(tmp_path, program):
    """A program in a folder that only its owner may enter, and a link to it from outside."""
    found = program("closed/bin/python")
    (tmp_path / "link").symlink_to(found)
    (tmp_path / "closed").chmod(0o700)
    return found


@pytest.mark.parametrize("name", ["closed/bin/python", "link"])
@pytest.mark.usefixtures("closed")
def test_a_program_behind_a_closed_folder_is_out_of_reach(name, tmp_path):
    with pytest.raises(
        HostError, match=f"cannot reach .*{name} in the tier lite: {tmp_path}/closed is closed to others"
    ):
        check_reach(str(tmp_path / name))


def test_a_folder_of_a_bot_can_be_out_of_reach_too(closed):
    with pytest.raises(HostError, match="is closed to others"):
        check_reach("/bin/sh", str(closed.parent))


def test_what_every_user_has_is_within_reach():
    check_reach("/bin/sh", "/usr")


def test_for_our_interpreter_in_a_closed_folder_stands_that_of_the_system(closed, monkeypatch, program, tmp_path):
    monkeypatch.setattr(sys, "executable", str(closed))
    monkeypatch.setattr("arena.sandbox.runtime.search_path", lambda: str(tmp_path / "tools"))
    assert stand_in(str(closed)) == str(closed), "there is none"
    same = program("tools/python{}.{}".format(*sys.version_info))
    assert stand_in(str(closed)) == str(same)
    assert stand_in(str(closed.parent / "other")) == str(closed.parent / "other"), "only for ours"
    (tmp_path / "closed").chmod(0o755)
    assert stand_in(str(closed)) == str(closed), "which is open now"


@pytest.mark.parametrize("name", ["bot", "/"])
def test_a_user_without_a_home_has_nothing_there_to_show(folder, monkeypatch, name):
    """No HOME, and no entry in /etc/passwd, as in a container with `--user 12345`."""
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr("os.getuid", lambda: 4_000_000_000)
    if name == "bot":
        check_folder(folder)
        assert locate([sys.executable], folder).program == sys.executable
    else:
        with pytest.raises(HostError, match="would see all of your files"):
            check_folder(Path("/"))


# Threads


@pytest.fixture
def tools(program, tmp_path, monkeypatch):
    """A Java machine and a Node on our PATH."""
    for name in ("java", "node"):
        program(f"tools/{name}")
    monkeypatch.setenv("PATH", f"{tmp_path}/tools:/usr/bin:/bin")
    monkeypatch.setattr("arena.sandbox.runtime.search_path", lambda: f"{tmp_path}/tools:/usr/bin:/bin")


@pytest.mark.parametrize(
    ("command", "first_line", "name"),
    [
        (["java", "Bot"], "", "java"),
        (["env", "A=1", "java", "Bot"], "", "java"),
        (["./bot.js"], "/usr/bin/env node", "node"),
        (["./bot.js"], "/usr/bin/env -S A=1 node --flag", "node"),
        (["sh", "java"], "", "sh"),
        (["./java"], "/bin/sh", "sh"),
        (["./bot"], "/bin/sh java", "sh"),
        (["no-such-program"], "", ""),
    ],
)
@pytest.mark.usefixtures("tools")
def test_a_runtime_is_what_really_runs_the_bot(folder, program, command, first_line, name):
    """Not what a bot calls itself: a runtime's own threads come on top of those of its bot."""
    if first_line:
        program(f"bot/{command[0]}", first_line)
    located = locate(command, folder).program
    found = runtime([located, *command[1:]])
    assert found == (os.path.basename(os.path.realpath("/bin/sh")) if name == "sh" else name)


def test_a_pipe_in_place_of_a_program_is_not_waited_for(folder):
    os.mkfifo(folder / "bot", 0o755)
    assert runtime([str(folder / "bot")]) == ""


@pytest.mark.parametrize(
    ("name", "cores", "threads"), [("", 2, 10), ("python3", 16, 24), ("java", 2, 26), ("node", 4, 24)]
)
def test_a_bot_has_eight_threads_one_for_each_core_and_those_of_its_runtime(name, cores, threads):
    assert Policy().threads_for(name, cores) == threads


def test_java_starts_no_more_threads_than_it_may_have_whatever_the_machine():
    """It counts the cores of the machine, and has threads for its compilers and collector by that."""
    assert "-XX:ActiveProcessorCount=2" in Policy().hints()["JAVA_TOOL_OPTIONS"].split()
