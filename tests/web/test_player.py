"""Replays in a real browser: every control, both games, keys alone, phones, the dark, and strangers' texts."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.match.record import MatchRecord
from arena.replay.moments import moments, together
from arena.replay.reel import reel_of
from arena.web.boards import STATIC, board_for
from arena.web.bundle import parse
from arena.web.replay_page import page as page_of
from arena.web.replay_page import replay_page
from engine.catalogue import game as find_game
from tests.browser import DESKTOP, PHONE, Visitor, misplaced, serious_findings
from tests.web.matches import played, with_text

APART = ".masthead, .controls > *, .scoreboard li, .graph, .panel, .panel > *, .panel > header > *, .centre, .now, .highlights, .moves, footer"
"""What must not overlap."""
NOTES = ["I expect 3.2 points more here."]
Address = Callable[..., str]


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> Address:
    """The address of a match's page: address("draftosaurus", 2, "step=3")."""
    folder, made = tmp_path_factory.mktemp("pages"), dict[str, Path]()

    def find(game: str, seats: int, place: str = "", **fields: Any) -> str:
        key = json.dumps([game, seats, fields], default=str)
        if key not in made:
            made[key] = folder / f"{len(made)}.html"
            made[key].write_bytes(replay_page(played(game, seats, **{"notes": NOTES, "bad_seat": 1, **fields})))
        return f"{made[key].as_uri()}#{place}"

    return find


def written(folder: Path, record: MatchRecord, seat: int | None = None) -> str:
    (folder / "page.html").write_bytes(replay_page(record, seat))
    return (folder / "page.html").as_uri()


def step_of(page: Any) -> int:
    return int(page.get_by_label("Step", exact=False).and_(page.locator("input[type=number]")).input_value())


def label(page: Any, name: str) -> Any:
    return page.get_by_role("button", name=name)


# What it shows


@pytest.mark.parametrize(
    ("game", "seats", "options"),
    [("draftosaurus", 3, {"season": "summer_winter"}), ("dinodocus", 4, {"advanced": True})],
)
def test_every_view_is_what_the_game_says(visitor: Visitor, game, seats, options):
    record = played(game, seats, options)
    rules = find_game(game)
    page = visitor.open("about:blank")
    visitor.requests.clear()
    code = parse("reel", (STATIC / "reel.js").read_text("utf-8")).wrapped
    found = page.evaluate(
        "([code, data]) => { const $reel = new Function(`${code}; return $reel`)(); const reel = new $reel.Reel(data);"
        " return data.moments.filter((_, step) => step % 9 === 0).map((_, at) => reel.viewers.map((viewer) => reel.view(9 * at, viewer))); }",
        [code, reel_of(record)],
    )
    for moment, views in zip(moments(record)[::9], found, strict=True):
        seen = [rules.view(moment.state, seat) for seat in range(seats)]
        expected = [rules.view(moment.state, None), together(seen), *seen]
        assert views == json.loads(json.dumps(expected))


@pytest.mark.parametrize("game", ["draftosaurus", "dinodocus"])
def test_a_page_shows_the_match_its_players_and_its_result(visitor, address, game):
    record = played(game, 3, notes=NOTES, bad_seat=1)
    page = visitor.open(address(game, 3))
    assert page.title() == f"{game}: greedy, random, my-bot"
    assert page.locator("h1").inner_text() == "greedy · random · my-bot"
    winner = record.header.players[record.verdict.ranks.index(1)].name
    assert (
        page.locator(".lede").inner_text()
        == f"{winner} wins with {max(record.verdict.scores)} points. {len(record.steps)} steps."
    )
    assert page.locator(".panel").count() == 3
    page.keyboard.press("End")
    assert [int(text) for text in page.locator(".panel .score").all_inner_texts()] == list(record.verdict.scores)
    assert page.locator(".panel .badge.wins").count() == record.verdict.ranks.count(1)
    assert page.locator(".list li").count() == len(record.steps) + 1
    last = [player["bank_ms"] for player in reel_of(record)["players"]]
    for moment in reel_of(record)["moments"]:
        for decision in moment.get("decisions", ()):
            last[decision["seat"]] = decision["bank_ms"]
    clocks = page.locator(".time").all_inner_texts()
    assert all(f"{left:.0f}" in clock.replace(".0", "") for left, clock in zip(last, clocks))


