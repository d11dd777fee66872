/* spm_test.c - streaming counters without a GPU: places of counters in a sample, what the driver's
 * buffers say, and every refusal.
 *
 * This program stands in for the HSA runtime and its driver. Samples are written by hand, by the
 * rules of docs/aqlprofile.md. */
#include <aqlprofile-sdk/aql_profile_v2.h>
#include <hsa/hsa_ext_amd.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define INVALID HSA_STATUS_ERROR_INVALID_ARGUMENT
#define VISIBLE __attribute__((visibility("default")))

enum { LINE = 16, ENGINES = 2, HEADER = 32, XCCS = 2 };

/* ---- the driver ---- */

/* What one XCC has written. */
typedef struct {
    uint8_t waiting[8192];
    size_t count;
    uint32_t lost;
} ring_t;

static struct {
    pthread_mutex_t lock;
    bool acquired, refuses;
    uint8_t *buffer;
    size_t bytes;
    unsigned xccs;
    ring_t ring[XCCS];
    unsigned releases;
    uint32_t claims; /* bytes that the next header says, whatever is there */
} driver = {.lock = PTHREAD_MUTEX_INITIALIZER, .xccs = 1};

VISIBLE hsa_status_t hsa_amd_spm_acquire(hsa_agent_t agent);
VISIBLE hsa_status_t hsa_amd_spm_release(hsa_agent_t agent);
VISIBLE hsa_status_t hsa_amd_spm_set_dest_buffer(hsa_agent_t agent, size_t bytes, uint32_t *timeout,
                                                 uint32_t *copied, void *to, bool *lost);

