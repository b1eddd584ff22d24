"""Tournament files: what they mean, and what is said about those that mean nothing."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.errors import SettingError
from arena.league import fixtures
from arena.league import tournament as config
from arena.league.kinds import IN_FILES, RoundRobin
from arena.league.tournament import read_tournament
from tests.engine.dinodocus_play import SMALL_DECK
from tests.league.small_league import small_bot, small_league
from tests.sizes import sweep

TOURNAMENTS = Path(__file__).parents[2] / "tournaments"
TWO = 'name = "x"\nbots = ["greedy", "random"]\n'
THREE = 'name = "x"\nbots = ["greedy", "random", { bot = "random", name = "third" }]\n'
LONG = f"0x{'f' * 5000}"
"""A number that Python reads but does not print."""


def read(folder, text):
    path = folder / "league.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_tournament(path)


def refused(folder, text):
    """The lines that a file is refused with, each without the file's name, which all of them have."""
    with pytest.raises(SettingError) as refusal:
        read(folder, text)
    lines = str(refusal.value).split("\n")
    prefix = f"{folder / 'league.toml'}: "
    assert all(line.startswith(prefix) for line in lines), lines
    return [line.removeprefix(prefix) for line in lines]


# What is read


@pytest.mark.parametrize("path", sorted(TOURNAMENTS.glob("*.toml")), ids=lambda path: path.stem)
def test_the_tournaments_that_come_with_the_arena_can_be_played(path):
    tournament = read_tournament(path)
    assert tournament.name == path.stem
    assert tournament.planned >= 24


def test_a_file_needs_no_more_than_a_name_and_two_bots(tmp_path):
    tournament = read(tmp_path, TWO)
    assert (tournament.name, tournament.game, tournament.bots) == ("x", "draftosaurus", ("greedy", "random"))
    assert (tournament.kind, tournament.seats, tournament.seed) == (RoundRobin(), (2,), None)


def test_paths_of_bots_are_seen_from_the_file_wherever_one_is(tmp_path, monkeypatch):
    small_bot(tmp_path / "bots", "first")
    small_bot(tmp_path / "elsewhere" / "bots", "last", "first")
    (tmp_path / "a league").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    words = ("../bots/first", "../bots/first/bot.toml")
    for word in words:
        tournament = read(tmp_path / "a league", f'name = "x"\nbots = ["{word}", "greedy"]')
        assert tournament.entries[0].folder == tmp_path / "bots" / "first"


def test_a_program_beside_the_file_is_a_bot_also_if_there_are_blanks_in_its_path(tmp_path):
    folder = tmp_path / "a league"
    folder.mkdir()
    program = folder / "my bot"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    by_name = read(folder, 'name = "x"\nbots = ["my bot", "greedy"]')
    with_words = read(folder, """name = "x"\nbots = ["./'my bot' --fast", "greedy"]""")
    assert by_name.entries[0].command == (str(program),)
    assert with_words.entries[0].command[1:] == ("--fast",)
    assert Path(with_words.entries[0].command[0]) == program


def test_what_lies_only_where_one_is_is_not_taken_for_what_the_file_means(tmp_path, monkeypatch):
    small_bot(tmp_path / "here", "first")
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    (line,) = refused(tmp_path / "there", 'name = "x"\nbots = ["./first", "greedy"]')
    assert line.startswith("bots.0: ")
    assert "is not a bot" in line


def test_a_bot_can_have_another_name_and_play_twice(tmp_path):
    tournament = read(tmp_path, THREE)
    assert tournament.bots == ("greedy", "random", "third")
    assert tournament.entries[1].command == tournament.entries[2].command


def test_only_options_that_differ_from_the_default_are_kept(tmp_path):
    tournament = read(tmp_path, f'{TWO}[options]\nseason = "winter"\ntrio_points = 7\n')
    assert tournament.options == {"season": "winter"}


def test_an_option_that_takes_a_text_takes_a_file_beside_the_tournament(tmp_path):
    (tmp_path / "small.json").write_text(SMALL_DECK)
    tournament = read(tmp_path, f'{TWO}game = "dinodocus"\n[options]\ndeck = "small.json"\n')
    assert tournament.options["deck"].startswith('{"format":1')


def test_sizes_of_tables_are_named_once(tmp_path):
    assert read(tmp_path, f"{THREE}[schedule]\nseats = [3, 2, 3]\n").seats == (2, 3)


# What is refused

