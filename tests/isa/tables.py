"""Two GPUs' tables as C: tables.py GEN_ISA.

A second GPU is a second table: an instruction that both have alike is one, whatever its opcodes; one that differs in more
is two; each GPU has its own encodings. What the generator writes of two small tables is compared with what was worked out by
hand, and so is what it says of a row that no table can have."""
import pathlib, subprocess, sys, tempfile

HEAD = "# a comment\nfmt\top\tmnemonic\toperands\tvop3\tmods\timplicit\tclass\tmemory\tmath\tdata\tmarks\n"
MOVE = "SOP1\t{}\ts_mov_b32\tsdst=s32 src0=ss32\t-\t-\t-\tsalu\t-\t-\tbits\t-\n"
ADD = "VOP2\t{}\tv_add_f32\tvdst=v32 src0=vs32f src1=v32f\tA{}\t-\t-\tvalu\t-\tadd_f32\tany\t-\n"
MATRIX = ("VOP3P\t64\tv_mfma\tvdst=d128 src0=av32f src1=av32f src2=c128\t-\t-\t-\tmfma\t-\tf32:4x4x1x16/{}\tmatrix\t-\n")
NEW = "SOP1\t9\ts_new\tsdst=s32\t-\t-\t-\tsalu\t-\t-\tknown\t-\n"


def run(folder, *tables):
    done = subprocess.run([sys.executable, sys.argv[1], str(folder / "out"), *map(str, tables)], capture_output=True, text=True)
    return done.returncode, done.stderr


def lines(folder, name):
    return (folder / "out" / name).read_text().splitlines()[1:]


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        old, new = folder / "gfxold.tsv", folder / "gfxnew.tsv"
        old.write_text(HEAD + MOVE.format(0) + ADD.format(1, 257) + MATRIX.format(8))
        new.write_text(HEAD + MATRIX.format(16) + MOVE.format(3) + NEW + ADD.format(1, 300))
        assert run(folder, old, new) == (0, "")
        assert lines(folder, "isa_archs.inc") == ["ISA_ARCH(gfxold)", "ISA_ARCH(gfxnew)"]
        names = ["s_mov_b32", "v_add_f32", "v_mfma", "v_mfma_gfxnew", "s_new"]
        assert [n for n in lines(folder, "isa_ops.h") if "ISA_OP_" in n] == [
            "    ISA_OP_NONE = 0,", *[f"    ISA_OP_{n}," for n in names], "    ISA_OP_COUNT"]
        rows = lines(folder, "isa_ops.inc")
        assert [r.split(",")[:2] for r in rows] == [
            ["ISA_OP(s_mov_b32", " s_mov_b32"], ["ISA_OP(v_add_f32", " v_add_f32"], ["ISA_OP(v_mfma", " v_mfma"],
            ["ISA_OP(v_mfma_gfxnew", " v_mfma"], ["ISA_OP(s_new", " s_new"]]
        assert "ISA_MATH_MFMA_F32, 8," in rows[2] and "ISA_MATH_MFMA_F32, 16," in rows[3]
        assert lines(folder, "isa_codes.inc") == [
            "ISA_CODES(gfxold)", "ISA_CODE(SOP1, 0, s_mov_b32)", "ISA_CODE(VOP2, 1, v_add_f32)", "ISA_CODE(VOP3A, 257, v_add_f32)",
            "ISA_CODE(VOP3P, 64, v_mfma)", "ISA_CODES_END",
            "ISA_CODES(gfxnew)", "ISA_CODE(VOP3P, 64, v_mfma_gfxnew)", "ISA_CODE(SOP1, 3, s_mov_b32)", "ISA_CODE(SOP1, 9, s_new)",
            "ISA_CODE(VOP2, 1, v_add_f32)", "ISA_CODE(VOP3A, 300, v_add_f32)", "ISA_CODES_END"]
        new.write_text(HEAD + MOVE.format(0) + NEW.replace("9", "0"))
        assert run(folder, old, new) == (1, f"{new}:4: SOP1 0 is already at line 3\n")


main()