hsa_status_t hsa_amd_spm_acquire(hsa_agent_t agent)
{
    if (agent.handle != 7 || driver.acquired || driver.refuses) return HSA_STATUS_ERROR;
    driver.acquired = true;
    driver.buffer = NULL;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_spm_release(hsa_agent_t agent)
{
    (void)agent;
    driver.acquired = false;
    driver.releases++;
    return HSA_STATUS_SUCCESS;
}

/* A header and samples, as much as the part of a buffer has room for. */
static void fill(ring_t *ring, uint8_t *part, size_t bytes)
{
    const size_t n = ring->count < bytes - HEADER ? ring->count : bytes - HEADER;
    const uint32_t header[8] = {4, driver.claims ? driver.claims : (uint32_t)n, ring->lost};
    driver.claims = 0;
    memcpy(part, header, HEADER);
    memcpy(part + HEADER, ring->waiting, n);
    memmove(ring->waiting, ring->waiting + n, ring->count - n);
    ring->count -= n;
    ring->lost = 0;
}

hsa_status_t hsa_amd_spm_set_dest_buffer(hsa_agent_t agent, size_t bytes, uint32_t *timeout,
                                         uint32_t *copied, void *to, bool *lost)
{
    (void)agent, (void)copied, (void)lost;
    if (*timeout || !driver.acquired) return HSA_STATUS_ERROR;
    pthread_mutex_lock(&driver.lock);
    const size_t part = driver.bytes / driver.xccs;
    for (unsigned i = 0; driver.buffer && i < driver.xccs; i++)
        fill(&driver.ring[i], driver.buffer + i * part, part);
    driver.buffer = to;
    driver.bytes = bytes;
    pthread_mutex_unlock(&driver.lock);
    return HSA_STATUS_SUCCESS;
}

static void sampled_in(unsigned xcc, const void *data, size_t bytes, bool lost)
{
    ring_t *ring = &driver.ring[xcc];
    pthread_mutex_lock(&driver.lock);
    memcpy(ring->waiting + ring->count, data, bytes);
    ring->count += bytes;
    ring->lost |= lost;
    pthread_mutex_unlock(&driver.lock);
}

static void sampled(const void *data, size_t bytes, bool lost)
{
    sampled_in(0, data, bytes, lost);
}

/* ---- a profile ---- */

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

static aqlprofile_agent_handle_t agent_named(const char *name, uint32_t xccs, uint32_t engines)
{
    const aqlprofile_agent_info_t info = {.agent_gfxip = name,
                                          .xcc_num = xccs,
                                          .se_num = engines,
                                          .cu_num = 8 * engines,
                                          .shader_arrays_per_se = 1};
    aqlprofile_agent_handle_t agent;
    assert_int_equal(aqlprofile_register_agent(&agent, &info), HSA_STATUS_SUCCESS);
    return agent;
}

static aqlprofile_agent_handle_t agent_of(uint32_t engines)
{
    return agent_named("gfx90a", 1, engines);
}

static aqlprofile_spm_profile_t profile_of(const aqlprofile_pmc_event_t *events, size_t count)
{
    return (aqlprofile_spm_profile_t){.aql_agent = agent_of(ENGINES),
                                      .hsa_agent = {7},
                                      .events = events,
                                      .event_count = count,
                                      .alloc_cb = allocate,
                                      .dealloc_cb = release,
                                      .memcpy_cb = copy};
}

typedef struct {
    aqlprofile_handle_t handle;
    aqlprofile_spm_buffer_desc_t desc;
    aqlprofile_spm_aql_packets_t packets;
} stream_t;

static hsa_status_t create(stream_t *s, aqlprofile_spm_profile_t profile)
{
    return aqlprofile_spm_create_packets(&s->handle, &s->desc, &s->packets, profile, 0);
}

/* ---- samples ---- */

/* L2 channels 0 and 1 with two events, SQ with one of 32 bits, L1 0 with two events. */
static const aqlprofile_pmc_event_t some[] = {EVENT(TCC, 0, 3), EVENT(TCC, 0, 12),
                                              EVENT(TCC, 1, 3), EVENT(TCP, 0, 27),
                                              EVENT(SQ, 0, 4),  EVENT(TCP, 0, 5)};
enum { EVENTS = sizeof some / sizeof *some };

/* Two lines of the GPU, two of each engine. Even counters stand in the first of two lines, behind
 * the clock or behind SQ; odd ones in the second. */
enum {
    GPU_LINES = 2,
    ENGINE_LINES = 2,
    PLACES = (GPU_LINES + ENGINES * ENGINE_LINES) * LINE,
    TCC0_REQ = 4,
    TCC1_REQ = 5,
    TCC0_READ = LINE,
    SQ_LOW = 0,
    SQ_HIGH = LINE,
    TCP_EVEN = 1,
    TCP_ODD = LINE + 1
};

static uint16_t *engine_of(uint16_t *sample, unsigned engine)
{
    return sample + (GPU_LINES + engine * ENGINE_LINES) * LINE;
}

static void make_sample(uint16_t *s, uint64_t clock, uint16_t k)
{
    memset(s, 0, PLACES * sizeof *s);
    memcpy(s, &clock, sizeof clock);
    s[TCC0_REQ] = (uint16_t)(k + 10);
    s[TCC0_READ] = (uint16_t)(k + 20);
    s[TCC1_REQ] = UINT16_MAX; /* at its end */
    for (unsigned e = 0; e < ENGINES; e++) {
        uint16_t *line = engine_of(s, e);
        line[SQ_LOW] = (uint16_t)(k + 30 + e);
        line[SQ_HIGH] = 2;
        line[TCP_EVEN] = (uint16_t)(k + 40 + e);
        line[TCP_ODD] = (uint16_t)(k + 50 + e);
    }
}

typedef struct {
    unsigned calls, losses, samples;
    uint64_t values[4][EVENTS][ENGINES + 1]; /* [ENGINES]: of no engine */
    uint64_t clock[4];
    aqlprofile_spm_buffer_desc_t desc;
} seen_t;

static void see_value(uint64_t clock, uint64_t value, uint64_t index, int engine, void *data)
{
    seen_t *seen = data;
    const unsigned at = seen->samples % 4;
    assert_true(index < EVENTS && engine < ENGINES);
    seen->clock[at] = clock;
    seen->values[at][index][engine < 0 ? ENGINES : engine] = value;
    if (index == EVENTS - 1 && engine == ENGINES - 1) seen->samples++;
}

static void see_data(size_t xcc, void *data, size_t size, int flags, void *userdata)
{
    seen_t *seen = userdata;
    assert_int_equal(xcc, 0);
    seen->calls++;
    seen->losses += flags;
    assert_int_equal(aqlprofile_spm_decode_stream_v1(seen->desc, see_value, data, size, seen),
                     HSA_STATUS_SUCCESS);
}

static void check_sample(const seen_t *seen, unsigned at, uint64_t clock, uint64_t k)
{
    assert_int_equal(seen->clock[at], clock);
    assert_int_equal(seen->values[at][0][ENGINES], k + 10);
    assert_int_equal(seen->values[at][1][ENGINES], k + 20);
    assert_true(seen->values[at][2][ENGINES] == UINT64_MAX);
    for (unsigned e = 0; e < ENGINES; e++) {
        assert_int_equal(seen->values[at][3][e], k + 40 + e);
        assert_int_equal(seen->values[at][4][e], k + 30 + e + (2 << 16));
        assert_int_equal(seen->values[at][5][e], k + 50 + e);
    }
}

static void samples_are_fetched_and_decoded(void **state)
{
    stream_t s;
    seen_t *seen = calloc(1, sizeof *seen);
    uint16_t data[2 * PLACES];
    uint64_t answer;
    (void)state;
    assert_int_equal(create(&s, profile_of(some, EVENTS)), HSA_STATUS_SUCCESS);
    seen->desc = s.desc;
    assert_int_equal(
        aqlprofile_spm_decode_query(s.desc, AQLPROFILE_SPM_DECODE_QUERY_SEG_SIZE, &answer), 0);
    assert_int_equal(answer, PLACES * 2);
    assert_int_equal(
        aqlprofile_spm_decode_query(s.desc, AQLPROFILE_SPM_DECODE_QUERY_EVENT_COUNT, &answer), 0);
    assert_int_equal(answer, EVENTS);
    assert_int_equal(
        aqlprofile_spm_decode_query(s.desc, AQLPROFILE_SPM_DECODE_QUERY_NUM_XCC, &answer), 0);
    assert_int_equal(answer, 1);
    assert_int_equal(aqlprofile_spm_start(s.handle, see_data, seen), HSA_STATUS_SUCCESS);
    assert_int_equal(aqlprofile_spm_start(s.handle, see_data, seen), HSA_STATUS_ERROR);
    make_sample(data, 1000, 1);
    make_sample(data + PLACES, 1032, 2);
    sampled(data, sizeof data, false);
    make_sample(data, 1064, 3);
    sampled(data, sizeof data / 2, true);
    assert_int_equal(aqlprofile_spm_stop(s.handle), HSA_STATUS_SUCCESS);
    assert_int_equal(aqlprofile_spm_stop(s.handle), HSA_STATUS_ERROR_NOT_INITIALIZED);
    assert_false(driver.acquired);
    assert_int_equal(seen->samples, 3);
    assert_int_equal(seen->losses, 1);
    for (unsigned k = 0; k < 3; k++)
        check_sample(seen, k, 1000 + 32 * k, k + 1);
    /* again, and without a stop: it ends with the packets */
    assert_int_equal(aqlprofile_spm_start(s.handle, see_data, seen), HSA_STATUS_SUCCESS);
    const unsigned releases = driver.releases;
    aqlprofile_spm_delete_packets(s.handle);
    assert_int_equal(driver.releases, releases + 1);
    assert_int_equal(aqlprofile_spm_start(s.handle, see_data, seen),
                     HSA_STATUS_ERROR_NOT_INITIALIZED);
    free(seen);
}

/* What has no room in a buffer comes in the next. */
static void small_buffers_take_turns(void **state)
{
    aqlprofile_spm_parameter_t small = {AQLPROFILE_SPM_PARAMETER_TYPE_BUFFER_SIZE,
                                        HEADER + PLACES * 2};
    aqlprofile_spm_profile_t profile = profile_of(some, EVENTS);
    uint16_t data[3 * PLACES];
    seen_t *seen = calloc(1, sizeof *seen);
    stream_t s;
    (void)state;
    profile.parameters = &small;
    profile.parameter_count = 1;
    assert_int_equal(create(&s, profile), HSA_STATUS_SUCCESS);
    seen->desc = s.desc;
    assert_int_equal(aqlprofile_spm_start(s.handle, see_data, seen), HSA_STATUS_SUCCESS);
    for (unsigned k = 0; k < 3; k++)
        make_sample(data + k * PLACES, k, (uint16_t)k);
    sampled(data, sizeof data, false);
    assert_int_equal(aqlprofile_spm_stop(s.handle), HSA_STATUS_SUCCESS);
    assert_int_equal(seen->calls, 3);
    assert_int_equal(seen->losses, 0);
    for (unsigned k = 0; k < 3; k++)
        check_sample(seen, k, k, k);
    aqlprofile_spm_delete_packets(s.handle);
    free(seen);
}

/* A header of more than the buffer has room for is no samples, but a loss. */
static void headers_are_not_believed(void **state)
{
    aqlprofile_spm_parameter_t small = {AQLPROFILE_SPM_PARAMETER_TYPE_BUFFER_SIZE,
                                        HEADER + PLACES * 2};
    aqlprofile_spm_profile_t profile = profile_of(some, EVENTS);
    seen_t *seen = calloc(1, sizeof *seen);
    stream_t s;
    (void)state;
    profile.parameters = &small;
    profile.parameter_count = 1;
    assert_int_equal(create(&s, profile), HSA_STATUS_SUCCESS);
    seen->desc = s.desc;
    assert_int_equal(aqlprofile_spm_start(s.handle, see_data, seen), HSA_STATUS_SUCCESS);
    pthread_mutex_lock(&driver.lock);
    driver.claims = 2 * PLACES * 2;
    pthread_mutex_unlock(&driver.lock);
    assert_int_equal(aqlprofile_spm_stop(s.handle), HSA_STATUS_SUCCESS);
    assert_int_equal(seen->calls, 1);
    assert_int_equal(seen->losses, 1);
    assert_int_equal(seen->samples, 0);
    aqlprofile_spm_delete_packets(s.handle);
    free(seen);
}

/* ---- several XCCs ---- */

/* Each XCC has samples of its own, of one line pair of the GPU and one of each of its engines. The
 * upper half of SQ's counter is not there: what stands in its place is not read. */
enum { XCC_ENGINES = 4, XCC_PLACES = (GPU_LINES + XCC_ENGINES * ENGINE_LINES) * LINE };

static void make_xcc_sample(uint16_t *s, uint64_t clock, uint16_t k)
{
    memset(s, 0, XCC_PLACES * sizeof *s);
    memcpy(s, &clock, sizeof clock);
    s[TCC0_REQ] = (uint16_t)(k + 1);
    for (unsigned e = 0; e < XCC_ENGINES; e++) {
        uint16_t *line = engine_of(s, e);
        line[SQ_LOW] = (uint16_t)(k + 10 + e);
        line[SQ_HIGH] = 0xbad;
    }
    engine_of(s, 3)[SQ_LOW] = k == 300 ? UINT16_MAX : (uint16_t)(k + 13);
}

typedef struct {
    aqlprofile_spm_buffer_desc_t desc;
    unsigned xcc, calls[XCCS], losses[XCCS], samples[XCCS];
    uint64_t clock[XCCS][4], tcc[XCCS][4], sq[XCCS][4][XCC_ENGINES];
} xccs_seen_t;

static void see_xcc_value(uint64_t clock, uint64_t value, uint64_t index, int engine, void *data)
{
    xccs_seen_t *seen = data;
    const unsigned xcc = seen->xcc, at = seen->samples[xcc] % 4;
    seen->clock[xcc][at] = clock;
    if (engine < 0) {
        assert_int_equal(index, 1);
        seen->tcc[xcc][at] = value;
        seen->samples[xcc]++; /* events are told in their order: this one is the last */
        return;
    }
    assert_int_equal(index, 0);
    assert_true(engine < XCC_ENGINES);
    seen->sq[xcc][at][engine] = value;
}

static void see_xcc_data(size_t xcc, void *data, size_t size, int flags, void *userdata)
{
    xccs_seen_t *seen = userdata;
    assert_true(xcc < XCCS);
    seen->xcc = (unsigned)xcc;
    seen->calls[xcc]++;
    seen->losses[xcc] += flags;
    assert_int_equal(aqlprofile_spm_decode_stream_v1(seen->desc, see_xcc_value, data, size, seen),
                     HSA_STATUS_SUCCESS);
}

static void each_xcc_has_samples(void **state)
{
    static const aqlprofile_pmc_event_t events[] = {EVENT(SQ, 0, 4), EVENT(TCC, 0, 3)};
    /* room for one sample of each XCC, and a bit that is left */
    aqlprofile_spm_parameter_t buffer = {AQLPROFILE_SPM_PARAMETER_TYPE_BUFFER_SIZE,
                                         XCCS * (HEADER + XCC_PLACES * 2 + 96) + 5};
    aqlprofile_spm_profile_t profile = profile_of(events, 2);
    xccs_seen_t *seen = calloc(1, sizeof *seen);
    uint16_t data[XCC_PLACES];
    uint64_t answer;
    stream_t s;
    (void)state;
    profile.aql_agent = agent_named("gfx942", XCCS, XCCS * XCC_ENGINES);
    profile.parameters = &buffer;
    profile.parameter_count = 1;
    assert_int_equal(create(&s, profile), HSA_STATUS_SUCCESS);
    seen->desc = s.desc;
    assert_int_equal(
        aqlprofile_spm_decode_query(s.desc, AQLPROFILE_SPM_DECODE_QUERY_NUM_XCC, &answer), 0);
    assert_int_equal(answer, XCCS);
    assert_int_equal(
        aqlprofile_spm_decode_query(s.desc, AQLPROFILE_SPM_DECODE_QUERY_SEG_SIZE, &answer), 0);
    assert_int_equal(answer, XCC_PLACES * 2);
    driver.xccs = XCCS;
    assert_int_equal(aqlprofile_spm_start(s.handle, see_xcc_data, seen), HSA_STATUS_SUCCESS);
    assert_int_equal(driver.bytes, XCCS * (HEADER + XCC_PLACES * 2));
    for (unsigned k = 0; k < 3; k++) {
        make_xcc_sample(data, 1000 + k, (uint16_t)(100 * k));
        sampled_in(0, data, sizeof data, false);
    }
    make_xcc_sample(data, 2000, 300);
    sampled_in(1, data, sizeof data, true);
    assert_int_equal(aqlprofile_spm_stop(s.handle), HSA_STATUS_SUCCESS);
    driver.xccs = 1;
    assert_int_equal(seen->calls[0], 3);
    assert_int_equal(seen->calls[1], 1);
    assert_int_equal(seen->losses[0], 0);
    assert_int_equal(seen->losses[1], 1);
    assert_int_equal(seen->samples[0], 3);
    assert_int_equal(seen->samples[1], 1);
    for (unsigned k = 0; k < 3; k++) {
        assert_int_equal(seen->clock[0][k], 1000 + k);
        assert_int_equal(seen->tcc[0][k], 100 * k + 1);
        for (unsigned e = 0; e < XCC_ENGINES; e++)
            assert_int_equal(seen->sq[0][k][e], 100 * k + 10 + e);
    }
    assert_int_equal(seen->clock[1][0], 2000);
    assert_int_equal(seen->tcc[1][0], 301);
    assert_int_equal(seen->sq[1][0][2], 312);
    assert_true(seen->sq[1][0][3] == UINT64_MAX);
    aqlprofile_spm_delete_packets(s.handle);
    free(seen);
}

/* ---- refusals ---- */

static void assert_refused(aqlprofile_spm_profile_t profile, const char *message)
{
    const char *text = NULL;
    stream_t s;
    assert_int_equal(create(&s, profile), INVALID);
    assert_int_equal(hsa_ven_amd_aqlprofile_error_string(&text), HSA_STATUS_SUCCESS);
    assert_string_equal(text, message);
}

static void what_cannot_be_is_refused(void **state)
{
    static const aqlprofile_pmc_event_t grbm = EVENT(GRBM, 0, 2), sq = EVENT(SQ, 0, 4),
                                        far = EVENT(TCC, 32, 3),
                                        many[] = {EVENT(TA, 0, 1), EVENT(TA, 0, 2),
                                                  EVENT(TA, 0, 3)};
    static const struct {
        aqlprofile_spm_parameter_t parameter;
        const char *message;
    } wrong[] = {
        {{AQLPROFILE_SPM_PARAMETER_TYPE_SAMPLE_INTERVAL, 15},
         "a sample every 15 clocks cannot be, from 32 to 65504 can"},
        {{AQLPROFILE_SPM_PARAMETER_TYPE_SAMPLE_INTERVAL, 65505},
         "a sample every 65505 clocks cannot be, from 32 to 65504 can"},
        {{AQLPROFILE_SPM_PARAMETER_TYPE_SAMPLE_MODE, AQLPROFILE_SPM_PARAMETER_SAMPLE_MODE_REFCLK},
         "intervals are counted in shader clocks alone"},
        {{AQLPROFILE_SPM_PARAMETER_TYPE_BUFFER_SIZE, 63},
         "a buffer of 63 bytes cannot be, from 64 to 4294967295 can"},
        {{AQLPROFILE_SPM_PARAMETER_TYPE_LAST, 1}, "parameter 4 does not exist"}};
    stream_t s;
    seen_t *seen = calloc(1, sizeof *seen);
    (void)state;
    assert_refused(profile_of(&grbm, 1), "GRBM event 2 cannot be streamed on gfx90a");
    assert_refused(profile_of(&far, 1), "TCC[32]: the block has 32 instances on gfx90a");
    assert_refused(profile_of(many, 3),
                   "TA[0] counts 2 events at once on gfx90a, no room for event 3");
    assert_refused(profile_of(NULL, 0), "the profile has no events");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        aqlprofile_spm_parameter_t parameter = wrong[i].parameter;
        aqlprofile_spm_profile_t profile = profile_of(&sq, 1);
        profile.parameters = &parameter;
        profile.parameter_count = 1;
        assert_refused(profile, wrong[i].message);
    }
    aqlprofile_spm_profile_t wide = profile_of(&sq, 1);
    wide.aql_agent = agent_of(9);
    assert_refused(wide, "9 shader engines cannot stream, 8 can");
    wide.aql_agent = agent_named("gfx942", 2, 10);
    assert_refused(wide, "5 shader engines of an XCC cannot stream, 4 can");
    wide.aql_agent = agent_named("gfx942", 8, 32);
    wide.parameters = &(aqlprofile_spm_parameter_t){AQLPROFILE_SPM_PARAMETER_TYPE_BUFFER_SIZE, 511};
    wide.parameter_count = 1;
    assert_refused(wide, "a buffer of 511 bytes for 8 XCCs cannot be, from 512 to 4294967295 can");
    assert_true(aqlprofile_spm_is_event_supported(agent_of(ENGINES), sq));
    assert_false(aqlprofile_spm_is_event_supported(agent_of(ENGINES), grbm));
    assert_int_equal(create(&s, profile_of(&sq, 1)), HSA_STATUS_SUCCESS);
    assert_int_equal(aqlprofile_spm_start(s.handle, NULL, NULL), INVALID);
    driver.refuses = true;
    assert_int_equal(aqlprofile_spm_start(s.handle, see_data, seen), HSA_STATUS_ERROR);
    driver.refuses = false;
    /* pieces of samples, and what describes none */
    uint16_t data[PLACES] = {0};
    assert_int_equal(aqlprofile_spm_decode_stream_v1(s.desc, see_value, data, 31, seen), INVALID);
    assert_int_equal(aqlprofile_spm_decode_stream_v1(s.desc, NULL, data, 32, seen), INVALID);
    assert_int_equal(aqlprofile_spm_decode_stream_v1((aqlprofile_spm_buffer_desc_t){data, 64},
                                                     see_value, data, 32, seen),
                     INVALID);
    aqlprofile_spm_delete_packets(s.handle);
    free(seen);
}