MISTAKES = [
    ("", ["name: missing. Write at least a name and two bots.", "bots: missing. Write at least a name and two bots."]),
    ("name =", ["not valid TOML: Invalid value (at end of document)"]),
    ('name = "a"\nname = "b"', ["not valid TOML: Cannot overwrite a value (at end of document)"]),
    (b"\xff\xfe", ["not UTF-8: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"]),
    ("a = " + "[" * 5000, ["it is nested too deeply."]),
    ('name = "../x"\nbots = ["greedy", "random"]', ["name: expected letters, digits, '.', '_' and '-', 64 at most, because it names a folder, got '../x'."]),
    ('name = "x"\nbots = "greedy"', ["bots: expected a list, got 'greedy'."]),
    ('name = "x"\nbots = ["greedy"]', ["bots: expected a list of 2 or more, got ['greedy']."]),
    ('name = "x"\nbots = ["greedy", ""]', ["bots.1: expected at least one character, got ''."]),
    ('name = "x"\nbots = ["greedy", 1]', ["bots.1: expected a text, got 1."]),
    ('name = "x"\nbots = ["greedy", { bot = "random" }]', ['bots.1.name: missing. Write { bot = "...", name = "..." }.']),
    ('name = "x"\nbots = ["greedy", { bot = "random", nane = "y" }]', ['bots.1.name: missing. Write { bot = "...", name = "..." }.', "bots.1.nane: there is no such key. Did you mean name? Keys here: bot, name, tune."]),
    ('name = "x"\nbots = ["greedy", { bot = "random", name = "\\u001b[31m" }]', ["bots.1.name: it has characters that cannot be printed, got '\\x1b[31m'."]),
    ('name = "x"\nbots = ["greedy", "greedy"]', ['bots: greedy appears twice. Rename one: { bot = "...", name = "greedy-2" }.']),
    (f"{TWO}sead = 1", ["sead: there is no such key. Did you mean seed? Keys here: name, game, options, bots, seed, deals, schedule, clock, strikes, sandbox, min_tier, memory_mb, threads, exam, anchor, workers, processes, affinity."]),
    (f'{TWO}"a\\nb" = 1', ["'a\\nb': there is no such key. Keys here: name, game, options, bots, seed, deals, schedule, clock, strikes, sandbox, min_tier, memory_mb, threads, exam, anchor, workers, processes, affinity."]),
    (f'{TWO}game = "chess"', ["game: unknown game 'chess'. Games: dinodocus, draftosaurus."]),
    (f'{TWO}[options]\nseason = "autumn"', ["options.season: draftosaurus: option season does not take 'autumn'. Allowed: summer, winter, summer_winter."]),
    (f"{TWO}[options]\nseason = 1.5", ["options.season: expected a text, a whole number, true or false, got 1.5."]),
    (f"{TWO}[options]\nseason = ['winter']", ["options.season: expected a text, a whole number, true or false, got ['winter']."]),
    (f"{TWO}[options]\ntrio_points = {LONG}", ["options.trio_points: expected a text, a whole number, true or false, got a number with thousands of digits."]),
    (f"{TWO}options = 1", ["options: expected a table, got 1."]),
    (f"{TWO}schedule = 1", ["schedule: expected a table, got 1."]),
    (f'{TWO}[schedule]\nkind = "no_such_kind"', [f"schedule.kind: expected {', '.join(map(repr, IN_FILES[:-1]))} or {IN_FILES[-1]!r}, got 'no_such_kind'."]),
    (f"{TWO}[schedule]\nseats = 2", ["schedule.seats: expected a list, got 2."]),
    (f"{TWO}[schedule]\nseats = []", ["schedule.seats: expected a list of 1 or more, got []."]),
    (f"{TWO}[schedule]\nseats = [true]", ["schedule.seats.0: expected a whole number, got True."]),
    (f"{TWO}[schedule]\nseats = [1]", ["schedule.seats: draftosaurus: 1 seat is not possible, it takes 2 to 5."]),
    (f"{TWO}[schedule]\nseats = [3]", ["schedule.seats: 3 seats, but only 2 bots. Add bots, or use fewer seats."]),
    (f"{THREE}[schedule]\nseats = [{LONG}]", ["schedule.seats.0: expected 1024 or less, got a number with thousands of digits."]),
    (f"{TWO}[schedule]\nblocks = 0", ["schedule.blocks: expected 1 or more, got 0."]),
    (f"{TWO}[schedule]\nblocks = {LONG}", ["schedule.blocks: expected 1000000000 or less, got a number with thousands of digits."]),
    (f"{TWO}[schedule]\nminutes = -1", ["schedule.minutes: expected more than 0, got -1."]),
    (f"{TWO}[schedule]\nminutes = nan", ["schedule.minutes: expected more than 0, got nan."]),
    (f"{TWO}[schedule]\nminutes = inf", ["schedule.minutes: expected a number, got inf."]),
    (f"{TWO}[schedule]\nminutes = {'9' * 400}", [f"schedule.minutes: expected a number, got {'9' * 57}...."]),
    (f'{TWO}[schedule]\nuntil = "bored"', ["schedule.until: expected 'separated', got 'bored'."]),
    (f'{TWO}[schedule]\nkind = "gauntlet"', ["schedule.challengers: a gauntlet needs them, and no other kind takes them."]),
    (f'{TWO}[schedule]\nchallengers = ["greedy"]', ["schedule.challengers: a gauntlet needs them, and no other kind takes them."]),
    (f'{TWO}[schedule]\nkind = "gauntlet"\nchallengers = ["who"]', ["schedule.challengers: who is not one of the bots greedy, random."]),
    (f'{TWO}[schedule]\nkind = "gauntlet"\nchallengers = ["greedy", "greedy"]', ["schedule.challengers: greedy appears twice. Name it once."]),
    (f'{TWO}[schedule]\nkind = "gauntlet"\nchallengers = ["greedy", "random"]', ["schedule.challengers: a table needs one of them and 1 other bot, but the file has 0. Add bots, or use fewer challengers or seats."]),
    (f'{THREE}[schedule]\nkind = "knock_out"\nseats = [2, 3]', ["schedule.seats: a knock-out has tables of one size. Name only one."]),
    (f'{THREE}[schedule]\nkind = "knock_out"\nblocks = 3', ["schedule.blocks: a knock-out has one block per table, and ends after its last round. Omit it."]),
    (f'{THREE}[schedule]\nkind = "knock_out"\nuntil = "separated"', ["schedule.until: a knock-out has one block per table, and ends after its last round. Omit it."]),
    (f'{TWO}[clock]\nincrement_ms = "2s"', ["clock.increment_ms: expected a whole number, got '2s'. Write 2000 for two seconds."]),
    (f"{TWO}[clock]\nbank_ms = -1", ["clock.bank_ms: expected 0 or more, got -1. Write 2000 for two seconds."]),
    (f"{TWO}[clock]\nhello_ms = 0\nprepare_ms = 0", ["clock.hello_ms: expected at least 1, got 0.", "clock.prepare_ms: expected at least 1, got 0."]),
    (f'{TWO}[clock]\ncharge = "moon"', ["clock.charge: expected 'wall' or 'cpu', got 'moon'."]),
    (f"{TWO}[clock]\nincrement = 1", ["clock.increment: there is no such key. Did you mean increment_ms? Keys here: hello_ms, prepare_ms, bank_ms, increment_ms, charge, scale."]),
    (f'{TWO}deals = "stale"', ["deals: expected 'fresh' or 'shared', got 'stale'."]),
    (f'{TWO}deals = "shared"\nprocesses = "block"', ['deals: "shared" and processes = "block" exclude each other: the process of a bot would know the deal in the next rotation. Write deals = "fresh", or leave out processes.']),
    (f'{TWO}deals = "shared"\nprocesses = "worker"', ['deals: "shared" and processes = "worker" exclude each other: the process of a bot would know the deal in the next rotation. Write deals = "fresh", or leave out processes.']),
    (f"{TWO}seed = {LONG}", ["seed: expected a whole number of at most 1,000 digits."]),
    (f"{TWO}strikes = 0", ["strikes: expected 1 or more, got 0."]),
    (f"{TWO}strikes = {LONG}", ["strikes: expected 1000 or less, got a number with thousands of digits."]),
    (f'{TWO}sandbox = "big"', ["sandbox: expected 'auto', 'full', 'lite' or 'none', got 'big'."]),
    (f'{TWO}min_tier = "auto"', ["min_tier: expected 'full', 'lite' or 'none', got 'auto'."]),
    (f'{TWO}min_tier = "full"\nsandbox = "lite"', ['min_tier: "full", but bots play with sandbox = "lite". Leave out one of them.']),
    (f"{TWO}memory_mb = 1", ["memory_mb: expected 16 or more, got 1."]),
    (f"{TWO}workers = 0", ["workers: expected 1 or more, got 0."]),
    (f'{TWO}processes = "few"', ["processes: expected 'match', 'block' or 'worker', got 'few'."]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "lines"), MISTAKES, ids=[lines[0][:50] for _, lines in MISTAKES])
