/* spm_packets_test.c - the commands that start and stop streaming counters, word by word, a GPU of
 * each kind.
 *
 * What is expected was worked out by hand from the rules of AMD's public sources; the delays are
 * written here a second time, as they stand there. Nothing was recorded from AMD's library, and no
 * GPU has executed these commands. */
#include <aqlprofile-sdk/aql_profile_v2.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    GFX_INDEX = 0xc200,
    CP_PERFMON_CNTL = 0xd808,
    SQ_CTRL = 0xd9e0,
    SQ_MASK = 0xd9e1,
    SPM_CNTL = 0xdc80,
    SEGMENT_SIZE = 0xdc84,
    SE_MUXSEL_ADDR = 0xdc85,
    GLOBAL_MUXSEL_ADDR = 0xdc9b,
    DELAY_MAX = 0xdca4,
    SEGMENT_SIZE_CORE1 = 0xdcaf,
    CLOCKS = 0xdcbf,
    INTERVAL = 64
};

#define BROADCAST    0xe0000000u
#define ALL_SELECTED 0x0f0ff000u /* bits of SQ's select: all SIMDs, banks and clients */

/* ---- the expected words ---- */

typedef struct {
    uint32_t words[4096], count;
} list_t;

static void add(list_t *l, uint32_t word)
{
    assert_true(l->count < 4096);
    l->words[l->count++] = word;
}

static void set(list_t *l, uint32_t reg, uint32_t value)
{
    add(l, 0xc0017900);
    add(l, reg - 0xc000);
    add(l, value);
}

static void idle(list_t *l)
{
    add(l, 0xc0004600);
    add(l, 0x407);
}

static void begin(list_t *l)
{
    set(l, CLOCKS, 1);
    set(l, GFX_INDEX, BROADCAST);
    idle(l);
    set(l, CP_PERFMON_CNTL, 0x20);
    idle(l);
    set(l, SPM_CNTL, INTERVAL << 16 | 3 << 12);
}

static void delay_max(list_t *l, uint32_t clocks)
{
    set(l, GFX_INDEX, BROADCAST);
    set(l, DELAY_MAX, clocks);
}

/* Of a block that the whole GPU has once. */
static void delay(list_t *l, uint32_t reg, const uint32_t *clocks, uint32_t instances)
{
    for (uint32_t i = 0; i < instances; i++) {
        set(l, GFX_INDEX, i);
        set(l, reg, clocks[i]);
    }
}

/* Of a block of each engine. */
static void delay_se(list_t *l, uint32_t reg, const uint32_t *clocks, uint32_t engines,
                     uint32_t instances)
{
    for (uint32_t e = 0; e < engines; e++)
        for (uint32_t i = 0; i < instances; i++) {
            set(l, GFX_INDEX, 0x20000000 | e << 16 | i);
            set(l, reg, clocks[e * instances + i]);
        }
}

static void sq_control(list_t *l)
{
    set(l, SQ_MASK, UINT32_MAX);
    set(l, SQ_CTRL, 0xffff007f);
}

/* A select of one instance of a block, in all engines. */
static void select_of(list_t *l, uint32_t index, uint32_t reg, uint32_t value)
{
    set(l, GFX_INDEX, index);
    set(l, reg, value);
}

/* One pair of lines, `first` and `second` of them. The rest is empty, and so is the end. */
typedef struct {
    uint16_t first[16], second[16];
} lines_t;

static void table(list_t *l, uint32_t address, lines_t lines)
{
    uint16_t places[32];
    memcpy(places, &lines, sizeof places);
    set(l, address, 0);
    add(l, 0xc0003700 | (16 + 1 + 2) << 16);
    add(l, 0x10000);
    add(l, address + 1);
    add(l, 0);
    for (unsigned i = 0; i < 32; i += 2)
        add(l, places[i] | (uint32_t)places[i + 1] << 16);
    add(l, UINT32_MAX);
}