def test_a_panel_has_the_note_the_faults_and_the_stderr_of_its_bot(visitor, tmp_path):
    record = played("draftosaurus", 2, notes=["an idea"], bad_seat=1, stderr="line 1\nTraceback: oh no")
    page = visitor.open(written(tmp_path, record))
    page.keyboard.press("f")
    panel = page.locator(".panel").nth(1)
    (fault,) = [moment.faults[0] for moment in moments(record) if moment.faults][:1]
    assert panel.locator(".faults").inner_text() == f"step {step_of(page)}, {fault.kind}: {fault.text}"
    assert page.locator(".now .bad").all_inner_texts()[0].endswith(fault.text)
    assert page.locator(".panel").nth(0).locator("blockquote").inner_text() == "an idea"
    panel.locator("summary").click()
    assert panel.locator("pre").inner_text() == "line 1\nTraceback: oh no"


def test_the_complaint_about_a_false_record_comes_first(visitor, tmp_path):
    page = visitor.open(written(tmp_path, with_text(played("draftosaurus", 2), 4, note="x" * 2000)))
    assert page.get_by_role("alert").inner_text().startswith("This record is not true.")


# Controls


def test_every_button_and_field_moves_the_match(visitor, address):
    page = visitor.open(address("draftosaurus", 2))
    last = int(page.locator(".step").inner_text().split()[-1])
    assert step_of(page) == 0
    label(page, "One step on").click()
    label(page, "One step on").click()
    assert step_of(page) == 2
    label(page, "One step back").click()
    assert step_of(page) == 1
    label(page, "To the end").click()
    assert step_of(page) == last
    label(page, "To the beginning").click()
    assert step_of(page) == 0
    field = page.locator("input[type=number]")
    field.fill("14")
    field.press("Enter")
    assert step_of(page) == 14
    field.fill("999")
    field.press("Enter")
    assert step_of(page) == 14
    assert page.locator(".toast").inner_text() == f"There is no step 999: this match has steps 0 to {last}."
    page.locator(".list button").nth(7).click()
    assert step_of(page) == 7
    assert page.locator("[aria-current=step]").get_attribute("data-step") == "7"
    page.locator(".highlights summary").click()
    mark = page.locator(".highlights li button").first
    number = int(mark.locator(".number").inner_text())
    mark.click()
    assert step_of(page) == number
    label(page, "The next highlight").click()
    assert step_of(page) > number
    label(page, "The highlight before").click()
    assert step_of(page) == number


def test_the_graph_is_the_scrubber(visitor, address):
    page = visitor.open(address("dinodocus", 2))
    last = int(page.locator(".step").inner_text().split()[-1])
    box = page.locator(".plot").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 4, box["y"] + 20)
    page.mouse.down()
    assert abs(step_of(page) - last / 4) < last / 50 + 1
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 20)
    assert step_of(page) == round(last / 2)
    assert page.locator(".readout").inner_text().startswith(f"step {round(last / 2)}: greedy ")
    page.mouse.up()
    page.mouse.move(box["x"] + box["width"] - 1, box["y"] + 20)
    assert step_of(page) == round(last / 2), "the button is up"
    cursor = page.locator(".cursor").bounding_box()
    assert abs(cursor["x"] - box["x"] - box["width"] / 2) < 5
    slider = page.get_by_role("slider")
    assert slider.get_attribute("aria-valuetext").startswith(f"step {round(last / 2)} of {last}: ")
    slider.press("ArrowRight")
    assert step_of(page) == round(last / 2) + 1


def test_it_plays_at_the_chosen_speed_and_stops_at_the_end(visitor, address):
    page = visitor.open("about:blank", locale="en-GB")  # in a context of its own, because that is what has a clock
    visitor.requests.clear()
    page.clock.install(time=0)
    page.goto(address("draftosaurus", 2))
    page.clock.pause_at(1_000_000)  # from here on only the test moves the time
    label(page, "Play").click()
    page.clock.run_for(3_000)
    assert step_of(page) == 3
    page.get_by_label("Speed").select_option("0.25")
    page.clock.run_for(4_000)
    assert step_of(page) == 4
    page.get_by_label("Speed").select_option("16")
    page.clock.run_for(625)
    assert step_of(page) == 14
    label(page, "Pause").click()
    page.clock.run_for(5_000)
    assert step_of(page) == 14
    page.keyboard.press("Space")
    page.clock.run_for(3_000)
    assert step_of(page) == 52
    assert label(page, "Play").count() == 1, "it has stopped"
    label(page, "Play").click()
    assert step_of(page) == 0, "from the beginning"
    page.keyboard.press("ArrowRight")
    page.clock.run_for(5_000)
    assert step_of(page) == 1, "a step by hand pauses"


