"""Matrix products by rocBLAS, called directly and compared with Python's own arithmetic: product.py [NUMBER of rocBLAS]

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
HIP_OF = {4: 6, 5: 7}  # which libamdhip64 each librocblas is for
# of each precision: format of a number's parts, how many parts, rocBLAS's number of the type
FORMATS = {"h": ("e", 1, 150), "s": ("f", 1, 151), "d": ("d", 1, 152), "c": ("f", 2, 154), "z": ("d", 2, 155),
           "i8": ("b", 1, 160), "i32": ("i", 1, 162), "bf16": ("H", 1, 168)}
# Largest error of an element, as a part of the sum of its terms' magnitudes.
LIMIT = {"h": 8e-3, "s": 1e-6, "d": 1e-15, "c": 1e-6, "z": 1e-15, "bf16": 8e-3, "i32": 0}
XF32 = 1e-3  # of factors with ten bits behind the point
# precision, m, n, k, transposes, leading dimensions, alpha, beta, matrices
CASES = [("d", 16, 16, 1, (PLAIN, PLAIN), (128, 128, 128), 1, 0, 1),
         ("d", 64, 31, 72, (PLAIN, PLAIN), (64, 72, 64), 2, 1, 2),
         ("d", 97, 66, 51, (PLAIN, TRANSPOSED), (130, 131, 132), 2, 3, 1),
         ("d", 40, 33, 64, (TRANSPOSED, PLAIN), (64, 70, 41), -1, 1, 3),
         ("h", 33, 65, 40, (PLAIN, PLAIN), (34, 42, 36), 2, 1, 3),
         ("h", 64, 32, 48, (TRANSPOSED, PLAIN), (48, 48, 64), 1, 0, 2),
         ("s", 16, 18, 18, (PLAIN, TRANSPOSED), (18, 18, 18), 5, 0, 1),
         ("s", 9, 1, 9, (PLAIN, TRANSPOSED), (9, 2, 9), 2, -1, 2),
         ("s", 33, 20, 129, (TRANSPOSED, TRANSPOSED), (130, 21, 33), 0.5, 2, 2),
         ("c", 33, 20, 40, (PLAIN, PLAIN), (34, 42, 36), 2 - 1j, 1j, 2),
         ("z", 31, 18, 20, (TRANSPOSED, PLAIN), (21, 23, 31), 1j, 2, 2)]
# the same of A's and B's precision, C's and that of the sums
MIXED = [(("h", "h", "s"), 64, 48, 96, (PLAIN, PLAIN), (64, 96, 65), 2, 1, 2),
         (("h", "s", "s"), 65, 34, 96, (TRANSPOSED, PLAIN), (97, 98, 66), 1, 1, 2),
         (("bf16", "bf16", "s"), 64, 64, 64, (PLAIN, TRANSPOSED), (64, 64, 64), 1, 2, 2),
         (("bf16", "s", "s"), 65, 34, 96, (TRANSPOSED, PLAIN), (97, 98, 66), 1, 1, 1),
         (("i8", "i32", "i32"), 64, 32, 64, (TRANSPOSED, PLAIN), (64, 64, 64), 1, 1, 2)]


def encode(precision, values):
    kind, parts, _ = FORMATS[precision]
    if precision == "bf16":
        values = [struct.unpack("I", struct.pack("f", v))[0] >> 16 for v in values]
    if parts == 2:
        values = [part for v in values for part in (v.real, v.imag)]
    return struct.pack(f"{len(values)}{kind}", *values)


def decode(precision, data):
    kind, parts, _ = FORMATS[precision]
    values = struct.unpack(f"{len(data) // struct.calcsize(kind)}{kind}", data)
    if precision == "bf16":
        return [struct.unpack("f", struct.pack("I", v << 16))[0] for v in values]
    return [complex(*two) for two in zip(values[::2], values[1::2])] if parts == 2 else values


def some(precision):
    if precision in ("i8", "i32"):
        return random.randint(-100, 100)
    return complex(random.uniform(-1, 1), random.uniform(-1, 1)) if FORMATS[precision][1] == 2 else random.uniform(-1, 1)


class Device:
    def __init__(self, version):
        self.hip = ctypes.CDLL(f"libamdhip64.so.{HIP_OF[version]}")
        self.blas = ctypes.CDLL(f"librocblas.so.{version}")
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

    def multiply(self, precision, shape, transposes, scalars, operands, batch):
        """C = alpha A B + beta C: each operand is where it is, its leading dimension and its stride."""
        a, b, c = [(at, leading, ctypes.c_int64(stride)) for at, leading, stride in operands]
        if isinstance(precision, str):
            return getattr(self.blas, f"rocblas_{precision}gemm_strided_batched")(
                self.handle, *transposes, *shape, scalars[0], *a, *b, scalars[1], *c, batch)
        factor, result, total = (FORMATS[p][2] for p in precision)
        typed = [(at, kind, leading, stride) for (at, leading, stride), kind in ((a, factor), (b, factor), (c, result))]
        return self.blas.rocblas_gemm_strided_batched_ex(
            self.handle, *transposes, *shape, scalars[0], *typed[0], *typed[1], scalars[1], *typed[2], *typed[2], batch,
            total, 0, 0, 0)


def worst(device, precision, m, n, k, transposes, leading, alpha, beta, batch):
    """The largest error of an element, and how many of those between the columns were changed."""
    kinds = [precision] * 4 if isinstance(precision, str) else [precision[i] for i in (0, 0, 1, 2)]
    a_columns, b_columns = (k if transposes[0] == PLAIN else m), (n if transposes[1] == PLAIN else k)
    strides = [leading[0] * (a_columns + 16), leading[1] * (b_columns + 16), leading[2] * n + 7]
    rows = [m if transposes[0] == PLAIN else k, k if transposes[1] == PLAIN else n]
    values = [[some(kind) for _ in range(s * batch)] for kind, s in zip(kinds, strides)]
    for operand, columns in enumerate((a_columns, b_columns)):
        for at in range(len(values[operand])):
            column, row = divmod(at % strides[operand], leading[operand])
            if column >= columns or row >= rows[operand]:
                values[operand][at] = 127 if kinds[operand] == "i8" else math.nan
    packed = [encode(kind, v) for kind, v in zip(kinds, values)]
    a, b, c = (decode(kind, p) for kind, p in zip(kinds, packed))
    at = [device.put(p) for p in packed]
    scalars = [ctypes.create_string_buffer(encode(kinds[3], [x])) for x in (alpha, beta)]
    status = device.multiply(precision, (m, n, k), transposes, scalars, list(zip(at, leading, strides)), batch)
    assert status == 0, f"a product of {precision}: status {status}"
    got = decode(kinds[2], device.get(at[2], len(packed[2])))
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


def judged(device, case, limit, note=""):
    error, changed = worst(device, *case)
    bad = not error <= limit or changed
    print(f"{'wrong' if bad else 'right'} {case}{note}: error {error:.3g}, {changed} elements changed beside the columns",
          flush=True)
    return bool(bad)


def main():
    random.seed(1)
    device = Device(int(sys.argv[1]) if len(sys.argv) > 1 else 4)
    wrong = [judged(device, case, LIMIT[case[0]]) for case in CASES]
    wrong += [judged(device, case, LIMIT[case[0][1]]) for case in MIXED]
    # where the GPU has such instructions, rocBLAS takes factors of floats as xf32 if that is asked for; alone it does not
    assert device.blas.rocblas_set_math_mode(device.handle, 1) == 0
    wrong += [judged(device, case, XF32, " as xf32") for case in CASES if case[0] == "s"]
    sys.exit(any(wrong))


if __name__ == "__main__":
    main()