static lines_t empty(void)
{
    lines_t lines;
    memset(&lines, 0xff, sizeof lines);
    return lines;
}

static lines_t with_clock(void)
{
    lines_t lines = empty();
    for (unsigned i = 0; i < 4; i++)
        lines.first[i] = 0xf0f0;
    return lines;
}

static void end(list_t *l)
{
    set(l, GLOBAL_MUXSEL_ADDR, 0);
    set(l, SE_MUXSEL_ADDR, 0);
    idle(l);
    add(l, 0xc0017600);
    add(l, 0x2e0b - 0x2c00);
    add(l, 1);
    set(l, CP_PERFMON_CNTL, 0x10);
    idle(l);
}

/* ---- the library's words ---- */

static hsa_status_t allocate(void **ptr, uint64_t size, aqlprofile_buffer_desc_flags_t flags,
                             void *userdata)
{
    (void)flags, (void)userdata;
    *ptr = aligned_alloc(4096, (size + 4095) & ~UINT64_C(4095));
    return HSA_STATUS_SUCCESS;
}

static void release(void *ptr, void *userdata)
{
    (void)userdata;
    free(ptr);
}

static hsa_status_t copy(void *to, const void *from, size_t size, void *userdata)
{
    (void)userdata;
    memcpy(to, from, size);
    return HSA_STATUS_SUCCESS;
}

#define EVENT(block, index, id)                                                                    \
    {                                                                                              \
        .block_index = index, .event_id = id,                                                      \
        .block_name = HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_##block                                    \
    }

/* Compares the commands that the packet executes. */
static void assert_words(const hsa_ext_amd_aql_pm4_packet_t *packet, const list_t *expected)
{
    uint32_t ib[5];
    memcpy(ib, packet->pm4_command + 1, sizeof ib);
    const uint32_t *words = (const uint32_t *)(uintptr_t)(ib[1] | (uint64_t)ib[2] << 32);
    const uint32_t count = ib[3] & 0xfffff;
    for (uint32_t i = 0; i < count && i < expected->count; i++)
        if (words[i] != expected->words[i])
            fail_msg("word %u is 0x%08x, expected 0x%08x", i, words[i], expected->words[i]);
    assert_int_equal(count, expected->count);
}

static void assert_packets(aqlprofile_agent_info_t info, const aqlprofile_pmc_event_t *events,
                           size_t count, const list_t *start)
{
    aqlprofile_spm_parameter_t interval = {AQLPROFILE_SPM_PARAMETER_TYPE_SAMPLE_INTERVAL, INTERVAL};
    aqlprofile_spm_profile_t profile = {.events = events,
                                        .event_count = count,
                                        .parameters = &interval,
                                        .parameter_count = 1,
                                        .alloc_cb = allocate,
                                        .dealloc_cb = release,
                                        .memcpy_cb = copy};
    aqlprofile_handle_t handle;
    aqlprofile_spm_buffer_desc_t desc;
    aqlprofile_spm_aql_packets_t packets;
    list_t stop = {.count = 0};
    assert_int_equal(aqlprofile_register_agent(&profile.aql_agent, &info), HSA_STATUS_SUCCESS);
    for (size_t i = 0; i < count; i++)
        assert_true(aqlprofile_spm_is_event_supported(profile.aql_agent, events[i]));
    assert_int_equal(aqlprofile_spm_create_packets(&handle, &desc, &packets, profile, 0),
                     HSA_STATUS_SUCCESS);
    assert_words(&packets.start_packet, start);
    set(&stop, GFX_INDEX, BROADCAST);
    idle(&stop);
    set(&stop, CP_PERFMON_CNTL, 0x20);
    set(&stop, CLOCKS, 0);
    assert_words(&packets.stop_packet, &stop);
    aqlprofile_spm_delete_packets(handle);
}

/* ---- GPUs ---- */

