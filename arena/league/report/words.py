"""Numbers as text."""

from collections.abc import Iterable

from arena.league.statistics import Estimate


def whole(number: float) -> str:
    return f"{number:,.0f}"


def signed(number: float, digits: int = 0) -> str:
    text = f"{number:+.{digits}f}"
    return text[1:] if not float(text) else text.replace("-", "−")


def tenths(number: float | None) -> str:
    return "–" if number is None else f"{number:.1f}"


def span(numbers: Iterable[int]) -> str:
    """`12`, or `11 to 13`."""
    listed = list(numbers)
    low, high = min(listed), max(listed)
    return whole(low) if low == high else f"{low:,} to {high:,}"


def percent(share: float) -> str:
    """Rounded, but 0 and 100 only for none and all."""
    if 0 < share < 0.01:
        return "<1"
    return ">99" if 0.99 < share < 1 else f"{100 * share:.0f}"


def likelihood(chance: float) -> str:
    """As a percentage that is never 0 or 100, because nothing is certain."""
    return percent(min(0.999, max(0.001, chance)))


def duration(micros: float) -> str:
    """With three digits, in the largest unit that has a digit before the point."""
    for size, unit in ((1e6, "s"), (1e3, "ms")):
        if micros >= 0.9995 * size:
            return f"{micros / size:.3g} {unit}" if micros < 999.5 * size else f"{micros / size:,.0f} {unit}"
    return f"{micros:.0f} µs"


def rounded(number: float) -> str:
    return f"{number:.0f}"


def interval(estimate: Estimate) -> str:
    return f"{round(estimate.low)} to {round(estimate.high)}".replace("-", "−")


def with_and(numbers: Iterable[int]) -> str:
    """`2`, `2 and 4`, `2, 3 and 5`."""
    *others, last = map(str, numbers)
    return f"{', '.join(others)} and {last}" if others else last