def test_a_piece_leads_to_the_step_that_placed_it_and_points_to_the_step_that_won_them(visitor, address):
    record = played("draftosaurus", 2, notes=NOTES, bad_seat=1)
    page = visitor.open(address("draftosaurus", 2))
    page.keyboard.press("End")
    facts = moments(record)
    zoos = [find_game("draftosaurus").view(moment.state, None)["zoos"] for moment in facts]
    pen, held = next(iter(zoos[-1][1].items()))
    placed = next(at for at, zoo in enumerate(zoos) if zoo[1].get(pen, "").startswith(held[0]))
    page.locator(f'[data-piece="1/{pen}/0"]').click()
    assert step_of(page) == placed
    page.keyboard.press("End")
    points = [find_game("draftosaurus").tally(moment.state).breakdown[0] for moment in facts]
    zone = next(zone for zone, count in points[-1].items() if count)
    won = max(at for at in range(1, len(points)) if points[at][zone] != points[at - 1][zone])
    page.locator(f'.won[data-zone="0/{zone}"]').click()
    assert step_of(page) == won
    page.keyboard.press("End")
    scores = [find_game("draftosaurus").tally(moment.state).scores[1] for moment in facts]
    page.locator(".panel .score").nth(1).click()
    assert step_of(page) == max(at for at in range(1, len(scores)) if scores[at] != scores[at - 1])


def test_a_dinosaur_leads_to_the_step_that_made_it(visitor, address):
    page = visitor.open(address("dinodocus", 2, "step=100"))
    piece = page.locator(".panel [data-piece]").first
    key = piece.get_attribute("data-piece")
    piece.click()
    assert step_of(page) < 100
    assert page.locator(f'[data-piece="{key}"]').count() == 1
    page.keyboard.press("ArrowLeft")
    texts = page.locator(f'[data-piece="{key}"]').evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    page.keyboard.press("ArrowRight")
    assert page.locator(f'[data-piece="{key}"]').get_attribute("aria-label") not in texts


def test_links_name_a_step_and_a_view_and_the_back_button_works(visitor, address):
    page = visitor.open(address("draftosaurus", 3, "step=14&seat=2"))
    view = page.get_by_label("View")
    assert (step_of(page), view.input_value()) == (14, "4")
    assert page.locator(".eyes").inner_text() == "What seat 2 could know"
    page.locator(".list button").nth(20).click()
    assert page.url.endswith("#step=20&seat=2")
    view.select_option("all hands")
    assert page.url.endswith("#step=20&seat=all")
    page.keyboard.press("ArrowRight")
    assert page.url.endswith("#step=21&seat=all")
    page.go_back()
    assert (step_of(page), view.input_value()) == (20, "4")
    page.go_back()
    assert (step_of(page), page.url[-15:]) == (14, "#step=14&seat=2")
    page.go_forward()
    assert step_of(page) == 20
    page.evaluate("location.hash = '#step=3'")
    page.wait_for_function("document.querySelector('input[type=number]').value === '3'")
    assert view.input_value() == "0"
    for odd in ("step=-4&seat=99", "step=abc", "step=1e9", "%%%", "step=5&seat=__proto__"):
        page.evaluate("place => { location.hash = place }", odd)
    assert page.locator(".panel").count() == 3


def test_a_seats_view_shows_what_it_could_know(visitor, address):
    game = find_game("draftosaurus")
    record = played("draftosaurus", 3, notes=NOTES, bad_seat=1)
    at = next(
        moment.number
        for moment in moments(record)
        if moment.number > 3 and all(game.view(moment.state, 1)["hands"][1:2])
    )
    page = visitor.open(address("draftosaurus", 3, f"step={at}"))
    state = moments(record)[at].state

    def hands() -> list[int]:
        return page.evaluate("[0, 1, 2].map(seat => document.querySelectorAll(`[data-piece^='${seat}/hand/']`).length)")

    def known(view: Any) -> list[int]:
        return [len(hand or "") for hand in view["hands"]]

    assert hands() == known(game.view(state, None))
    page.keyboard.press("1")
    assert hands() == known(game.view(state, 1))
    page.keyboard.press("a")
    assert hands() == known(together([game.view(state, seat) for seat in range(3)]))
    assert min(hands()) > 0
    page.keyboard.press("s")
    assert page.get_by_label("View").input_value() == "0"