/* No delays, both halves of SQ, a second register for the lines of engines 4 to 7. */
static void packets_of_gfx90a(void **state)
{
    static const aqlprofile_pmc_event_t events[] = {EVENT(TCC, 31, 3), EVENT(SQ, 0, 4),
                                                    EVENT(SQ, 0, 26), EVENT(TCP, 1, 27)};
    const aqlprofile_agent_info_t mi210 = {"gfx90a", 1, 8, 104, 1};
    lines_t gpu = with_clock(), engine = empty();
    list_t l = {.count = 0};
    (void)state;
    begin(&l);
    sq_control(&l);
    select_of(&l, 0xa000001f, 0xdb80, 3 | 1 << 20);
    select_of(&l, BROADCAST, 0xd9c0, 4 | ALL_SELECTED | 3 << 20);
    select_of(&l, BROADCAST, 0xd9c1, 26 | ALL_SELECTED | 3 << 20);
    select_of(&l, 0xa0000001, 0xdb40, 27 | 1 << 20);
    set(&l, GFX_INDEX, BROADCAST);
    set(&l, SEGMENT_SIZE, 10 | 2 << 11 | 2 << 16 | 2 << 21 | 2 << 26);
    set(&l, SEGMENT_SIZE_CORE1, 8u | 2u << 12 | 2u << 17 | 2u << 22 | 2u << 27);
    gpu.first[4] = 4 << 6 | 31 << 11;
    engine.first[0] = 0 | 9 << 6;
    engine.second[0] = 1 | 9 << 6;
    engine.first[1] = 2 | 9 << 6;
    engine.second[1] = 3 | 9 << 6;
    engine.first[2] = 7 << 6 | 1 << 11;
    table(&l, GLOBAL_MUXSEL_ADDR, gpu);
    table(&l, SE_MUXSEL_ADDR, engine);
    end(&l);
    assert_packets(mi210, events, 4, &l);
}

static const uint32_t mi300_tcc[] = {0x0f, 0x0f, 0x0c, 0x0e, 0x0e, 0x13, 0x13, 0x19,
                                     0x13, 0x13, 0x12, 0x13, 0x13, 0x17, 0x17, 0x1d},
                      mi300_sq[] = {0x10, 0x1d, 0x21, 0x12},
                      mi300_cu[] = {0x17, 0x15, 0x13, 0x11, 0x0f, 0x0d, 0x0b, 0x09, 0x07, 0x05,
                                    0,    0,    0,    0,    0,    0,    0x18, 0x16, 0x14, 0x12,
                                    0x10, 0x0e, 0x0c, 0x0a, 0x08, 0x06, 0,    0,    0,    0,
                                    0,    0,    0x1c, 0x1a, 0x18, 0x16, 0x14, 0x12, 0x10, 0x0e,
                                    0x0c, 0x0a, 0,    0,    0,    0,    0,    0,    0x1a, 0x18,
                                    0x16, 0x14, 0x12, 0x10, 0x0e, 0x0c, 0x0a, 0x08, 0,    0,
                                    0,    0,    0,    0};

static const aqlprofile_pmc_event_t mi300_events[] = {
    EVENT(TCC, 0, 3), EVENT(TCC, 0, 12), EVENT(TCC, 5, 3), EVENT(SQ, 0, 4), EVENT(TCP, 1, 27)};

/* Four engines of each XCC, whose commands all XCCs execute: the lower half of SQ alone, and no
 * second register for lines. The same packets for gfx941 and for a partition of one XCC. */
