"""The command line as a person meets it: real processes, their output, words and exit codes."""

import json
import os
import subprocess
import sys

import pytest

from arena.cli.tables import outcome_table, table
from arena.version import VERSION, is_compiled
from engine.contract import Outcome
from tests.cli.command import arena, here, without_times
from tests.engine.dinodocus_play import SMALL_DECK


def test_games_are_listed_with_their_seats():
    listed = arena("games")
    assert listed.code == 0
    assert "dinodocus     2-6" in listed.out
    assert "draftosaurus  2-5" in listed.out
    (row,) = [row for row in json.loads(arena("games", "--json").out) if row["name"] == "draftosaurus"]
    assert (row["edition"], row["seats"]) == (1, [2, 3, 4, 5])


@pytest.mark.parametrize("game", ["dinodocus", "draftosaurus"])
def test_the_example_of_a_view_is_json_that_fits_a_terminal(game):
    shown = arena("rules", game, "--view").out
    assert max(map(len, shown.splitlines())) <= 80
    assert json.loads(shown) == json.loads(arena("rules", game, "--json").out)["view"]


@pytest.mark.parametrize("game", ["dinodocus", "draftosaurus"])
def test_rules_are_short_enough_to_be_read_at_once(game):
    lines = arena("rules", game).out.splitlines()
    assert len(lines) < 40
    assert max(map(len, lines)) <= 81
    assert lines[-1] == f"More:  arena rules {game} --full (or --options, --actions, --view)"


@pytest.mark.parametrize(
    ("part", "first"),
    [("--full", "# Draftosaurus"), ("--options", "option"), ("--actions", "phase"), ("--view", "{")],
)
def test_an_option_shows_another_part_of_the_rules(part, first):
    assert arena("rules", "draftosaurus", part).out.split()[: len(first.split())] == first.split()


def test_rules_can_be_read_by_a_program():
    as_json = json.loads(arena("rules", "draftosaurus", "--json").out)
    assert as_json["options"]["trio_points"]["default"] == 7
    assert set(as_json["actions"]) == {"pick", "place", "draft", "discard", "quarantine"}
    assert as_json["view"]["seat"] == 0


def test_a_position_is_drawn_and_counted(golden):
    golden(
        "cli/position.txt",
        arena(
            "position", "draftosaurus", "winter phase=quarantine | WO=DCD BL=TPS BR=T PY=GSG... RV=D QZ=P | RV=PPPP"
        ).out,
    )


def test_a_position_can_be_played_on_and_read_by_a_program():
    text = "summer round=4 turn=3 phase=roll | hand=DC | hand=TT"
    ended = arena("position", "draftosaurus", text, "--play", "roll:W", "--play", "D,T", "--seat", "0", "--json")
    told = json.loads(ended.out)
    assert told["position"] == "summer round=4 turn=3 phase=place die=W | hand=C pick=D | hand=T pick=T"
    assert told["legal"] == {
        "0": ["D@FS", "D@WT", "D@KJ", "D@RV"],
        "1": [f"T@{pen}" for pen in ("FS", "WT", "KJ", "PL", "MD", "SI", "RV")],
    }
    assert told["view"]["seat"] == 0
    assert told["over"] is False
    assert told["scores"] == [0, 0]


def test_a_position_of_dinodocus_is_drawn_and_counted(golden):
    text = "basic turn=7 current=1 phase=mutate discards=H03,A05 | hand=H01,A02 d4=H07,A15,P12,T09/3/fern timeline=d1:3,d3:5,d6:1 | hand=H02,A03,P01,T01,T02 d5=H04,A08,P15,T15/2"
    golden("cli/position-dinodocus.txt", arena("position", "dinodocus", text, "--seat", "1").out)


