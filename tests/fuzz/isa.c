/* isa.c - fuzz target: any words at all are decoded, shown, and run by every core of this host.
 *
 * Memory, registers and LDS are a rig's own; an access beside it has to end in a fault of the wave.
 * What the cores leave behind is the same bit for bit, clocks aside. The first byte chooses which
 * lanes take part, the GPU and how many lanes a wave has, the rest is code. */
#include "../softgpu/exec/code_rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BRANCHES = 300, STOPS = 300, TEXT_BYTES = 512 };
enum { END_PROGRAM = 0xbf810000u, END_PROGRAM_GFX11 = 0xbfb00000u };

/* Bits of the first byte. */
enum { SCC = 1, ALL_LANES = 2, NARROW = 16, GPU_SHIFT = 5 };

/* A GPU; an image of 16 x 16 floats at RIG_DATA, with room for a few more, as its descriptors say
 * it. */
typedef struct {
    unsigned arch;
    uint32_t end;
    uint32_t image[8];
} family_t;

#define IMAGE_SINCE_GFX10                                                                          \
    {                                                                                              \
        (uint32_t)(RIG_DATA >> 8), (uint32_t)(RIG_DATA >> 40) | 22u << 20 | 3u << 30,              \
            3 | 15 << 14, 0xfac | 9u << 28                                                         \
    }
static const family_t families[] = {
    {ISA_ARCH_gfx90a,
     END_PROGRAM,
     {(uint32_t)(RIG_DATA >> 8), (uint32_t)(RIG_DATA >> 40) | 4u << 20 | 7u << 26, 15 | 15 << 14,
      0xfac | 9u << 28, 63 << 13}},
    {ISA_ARCH_gfx1030, END_PROGRAM, IMAGE_SINCE_GFX10},
    {ISA_ARCH_gfx1100, END_PROGRAM_GFX11, IMAGE_SINCE_GFX10},
    {ISA_ARCH_gfx1201,
     END_PROGRAM_GFX11,
     {(uint32_t)(RIG_DATA >> 8), (uint32_t)(RIG_DATA >> 40) | 22u << 17 | 3u << 30, 3 | 15 << 14,
      0xfac | 9u << 28}},
};
enum { FAMILIES = sizeof families / sizeof *families };

typedef struct {
    rig_t *rigs[FAMILIES][RIG_CORES];
    const isa_core_t *cores[RIG_CORES];
    isa_row_t *rows;
    bool clocked; /* what differs from run to run is in the code */
} bench_t;

static uint32_t number(uint32_t i)
{
    return (i + 1) * 2654435769u ^ i >> 3;
}

static rig_t *make_rig(const family_t *family)
{
    rig_t *r = rig_create();
    r->dispatch.arch = &isa_archs[family->arch];
    isa_code_destroy(r->cache);
    r->dispatch.code = r->cache = isa_code_create(r->dispatch.arch, r->memory);
    if (!r->cache) abort();
    return r;
}

static bench_t *make_bench(void)
{
    static bench_t bench;
    if (bench.rows) return &bench;
    bench.rows = aligned_alloc(64, ISA_VGPR_ROWS * sizeof(*bench.rows));
    if (!bench.rows) abort();
    uint32_t *words = (uint32_t *)(void *)bench.rows;
    for (uint32_t i = 0; i < ISA_VGPR_ROWS * sizeof(*bench.rows) / 4; i++)
        words[i] = i < 64 ? 4 * i : i % 3 ? number(i) : i & 1023;
    for (int i = 0; i < RIG_CORES; i++) {
        bench.cores[i] = isa_core_by_name(rig_cores[i]);
        for (unsigned f = 0; f < FAMILIES && bench.cores[i]; f++) /* NULL: this host has not that */
            bench.rigs[f][i] = make_rig(&families[f]);
    }
    return &bench;
}

static const family_t *family_of(const uint8_t *data)
{
    return &families[(data[0] >> GPU_SHIFT & 3) % FAMILIES];
}

static unsigned lanes_of(const uint8_t *data)
{
    return data[0] & NARROW && family_of(data)->arch != ISA_ARCH_gfx90a ? 32 : 64;
}

