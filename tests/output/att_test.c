/* att_test.c - what the folder of a thread trace says of GPUs that no program here runs on: waits
 * by counters of each generation, and instructions of other SIMDs. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "output/att.h"

static out_att_line_t line_of(const char *text)
{
    out_att_line_t line = {.text = (char *)(uintptr_t)text};
    out_att_read_waits(&line);
    return line;
}

/* Which counters of the generation the instruction increases, a bit each. */
static unsigned counts(const char *text, uint64_t generation)
{
    const out_att_line_t line = line_of(text);
    unsigned which = 0;
    for (int i = 0; i < OUT_ATT_COUNTERS; i++)
        which |= (line.events & out_att_counted(i, generation) ? 1u : 0) << i;
    return which;
}

static void assert_left(const char *text, int counter, int left)
{
    const out_att_line_t line = line_of(text);
    assert_true(line.waits);
    assert_int_equal(line.left[counter], left);
}

static unsigned waits_for(const char *text)
{
    const out_att_line_t line = line_of(text);
    unsigned which = 0;
    for (int i = 0; i < OUT_ATT_COUNTERS; i++)
        which |= (line.left[i] >= 0 ? 1u : 0) << i;
    return which;
}

enum {
    VM = 1 << OUT_ATT_VM,
    LGKM = 1 << OUT_ATT_LGKM,
    VS = 1 << OUT_ATT_VS,
    LOAD = 1 << OUT_ATT_LOAD,
    STORE = 1 << OUT_ATT_STORE,
    SAMPLE = 1 << OUT_ATT_SAMPLE,
    BVH = 1 << OUT_ATT_BVH,
    DS = 1 << OUT_ATT_DS,
    KM = 1 << OUT_ATT_KM
};

static void waits(void **state)
{
    (void)state;
    assert_left("s_waitcnt vmcnt(3) lgkmcnt(0)", OUT_ATT_VM, 3);
    assert_left("s_waitcnt vmcnt(3) lgkmcnt(0)", OUT_ATT_LGKM, 0);
    assert_int_equal(waits_for("s_waitcnt vmcnt(3)"), VM);
    assert_left("s_waitcnt_vscnt null, 0x2", OUT_ATT_VS, 2);
    assert_int_equal(waits_for("s_waitcnt_vscnt null, 0x2"), VS);
    assert_left("s_wait_loadcnt 0x11", OUT_ATT_LOAD, 17);
    assert_left("s_wait_storecnt 0x1", OUT_ATT_STORE, 1);
    assert_left("s_wait_samplecnt 0x1", OUT_ATT_SAMPLE, 1);
    assert_left("s_wait_bvhcnt 0x1", OUT_ATT_BVH, 1);
    assert_left("s_wait_dscnt 0x4", OUT_ATT_DS, 4);
    assert_left("s_wait_kmcnt 0x0", OUT_ATT_KM, 0);
    assert_int_equal(waits_for("s_wait_kmcnt 0x0"), KM);
    assert_left("s_wait_loadcnt_dscnt 0x302", OUT_ATT_LOAD, 3);
    assert_left("s_wait_loadcnt_dscnt 0x302", OUT_ATT_DS, 2);
    assert_int_equal(waits_for("s_wait_storecnt_dscnt 0x302"), STORE | DS);
    assert_false(line_of("s_wait_alu 0xfffe").waits);
    assert_false(line_of("v_nop").waits);
}

static void events(void **state)
{
    static const struct {
        const char *text;
        unsigned gfx9, gfx11, gfx12;
    } rows[] = {
        {"global_load_dword v0, v[0:1], off", VM, VM, VM | LOAD},
        {"global_store_b32 v[0:1], v2, off", VM, VS, VS | STORE},
        {"global_atomic_add_u32 v[0:1], v2, off", VM, VS, VS | STORE},
        {"global_atomic_add_u32 v0, v[0:1], v2, off glc", VM, VM, VM | LOAD},
        {"flat_store_b32 v[0:1], v2", VM | LGKM, VS | LGKM, VS | LGKM | STORE | DS},
        {"ds_load_b32 v0, v1", LGKM, LGKM, LGKM | DS},
        {"s_load_b32 s0, s[0:1], 0x0", LGKM, LGKM, LGKM | KM},
        {"image_sample v[0:3], v[0:1], s[0:7], s[8:11]", VM, VM, VM | SAMPLE},
        {"image_bvh_intersect_ray v[0:3], v[0:10], s[0:3]", VM, VM, VM | BVH},
        {"v_nop", 0, 0, 0},
    };
    const unsigned old = VM | LGKM | VS; /* which gfx12 has no waits for */
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        assert_int_equal(counts(rows[i].text, 9), rows[i].gfx9);
        assert_int_equal(counts(rows[i].text, 11) & old, rows[i].gfx11);
        assert_int_equal(counts(rows[i].text, 12), rows[i].gfx12);
    }
}

