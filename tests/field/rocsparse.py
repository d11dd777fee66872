#!/usr/bin/env python3
# field: forky
# field-waves32: forky
# field-timeout: 3600
"""rocSPARSE by its own test program, which compares each routine with the host's: some tests of every routine, few of
them traced and counted."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
import field
import gtests

PROGRAM = "/usr/libexec/rocm/librocsparse1-tests/rocsparse-test"
TESTS = "/usr/share/librocsparse1-tests/data/rocsparse_test.data"
# The file of tests: a head that ends with a mark, then a record for each of 289,000 tests. The program looks through
# all of them for every routine before it begins, which takes many minutes: it gets a file of our choice.
MARK, RECORD = b"ROCsparse\0", 768
FUNCTION, CATEGORY = slice(539, 603), slice(667, 699)
EACH = 2  # tests of a routine
ROUTINES = 100  # that rocSPARSE has at least
# Its host code forms a vector of no elements there and writes 512 bytes beyond it: nothing that a GPU does.
BROKEN = "*csrgemm_reuse*_zero"
FEW = "quick/csrmv*:quick/csrmm*:quick/csrsv*:quick/spvv*:quick/csrgemm.*:quick/dense2csr*:quick/gtsv.*"

f = field.Field()


def text(record, place):
    return record[place].split(b"\0")[0].decode()


def chosen(path):
    """Writes the tests that run, evenly taken from each routine's. Returns how many routines there are."""
    with open(TESTS, "rb") as file:
        data = file.read()
    head = data.index(MARK) + len(MARK)
    routines = {}
    for at in range(head, len(data), RECORD):
        record = data[at:at + RECORD]
        if text(record, CATEGORY) in ("quick", "pre_checkin") and not text(record, FUNCTION).endswith("_bad_arg"):
            routines.setdefault(text(record, FUNCTION), []).append(record)
    with open(path, "wb") as file:
        file.write(data[:head])
        for records in routines.values():
            file.writelines(records[::max(1, len(records) // EACH)][:EACH])
    return len(routines)


if f.needs({PROGRAM: "librocsparse1-tests", TESTS: "librocsparse1-tests-data"}, "librocsparse.so.1"):
    path = f.path("tests.data")
    routines = chosen(path)
    if f.case("tests chosen", "" if routines >= ROUTINES else f"only {routines} routines: has the file another form?"):
        gtests.check(f, [PROGRAM, "--data", path], r"[^/]*/([^.]*)", f"*-{BROKEN}", f"{FEW}-{BROKEN}",
                     least=ROUTINES * EACH)
        f.skip(f"rocsparse-test {BROKEN}", "the program's own host code overruns its heap there")
f.finish()