def test_the_file_of_a_seat_has_only_its_view(visitor, tmp_path):
    page = visitor.open(written(tmp_path, played("dinodocus", 3, {"advanced": True}, notes=NOTES), 1))
    assert page.get_by_label("View").locator("option").all_inner_texts() == ["seat 1: random"]
    assert page.locator(".only").inner_text() == "This file holds only what seat 1, random, could know."
    assert page.locator(".seed").count() == 0
    for key in ("a", "s", "0", "v"):
        page.keyboard.press(key)
        assert page.locator(".eyes").inner_text() == "What seat 1 could know"
    page.locator("input[type=number]").fill("60")
    page.locator("input[type=number]").press("Enter")
    assert [panel.locator("blockquote").count() for panel in page.locator(".panel").all()] == [0, 1, 0]
    assert misplaced(page, APART) == []


def test_seed_link_and_moves_can_be_copied(visitor, address):
    page = visitor.open(address("draftosaurus", 2, "step=9"), permissions=["clipboard-read", "clipboard-write"])

    def clipboard() -> str:
        return page.evaluate("navigator.clipboard.readText()")

    page.locator(".seed").click()
    page.locator(".toast").wait_for()
    assert clipboard() == "7"
    page.keyboard.press("c")
    page.wait_for_function("navigator.clipboard.readText().then(text => text !== '7')")
    assert clipboard() == page.url.split("#")[0] + "#step=9"
    page.get_by_role("button", name="Copy as text").click()
    page.wait_for_function("navigator.clipboard.readText().then(text => !text.startsWith('file:'))")
    lines = clipboard().split("\n")
    assert lines[0] == "draftosaurus, edition 1"
    assert lines[2] == "seed 7"
    assert "3  0  greedy  " in "\n".join(lines)


def test_where_copying_is_not_allowed_the_text_can_be_selected(visitor, address):
    page = visitor.open(address("draftosaurus", 2))
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.locator(".seed").click()
    assert page.locator("dialog textarea").input_value() == "7"
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0


# Keys and screen readers


def test_keys_alone_suffice(visitor, address):
    page = visitor.open(address("draftosaurus", 2))

    def press(*keys: str) -> int:
        for key in keys:
            page.keyboard.press(key)
        return step_of(page)

    assert press("ArrowRight", "n", "n", "ArrowLeft", "b") == 1
    assert press("Shift+ArrowRight") == 11
    assert press("Shift+ArrowLeft") == 1
    assert press("End") == 52
    assert press("Home") == 0
    assert press("g") == 0
    page.keyboard.type("30")
    assert press("Enter") == 30
    page.locator("body").press("Tab")
    page.evaluate("document.activeElement.blur()")
    faults = [moment.number for moment in moments(played("draftosaurus", 2, notes=NOTES, bad_seat=1)) if moment.faults]
    assert press("Home", "f") == faults[0]
    assert press("f", "F") == faults[0]
    lead = press("Home", "l")
    assert press("l") > lead
    assert press("L") == lead
    assert press("Home", "p", "p", "P") > 0
    page.keyboard.press("+")
    assert page.get_by_label("Speed").input_value() == "2"
    page.keyboard.press("-")
    assert page.get_by_label("Speed").input_value() == "1"
    page.keyboard.press("v")
    assert page.get_by_label("View").input_value() == "1"
    page.keyboard.press("?")
    assert page.get_by_role("dialog").is_visible()
    page.keyboard.press("Escape")
    assert page.get_by_role("dialog").count() == 0


def test_tab_reaches_every_control_and_piece_and_enter_follows_it(visitor, address):
    page = visitor.open(address("draftosaurus", 2, "step=52"))
    wanted = page.evaluate(
        """() => [...document.querySelectorAll("button, select, input, summary, [data-piece], [data-zone]")]
        .filter((one) => one.getClientRects().length && !one.closest("dialog, .list")).length"""
    )
    reached = page.evaluate(
        """() => [...document.querySelectorAll("button, select, input, summary, [data-piece], [data-zone]")]
        .filter((one) => one.getClientRects().length && !one.closest("dialog, .list") && one.tabIndex >= 0).length"""
    )
    assert reached == wanted > 40
    for _ in range(wanted):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('[data-piece]:not(button)')"):
            break
    key = page.evaluate("document.activeElement.dataset.piece")
    page.keyboard.press("Enter")
    assert step_of(page) < 52
    assert page.evaluate("document.activeElement.dataset.piece") == key, "the focus stays on the piece"


def test_each_step_is_narrated(visitor, address):
    page = visitor.open(address("draftosaurus", 2))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    live = page.get_by_role("status")
    assert live.inner_text().startswith("Step 2 of 52. summer, round 1/4, turn 1/3, pick, seat 0 rolled ")
    assert "Die: greedy rolled " in live.inner_text()
    page.keyboard.press("v")
    assert live.inner_text() == "View: all hands."
    words = page.locator(".panel > .unseen").all_inner_texts()
    assert len(words) == 2
    assert all(words)