def test_a_mistake_is_told_with_key_value_and_way_out(tmp_path, text, lines):
    assert refused(tmp_path, text) == lines


@pytest.mark.parametrize(
    ("bot", "words"),
    [
        ("nobody", "'nobody' is not a bot: neither a folder with bot.toml, nor a command that can be executed"),
        ("./nobody", "is not a bot: neither a folder with bot.toml, nor a command that can be executed"),
        ("a" * 5000, f"'{'a' * 57}...' is not a bot"),
        ("a/" * 5000, f"'{'a/' * 28}a...' is not a bot"),
        (r"a\u0000b", r"'a\x00b' is not a bot"),
        ("a 'b", '"a \'b" is not a command line: No closing quotation'),
        (".", " is not a bot: there is no bot.toml in it."),
    ],
    ids=["a word", "a path", "a long word", "a long path", "a zero byte", "half a quotation", "no manifest"],
)
def test_a_bot_that_is_none_is_named_by_its_place(tmp_path, bot, words):
    (line,) = refused(tmp_path, f'name = "x"\nbots = ["greedy", "{bot}"]')
    assert line.startswith("bots.1: ")
    assert words in line
    assert bot[:50] in line or "x00" in words or bot == "."
    assert len(line) < 400


def test_a_bot_that_does_not_list_the_game_is_not_let_in(tmp_path):
    home = small_bot(tmp_path, "first")
    with (home / "bot.toml").open("a") as manifest:
        manifest.write('games = ["draftosaurus"]\n')
    assert refused(tmp_path, 'name = "x"\ngame = "dinodocus"\nbots = ["first", "greedy"]') == [
        "bots: first does not play dinodocus."
    ]