/* The file as text; "": it is not there. */
static const char *text_of(const char *folder, const char *name)
{
    static char text[4096];
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    text[f ? fread(text, 1, sizeof(text) - 1, f) : 0] = '\0';
    if (f) fclose(f);
    unlink(path);
    return text;
}

static void others(void **state)
{
    rocprofiler_thread_trace_decoder_inst_other_simd_t records[] = {
        {.time = 40, .cycles = 3, .wgp = 130, .category = 3},
        {.time = 45, .cycles = 2, .wgp = 130, .category = 5}};
    const uintptr_t generation = 11;
    char folder[] = "/tmp/att-test-XXXXXX", why[256] = "";
    out_att_code_t code = {0};
    (void)state;
    assert_non_null(mkdtemp(folder));
    out_att_view_t *v = out_att_view_begin(&code, folder, NULL);
    assert_non_null(v);
    out_att_view_engine(v, 2);
    assert_int_equal(
        out_att_view_take(ROCPROFILER_THREAD_TRACE_DECODER_RECORD_GFXIP, (void *)generation, 0, v),
        0);
    assert_int_equal(
        out_att_view_take(ROCPROFILER_THREAD_TRACE_DECODER_RECORD_INST_OTHER_SIMD, records, 2, v),
        0);
    assert_int_equal(out_att_view_end(v, NULL, why, sizeof(why)), 0);
    assert_string_equal(text_of(folder, "other_simd_se2_0.json"),
                        "{\"type\":\"OTHER_SIMD_INSTRUCTIONS\",\"begin_time\":40,\"end_time\":47,"
                        "\"wgp\":130,\"instructions_count\":2,"
                        "\"instructions_schema\":[\"time\",\"duration\",\"category\"],"
                        "\"instructions\":[[40,3,3],[45,2,5]]}");
    const char *names = text_of(folder, "filenames.json");
    assert_non_null(
        strstr(names, "\"other_simd_filenames\":{\"2\":[[\"other_simd_se2_0.json\",40,47]]}"));
    assert_non_null(strstr(names, "\"gfxip\":11,\"gfxv\":\"navi\""));
    text_of(folder, "occupancy.json");
    assert_int_equal(rmdir(folder), 0);
}

/* A code object of the GPU with that number: s_nop 0 at address 0x1000. */
static size_t make_object(unsigned char *elf, uint32_t mach)
{
    enum { MACHINE_AMDGPU = 224, TEXT = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) };
    const uint32_t nop = 0xbf800000;
    const Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB},
                               .e_machine = MACHINE_AMDGPU,
                               .e_flags = mach,
                               .e_phoff = sizeof header,
                               .e_phentsize = sizeof(Elf64_Phdr),
                               .e_phnum = 1};
    const Elf64_Phdr text = {.p_type = PT_LOAD,
                             .p_offset = TEXT,
                             .p_vaddr = 0x1000,
                             .p_filesz = sizeof nop,
                             .p_memsz = sizeof nop};
    memcpy(elf, &header, sizeof header);
    memcpy(elf + sizeof header, &text, sizeof text);
    memcpy(elf + TEXT, &nop, sizeof nop);
    return TEXT + sizeof nop;
}

/* Whatever disassembler is installed: an instruction has a text, or its GPU is named. */
static void disassemblers(void **state)
{
    static const struct {
        uint32_t mach;
        const char *gpu;
    } rows[] = {{0x3f, "gfx90a"},  {0x36, "gfx1030"}, {0x41, "gfx1100"},
                {0x43, "gfx1150"}, {0x4e, "gfx1201"}, {0x5a, "gfx1251"}};
    unsigned char elf[256];
    char text[64];
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        out_att_code_t c = {0};
        uint64_t bytes = 0, size = sizeof(text);
        out_att_code_add(&c, 3, elf, make_object(elf, rows[i].mach));
        assert_int_equal(c.object_count, 1);
        if (out_att_isa(text, &bytes, &size, (out_att_pc_t){0x1000, 3}, &c)) {
            assert_string_equal(c.unknown, rows[i].gpu);
            print_message("%s is not disassembled here\n", rows[i].gpu);
        } else {
            assert_int_equal(bytes, 4);
            assert_int_equal(size, strlen("s_nop 0"));
            assert_memory_equal(text, "s_nop 0", size);
            assert_null(c.unknown);
        }
        out_att_code_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(waits), cmocka_unit_test(events),
                                       cmocka_unit_test(others), cmocka_unit_test(disassemblers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
