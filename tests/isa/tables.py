"""A family's table as C: tables.py GEN_ISA.

A row says which GPUs of the family have it. Rows of one mnemonic that differ in opcodes alone are one instruction; rows that
differ in more are several; each GPU has its own encodings. What the generator writes of a small table is compared with what
was worked out by hand, and so is what it says of rows that no table can have."""
import pathlib, re, subprocess, sys, tempfile

HEAD = "# a comment\ngpus\tfmt\top\tmnemonic\toperands\tvop3\tmods\timplicit\tclass\tmemory\tmath\tdata\tmarks\n"
MOVE = "{}\tSOP1\t{}\ts_mov_b32\tsdst=s32 src0=ss32\t-\t-\t-\tsalu\t-\t-\tbits\t-\n"
ADD = "{}\tVOP2\t1\tv_add_f32\tvdst=v32 src0=vs32f src1=v32f\tA{}\t-\t-\tvalu\t-\tadd_f32\tany\t-\n"
MATRIX = ("{}\tVOP3P\t64\tv_mfma\tvdst=d128 src0=av32f src1=av32b src2=c128\t-\t-\t-\tmfma\t-\tf32:4x4x1x16/{}\tmatrix\t-\n")
NEW = "{}\tSOP1\t{}\ts_new\tsdst=s32\t-\t-\t-\tsalu\t-\t-\tknown\t-\n"
HINT = "{}\t{}\t{}\t{}\tsimm16=imm16\t-\t-\t-\tinternal\t-\t-\t-\t{}\n"


