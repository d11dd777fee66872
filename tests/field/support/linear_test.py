"""That linear.py finds what is wrong with a result: no number in it, eigenvectors that are none, a routine that says that it
failed. A device and a solver of ours stand for the GPU and rocSOLVER: linear_test.py"""
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import linear
import product

N = 4
NAN = math.nan
UPPER = [[2.0 * (i == j) + 0.25 * (i + 1 == j) for j in range(N)] for i in range(N)]  # needs no other order of its rows
SAME = [[3.0 * (i == j) for j in range(N)] for i in range(N)]  # of which each vector is an eigenvector, of the same value


class Device:
    """Memory of the host, in which an address is the number of a piece."""
    handle = None

    def __init__(self):
        self.pieces = []

    def put(self, data):
        self.pieces.append(bytearray(data))
        return len(self.pieces) - 1

    def get(self, at, size):
        return bytes(self.pieces[at][:size])

    def write(self, at, precision, values):
        data = product.encode(precision, values)
        self.pieces[at][:len(data)] = data


class Solver:
    """rocSOLVER for the matrices above. planted(routine, values) are the values that it returns instead of the right ones."""

    def __init__(self, device, planted=lambda routine, values: values, info=0):
        self.device, self.planted, self.info = device, planted, info

    def result(self, routine, at, rows):
        columns = [value for column in zip(*rows) for value in column]
        self.device.write(at, "d", self.planted(routine, columns))

    def __call__(self, name, _, *arguments):
        getattr(self, name[1:])(*arguments)

    def getrf(self, rows, columns, at, leading, pivots, info):
        self.device.write(pivots, "i32", range(1, N + 1))
        self.result("getrf", at, UPPER)  # it is its own factor, and the other is 1
        self.device.write(info, "i32", [self.info])

    def getrs(self, transposed, n, count, lu, leading, pivots, at, _):
        self.result("getrs", at, [[1.0]] * N)

    def potrf(self, side, n, at, leading, info):
        values = product.decode("d", self.device.get(at, 8 * N * N))
        self.result("potrf", at, [[math.sqrt(values[i * N + i]) * (i == j) for j in range(N)] for i in range(N)])
        self.device.write(info, "i32", [self.info])

    def syevd(self, vectors, side, n, at, leading, values, rest, info):
        matrix = product.decode("d", self.device.get(at, 8 * N * N))
        self.device.write(values, "d", matrix[::N + 1])
        self.result("syevd", at, linear.identity(N))
        self.device.write(info, "i32", [self.info])


def wrong(**planted):
    """Routines whose results are not within the limits."""
    found = set()
    for solve, matrix in ((linear.factorized, UPPER), (linear.symmetric, SAME)):
        device = Device()
        for name, error in solve(device, Solver(device, **planted), linear.Numbers(device, "d"), matrix):
            if not error <= N * linear.DENSE_LIMIT["d"]:
                found.add(name)
    return found


def only(routine, values):
    """A plant that is of one routine."""
    return lambda name, right: values(right) if name == routine else right


def at_end(values):
    return [*values[:-1], NAN]


assert linear.worst([1, NAN]) == linear.worst([NAN, 1]) == math.inf and linear.worst(iter([1, 3, 2])) == 3

ROWS = [[(0, 1.0)], [(1, 2.0)]]  # two elements of a sparse matrix; the products with (1, 1) are 5 and 7
assert linear.sparse_error(ROWS, [1, 1], 1, [5, 7]) == 0
for got in ([5, NAN], [NAN, 7], [NAN, NAN]):
    assert linear.sparse_error(ROWS, [1, 1], 1, got) == math.inf, got

assert wrong() == set(), wrong()
for name in ("getrf", "getrs", "potrf", "syevd"):
    for plant in (at_end, lambda values: [NAN] * len(values)):
        assert wrong(planted=only(name, plant)) == {name}, (name, wrong(planted=only(name, plant)))
assert wrong(planted=only("syevd", lambda values: [0.0] * len(values))) == {"syevd"}
assert wrong(planted=only("syevd", lambda values: list(values[:N]) * N)) == {"syevd"}  # one vector four times
assert wrong(info=1) == {"getrf", "potrf", "syevd"}
