"""Our ES modules in one script, and the boards of other packages."""

import json
import re
from importlib.resources import files

import pytest

from arena.errors import SettingError
from arena.web.boards import STATIC, board_for
from arena.web.bundle import bundle, parse

MODULES = sorted(path.name.removesuffix(".js") for path in STATIC.iterdir() if path.name.endswith(".js"))


def test_a_module_becomes_a_constant_of_its_exports():
    text = 'import { a, b } from "./other.js";\n\nexport function f(x) {\n  return a(x);\n}\nexport const G = b;\n'
    assert parse("mine", text).wrapped == (
        "const $mine = (() => {\nconst { a, b } = $other;\nfunction f(x) {\n  return a(x);\n}\nconst G = b;\n"
        "return { f, G };\n})();\n"
    )


def test_modules_stand_after_those_that_they_import_and_only_once():
    texts = {
        "top": 'import { l } from "./left.js";\nimport { r } from "./right.js";\nexport function start() {}',
        "left": 'import { d } from "./deep.js";\nexport const l = d;',
        "right": 'import { d } from "./deep.js";\nexport const r = d;',
        "deep": "export const d = 1;",
        "board": 'import { d } from "./deep.js";\nexport function draw() {}',
    }
    script = bundle("top", {"a-game": "board"}, texts.__getitem__)
    assert re.findall(r"^const \$(\w+)", script, re.MULTILINE) == ["deep", "left", "right", "top", "board"]
    assert script.endswith('$top.start({ "a-game": $board });\n')
    assert script == bundle("top", {"a-game": "board"}, texts.__getitem__)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('import x from "./x.js";', "line 2"),
        ('import * as x from "./x.js";', "line 2"),
        ('import { x } from "https://example.org/x.js";', "line 2"),
        ('import { x } from "../x.js";', "line 2"),
        ('import("./x.js");', "line 2"),
        ("export default 1;", "line 2"),
        ("export { x };", "line 2"),
        ("export let x = 1;", "line 2"),
        ('const x = "</script>";', "cannot hold <script, </script or <!--"),
        ('const x = "</SCRIPT ";', "cannot hold <script, </script or <!--"),
        ('const x = "<!--";', "cannot hold <script, </script or <!--"),
    ],
)
def test_what_cannot_be_put_into_one_script_is_refused(line, complaint):
    with pytest.raises(SettingError, match=re.escape(complaint)) as refused:
        parse("mine", f"// a line\n{line}\n")
    assert str(refused.value).startswith("mine.js")


def test_modules_that_import_each_other_are_refused():
    texts = {"a": 'import { b } from "./b.js";', "b": 'import { a } from "./a.js";'}
    with pytest.raises(SettingError, match=r"a\.js imports itself: a -> b -> a"):
        bundle("a", {}, texts.__getitem__)


@pytest.mark.parametrize("name", MODULES)
def test_our_modules_keep_to_the_form_and_make_no_markup(name):
    text = (STATIC / f"{name}.js").read_text("utf-8")
    module = parse(name, text)
    assert module.exports or name == "live", "nothing but a page can use it"
    for names, other in module.imports:
        given = parse(other, (STATIC / f"{other}.js").read_text("utf-8")).exports
        assert set(names.split(", ")) <= set(given), f"{name}.js imports what {other}.js does not export"
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setAttribute\(.style", text
    )


def words_of(name: str) -> set[str]:
    """The keys of a table of words."""
    return set(re.findall(r'^ +"([\w.]+)":', (STATIC / f"{name}.js").read_text("utf-8"), re.MULTILINE))


def test_every_word_that_a_module_of_the_player_names_is_in_the_table():
    table, used = words_of("words"), set[str]()
    for name in ("clipboard", "generic", "graph", "keys", "moves", "panel", "player", "replay", "words"):
        text = (STATIC / f"{name}.js").read_text("utf-8")
        used |= set(re.findall(r'\bt\("([\w.]+)"', text))
        used |= set(re.findall(r'\? "([a-z]+\.[\w.]+)" : "', text)) | set(re.findall(r'" : "([a-z]+\.[\w.]+)"', text))
    assert used - table == set()
    assert len(used) > 60


@pytest.mark.parametrize("game", ["draftosaurus", "dinodocus", "no_such_game"])
def test_a_board_exports_what_pages_call(game):
    board = board_for(game)
    assert {"draw", "pieces", "choices", "describe"} <= set(parse(board.module, board.read(board.module)).exports)
    assert board.is_generic == (game == "no_such_game")


@pytest.mark.parametrize("game", ["draftosaurus", "dinodocus"])
def test_the_styles_of_the_player_and_of_a_board_do_not_meet(game):
    rules = [(STATIC / f"{name}.css").read_text("utf-8") for name in ("page", game)]
    classes, variables = (
        [set(re.findall(form, text)) for text in rules] for form in (r"\.([a-z][\w-]*)", r"(--[\w-]+):")
    )
    assert classes[0] & classes[1] <= {"fresh", "icon", "out"}, "rename those of page.css"
    assert variables[0] & variables[1] == set()


# Boards of other packages

CODE = "export function draw() {}\n"


def test_a_package_brings_a_board_with_an_entry_point(plug_in, tmp_path):
    plug_in("some_game", "", "arena.boards: chess = some_game_files:board.js")
    folder = tmp_path / "some_game_files"
    folder.mkdir()
    (folder / "board.js").write_text(CODE)
    (folder / "board.css").write_text(".chess{color:red}")
    board = board_for("chess")
    assert (board.module, board.read("board"), board.style) == ("board", CODE, ".chess{color:red}")
    assert "export function el" in board.read("dom"), "it may use ours"


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("some_game_files:board.js", "the package has no file board.js"),
        ("not_there_at_all:board.js", "does not load: ModuleNotFoundError"),
        ("some_game_files:BOARD", "is not an ES module of a package"),
        ("some_game_files", "is not an ES module of a package"),
        ("some_game_files:words.js", "has the name of a module of the arena"),
    ],
)
def test_a_board_that_cannot_be_used_is_refused_in_words(plug_in, tmp_path, value, complaint):
    plug_in("some_game", "", f"arena.boards: chess = {value}")
    (tmp_path / "some_game_files").mkdir()
    with pytest.raises(SettingError, match=complaint) as refused:
        board_for("chess")
    assert f"the board for chess of some_game ({value})" in str(refused.value)


def test_no_package_can_replace_our_boards(plug_in):
    plug_in("some_game", "", "arena.boards: draftosaurus = some_game:board.js")
    assert board_for("draftosaurus").folder == STATIC


def test_the_drawings_of_dinodocus_have_the_syllables_of_the_house_deck():
    """Views do not carry them, so the module has a copy."""
    (copied,) = re.findall(r"const HOUSE = \{(.*?)\};", (STATIC / "dinodocus.js").read_text("utf-8"), re.DOTALL)
    named = {part: words.split() for part, words in re.findall(r'(\w): "([^"]+)"', copied)}
    deck = json.loads((files("engine.dinodocus") / "decks" / "house-60.json").read_text("utf-8"))
    cards = {card["id"]: card["syllable"] for card in deck["cards"]}
    assert {f"{part}{at:02}": word for part, words in named.items() for at, word in enumerate(words, 1)} == cards