/* GPUs and blocks, by name. */
static void what_cannot_stream_is_refused(void **state)
{
    static const char *const names[] = {"gfx900", "gfx906", "gfx1030", "gfx1100", "gfx1201"};
    static const aqlprofile_pmc_event_t sq = EVENT(SQ, 0, 4), gds = EVENT(GDS, 0, 1),
                                        rpb = EVENT(RPB, 0, 1);
    static const aqlprofile_pmc_event_t sum = {.event_id = 4,
                                               .flags.sq_flags.accum =
                                                   AQLPROFILE_ACCUMULATION_HI_RES,
                                               .block_name = HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_SQ};
    aqlprofile_spm_profile_t profile = profile_of(&sq, 1);
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char message[160];
        profile.aql_agent = agent_named(names[i], 1, 4);
        snprintf(message, sizeof message,
                 "%s cannot stream counters, as far as is known: gfx908, gfx90a, gfx940, gfx941, "
                 "gfx942, gfx950 can",
                 names[i]);
        assert_refused(profile, message);
        assert_false(aqlprofile_spm_is_event_supported(profile.aql_agent, sq));
    }
    profile.aql_agent = agent_named("gfx950", 8, 32);
    assert_true(aqlprofile_spm_is_event_supported(profile.aql_agent, sq));
    profile.events = &gds;
    assert_refused(profile, "GDS event 1 cannot be streamed on gfx950");
    profile.events = &rpb;
    assert_refused(profile, "RPB event 1 cannot be streamed on gfx950");
    profile.events = &sum;
    assert_refused(profile, "SQ event 4 with flags cannot be streamed on gfx950");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_fetched_and_decoded),
        cmocka_unit_test(small_buffers_take_turns),
        cmocka_unit_test(headers_are_not_believed),
        cmocka_unit_test(each_xcc_has_samples),
        cmocka_unit_test(what_cannot_stream_is_refused),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