def test_an_action_with_commas_is_one_action_if_one_seat_acts():
    text = "basic phase=mutate | hand=H01,A01,P01,T01,T02 d1=H07,A15,P12,T09 | d2=H02,A02,P02,T03"
    words = ("--play", "hatch:H01,A01,P01,T02", "--play", "mod:d2:T01", "--json")
    played = json.loads(arena("position", "dinodocus", text, *words).out)
    assert [(dino["id"], dino["name"]) for dino in played["view"]["dinos"]] == [
        ("d1", "Dikymidon"),
        ("d2", "Allonotisaurus"),
        ("d3", "Tyrannotan"),
    ]


@pytest.mark.parametrize("actions", ["give:A02,pass", "give:A02 pass", "give:A02, pass"])
def test_the_actions_of_several_are_divided_by_commas_or_blanks(actions):
    text = "advanced current=1 phase=offer window=mutate | hand=H01,A02 | d1=H07,A15,P12,T09 | hand=T02"
    told = json.loads(arena("position", "dinodocus", text, "--play", actions, "--json").out)
    assert told["view"]["offers"] == [{"seat": 0, "card": "A02"}]
    assert list(told["legal"]) == ["0", "2"]


def test_a_position_before_a_deal_says_so():
    assert "chance may play: any deal" in arena("position", "draftosaurus", "summer phase=deal | - | -").out


@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [
        (["rules", "chess"], 4, "arena: unknown game 'chess'. Games: dinodocus, draftosaurus."),
        (["demo", "--seats", "7"], 4, "arena: draftosaurus: 7 seats are not possible, it takes 2 to 5."),
        (["demo", "--option", "sesaon=winter"], 4, "arena: draftosaurus: unknown option 'sesaon'. Did you mean season? Options: season, "),
        (["demo", "--option", "season=spring"], 4, "arena: draftosaurus: option season does not take 'spring'. Allowed: summer, winter, summer_winter."),
        (["demo", "--seats", "2", "--option", "first_roller=2"], 4, "arena: draftosaurus: option first_roller=2: only 2 seats play. Allowed: 0, 1, random."),
        (["demo", "--option", "season=winter", "--option", "season=summer"], 2, "option season is given twice"),
        (["demo", "--option", "winter"], 2, "'winter' is not of the form name=value, such as season=winter"),
        (["position", "draftosaurus", "summer | FS=DC | -"], 2, "arena: seat 0: FS=DC is not possible, the Forest of Sameness holds one species only and has D (D-30)."),
        (["position", "draftosaurus", "summer | -"], 2, "arena: head: 1 seat is not possible: write 2 to 5 parts, each after a |."),
        (["position", "draftosaurus", "summer round=4 turn=3 phase=pick die=W | hand=DC | hand=TT", "--play", "G,T"], 2, "arena: seat 0: G is not legal, the hand holds DC (D-08). Legal: D C."),
        (["position", "draftosaurus", "summer round=4 turn=3 phase=pick die=W | hand=DC | hand=TT", "--play", "dino,T"], 2, "arena: seat 0: 'dino' is malformed, expected a species letter, D;"),
        (["position", "draftosaurus", "summer round=4 turn=3 phase=pick die=W | hand=DC | hand=TT", "--play", "D"], 2, "--play 'D' has 1 action, but seats 0, 1 act now"),
        (["position", "draftosaurus", "summer | - | -", "--play", "D"], 2, "--play 'D' has 1 action, but the game is over"),
        (["position", "draftosaurus", "summer | - | -", "--seat", "2"], 2, "--seat 2: this position has seats 0 to 1"),
        (["position", "draftosaurus"], 2, "Missing argument 'TEXT'"),
        (["lunch"], 2, "No such command 'lunch'"),
        (["demo", "--seats", "-1"], 4, "arena: draftosaurus: -1 seats are not possible, it takes 2 to 5."),
        (["demo", "--seats", "100000000"], 4, "arena: draftosaurus: 100000000 seats are not possible, it takes 2 to 5."),
        (["trace", "greedy", "--seats", "100000"], 4, "arena: draftosaurus: 100000 seats are not possible, it takes 2 to 5."),
        (["verify", ""], 2, "'' is not a file name"),
        (["replay", ""], 2, "'' is not a file name"),
        (["position", "dinodocus", "basic phase=mutate | hand=H01 | -", "--play", "hatch:H01,A01"], 2, "arena: seat 0: 'hatch:H01,A01' is malformed"),
        (["position", "dinodocus", "advanced current=1 phase=offer window=mutate | hand=H01,A02 | - | hand=T02", "--play", "pass"], 2, "--play 'pass' has 1 action, but seats 0, 2 act now"),
        (["ask", "x", "--all", "--bot", "random", "--time-ms", "9" * 400], 2, "Invalid value for '--time-ms'"),
    ],
)  # fmt: skip
def test_a_mistake_gets_clear_words_and_an_exit_code(words, code, complaint):
    ended = arena(*words)
    assert ended.code == code
    assert complaint in ended.err
    assert "Traceback" not in ended.err
    assert ended.out == ""


