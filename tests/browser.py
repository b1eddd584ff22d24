"""A real browser for tests: the machine's own Chromium, driven by Playwright, and what every page is checked for.

A test gets pages that listen: an error on the console, an exception, or a request for anything but the page itself fails
the test. Pages are told a size and a colour scheme, and never wait by time: tests that need time to pass use `page.clock`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.machine import need_browser

PHONE, DESKTOP = (360, 740), (1400, 900)
OVERLAPS = """(selectors) => {
  const floats = (one) => { for (let at = one; at; at = at.parentElement) if (getComputedStyle(at).position === "fixed") return true; };
  const seen = (one) => one.getClientRects().length && getComputedStyle(one).visibility !== "hidden" && !floats(one);
  const all = [...document.querySelectorAll(selectors)].filter(seen);
  const boxes = all.map((one) => [one, one.getBoundingClientRect()]);
  const named = (one) => `${one.tagName}.${one.className?.baseVal ?? one.className} ${one.textContent.slice(0, 30)}`;
  const spills = (one) => one.scrollHeight > one.clientHeight + 2 && getComputedStyle(one).overflowY === "visible" && one.clientHeight > 0;
  const found = all.filter(spills).map((one) => `${named(one)} is higher than its box`);
  for (const [i, [a, p]] of boxes.entries()) for (const [b, q] of boxes.slice(i + 1)) {
    if (a.contains(b) || b.contains(a)) continue;
    const [wide, high] = [Math.min(p.right, q.right) - Math.max(p.left, q.left), Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top)];
    if (wide > 1 && high > 1) found.push(`${named(a)} / ${named(b)}`);
  }
  return found;
}"""
OUTSIDE = """() => {
  const scrolls = (one) => { for (let at = one; at; at = at.parentElement) if (/auto|scroll|hidden/.test(getComputedStyle(at).overflowX)) return true; };
  return [...document.body.querySelectorAll("*")].filter((one) => {
    const box = one.getBoundingClientRect();
    return box.width > 1 && (box.right > innerWidth + 1 || box.left < -1) && !scrolls(one.parentElement);
  }).map((one) => `${one.tagName}.${one.className?.baseVal ?? one.className} ${Math.round(one.getBoundingClientRect().right)}`);
}"""


@contextmanager
def started() -> Iterator[Any]:
    """The browser of this machine; the test is skipped where there is none."""
    from playwright.sync_api import sync_playwright

    program = need_browser()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-gpu", "--disable-site-isolation-trials"]
        )
        yield browser
        browser.close()


class Visitor:
    """Opens pages, and notes what they must not do."""

    def __init__(self, browser: Any, shared: Any = None) -> None:
        self._browser = browser
        self._shared = shared
        """A page for all tests, one after another: each new one has a process, which takes longer than most tests."""
        self._is_sharing = False
        self._opened: list[Any] = []
        self._ears = {
            "console": lambda message: self._note(message.type, message.text),
            "pageerror": lambda error: self._note("error", str(error)),
            "dialog": lambda dialog: self._note("error", f"a dialog: {dialog.message}"),
            "request": lambda request: self.requests.append(request.url),
        }
        self.complaints: list[str] = []
        self.requests: list[str] = []

    def open(self, address: str, size: tuple[int, int] = DESKTOP, color_scheme: str = "light", **context: Any) -> Any:
        """A page of this size; with settings of a context, such as permissions, in a context of its own."""
        page = self._page(context)
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.emulate_media(media="screen", color_scheme=color_scheme, reduced_motion="reduce")
        page.set_default_timeout(60_000)
        for event, ear in self._ears.items():
            page.on(event, ear)
        page.goto(address)
        return page

    def _page(self, settings: dict[str, Any]) -> Any:
        if self._shared is not None and not settings and not self._is_sharing:
            self._is_sharing = True
            return self._shared
        self._opened.append(self._browser.new_context(**settings))
        return self._opened[-1].new_page()

    def close(self) -> None:
        for context in self._opened:
            context.close()
        if self._is_sharing:
            for event, ear in self._ears.items():
                self._shared.remove_listener(event, ear)
            self._shared.goto("about:blank")

    def _note(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.complaints.append(f"{kind}: {text}")


def misplaced(page: Any, apart: str) -> list[str]:
    """What leaves the page, and which of these elements overlap."""
    wide = page.evaluate("scrollTo(0, 0), document.documentElement.scrollWidth - innerWidth")
    scrolls = [f"the page is {wide} pixels too wide"] if wide > 0 else []
    return scrolls + page.evaluate(OUTSIDE) + page.evaluate(OVERLAPS, apart)


def serious_findings(page: Any) -> list[str]:
    """What axe calls serious or critical."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    bad = [one for one in found if one["impact"] in ("serious", "critical")]
    return [f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:200]} ({len(one['nodes'])})" for one in bad]
