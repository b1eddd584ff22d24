"""Small games of two who decide at the same time, where one wins what the other loses."""

from __future__ import annotations

from itertools import combinations

TINY = 1e-9
Matrix = list[list[float]]


def solve(matrix: Matrix) -> tuple[float, list[float]]:
    """The value for the player of the rows, and how likely each row should be.

    Some square part of a matrix always has the same solution as the whole (Shapley and Snow): the smallest that no row
    or column of the whole can improve is the answer.
    """
    rows, columns = range(len(matrix)), range(len(matrix[0]))
    for size in range(1, min(len(rows), len(columns)) + 1):
        for chosen in combinations(rows, size):
            for against in combinations(columns, size):
                if found := _kernel(matrix, chosen, against):
                    return found
    raise ArithmeticError("no part of the matrix solves it")


def _kernel(matrix: Matrix, chosen: tuple[int, ...], against: tuple[int, ...]) -> tuple[float, list[float]] | None:
    """The solution, if that of this part holds for the whole matrix."""
    mine = _even([[matrix[row][column] for row in chosen] for column in against])
    theirs = _even([[matrix[row][column] for column in against] for row in chosen])
    if mine is None or theirs is None:
        return None
    value, weights = mine
    played = [0.0] * len(matrix)
    for row, weight in zip(chosen, weights):
        played[row] = max(0.0, weight)
    least = min(sum(weight * row[column] for weight, row in zip(played, matrix)) for column in range(len(matrix[0])))
    most = max(sum(weight * row[column] for column, weight in zip(against, theirs[1])) for row in matrix)
    return (value, played) if least >= value - TINY >= most - 2 * TINY else None


def _even(rows: Matrix) -> tuple[float, list[float]] | None:
    """The weights of the columns with which all rows have one value, and the value; None if there are none."""
    size = len(rows)
    system = [[*row, -1.0, 0.0] for row in rows] + [[1.0] * size + [0.0, 1.0]]
    for k in range(size + 1):
        pivot = max(range(k, size + 1), key=lambda row: abs(system[row][k]))
        if abs(system[pivot][k]) < TINY:
            return None
        system[k], system[pivot] = system[pivot], system[k]
        for row in range(size + 1):
            if row != k and (factor := system[row][k] / system[k][k]):
                system[row] = [a - factor * b for a, b in zip(system[row], system[k])]
    solution = [row[-1] / row[k] for k, row in enumerate(system)]
    return None if min(solution[:size]) < -TINY else (solution[size], solution[:size])