def test_the_demo_plays_a_league_and_reports_it(golden, tmp_path):
    ended = arena("demo", "--seed", "7", "--folder", str(tmp_path))
    assert ended.code == 0
    golden("cli/demo.txt", without_times(ended.out))
    (league,) = tmp_path.glob("demo-draftosaurus-*")
    assert "seed 7 decides all deals: a bot that guesses or knows it can find every deal." in ended.err
    assert f"arena replay {league}/records/" in ended.err
    (page,) = (league / "replays").iterdir()
    assert f"In a browser:    {page}\nThe whole league:  {league}/report.html\n" in ended.err
    assert ended.err.startswith(
        "draftosaurus: Draft dinosaurs and place them where your zoo scores most.\ngreedy, random"
    )
    assert ended.err.splitlines()[-2] == "Your turn:  arena human greedy"
    assert f'href="replays/{page.name}"' in (league / "report.html").read_text()
    assert (league / "report.html").read_text().startswith("<!")
    assert len(list(league.rglob("*.match.jsonl.gz"))) == 18
    assert "\x1b" not in ended.out + ended.err, "a pipe gets no colour codes"


def test_the_demo_takes_seats_options_and_a_seed(tmp_path):
    words = ("demo", "--seats", "2", "--option", "season=winter", "--folder", str(tmp_path), "--seed")
    one, same, other = (without_times(arena(*words, seed).out) for seed in "112")
    assert one == same != other
    assert "WO Well-Ordered Wood" in one


# Decks from files


@pytest.fixture
def deck(tmp_path):
    path = tmp_path / "small.json"
    path.write_text(SMALL_DECK)
    return path


def test_a_match_of_dinodocus_with_a_deck_from_a_file_is_shown_and_replayed(tmp_path, deck):
    record = tmp_path / "a.match.jsonl.gz"
    words = ("play", "random", "random", "--game", "dinodocus", "--seed", "3", "-o", record)
    played = arena(*words, "--option", f"deck={deck}")
    assert played.code == 0, played.err
    assert "the game is over, after " in played.out
    assert max(map(len, played.out.partition("rank  ")[0].splitlines())) <= 80
    told = arena("replay", record).out
    assert told.startswith('dinodocus  deck={"format":1,"id":"sm... (899 characters)  seed 3\n')
    for part in ("chance  random#1 gets d1 ", " takes a fern", "a period card for random#", " draws a head"):
        assert part in told
    (moment,) = arena("replay", record, "--step", "1", "--seat", "all").out.split("── step 1")[1:]
    assert "chance  flip:H" in moment
    assert "; random#1 gets d1 " in moment


def test_a_position_may_name_a_deck_by_its_file(deck):
    text = f"basic deck={deck} phase=mutate | hand=H1 d1=H2,A1,P1,T1 | -"
    shown = arena("position", "dinodocus", text)
    assert shown.out.startswith('basic phase=mutate deck={"format":1,"id":"sm... (899 characters) | hand=H1 ')
    whole = json.loads(arena("position", "dinodocus", text, "--json").out)["position"]
    assert arena("position", "dinodocus", whole).out == shown.out