static void reset(const bench_t *b, rig_t *r, const uint8_t *data, size_t size)
{
    const family_t *family = family_of(data);
    isa_row_t *rows = r->wave.vgpr;
    isa_group_t *group = r->wave.group;
    size_t bytes = size - 1 < sizeof(r->code) ? size - 1 : sizeof(r->code);
    for (size_t i = 0; i < RIG_CODE_BYTES / 4; i++)
        r->code[i] = family->end;
    memcpy(r->code, data + 1, bytes & ~(size_t)3);
    memcpy(rows, b->rows, ISA_VGPR_ROWS * sizeof(*rows));
    for (uint32_t i = 0; i < sizeof(r->data); i++)
        r->data[i] = (uint8_t)(i * 7);
    for (uint32_t i = 0; i < sizeof(r->lds); i++)
        r->lds[i] = (uint8_t)(i * 5);
    memset(&r->wave, 0, sizeof(r->wave));
    r->wave.vgpr = rows;
    r->wave.group = group;
    r->wave.acc_offset = 32;
    r->wave.mode = 0x2f0;
    r->wave.scc = data[0] & SCC;
    r->wave.exec = data[0] & ALL_LANES ? ~UINT64_C(0) : number(data[0]) * UINT64_C(0x100000001);
    r->dispatch.narrow = lanes_of(data) == 32;
    if (r->dispatch.narrow) r->wave.exec &= UINT32_MAX;
    for (unsigned i = 0; i < 102; i++)
        r->wave.sgpr[i] = number(i) & 0xff;
    rig_set_s64(r, 0, RIG_DATA);
    rig_set_s64(r, 2, RIG_DATA + 1024);
    rig_set_s64(r, 4, RIG_DATA); /* and a buffer of the same */
    r->wave.sgpr[6] = RIG_DATA_BYTES;
    r->wave.sgpr[7] = 0x00027000;
    /* an image, a sampler that filters, and an image's descriptor of zeros */
    const uint32_t sampler[4] = {2 | 2 << 3 | 1 << 15, 0xfffu << 12, 1 << 20 | 1 << 22, 0};
    memcpy(&r->wave.sgpr[16], family->image, sizeof family->image);
    memcpy(&r->wave.sgpr[24], sampler, sizeof sampler);
    memset(&r->wave.sgpr[32], 0, sizeof family->image);
    isa_code_invalidate(r->cache);
    isa_code_quiesce(r->cache); /* no wave is in flight */
}

/* What an instruction is stopped for, it is left for the next one. */
static void run(rig_t *r)
{
    uint64_t pc = RIG_CODE;
    for (int stops = 0; stops < STOPS && r->core->set_pc(&r->wave, pc); stops++) {
        isa_stop_t stop = r->core->run(&r->wave, BRANCHES);
        if (stop == ISA_STOP_END || stop == ISA_STOP_YIELD) break;
        pc = isa_wave_pc(&r->wave);
    }
}

/* Decodes and shows what is there; notes what reads a clock. */
static void show(bench_t *b, const uint8_t *data, const uint32_t *words, unsigned count)
{
    const isa_arch_t *arch = &isa_archs[family_of(data)->arch];
    b->clocked = false;
    for (unsigned at = 0; at < count;) {
        isa_inst_t inst;
        char text[TEXT_BYTES];
        int n = isa_decode_lanes(arch, lanes_of(data), words + at, count - at, &inst);
        if (n > ISA_MAX_DWORDS || n < -1) abort();
        if (n > 0) {
            int length = isa_disassemble(arch, &inst, text, sizeof(text));
            if (length <= 0 || length >= TEXT_BYTES || strlen(text) != (size_t)length) abort();
            b->clocked |= strstr(text, "time") || strstr(text, "getreg") || strstr(text, "TIME");
        }
        at++; /* a jump may lead between the words of an instruction */
    }
}

static void compare(const char *what, const rig_t *a, const rig_t *b, const void *x, const void *y,
                    size_t bytes)
{
    if (memcmp(x, y, bytes) == 0) return;
    size_t at = 0;
    while (((const uint8_t *)x)[at] == ((const uint8_t *)y)[at])
        at++;
    fprintf(stderr, "%s and %s differ in %s, byte %zu\n", a->core->name, b->core->name, what, at);
    abort();
}

static void agree(const rig_t *a, const rig_t *b)
{
    compare("stop", a, b, &a->wave.stop, &b->wave.stop, sizeof(a->wave.stop));
    compare("message", a, b, a->wave.message, b->wave.message, strlen(a->wave.message) + 1);
    compare("fault", a, b, &a->wave.fault_addr, &b->wave.fault_addr, sizeof(a->wave.fault_addr));
    compare("scalars", a, b, a->wave.sgpr, b->wave.sgpr, sizeof(a->wave.sgpr));
    compare("scc", a, b, &a->wave.scc, &b->wave.scc, sizeof(a->wave.scc));
    compare("vectors", a, b, a->wave.vgpr, b->wave.vgpr, ISA_VGPR_ROWS * sizeof(*a->wave.vgpr));
    compare("data", a, b, a->data, b->data, sizeof(a->data));
    compare("LDS", a, b, a->lds, b->lds, sizeof(a->lds));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bench_t *b = make_bench();
    const rig_t *first = NULL;
    if (size < 5) return 0;
    for (int i = 0; i < RIG_CORES; i++) {
        rig_t *r = b->rigs[family_of(data) - families][i];
        if (!r) continue;
        reset(b, r, data, size);
        r->core = r->dispatch.narrow ? isa_core_narrow(b->cores[i]) : b->cores[i];
        if (!first) show(b, data, r->code, (unsigned)((size + 2) / 4));
        run(r);
        if (first && !b->clocked) agree(first, r);
        if (!first) first = r;
    }
    return 0;
}
