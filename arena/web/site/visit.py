"""A request for a page of a league, as the page sees it: the edition, what its address says, and what can be linked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from arena.league.report.facts import League, Pages
from arena.league.wire import RECORDS, record_path
from arena.web.site.edition import Edition
from arena.web.site.shell import Link


class NoPage(Exception):
    """There is no such page; the text says what is missing, and where to look."""


class BadQuery(Exception):
    """What stands after the question mark makes no sense; the text says why."""


@dataclass(frozen=True, slots=True)
class Outlet:
    """Where pages are shown: by a server, which has everything, or as files, which have some of it."""

    is_served: bool = True
    has_match: Callable[[str], bool] = lambda _match: True
    """Whether a match has a page."""
    has_pair: Callable[[str], bool] = lambda _bot: True
    """Whether a bot has pages with other such bots."""
    note: str = ""
    """What a reader must know about what is left out."""


SERVED = Outlet()


@dataclass(frozen=True, slots=True)
class Visit:
    """A request for a page that is `depth` folders below the league's own."""

    edition: Edition
    outlet: Outlet = SERVED
    depth: int = 0
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)

    @property
    def up(self) -> str:
        """The way to the league's folder."""
        return "../" * self.depth

    @property
    def pages(self) -> Pages:
        return Pages(self.bot, partial(self.pair), self.match)

    @property
    def league(self) -> League:
        """What the sections of a report need, with links from this page. Settings may be newer than the ratings."""
        league, edition = self.edition.league, self.edition
        report = replace(
            league.report,
            settings=edition.settings,
            planned=edition.status.planned,
            pages=self.pages,
            records=f"{self.up}{RECORDS}",
        )
        return replace(league, report=report)

    # Addresses

    def bot(self, bot: str) -> str | None:
        slug = self.edition.slugs.get(bot)
        return None if slug is None else f"{self.up}bots/{slug}.html"

    def pair(self, bot: str, other: str) -> str | None:
        slugs = [self.edition.slugs.get(one) for one in (bot, other)]
        if bot == other or not (self.outlet.has_pair(bot) and self.outlet.has_pair(other)):
            return None
        return None if None in slugs else f"{self.up}pairs/{slugs[0]}/{slugs[1]}.html"

    def match(self, match: str) -> str | None:
        return f"{self.up}matches/{match}.html" if self.outlet.has_match(match) else None

    def replay(self, match: str) -> str | None:
        has_one = self.outlet.has_match(match) and self.edition.league.report.has_record(match)
        return f"{self.up}replays/{match}.html" if has_one else None

    def record(self, match: str) -> str | None:
        """Where the record can be downloaded, if there is one."""
        if not self.outlet.has_match(match) or not self.edition.league.report.has_record(match):
            return None
        return f"{self.up}{RECORDS}/{record_path(self.edition.folder, match).name}"

    # The bot or bots that the address names

    def named_bot(self, key: str = "bot") -> str:
        slug = self.path[key]
        bot = self.edition.labels.get(slug)
        if bot is None:
            raise NoPage(f"No bot of this league has the address {slug}. The standings list all of them.")
        return bot

    # The shell

    def trail(self, *more: Link) -> Sequence[Link]:
        return [Link(self.edition.name, f"{self.edition.slug}/index.html"), *more]

    @property
    def parts(self) -> Sequence[Link]:
        slug = self.edition.slug
        return [
            Link("Standings", f"{slug}/index.html"),
            Link("Matches", f"{slug}/matches/index.html"),
            Link("Figures", f"{slug}/figures.html"),
            Link("Data", f"{slug}/data.html"),
        ]

    @property
    def events(self) -> str:
        return f"{self.edition.slug}/events" if self.outlet.is_served else ""
