"""Sparse products by rocSPARSE, factorizations, solutions and eigenproblems by rocSOLVER, called directly and compared
with Python's own arithmetic, of HIP 7.2: linear.py

No list of packages has the two libraries of that version, which are large: librocsparse1/experimental and
librocsolver0/experimental, installed in a field root of experimental or unpacked on its LD_LIBRARY_PATH.
"""
import ctypes
import math
import random
import sys

import product

VECTORS, LOWER = 211, 122
ALPHA, BETA = 2, 3
# of each precision, the largest error: of a sparse product's element as a part of its terms' magnitudes, of a
# factorization's as a part of the matrix's size times that of its elements
SPARSE_LIMIT = {"s": 1e-6, "d": 1e-15}
DENSE_LIMIT = {"s": 5e-6, "d": 1e-14}
SPARSE = [(50, 40, 3), (200, 300, 40), (1000, 1000, 7), (64, 64, 64)]  # rows, columns, elements of a row on average
COLUMNS = 5  # of the dense factor
DENSE = [8, 35, 70, 130]  # rows; from 64 on rocSOLVER works by blocks


class Library:
    """Functions of one library, by their name without its prefix; a status other than success ends the program."""

    def __init__(self, file, prefix):
        self.code, self.prefix = ctypes.CDLL(file), prefix

    def __call__(self, name, *arguments):
        status = getattr(self.code, self.prefix + name)(*arguments)
        assert status == 0, f"{self.prefix}{name}: status {status}"

    def made(self, name, *arguments):
        it = ctypes.c_void_p()
        self(name, ctypes.byref(it), *arguments)
        return it


class Numbers:
    """Values of one precision, on the host and on the device."""

    def __init__(self, device, precision):
        self.device, self.precision = device, precision

    def some(self, count):
        return self.rounded([random.uniform(-1, 1) for _ in range(count)])

    def rounded(self, values):
        return list(product.decode(self.precision, product.encode(self.precision, values)))

    def scalar(self, value):
        return ctypes.create_string_buffer(product.encode(self.precision, [value]))

    def put(self, values):
        return self.device.put(product.encode(self.precision, values))

    def get(self, at, count):
        return product.decode(self.precision, self.device.get(at, len(product.encode(self.precision, [0])) * count))


def integers(device, values):
    return device.put(product.encode("i32", values))


def judged(what, error, limit):
    wrong = not error <= limit
    print(f"{'wrong' if wrong else 'right'} {what}: error {error:.3g}", flush=True)
    return wrong


def worst(errors):
    """The largest error, or infinity if one is not a number, which max() might pass over."""
    errors = list(errors)
    return math.inf if any(map(math.isnan, errors)) else max(errors)


def sparse_error(rows, factor, before, got):
    """The largest error of alpha times the rows (column, value) times a vector, plus beta times what was there."""
    def error(row, result):
        terms = [ALPHA * value * factor[column] for column, value in row] + [BETA * before]
        return abs(result - sum(terms)) / sum(map(abs, terms))

    return worst(map(error, rows, got))


def sparse_products(device, sparse, precision):
    numbers, wrong = Numbers(device, precision), []
    handle, description = sparse.made("create_handle"), sparse.made("create_mat_descr")
    alpha, beta = numbers.scalar(ALPHA), numbers.scalar(BETA)
    for m, n, most in SPARSE:
        places = [sorted(random.sample(range(n), min(n, random.randint(0, 2 * most)))) for _ in range(m)]
        rows = [list(zip(columns, numbers.some(len(columns)))) for columns in places]
        starts = [sum(map(len, rows[:i])) for i in range(m + 1)]
        values = numbers.put([value for row in rows for _, value in row])
        matrix = (description, values, integers(device, starts), integers(device, [c for row in places for c in row]))
        vector = numbers.some(n)
        factor = numbers.put(vector)
        for info in (None, sparse.made("create_mat_info")):  # by rows, and as an analysis of the matrix says
            if info:
                sparse(f"{precision}csrmv_analysis", handle, product.PLAIN, m, n, starts[m], *matrix, info)
            result = numbers.put([1] * m)
            sparse(f"{precision}csrmv", handle, product.PLAIN, m, n, starts[m], alpha, *matrix, info, factor, beta, result)
            error = sparse_error(rows, vector, 1, numbers.get(result, m))
            wrong.append(judged(f"{precision}csrmv {m} x {n}{', analysed' * bool(info)}", error, SPARSE_LIMIT[precision]))
        dense, result = numbers.some(n * COLUMNS), numbers.put([1] * m * COLUMNS)
        sparse(f"{precision}csrmm", handle, product.PLAIN, product.PLAIN, m, COLUMNS, n, starts[m], alpha, *matrix,
               numbers.put(dense), n, beta, result, m)
        got = numbers.get(result, m * COLUMNS)
        error = worst(sparse_error(rows, dense[j * n:], 1, got[j * m:(j + 1) * m]) for j in range(COLUMNS))
        wrong.append(judged(f"{precision}csrmm {m} x {n}", error, SPARSE_LIMIT[precision]))
    return wrong