def test_a_number_of_too_many_digits_is_no_crash(tmp_path):
    (line,) = refused(tmp_path, f"{TWO}seed = {'9' * 5000}")
    assert line.startswith("not valid TOML: Exceeds the limit (4300 digits)")


def test_a_file_that_holds_no_deck_is_told_with_its_option(tmp_path):
    (tmp_path / "bad.json").write_bytes(b"\xff\xfe")
    (line,) = refused(tmp_path, f'{TWO}game = "dinodocus"\n[options]\ndeck = "bad.json"\n')
    assert line.startswith(f"options.deck: {tmp_path / 'bad.json'}: not UTF-8: ")
    (line,) = refused(tmp_path, f'{TWO}game = "dinodocus"\n[options]\ndeck = "none.json"\n')
    missing = f"{tmp_path / 'none.json'}: No such file or directory"
    assert line == f"options.deck: {missing}. Write house-60, or the name of a file."
    (line,) = refused(tmp_path, f'{TWO}game = "dinodocus"\n[options]\ndeck = "{{}}"\n')
    assert line.startswith("options.deck: dinodocus: option deck: the deck has no cards")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: None, "No such file or directory. Name a tournament file; `arena docs leagues` shows one."),
        (
            lambda path: path.mkdir(),
            "this is a folder, not an ordinary file. Name a tournament file; `arena docs leagues` shows one.",
        ),
    ],
    ids=["nothing", "a folder"],
)
def test_what_cannot_be_read_is_told_with_the_reason(tmp_path, make, words):
    path = tmp_path / "league.toml"
    make(path)
    with pytest.raises(SettingError) as refusal:
        read_tournament(path)
    assert str(refusal.value) == f"{path}: {words}"


SEVERAL = """
name = "x"
bots = ["nobody", "greedy", "greedy"]
[options]
season = "spring"
wheels = 4
[schedule]
seats = [9, 1]
challengers = ["z"]
[clock]
hello_ms = 0
"""


def test_all_mistakes_of_a_file_are_told_at_once(tmp_path):
    found = [line.split(": ")[0] for line in refused(tmp_path, SEVERAL)]
    assert found == [
        "options.season", "options.wheels", "schedule.seats", "schedule.seats", "bots.0", "bots", "schedule.challengers",
        "schedule.challengers", "clock.hello_ms",
    ]  # fmt: skip


