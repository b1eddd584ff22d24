"""Matrices as the fit needs them: positive definite or symmetric, with a row for each parameter. Pure."""

import math
from array import array
from collections.abc import Sequence
from operator import mul

Matrix = list["array[float]"]
"""Rows are arrays, because a list of floats needs four times as much memory."""


def zeros(count: int) -> Matrix:
    return [array("d", bytes(8 * count)) for _ in range(count)]


def cholesky(matrix: Sequence[Sequence[float]]) -> list[list[float]]:
    """L of matrix = L L', for a positive definite matrix; the zeros above the diagonal are left out."""
    lower: list[list[float]] = []
    for k, row in enumerate(matrix):
        mine: list[float] = []
        for other in range(k):
            theirs = lower[other]
            mine.append((row[other] - sum(map(mul, mine, theirs))) / theirs[other])
        mine.append(math.sqrt(row[k] - sum(map(mul, mine, mine))))
        lower.append(mine)
    return lower


def solved(lower: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """x of L L' x = right: forward substitution for L y = right, then backward for L' x = y."""
    half: list[float] = []
    for row, value in zip(lower, right):
        half.append((value - sum(map(mul, row, half))) / row[-1])
    for k in reversed(range(len(half))):
        half[k] /= lower[k][k]
        for other in range(k):
            half[other] -= lower[k][other] * half[k]
    return half


def inverse(lower: Sequence[Sequence[float]]) -> Matrix:
    """Of L L'. Both halves are solved: near a singular matrix they have errors that must cancel in differences."""
    units = ([float(k == other) for other in range(len(lower))] for k in range(len(lower)))
    return [array("d", solved(lower, unit)) for unit in units]


def product(left: Matrix, symmetric: Matrix) -> Matrix:
    """Of two matrices. Rows of the second serve as its columns, because it is symmetric."""
    columns = [column.tolist() for column in symmetric]  # lists are a third faster here
    rows = (row.tolist() for row in left)
    return [array("d", [sum(map(mul, row, column)) for column in columns]) for row in rows]


def symmetric_product(left: Matrix, symmetric: Matrix) -> Matrix:
    """The same where the product is known to be symmetric: half of it is computed."""
    columns, whole = [column.tolist() for column in symmetric], zeros(len(left))
    for k, row in enumerate(row.tolist() for row in left):
        for other in range(k, len(columns)):
            whole[k][other] = whole[other][k] = sum(map(mul, row, columns[other]))
    return whole