def times(a, b):
    columns = list(zip(*b))
    return [[sum(x * y for x, y in zip(row, column)) for column in columns] for row in a]


def distance(a, b):
    return worst(abs(x - y) for rows in zip(a, b) for x, y in zip(*rows))


def identity(n):
    return [[float(i == j) for j in range(n)] for i in range(n)]


class Matrix:
    """A square matrix of the device, by columns; host() is its rows."""

    def __init__(self, numbers, rows):
        self.numbers, self.n = numbers, len(rows)
        self.at = numbers.put([value for column in zip(*rows) for value in column])

    def host(self):
        values = self.numbers.get(self.at, self.n * self.n)
        return [list(values[i::self.n]) for i in range(self.n)]


class Info:
    """What a routine of rocSOLVER says of its result: 0, or why there is none."""

    def __init__(self, device):
        self.device, self.at = device, integers(device, [9])

    def error(self):
        return 0 if product.decode("i32", self.device.get(self.at, 4)) == (0,) else math.inf


def factorized(device, solver, numbers, a):
    """The errors of the factors of a, and of a solution with them."""
    n = len(a)
    lu, pivots, info = Matrix(numbers, a), integers(device, [0] * n), Info(device)
    solver(f"{numbers.precision}getrf", device.handle, n, n, lu.at, n, pivots, info.at)
    rows, order = lu.host(), list(range(n))
    for i, p in enumerate(product.decode("i32", device.get(pivots, 4 * n))):
        order[i], order[p - 1] = order[p - 1], order[i]
    lower = [[rows[i][j] if j < i else float(i == j) for j in range(n)] for i in range(n)]
    upper = [[rows[i][j] if j >= i else 0 for j in range(n)] for i in range(n)]
    yield "getrf", worst([distance(times(lower, upper), [a[i] for i in order]), info.error()])

    right = numbers.rounded([sum(row) for row in a])  # the solution is 1 everywhere
    at = numbers.put(right)
    solver(f"{numbers.precision}getrs", device.handle, product.PLAIN, n, 1, lu.at, n, pivots, at, n)
    got = numbers.get(at, n)
    yield "getrs", worst(abs(sum(x * y for x, y in zip(row, got)) - b) for row, b in zip(a, right)) / max(1, worst(map(abs, got)))


def symmetric(device, solver, numbers, a):
    """The errors of Cholesky's factor of a a^T + n, and of its eigenvectors."""
    n = len(a)
    s = [numbers.rounded([x + n * (i == j) for j, x in enumerate(row)]) for i, row in enumerate(times(a, list(zip(*a))))]
    s = [[s[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
    factor, info = Matrix(numbers, s), Info(device)
    solver(f"{numbers.precision}potrf", device.handle, LOWER, n, factor.at, n, info.at)
    lower = [[x if j <= i else 0 for j, x in enumerate(row)] for i, row in enumerate(factor.host())]
    yield "potrf", worst([distance(times(lower, list(zip(*lower))), s) / n, info.error()])

    vectors, values, rest, info = Matrix(numbers, s), numbers.put([0] * n), numbers.put([0] * n), Info(device)
    solver(f"{numbers.precision}syevd", device.handle, VECTORS, LOWER, n, vectors.at, n, values, rest, info.at)
    v, d = vectors.host(), numbers.get(values, n)
    yield "syevd", worst([distance(times(s, v), [[x * y for x, y in zip(row, d)] for row in v]) / n,
                          distance(times(list(zip(*v)), v), identity(n)),  # one vector n times is no solution, nor is 0
                          info.error()])


def main():
    random.seed(4)
    device = product.Device(5)
    sparse, solver = Library("librocsparse.so.1", "rocsparse_"), Library("librocsolver.so.0", "rocsolver_")
    wrong = []
    for precision in ("s", "d"):
        wrong += sparse_products(device, sparse, precision)
        numbers = Numbers(device, precision)
        for n in DENSE:
            a = [numbers.some(n) for _ in range(n)]
            for solve in (factorized, symmetric):
                wrong += [judged(f"{precision}{name} {n}", error, n * DENSE_LIMIT[precision])
                          for name, error in solve(device, solver, numbers, a)]
    sys.exit(any(wrong))


if __name__ == "__main__":
    main()