@pytest.mark.parametrize(
    ("game", "seats", "size", "scheme"),
    [("draftosaurus", 2, PHONE, "dark"), ("dinodocus", 2, DESKTOP, "light")],
)
def test_axe_finds_nothing_serious(visitor, address, game, seats, size, scheme):
    page = visitor.open(address(game, seats, "step=30&seat=all"), size, color_scheme=scheme)
    page.locator(".highlights summary").click()
    assert serious_findings(page) == []


# Places and sizes


@pytest.mark.parametrize(
    ("game", "seats"),
    [
        ("draftosaurus", 2),
        ("draftosaurus", 4),
        ("draftosaurus", 5),
        ("dinodocus", 3),
        ("dinodocus", 6),
    ],
)
def test_nothing_overlaps_and_nothing_leaves_the_page(visitor, address, game, seats):
    page = visitor.open(address(game, seats, "step=33&seat=all"))
    for width, height in ((2000, 1100), (1280, 800), (768, 1024), (320, 568)):
        page.set_viewport_size({"width": width, "height": height})
        assert misplaced(page, APART) == [], width
    page.keyboard.press("End")
    assert misplaced(page, APART) == [], "at the end"
    small = page.evaluate(
        """() => [...document.querySelectorAll(".replay *")].filter((one) => one.getClientRects().length && !one.closest("svg, .unseen")
        && [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()) && parseFloat(getComputedStyle(one).fontSize) < 11)
        .map((one) => one.outerHTML.slice(0, 90))"""
    )
    assert small == []


def test_the_dark_is_dark_and_print_has_no_controls(visitor, address):
    page = visitor.open(address("draftosaurus", 2, "step=9"), color_scheme="dark")
    brightness = "() => getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/g).reduce((sum, part) => sum + Number(part), 0)"
    assert page.evaluate(brightness) < 120
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(brightness) == 765
    assert page.locator(".controls").is_hidden()
    assert page.locator(".panel").first.is_visible()


def test_with_reduced_motion_nothing_moves_by_itself(visitor, address):
    page = visitor.open(address("draftosaurus", 2, "step=9"))
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.getAnimations().length") == 0
    page.emulate_media(reduced_motion="no-preference")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.getAnimations().length") > 0, "or else this test shows nothing"


def test_without_javascript_the_page_says_what_it_needs(visitor, address):
    page = visitor.open(address("draftosaurus", 2), java_script_enabled=False)
    assert "It needs JavaScript" in page.locator("noscript").inner_text()


# Strangers, and long matches


def test_strangers_texts_stay_text(visitor, tmp_path):
    names = [
        "<img src=x onerror=alert(1)>",
        "W" * 64,
        "שלום‎ \u0645\u0631\u062d\u0628\u0627".replace("\u200e", ""),
        "a" * 30 + " " + "b" * 33,
    ]
    note = "</script><script>alert(2)</script>\n\x1b[31m\u202e" + "n" * 900
    record = played("draftosaurus", 4, names=names, notes=[note], bad_seat=1, stderr="</pre><b>bold</b>" * 200)
    page = visitor.open(written(tmp_path, record), (320, 568))
    assert page.locator("h1 bdi").all_inner_texts() == names
    assert page.locator("img").count() == 0
    page.keyboard.press("f")
    for size in ((320, 568), (1400, 900)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        for summary in page.locator("summary").all():
            summary.click()
        assert misplaced(page, APART) == []
    assert (
        page.locator("blockquote")
        .first.inner_text()
        .startswith("</script><script>alert(2)</script>\n\\x1b[31m\\u202ennn")
    )
    assert page.locator("pre b, script").count() == 2, "ours"


def test_a_match_of_a_thousand_steps_can_be_walked_through(visitor, tmp_path):
    reel = reel_of(played("dinodocus", 6))
    reel["moments"] *= 2  # no match is as long as that, but a game of another package may have one
    last = len(reel["moments"]) - 1
    assert last > 1000
    (tmp_path / "page.html").write_bytes(page_of(reel, board_for("dinodocus")))
    page = visitor.open((tmp_path / "page.html").as_uri())
    page.keyboard.press("End")
    assert step_of(page) == last
    for _ in range(5):
        page.keyboard.press("Shift+ArrowLeft")
    assert step_of(page) == last - 50
    row = page.locator("[aria-current=step]").bounding_box()
    listed = page.locator(".list").bounding_box()
    assert listed["y"] - 1 <= row["y"] <= listed["y"] + listed["height"], "the list follows"
    assert misplaced(page, APART) == []