def run(folder, *arguments):
    done = subprocess.run([sys.executable, sys.argv[1], str(folder / "out"), *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stderr


def lines(folder, name):
    return (folder / "out" / name).read_text().splitlines()[1:]


def refused(folder, table, text, message):
    table.write_text(HEAD + text)
    assert run(folder, table, "old", "new", "last") == (1, f"{table}:{message}\n"), run(folder, table, "old", "new", "last")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        table, other = folder / "family.tsv", folder / "other.tsv"
        table.write_text(HEAD + MATRIX.format("old", 8) + MATRIX.format("new,last", 16) + MOVE.format("old", 0) +
                         MOVE.format("new", 3) + NEW.format("new", 9) + ADD.format("all", 257))
        other.write_text(HEAD + MOVE.format("all", 5))
        assert run(folder, table, "old", "new", "last", other, "far") == (0, "")
        assert lines(folder, "isa_archs.inc") == ["ISA_ARCH(old)", "ISA_ARCH(new)", "ISA_ARCH(last)", "ISA_ARCH(far)"]
        names = ["v_mfma_2", "v_mfma", "s_mov_b32", "s_new", "v_add_f32"]
        assert [n for n in lines(folder, "isa_ops.h") if "ISA_OP_" in n] == [
            "    ISA_OP_NONE = 0,", *[f"    ISA_OP_{n}," for n in names], "    ISA_OP_COUNT"]
        rows = lines(folder, "isa_ops.inc")
        assert [r.split(",")[:3] for r in rows] == [
            ["ISA_OP(v_mfma_2", " v_mfma_2", " v_mfma"], ["ISA_OP(v_mfma", " v_mfma", " v_mfma"],
            ["ISA_OP(s_mov_b32", " s_mov_b32", " s_mov_b32"], ["ISA_OP(s_new", " s_new", " s_new"],
            ["ISA_OP(v_add_f32", " v_add_f32", " v_add_f32"]]
        assert "ISA_MATH_MFMA_F32, 8," in rows[0] and "ISA_MATH_MFMA_F32, 16," in rows[1]
        assert "ISA_ROLE_SRC0, ISA_K_AV, ISA_T_F32, 32}, {ISA_ROLE_SRC1, ISA_K_AV, ISA_T_BF32, 32}" in rows[0]
        assert lines(folder, "isa_codes.inc") == [
            "ISA_CODES(old)", "ISA_CODE(VOP3P, 64, v_mfma_2)", "ISA_CODE(SOP1, 0, s_mov_b32)", "ISA_CODE(VOP2, 1, v_add_f32)",
            "ISA_CODE(VOP3A, 257, v_add_f32)", "ISA_CODES_END",
            "ISA_CODES(new)", "ISA_CODE(VOP3P, 64, v_mfma)", "ISA_CODE(SOP1, 3, s_mov_b32)", "ISA_CODE(SOP1, 9, s_new)",
            "ISA_CODE(VOP2, 1, v_add_f32)", "ISA_CODE(VOP3A, 257, v_add_f32)", "ISA_CODES_END",
            "ISA_CODES(last)", "ISA_CODE(VOP3P, 64, v_mfma)", "ISA_CODE(VOP2, 1, v_add_f32)", "ISA_CODE(VOP3A, 257, v_add_f32)",
            "ISA_CODES_END",
            "ISA_CODES(far)", "ISA_CODE(SOP1, 5, s_mov_b32)", "ISA_CODES_END"]
        refused(folder, table, MOVE.format("old,new", 0) + NEW.format("new", 0), "4: new has SOP1 0 already at line 3")
        refused(folder, table, NEW.format("all", 0) + NEW.format("last", 1), "4: last has s_new already at line 3")
        refused(folder, table, NEW.format("old,nwe", 0), "3: nwe is none of old new last")


def later_table():
    """Rows that say only what is different from an earlier table's instruction."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        table, other = folder / "family.tsv", folder / "other.tsv"
        table.write_text(HEAD + MOVE.format("all", 0) + ADD.format("all", 257))
        other.write_text(HEAD + "all\tSOP1\t5\ts_mov_b32\t-\n" + "all\tVOP2\t3\tv_sum_f32=v_add_f32\tA259\n" +
                         "all\tVOP3A\t7\tv_add_f32\tvdst=v32 src0=vs32f src1=vs32f\t-\t=\t=\t=\t=\t=\t=\t=\n")
        assert run(folder, table, "old", other, "far") == (0, "")
        rows = [r.split(", ")[:4] for r in lines(folder, "isa_ops.inc")]
        assert rows == [["ISA_OP(s_mov_b32", "s_mov_b32", "s_mov_b32", "SOP1"], ["ISA_OP(v_add_f32", "v_add_f32", "v_add_f32", "VOP2"],
                        ["ISA_OP(v_sum_f32", "v_add_f32", "v_sum_f32", "VOP2"],
                        ["ISA_OP(v_add_f32_2", "v_add_f32", "v_add_f32", "VOP3A"]], rows
        assert "ISA_MATH_ADD_F32" in lines(folder, "isa_ops.inc")[2]
        assert lines(folder, "isa_codes.inc")[5:] == [
            "ISA_CODES(far)", "ISA_CODE(SOP1, 5, s_mov_b32)", "ISA_CODE(VOP2, 3, v_sum_f32)", "ISA_CODE(VOP3A, 259, v_sum_f32)",
            "ISA_CODE(VOP3A, 7, v_add_f32_2)", "ISA_CODES_END"], lines(folder, "isa_codes.inc")
        other.write_text(HEAD + "all\tSOP1\t5\ts_nowhere\t-\n")
        assert run(folder, table, "old", other, "far") == (1, f"{other}:3: no earlier table has s_nowhere\n")


def without_effect():
    """What does nothing has s_nop's handler, and so has another mnemonic of it in a later table."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        table, other = folder / "family.tsv", folder / "other.tsv"
        table.write_text(HEAD + HINT.format("all", "SOPP", 0, "s_nop", "nothing") + HINT.format("all", "SOPP", 1, "s_hint", "nothing") +
                         HINT.format("all", "SOPK", 2, "s_hint_k", "reads_dst,nothing") + HINT.format("all", "SOPP", 3, "s_act", "-"))
        other.write_text(HEAD + "all\tSOPP\t8\ts_new_hint=s_hint\t-\n" + "all\tSOPP\t9\ts_new_act=s_act\t-\n")
        assert run(folder, table, "old", other, "far") == (0, "")
        bodies = [re.match(r"ISA_OP\((\w+), (\w+),", row).groups() for row in lines(folder, "isa_ops.inc")]
        assert bodies == [("s_nop", "s_nop"), ("s_hint", "s_nop"), ("s_hint_k", "s_nop"), ("s_act", "s_act"), ("s_new_hint", "s_nop"),
                          ("s_new_act", "s_act")], bodies


main()
later_table()
without_effect()