def test_all_wrong_types_of_a_file_are_told_at_once(tmp_path):
    text = (
        'name = 1\nbots = 2\nseed = "x"\nmore = 1\n[schedule]\nkind = "x"\nseats = ["a", 2.5]\n[clock]\nbank_ms = "x"\n'
    )
    found = [line.split(": ")[0] for line in refused(tmp_path, text)]
    assert found == [
        "name", "bots", "seed", "schedule.kind", "schedule.seats.0", "schedule.seats.1", "clock.bank_ms", "more",
    ]  # fmt: skip


# Whatever is there

ANYTHING = st.recursive(
    st.one_of(
        st.booleans(),
        st.integers(),
        st.sampled_from([0, 1, 2, 3, 5, 2**70]),
        st.floats(),
        st.text(max_size=8),
        st.dates(),
        st.datetimes(),
        st.sampled_from(["greedy", "random", "gauntlet", "knock_out", "adaptive", "separated", "winter", "dinodocus"]),
    ),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=8,
)


BOTS = ["greedy", "random", {"bot": "greedy", "name": "g2"}, {"bot": "random", "name": "r2"}]
GOOD = st.fixed_dictionaries(
    {"name": st.just("x"), "bots": st.lists(st.sampled_from(BOTS), min_size=2, max_size=4, unique_by=str)},
    optional={
        "seed": st.integers(),
        "game": st.sampled_from(["draftosaurus", "dinodocus"]),
        "options": st.dictionaries(st.sampled_from(["season", "advanced", "deck"]), st.sampled_from(["winter", True])),
        "schedule": st.fixed_dictionaries(
            {},
            optional={
                "kind": st.sampled_from(IN_FILES),
                "seats": st.lists(st.integers(2, 5), min_size=1, max_size=2),
                "blocks": st.integers(1, 20),
                "minutes": st.floats(min_value=0.1),
                "until": st.just("separated"),
                "challengers": st.lists(st.sampled_from(["greedy", "g2"]), max_size=2),
            },
        ),
        "clock": st.dictionaries(st.sampled_from(list(config._Clock.model_fields)), st.integers(0, 5), max_size=2),
    },
)
"""Files whose keys and types are right; what they say may still make no sense."""
PLACES = [
    (part, key)
    for part, model in (("", config._File), ("schedule", config._Schedule), ("clock", config._Clock))
    for key in (*model.model_fields, "another key")
]
CHANGES = st.lists(st.tuples(st.sampled_from(PLACES), ANYTHING), max_size=2)


def changed(file, changes):
    """The file, with anything in some places."""
    for (part, key), value in changes:
        table = file.setdefault(part, {}) if part else file
        if isinstance(table, dict):
            table[key] = value
    return file


@settings(max_examples=sweep(80, 1000), suppress_health_check=[HealthCheck.too_slow])
@given(file=st.builds(changed, GOOD, CHANGES))
def test_any_table_is_a_league_or_a_list_of_mistakes(file):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(config, "_load", lambda path: file)
        path = TOURNAMENTS / "any.toml"
        try:
            tournament = read_tournament(path)
        except SettingError as error:
            lines = str(error).split("\n")
            assert all(line.startswith(f"{path}: ") and line.endswith(".") for line in lines)
            return
    assert tournament.planned > 0
    assert fixtures.identity(tournament)


def test_a_wrong_key_hides_no_mistake_of_another(tmp_path):
    lines = refused(
        tmp_path,
        'name = "a b"\nword = 1\ngame = "chess"\nbots = ["nobody", "x\\u0000.toml"]\n[options]\nword = [1]\n'
        '[clock]\nbank_ms = "2s"\nhello_ms = 0\n[schedule]\nkind = "gauntlet"\n',
    )
    keys = [
        "name",
        "options.word",
        "clock.bank_ms",
        "word",
        "game",
        "bots.0",
        "bots.1",
        "schedule.challengers",
        "clock.hello_ms",
    ]
    assert [line.partition(":")[0] for line in lines] == keys


def test_what_follows_from_a_wrong_key_is_no_mistake(tmp_path):
    lines = refused(
        tmp_path, 'name = "x"\nbots = "greedy"\n[schedule]\nkind = "gauntlet"\nseats = [9]\nblocks = "many"\n'
    )
    assert [line.partition(":")[0] for line in lines] == ["bots", "schedule.blocks", "schedule.seats"]


def test_a_byte_order_mark_is_no_mistake(tmp_path):
    path = small_league(tmp_path, blocks=1)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read_tournament(path).name == "small"