COMMANDS = {
    "demo": ("demo", "--game", "dinodocus", "--option", "deck={}"),
    "play": ("play", "random", "random", "--game", "dinodocus", "--option", "deck={}"),
    "human": ("human", "random", "--game", "dinodocus", "--option", "deck={}"),
    "trace": ("trace", "random", "--game", "dinodocus", "--option", "deck={}"),
    "duel": ("duel", "random", "greedy", "--game", "dinodocus", "--option", "deck={}"),
    "position": ("position", "dinodocus", "basic deck={} | - | -"),
}
DEFECTS = {
    "missing": (None, "option deck: {}: No such file or directory. Write house-60, or the name of a file."),
    "no text": (b"\xff\xfe", "option deck: {}: not UTF-8"),
    "no JSON": (b"nope", "dinodocus: option deck: the text is not JSON"),
    "no deck": (b"{}", "dinodocus: option deck: the deck has no cards"),
}


@pytest.mark.parametrize("defect", DEFECTS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_bad_deck_is_refused_with_the_same_words_and_code_by_every_command(
    tmp_path, monkeypatch, capsys, command, defect
):
    contents, complaint = DEFECTS[defect]
    path = tmp_path / "small.json"
    if contents is not None:
        path.write_bytes(contents)
    ended = here(monkeypatch, capsys, *(word.format(path) for word in COMMANDS[command]))
    assert (ended.code, ended.out, ended.err.count("\n")) == (4, "", 1)
    assert ended.err.startswith(f"arena: {complaint.format(path)}")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('basic deck={"format":1} | - | -', "dinodocus: option deck: the deck has no cards"),
        ("basic deck={} | - | - | -", "head: dinodocus: option deck: 2 cards of part A (front legs) for 3 players"),
        ("basic turn_cap=7 | - | -", "head: dinodocus: option turn_cap does not take '7'."),
        ("basic\tdeck=nowhere | - | -", "option deck: nowhere: No such file"),
    ],
)
def test_a_bad_option_in_a_position_is_a_bad_option(deck, monkeypatch, capsys, text, complaint):
    ended = here(monkeypatch, capsys, "position", "dinodocus", text.replace("{}", str(deck)))
    assert (ended.code, ended.out) == (4, "")
    assert ended.err.startswith(f"arena: {complaint}")


# Tables


def test_where_seats_have_points_for_different_things_each_has_a_row():
    many = {f"d{number}": number for number in range(30)}
    shown = outcome_table(
        Outcome((435, 4), (1, 2), (many, {"d3": 1, "d40": 3, "hidden": 0})), ["a-very-long-name", "b"]
    )
    lines = shown.split("\n")
    assert max(map(len, lines)) <= 80
    assert lines[0].split("  ")[0] == "player"
    assert " ".join(lines[2].split()) == "a-very-…name 435 1 d29 29, d28 28, d27 27, d26 26, d25 25, d24 24,"
    assert " ".join(lines[-1].split()) == "b 4 2 d40 3, d3 1"


def test_no_seat_has_points_at_the_start():
    assert outcome_table(Outcome((0, 0), (1, 1), ({}, {}))).split("\n")[2:] == [
        "seat 0      0     1",
        "seat 1      0     1",
    ]


def test_a_table_fits_the_terminal_and_breaks_no_word(monkeypatch):
    rows = [["one", "a long explanation of what it is", "a_very_long_word_that_is_whole and more", ""]]
    headers = ["title", "what", "word", ""]
    wide = table(rows, headers)
    monkeypatch.setattr("arena.cli.tables.is_terminal", lambda stream: True)
    monkeypatch.setenv("COLUMNS", "60")
    narrow = table(rows, headers)
    monkeypatch.setenv("COLUMNS", "20")
    narrowest = table(rows, headers)
    assert max(map(len, wide.split("\n"))) > 60 >= max(map(len, narrow.split("\n")))
    assert "a_very_long_word_that_is_whole" in narrow
    assert "a_very_long_word_that_is_whole" in narrowest