static void packets_of_gfx942(void **state)
{
    const aqlprofile_agent_info_t mi300x = {"gfx942", 8, 32, 304, 1},
                                  partition = {"gfx942", 1, 4, 38, 1},
                                  mi300a = {"gfx941", 6, 24, 228, 1};
    lines_t gpu = with_clock(), engine = empty();
    list_t l = {.count = 0};
    (void)state;
    begin(&l);
    delay_max(&l, 0x27);
    delay_se(&l, 0xdc98, mi300_sq, 4, 1);
    delay(&l, 0xdc91, mi300_tcc, 16);
    delay_se(&l, 0xdc93, mi300_cu, 4, 16);
    set(&l, GFX_INDEX, BROADCAST);
    sq_control(&l);
    select_of(&l, 0xa0000000, 0xdb80, 3 | 12 << 10 | 1 << 20);
    select_of(&l, 0xa0000005, 0xdb80, 3 | 1 << 20);
    select_of(&l, BROADCAST, 0xd9c0, 4 | ALL_SELECTED | 3 << 20);
    select_of(&l, 0xa0000001, 0xdb40, 27 | 1 << 20);
    set(&l, GFX_INDEX, BROADCAST);
    set(&l, SEGMENT_SIZE, 10 | 2 << 11 | 2 << 16 | 2 << 21 | 2 << 26);
    gpu.first[4] = 0 | 4 << 6;
    gpu.second[0] = 1 | 4 << 6;
    gpu.first[5] = 0 | 4 << 6 | 5 << 11;
    engine.first[0] = 0 | 9 << 6;
    engine.second[0] = 0;
    engine.first[1] = 0 | 7 << 6 | 1 << 11;
    table(&l, GLOBAL_MUXSEL_ADDR, gpu);
    table(&l, SE_MUXSEL_ADDR, engine);
    end(&l);
    assert_packets(mi300x, mi300_events, 5, &l);
    assert_packets(partition, mi300_events, 5, &l);
    assert_packets(mi300a, mi300_events, 5, &l);
}

