"""Matrix products by rocBLAS, called directly and compared with Python's own arithmetic.

rocblas-bench compares products of doubles in single precision: its error is 2e-8 where every element is right to the
last bits. Half precision has more room here than one rounding, since those kernels add up in half precision. What lies
between and behind the columns of A and B is not a number: a kernel that reads beyond an end and uses it shows.
"""
import ctypes
import math
import random
import struct
import sys

HOST_TO_DEVICE, DEVICE_TO_HOST, PLAIN, TRANSPOSED = 1, 2, 111, 112
FORMATS = {"h": ("e", 2), "s": ("f", 4), "d": ("d", 8)}
# Largest error of an element, as a part of the sum of its terms' magnitudes.
LIMIT = {"h": 8e-3, "s": 1e-6, "d": 1e-15}
# precision, m, n, k, transposes, leading dimensions, alpha, beta, matrices
CASES = [("d", 16, 16, 1, (PLAIN, PLAIN), (128, 128, 128), 1, 0, 1),
         ("d", 64, 31, 72, (PLAIN, PLAIN), (64, 72, 64), 2, 1, 2),
         ("d", 97, 66, 51, (PLAIN, TRANSPOSED), (130, 131, 132), 2, 3, 1),
         ("d", 40, 33, 64, (TRANSPOSED, PLAIN), (64, 70, 41), -1, 1, 3),
         ("h", 33, 65, 40, (PLAIN, PLAIN), (34, 42, 36), 2, 1, 3),
         ("h", 64, 32, 48, (TRANSPOSED, PLAIN), (48, 48, 64), 1, 0, 2),
         ("s", 16, 18, 18, (PLAIN, TRANSPOSED), (18, 18, 18), 5, 0, 1),
         ("s", 9, 1, 9, (PLAIN, TRANSPOSED), (9, 2, 9), 2, -1, 2),
         ("s", 33, 20, 129, (TRANSPOSED, TRANSPOSED), (130, 21, 33), 0.5, 2, 2)]


class Device:
    def __init__(self):
        self.hip, self.blas = ctypes.CDLL("libamdhip64.so.6"), ctypes.CDLL("librocblas.so.4")
        self.handle = ctypes.c_void_p()
        assert self.blas.rocblas_create_handle(ctypes.byref(self.handle)) == 0

    def put(self, data):
        at = ctypes.c_void_p()
        assert self.hip.hipMalloc(ctypes.byref(at), ctypes.c_size_t(len(data))) == 0
        assert self.hip.hipMemcpy(at, data, ctypes.c_size_t(len(data)), HOST_TO_DEVICE) == 0
        return at

    def get(self, at, size):
        data = ctypes.create_string_buffer(size)
        assert self.hip.hipMemcpy(data, at, ctypes.c_size_t(size), DEVICE_TO_HOST) == 0
        return data.raw


def worst(device, precision, m, n, k, transposes, leading, alpha, beta, batch):
    """The largest error of an element, and how many of those between the columns were changed."""
    kind, size = FORMATS[precision]
    a_columns, b_columns = (k if transposes[0] == PLAIN else m), (n if transposes[1] == PLAIN else k)
    strides = [leading[0] * (a_columns + 16), leading[1] * (b_columns + 16), leading[2] * n + 7]
    rows = [m if transposes[0] == PLAIN else k, k if transposes[1] == PLAIN else n]
    values = [[random.uniform(-1, 1) for _ in range(s * batch)] for s in strides]
    for operand, columns in enumerate((a_columns, b_columns)):
        for at in range(len(values[operand])):
            column, row = divmod(at % strides[operand], leading[operand])
            if column >= columns or row >= rows[operand]:
                values[operand][at] = math.nan
    packed = [struct.pack(f"{len(v)}{kind}", *v) for v in values]
    a, b, c = (struct.unpack(f"{len(p) // size}{kind}", p) for p in packed)
    at = [device.put(p) for p in packed]
    scalars = [ctypes.create_string_buffer(struct.pack(kind, x), size) for x in (alpha, beta)]
    pitch = [ctypes.c_int64(s) for s in strides]
    status = getattr(device.blas, f"rocblas_{precision}gemm_strided_batched")(
        device.handle, *transposes, m, n, k, scalars[0], at[0], leading[0], pitch[0], at[1], leading[1], pitch[1],
        scalars[1], at[2], leading[2], pitch[2], batch)
    assert status == 0, f"rocblas_{precision}gemm_strided_batched: status {status}"
    got = struct.unpack(f"{len(c)}{kind}", device.get(at[2], len(packed[2])))
    largest, inside = 0.0, set()
    for matrix in range(batch):
        base = [matrix * s for s in strides]
        for j in range(n):
            for i in range(m):
                terms = [a[base[0] + (i + x * leading[0] if transposes[0] == PLAIN else x + i * leading[0])] *
                         b[base[1] + (x + j * leading[1] if transposes[1] == PLAIN else j + x * leading[1])]
                         for x in range(k)]
                where = base[2] + i + j * leading[2]
                inside.add(where)
                exact = alpha * sum(terms) + beta * c[where]
                scale = abs(alpha) * sum(map(abs, terms)) + abs(beta * c[where])
                error = abs(got[where] - exact) / scale
                largest = max(largest, math.inf if math.isnan(error) else error)
    return largest, sum(x != y for i, (x, y) in enumerate(zip(c, got)) if i not in inside)


def main():
    random.seed(1)
    device, wrong = Device(), 0
    for case in CASES:
        error, changed = worst(device, *case)
        bad = not error <= LIMIT[case[0]] or changed
        wrong += bool(bad)
        print(f"{'wrong' if bad else 'right'} {case}: error {error:.3g}, {changed} elements changed beside the columns")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