def test_numbers_stand_on_the_right_as_they_are_written():
    rows = [["1", "a", "9.50", "±12", "1-2"], ["10,000", "b", "-120.00", "", "3"]]
    assert table(rows, ["place", "who", "x", "95 %", "rank"]).split("\n") == [
        " place  who        x  95 %  rank",
        "------  ---  -------  ----  ----",
        "     1  a       9.50   ±12  1-2",
        "10,000  b    -120.00        3",
    ]


NIM = """
from engine.draftosaurus import Draftosaurus
class Nim(Draftosaurus):
    'Take the last stick.'
    name = 'nim'
    def to_act(self, state): return ()
GAME = Nim()
"""


def test_plug_ins_are_listed_also_when_they_are_broken(plug_in, tmp_path):
    plug_in("nim_pack", NIM, "arena.games: nim = nim_pack:GAME")
    plug_in("sad_pack", "raise RuntimeError('no luck')", "arena.games: sad = sad_pack:GAME")
    listed = arena("games", PYTHONPATH=str(tmp_path))
    assert listed.code == 0
    assert "nim           2-5" in listed.out
    assert "game sad of sad_pack (sad_pack:GAME) does not load: RuntimeError('no luck')." in listed.out
    told = arena("rules", "nim", PYTHONPATH=str(tmp_path))
    assert told.code == 0, told.err
    assert "Take the last stick." in told.out


def test_a_full_disk_is_one_line():
    with open("/dev/full", "w") as full:
        ended = subprocess.run([sys.executable, "-m", "arena", "games"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert ended.returncode == 1
    assert "No space left on device" in ended.stderr
    assert "Traceback" not in ended.stderr


INTERRUPTED = """
import os, signal
try:
    os.kill(os.getpid(), signal.SIGINT)
except KeyboardInterrupt:
    raise ImportError("as by an extension that is interrupted while it starts") from None
"""


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("typer", ("play", "random", "random")),
        ("trio", ("play", "random", "random")),
        ("tabulate", ("games",)),
        ("sqlite3", ("demo",)),
        ("trio", ("league", "run", "nowhere.toml")),
        ("sqlite3", ("league", "standings", ".")),
        ("trio", ("bench", "referee")),
        ("trio", ("bench", "league")),
    ],
)
def test_control_c_is_one_line_also_while_modules_are_imported(tmp_path, module, words):
    (tmp_path / f"{module}.py").write_text(INTERRUPTED)
    command = [sys.executable, "-c", "from arena.cli import main; main()", *words]
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{os.getcwd()}"}
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (130, "arena: interrupted\n")


def test_the_entry_point_imports_next_to_nothing():
    code = "import sys; before = set(sys.modules); import arena.cli; print(*set(sys.modules) - before)"
    found = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True).stdout.split()
    assert not {"typing", "inspect", "typer", "arena.errors", "engine"} & set(found)


def test_the_version_is_printed():
    assert arena("--version").out == f"arena {VERSION} ({'compiled' if is_compiled() else 'pure Python'})\n"


@pytest.mark.parametrize("group", [(), ("bench",), ("league",)])
def test_help_has_a_whole_sentence_for_each_command(group):
    commands = arena(*group, "--help", COLUMNS="80").out.partition("Commands:\n")[2].splitlines()
    assert commands
    assert [line for line in commands if line.endswith("...") or not line.endswith((".", "?"))] == []


def test_checks_of_a_benchmark_stand_below_its_table_and_only_if_there_are_any():
    from arena.cli.bench import text_of

    rows = [{"what": "start", "ms": 2.5}]
    check = {"name": "start_ms", "value": 2.5, "budget": 12, "better": "lower", "ok": True}
    table = "what    ms\n-----  ---\nstart  2.5"
    assert text_of({"rows": rows, "checks": []}) == table
    assert text_of({"rows": rows, "checks": [check]}) == f"{table}\n\nstart_ms: 2.5 (budget 12 or lower): ok"