/* Every block that can be streamed, with gfx950's delays. Of TCA two instances have one. */
static void packets_of_gfx950(void **state)
{
    static const aqlprofile_pmc_event_t events[] = {
        EVENT(CPC, 0, 25),  EVENT(CPC, 0, 71), EVENT(CPF, 0, 24), EVENT(SPI, 0, 40),
        EVENT(SPI, 0, 41),  EVENT(SPI, 0, 42), EVENT(SPI, 0, 43), EVENT(SPI, 0, 44),
        EVENT(TA, 15, 1),   EVENT(TD, 3, 2),   EVENT(TCP, 0, 85), EVENT(TCC, 15, 199),
        EVENT(TCA, 31, 34), EVENT(SQ, 0, 373)};
    static const uint32_t cpc[] = {0x31}, cpf[] = {0x33}, tca[] = {0x2b, 0x2d},
                          spi[] = {0x25, 0x2d, 0x2f, 0x2b},
                          tcc[] = {0x21, 0x23, 0x27, 0x22, 0x23, 0x25, 0x27, 0x29,
                                   0x24, 0x25, 0x29, 0x25, 0x27, 0x27, 0x29, 0x2b},
                          ta[] = {0x29, 0x25, 0x21, 0x1d, 0x19, 0x15, 0x11, 0x0d, 0x09, 0,    0,
                                  0,    0,    0,    0,    0,    0x2a, 0x26, 0x22, 0x1e, 0x1a, 0x16,
                                  0x12, 0x0e, 0x0a, 0,    0,    0,    0,    0,    0,    0,    0x2b,
                                  0x28, 0x24, 0x20, 0x1c, 0x18, 0x14, 0x10, 0x0c, 0,    0,    0,
                                  0,    0,    0,    0,    0x2a, 0x26, 0x22, 0x1e, 0x1a, 0x16, 0x12,
                                  0x0e, 0x0a, 0,    0,    0,    0,    0,    0,    0},
                          tcp[] = {0x29, 0x25, 0x21, 0x1d, 0x19, 0x15, 0x11, 0x0d, 0x09, 0,    0,
                                   0,    0,    0,    0,    0,    0x2a, 0x26, 0x22, 0x1e, 0x1a, 0x16,
                                   0x12, 0x0e, 0x0a, 0,    0,    0,    0,    0,    0,    0,    0x2a,
                                   0x28, 0x24, 0x20, 0x1c, 0x18, 0x14, 0x10, 0x0c, 0,    0,    0,
                                   0,    0,    0,    0,    0x2a, 0x27, 0x23, 0x1f, 0x1b, 0x17, 0x13,
                                   0x0f, 0x0b, 0,    0,    0,    0,    0,    0,    0};
    const aqlprofile_agent_info_t mi350 = {"gfx950", 8, 32, 256, 1};
    lines_t gpu = with_clock(), engine = empty();
    list_t l = {.count = 0};
    (void)state;
    begin(&l);
    delay_max(&l, 0x33);
    delay(&l, 0xdc88, cpc, 1);
    delay(&l, 0xdc89, cpf, 1);
    delay_se(&l, 0xdc97, spi, 4, 1);
    delay_se(&l, 0xdc98, spi, 4, 1); /* SQ has SPI's numbers */
    delay_se(&l, 0xdc94, ta, 4, 16);
    delay(&l, 0xdc92, tca, 2);
    delay(&l, 0xdc91, tcc, 16);
    delay_se(&l, 0xdc93, tcp, 4, 16);
    delay_se(&l, 0xdc95, ta, 4, 16); /* TD has TA's */
    set(&l, GFX_INDEX, BROADCAST);
    sq_control(&l);
    select_of(&l, BROADCAST, 0xd809, 25 | 71 << 10 | 1 << 20);
    select_of(&l, BROADCAST, 0xd807, 24 | 1 << 20);
    select_of(&l, BROADCAST, 0xd980, 40 | 41 << 10 | 1 << 20);
    select_of(&l, BROADCAST, 0xd984, 42 | 43 << 10 | 1 << 20);
    select_of(&l, BROADCAST, 0xd981, 44 | 1 << 20);
    select_of(&l, 0xa000000f, 0xdac0, 1 | 1 << 20);
    select_of(&l, 0xa0000003, 0xdb00, 2 | 1 << 20);
    select_of(&l, 0xa0000000, 0xdb40, 85 | 1 << 20);
    select_of(&l, 0xa000000f, 0xdb80, 199 | 1 << 20);
    select_of(&l, 0xa000001f, 0xdb90, 34 | 1 << 20);
    select_of(&l, BROADCAST, 0xd9c0, 373 | ALL_SELECTED | 3 << 20);
    set(&l, GFX_INDEX, BROADCAST);
    set(&l, SEGMENT_SIZE, 10 | 2 << 11 | 2 << 16 | 2 << 21 | 2 << 26);
    gpu.first[4] = 0 | 1 << 6;
    gpu.second[0] = 1 | 1 << 6;
    gpu.first[5] = 0 | 2 << 6;
    gpu.first[6] = 0 | 4 << 6 | 15 << 11;
    gpu.first[7] = 0 | 5 << 6 | 31 << 11;
    engine.first[0] = 0 | 9 << 6;
    engine.second[0] = 0;
    engine.first[1] = 0 | 8 << 6;
    engine.second[1] = 1 | 8 << 6;
    engine.first[2] = 2 | 8 << 6;
    engine.second[2] = 3 | 8 << 6;
    engine.first[3] = 4 | 8 << 6;
    engine.first[4] = 0 | 5 << 6 | 15 << 11;
    engine.first[5] = 0 | 6 << 6 | 3 << 11;
    engine.first[6] = 0 | 7 << 6;
    table(&l, GLOBAL_MUXSEL_ADDR, gpu);
    table(&l, SE_MUXSEL_ADDR, engine);
    end(&l);
    assert_packets(mi350, events, sizeof events / sizeof *events, &l);
}

