"""People at tables in a real browser: whole games by clicking, several people, keys alone, a phone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.match.record_file import load
from arena.replay.verify import verify
from tests.browser import PHONE, Visitor, misplaced, serious_findings
from tests.web.server import PlayServer, playing

OPEN_CHOICES = "[data-choice].open:not(.chosen)"
APART = ".own > *, .choices > :not(.sendbar), .story, .side > *"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("matches")


@pytest.fixture(scope="module")
def server(folder: Path, browser: Any) -> Iterator[PlayServer]:  # noqa: ARG001  # skipped first if there is none
    with playing(folder, "--sandbox", "none") as made:
        yield made


@pytest.fixture
def guests(server: PlayServer, browser: Any) -> Iterator[Visitor]:
    """Browsers at the tables. At the end no page may have complained, or asked another server for anything."""
    visitor = Visitor(browser)
    yield visitor
    visitor.close()
    assert visitor.complaints == []
    assert all(address.startswith(server.origin) for address in visitor.requests), visitor.requests


def sit_down(page: Any, game: str, *others: str) -> None:
    """Choose a game, with these in the other seats, and sit down."""
    page.check(f"#game-{game}")
    page.select_option("#count", str(len(others) + 1))
    for seat, other in enumerate(others, 1):
        page.select_option(f"#who-{seat}", other)
    page.click("button[type=submit]")
    page.wait_for_url("**/play/table/*")


def question(page: Any) -> int:
    """The number of the question that is open now."""
    page.wait_for_selector(".stage-asked .choices")
    return int(page.get_attribute(".choices", "data-question"))


def send(page: Any) -> None:
    """Send what is chosen, and wait for what follows."""
    number = question(page)
    page.click(".send")
    wait_on(page, number)


def wait_on(page: Any, number: int) -> None:
    """Wait until something else than this question is asked, or the match is over."""
    page.wait_for_function(
        "number => document.querySelector('.result') || Number(document.querySelector('.choices')?.dataset.question ?? number) !== number",
        arg=number,
    )


def choose_by_clicks(page: Any, preferred: str = "") -> None:
    """Click on the board until one action is left."""
    question(page)
    for _ in range(6):
        if page.is_enabled(".send"):
            return
        found = page.locator(preferred).first if preferred and page.locator(preferred).count() else None
        (found or page.locator(OPEN_CHOICES).first).click()
    raise AssertionError("after six clicks there is still a choice")


@pytest.mark.parametrize(
    ("game", "preferred"), [("draftosaurus", ""), ("dinodocus", "[data-choice='do/end'], [data-choice='do/ok']")]
)
def test_a_whole_game_is_played_by_clicking_on_the_board(
    server: PlayServer, guests: Visitor, folder: Path, game: str, preferred: str
):
    page = guests.open(f"{server.origin}/play/")
    if game == "dinodocus":
        page.check("#game-dinodocus")
        page.click("summary")
        page.select_option("#option-turn_cap", "50")
        page.click("button[type=submit]")
    else:
        sit_down(page, game, "bot:random")
    while page.wait_for_selector(".choices, .result") and page.locator(".choices").count():
        choose_by_clicks(page, preferred)
        send(page)
    page.wait_for_selector("a[href^='/play/replay/']")
    assert serious_findings(page) == []
    record = load(folder / page.get_attribute("a[href^='/play/replay/']", "href").rpartition("/")[2])
    assert (verify(record), record.verdict.faults, record.header.game) == (None, (), game)
    page.click(".result button.primary")
    assert question(page) == 1
    page.goto(f"{server.origin}/play/replay/{record.path.name}#step=12&seat=0")
    page.click("a.take")
    assert page.input_value("#step") == "12"
    page.click("button[type=submit]")
    assert question(page) == 1


def test_two_people_play_in_two_browsers_and_come_back_after_a_reload(server: PlayServer, guests: Visitor):
    ann = guests.open(f"{server.origin}/play/")
    sit_down(ann, "draftosaurus", "open")
    bob = guests.open(ann.input_value("#link"))
    bob.fill("#guest", "Bob <b>")
    assert serious_findings(bob) == []
    bob.click("text=Sit down here")
    assert (question(ann), question(bob)) == (1, 1)
    assert "Bob <b>" in ann.inner_text(".rivals")
    choose_by_clicks(ann)
    ann.click(".send")
    ann.wait_for_selector(".stage-sent")
    before = bob.inner_text(".sitting")
    bob.reload()
    assert question(bob) == 1
    assert bob.inner_text(".sitting") == before
    choose_by_clicks(bob)
    bob.click(".send")
    assert (question(ann), question(bob)) == (2, 2)
    bob.click("text=Leave the table")
    bob.click("dialog >> text=Stay")
    bob.click("text=Leave the table")
    bob.click("dialog .danger")
    bob.wait_for_selector(".stage-left")
    choose_by_clicks(ann)
    send(ann)
    assert "the arena plays" in ann.inner_text(".rivals")


def test_people_at_one_screen_have_a_curtain_between_them(server: PlayServer, guests: Visitor):
    page = guests.open(f"{server.origin}/play/")
    sit_down(page, "draftosaurus", "here")
    for name in ("Player 1", "Player 2"):
        page.wait_for_selector(f"text={name}, it is your turn")
        assert page.locator(".sitting, [data-piece], .option").count() == 0
        assert serious_findings(page) == []
        page.click(f"text=I am {name}")
        assert name in page.inner_text(".yours h2")
        page.click(".option")
        page.click(".send")
    page.wait_for_selector("text=Player 1, it is your turn")
    page.click("#lift")
    assert page.get_attribute(".choices", "data-question") == "2"


def test_a_pen_that_is_closed_says_why_and_leads_to_the_rule(server: PlayServer, guests: Visitor):
    page = guests.open(f"{server.origin}/play/")
    sit_down(page, "draftosaurus", "bot:random")
    is_filled = False
    while not is_filled or "Where do you place" not in page.inner_text(".turn"):  # the King's pen has room for one
        question(page)
        king = page.locator(".option[data-action$='@KJ']")
        if king.count():
            king.click()
            is_filled = True
        else:
            page.click(".option >> nth=-1")
        send(page)
    number = question(page)
    page.locator("[data-choice='0/KJ']").dispatch_event("click")
    page.wait_for_selector(".sendbar [role=alert] a")
    href = page.get_attribute(".sendbar [role=alert] a", "href")
    assert href.startswith("/rules/draftosaurus#D-")
    assert question(page) == number
    rules = guests.open(f"{server.origin}{href}")
    assert rules.locator(f"[id='{href.partition('#')[2]}']").is_visible()
    assert serious_findings(rules) == []


def test_a_bot_gives_a_hint_that_can_be_taken(server: PlayServer, guests: Visitor):
    page = guests.open(f"{server.origin}/play/")
    sit_down(page, "draftosaurus", "bot:random")
    question(page)
    page.click("text=Ask for a hint")
    page.click("text=Choose this")
    assert page.inner_text(".option.hinted code") == page.inner_text(".sendbar code")
    page.click(".undo")
    assert page.is_disabled(".send")
    send_with_keys(page)


def send_with_keys(page: Any) -> None:
    number = question(page)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    wait_on(page, number)


def test_the_keyboard_alone_suffices(server: PlayServer, guests: Visitor):
    page = guests.open(f"{server.origin}/play/")
    page.wait_for_selector("form")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.type") == "submit":
            break
    page.keyboard.press("Enter")
    assert question(page) == 1
    page.keyboard.press("2")
    assert page.is_enabled(".send")
    page.keyboard.press("Escape")
    assert page.is_disabled(".send")
    send_with_keys(page)
    page.focus(f".yours {OPEN_CHOICES}")
    number = question(page)
    page.keyboard.press("Enter")  # chooses the pen that has the focus
    page.keyboard.press("Enter")  # sends it
    wait_on(page, number)


@pytest.mark.parametrize("game", ["draftosaurus", "dinodocus"])
def test_a_table_fits_on_a_phone_and_axe_finds_nothing_serious(server: PlayServer, guests: Visitor, game: str):
    page = guests.open(f"{server.origin}/play/", PHONE, color_scheme="dark")
    page.wait_for_selector("form")
    assert misplaced(page, ".game, .place, form > *") == []
    assert serious_findings(page) == []
    sit_down(page, game, "bot:random", "bot:greedy")
    question(page)
    assert misplaced(page, APART) == []
    assert serious_findings(page) == []
    box = page.locator(".send").bounding_box()
    assert 0 < box["y"] < PHONE[1] - box["height"]  # whatever is looked at, what is chosen can be sent
