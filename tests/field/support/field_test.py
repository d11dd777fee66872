"""What field.py knows of the GPU, and whether a library is found to have code for it: field_test.py"""
import contextlib
import io
import os
import struct
import sys
import tempfile

sys.argv = ["some.py", "build"]
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import field

HEAD = b"\x7fELF" + bytes(5000)


def bundle(*targets):
    """A compressed bundle for these targets: its header, then a frame of zstd's with one block that is not compressed."""
    content = b"__CLANG_OFFLOAD_BUNDLE__" + b"".join(b"hipv4-amdgcn-amd-amdhsa--" + target for target in targets)
    frame = b"\x28\xb5\x2f\xfd\x60" + struct.pack("<H", len(content) - 256) + struct.pack("<I", len(content) << 3 | 1)[:3]
    return b"CCOB\3\0\1\0" + bytes(24) + frame + content


KNOWN = [b"gfx803", b"gfx900", b"gfx906", b"gfx908", b"gfx1010", b"gfx1030", b"gfx1101", b"gfx1200"]
LIBRARIES = {  # contents, the GPUs that they have code for
    "own": (HEAD + b"amdgcn-amd-amdhsa--gfx1100" + bytes(9), {"rx7900xtx"}),
    "family": (HEAD + b"amdgcn-amd-amdhsa--gfx11-generic" + bytes(9), {"rx7900xtx", "strixhalo"}),
    "compressed": (HEAD + b"CCOB\3\0" + bytes(9), {"rx7900xtx", "strixhalo", "mi210"}),
    "listed": (HEAD + bundle(*KNOWN) + bundle(*KNOWN, b"gfx1100") + bytes(9),
               {"rx7900xtx"} if field.zstd else {"rx7900xtx", "strixhalo", "mi210"}),
    "none": (HEAD + b"CCOB of the text", set())}
GPUS = {"rx7900xtx": ("gfx1100", 32), "strixhalo": ("gfx1151", 32), "mi210": ("gfx90a", 64)}


def needed(f, *libraries):
    """Whether the libraries have what they need, and what is said of it."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        return f.needs({"sh": "dash"}, *libraries), said.getvalue()


with tempfile.TemporaryDirectory() as folder:
    for name, (content, _) in LIBRARIES.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
    for gpu, (target, wave) in GPUS.items():
        os.environ["FIELD_GPU"] = gpu
        f = field.Field()
        assert (f.target, f.wave) == (target, wave), (gpu, f.target, f.wave)
        for name, (_, have) in LIBRARIES.items():
            got = needed(f, os.path.join(folder, name))
            lacks = (False, f"skip some.py: {name} has no code for {target}\n")
            assert got == ((True, "") if gpu in have else lacks), (gpu, name, got)
        assert f.skipped == sum(gpu not in have for _, have in LIBRARIES.values()), f.skipped
        assert needed(f, *(os.path.join(folder, n) for n in ("compressed", "none"))) == (
            False, f"skip some.py: none has no code for {target}\n")
        absent = os.path.join(folder, "absent")
        assert needed(f, absent) == (False, f"skip some.py: there is no {absent}\n")
        field.GGML_HIP = os.path.join(folder, "ggml")
        assert needed(f, field.GGML_HIP) == (False, f"skip some.py: there is no {field.GGML_HIP} ({field.OF_GGML})\n")
        assert f.has_counter("SQ_INSTS_MFMA") == (gpu == "mi210") and f.has_counter("SQ_WAVES"), gpu
        assert not f.has_counter("SQ_NOTHING")
        os.rmdir(f.out)

del os.environ["FIELD_GPU"]
for text, number in (("", 1), ("1", 1), ("12", 12), ("0", None), ("-2", None), ("1.5", None), ("many", None)):
    os.environ["FIELD_PATIENCE"] = text
    try:
        got = field.Field().patience
    except SystemExit as end:
        got = None
        assert end.code == f"field: FIELD_PATIENCE is {text}, which is no whole number from 1 on", end.code
    assert got == number, (text, got)
