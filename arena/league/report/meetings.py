"""The sections about pairs of bots: who beats whom, and the balance of the schedule."""

from collections.abc import Iterator, Mapping, Sequence

from arena.league.report.facts import League, left_out
from arena.league.report.markup import Cells, Html, join, left_head, linked, paragraph, row_head, short, table_of, tag
from arena.league.report.words import likelihood, percent, span, whole
from arena.league.standings import Standing
from arena.texts import counted


def crosstable_section(league: League) -> Html:
    bots = [standing.bot for standing in league.drawn]
    rows = [
        [*_place(league, at, bot), *(_cell(league, bot, other) for other in bots)] for at, bot in enumerate(bots, 1)
    ]
    rest = "the tooltip shows the games" if league.is_large else "below are the games"
    words = paragraph(
        "The share of points, in percent, that the row's bot won from the column's: a win is a point, a tie half of "
        f"one; {rest} and the likelihood, in percent, that the row's bot is better. Bold: the two are separated."
        + left_out(bots, league.table)
    )
    return join([words, table_of("Crosstable", _matrix_head(bots), rows, class_=_matrix_class(league))])


def _matrix_class(league: League) -> str:
    return "matrix many" if league.is_large else "matrix"


def _matrix_head(bots: Sequence[str]) -> Cells:
    """Rows have names and numbers; columns have only the numbers."""
    numbers = (tag("th", str(at), scope="col", title=short(bot)) for at, bot in enumerate(bots, 1))
    return ["", left_head("bot"), *numbers]


def _place(league: League, at: int, bot: str) -> Cells:
    return [tag("td", str(at), class_="quiet"), row_head(bot, league.report.pages.of_bot(bot))]


def _cell(league: League, bot: str, other: str) -> Html:
    games = league.census.pairs.games(bot, other)
    if bot == other or not games:
        return tag("td", "" if bot == other else "–", class_="self" if bot == other else None)
    share, likely = league.census.pairs.points(bot, other) / games, likelihood(league.fit.superiority(bot, other))
    shown = tag("b", percent(share)) if league.fit.separated(bot, other) else percent(share)
    number = linked(shown, league.report.pages.of_pair(bot, other))
    if league.is_large:
        return tag("td", number, class_=_shade(share), title=f"{counted(games, 'game')}, {likely} % likely better")
    return tag("td", number, tag("small", f"{games:,} · {likely}"), class_=_shade(share))


def _shade(share: float) -> str | None:
    """A class: five steps up in the accent colour, five down in grey."""
    steps = round(abs(share - 0.5) * 10)
    return f"{'up' if share > 0.5 else 'down'}{steps}" if steps else None


def balance_section(league: League) -> Html:
    seats = league.census.seats
    places = sorted({(size, seat) for _, size, seat in seats})
    games = span(standing.games for standing in league.table)
    each = span(seats[bot, *place] for bot in league.bots for place in places)
    head = [left_head("bot"), "matches", *(_seat_title(*place, places) for place in places)]
    rows = [_balance_row(league, standing, seats, places) for standing in league.listed]
    appearances = table_of("Matches by bot and seat", head, rows)
    words = f"Matches of a bot: {games}. In each seat: {each}.{left_out(rows, league.table)}"
    return join([paragraph(words), appearances, *_meetings(league)])


def _seat_title(size: int, seat: int, places: Sequence[tuple[int, int]]) -> str:
    return f"seat {seat}" if len({size for size, _ in places}) == 1 else f"seat {seat} of {size}"


def _balance_row(
    league: League, standing: Standing, seats: Mapping[tuple[str, int, int], int], places: Sequence[tuple[int, int]]
) -> Cells:
    numbers = [whole(seats.get((standing.bot, *place), 0)) for place in places]
    name = row_head(standing.bot, league.report.pages.of_bot(standing.bot))
    return [name, tag("td", tag("b", whole(standing.games))), *numbers]


def _meetings(league: League) -> Iterator[Html]:
    bots, pairs = [standing.bot for standing in league.drawn], league.census.pairs
    low, high = pairs.least_and_most(len(league.table))
    rows = [
        [*_place(league, at, bot), *(_meeting(pairs.games(bot, other), low, high, bot == other) for other in bots)]
        for at, bot in enumerate(bots, 1)
    ]
    more = "" if low == high else " Darker is more often; bold is most often, grey least."
    yield tag("h3", "Meetings")
    yield paragraph(f"Meetings of two bots: {span((low, high))}.{more}{left_out(bots, league.table)}")
    yield table_of("Meetings of two bots", _matrix_head(bots), rows, class_=_matrix_class(league))


def _meeting(number: int, low: int, high: int, is_self: bool) -> Html:
    if is_self:
        return tag("td", class_="self")
    if low == high:
        return tag("td", whole(number))
    steps = round(4 * (number - low) / (high - low))
    class_ = "quiet" if number == low else f"up{steps}" if steps else None
    return tag("td", tag("b", whole(number)) if number == high else whole(number), class_=class_)