/* Eight engines. On an agent with fewer, those that are not there get no delays. */
static void packets_of_gfx908(void **state)
{
    static const aqlprofile_pmc_event_t events[] = {EVENT(SQ, 0, 4), EVENT(TCA, 3, 58),
                                                    EVENT(TD, 15, 3)};
    static const uint32_t sq[] = {0x12, 0x1c, 0x20, 0x2c, 0x16, 0x1c, 0x24, 0x2c},
                          tca[] = {0x18, 0x1c, 0x24, 0x24};
    static const uint32_t td[] = {
        0x20, 0x1e, 0x1c, 0x1a, 0x18, 0x16, 0x14, 0x12, 0x10, 0x0e, 0x0c, 0x0a, 0x08, 0x06, 0x04,
        0x02, 0x20, 0x1e, 0x1c, 0x1a, 0x18, 0x16, 0x14, 0x12, 0x10, 0x0e, 0x0c, 0x0a, 0x08, 0x06,
        0x04, 0x02, 0x20, 0x1e, 0x1c, 0x1a, 0x18, 0x16, 0x14, 0x12, 0x10, 0x0e, 0x0c, 0x0a, 0x08,
        0x06, 0x04, 0x02, 0x26, 0x24, 0x22, 0x20, 0x1e, 0x1c, 0x1a, 0x18, 0x16, 0x14, 0x12, 0x10,
        0x0e, 0x0c, 0x0a, 0x08, 0x19, 0x16, 0x14, 0x12, 0x10, 0x0e, 0x0c, 0x0a, 0x08, 0x07, 0x06,
        0x05, 0x04, 0x03, 0x02, 0x01, 0x22, 0x20, 0x1e, 0x1c, 0x1a, 0x18, 0x16, 0x14, 0x12, 0x10,
        0x0e, 0x0c, 0x0a, 0x08, 0x06, 0x04, 0x22, 0x20, 0x1e, 0x1c, 0x1a, 0x18, 0x16, 0x14, 0x12,
        0x10, 0x0e, 0x0c, 0x0a, 0x08, 0x06, 0x04, 0x26, 0x24, 0x22, 0x20, 0x1e, 0x1c, 0x1a, 0x18,
        0x16, 0x14, 0x12, 0x10, 0x0e, 0x0c, 0x0a, 0x08};
    (void)state;
    for (uint32_t engines = 2; engines <= 8; engines += 6) {
        const aqlprofile_agent_info_t mi100 = {"gfx908", 1, engines, 15 * engines, 1};
        lines_t gpu = with_clock(), engine = empty();
        list_t l = {.count = 0};
        begin(&l);
        delay_max(&l, 0x34);
        delay_se(&l, 0xdc98, sq, engines, 1);
        delay(&l, 0xdc92, tca, 4);
        delay_se(&l, 0xdc95, td, engines, 16);
        set(&l, GFX_INDEX, BROADCAST);
        sq_control(&l);
        select_of(&l, BROADCAST, 0xd9c0, 4 | ALL_SELECTED | 3 << 20);
        select_of(&l, 0xa0000003, 0xdb90, 58 | 1 << 20);
        select_of(&l, 0xa000000f, 0xdb00, 3 | 1 << 20);
        set(&l, GFX_INDEX, BROADCAST);
        set(&l, SEGMENT_SIZE, 10 | 2 << 11 | 2 << 16 | 2 << 21 | 2 << 26);
        set(&l, SEGMENT_SIZE_CORE1, 8u | 2u << 12 | 2u << 17 | 2u << 22 | 2u << 27);
        gpu.first[4] = 0 | 5 << 6 | 3 << 11;
        engine.first[0] = 0 | 9 << 6;
        engine.second[0] = 0;
        engine.first[1] = 0 | 6 << 6 | 15 << 11;
        table(&l, GLOBAL_MUXSEL_ADDR, gpu);
        table(&l, SE_MUXSEL_ADDR, engine);
        end(&l);
        assert_packets(mi100, events, 3, &l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_of_gfx90a),
        cmocka_unit_test(packets_of_gfx942),
        cmocka_unit_test(packets_of_gfx950),
        cmocka_unit_test(packets_of_gfx908),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
