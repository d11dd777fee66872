/* spm_xccs_test.c - samples of a GPU of eight XCCs become records, each with its XCC.
 *
 * Stands in for the driver and for the rest of the SDK; the AQL profile library is the real one.
 * Samples are written here as docs/aqlprofile.md has them, and come in pieces. */
#include "sdk/counters/counters.h"

#include "hsa/collect.h"
#include "sdk/agent/agent.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define VISIBLE __attribute__((visibility("default")))

/* SQ_WAVES of each engine, and one event of 16 L2 channels: of these twelve have room in the first
 * line, behind the clock. */
enum {
    XCCS = 8,
    ENGINES = 4,
    CHANNELS = 16,
    LINE = 16,
    GPU_LINES = 4,
    ENGINE_LINES = 2,
    PLACES = (GPU_LINES + ENGINE_LINES * ENGINES) * LINE,
    BYTES = PLACES * 2,
    HEADER = 32,
    SAMPLES = 2,
    PIECES = 3 /* two samples come as a third, a third and a third */
};

/* ---- the driver ---- */

static struct {
    pthread_mutex_t lock;
    uint8_t *buffer;
    size_t bytes;
    unsigned given; /* pieces */
    uint16_t samples[XCCS][SAMPLES][PLACES];
} driver = {.lock = PTHREAD_MUTEX_INITIALIZER};

VISIBLE hsa_status_t hsa_amd_spm_acquire(hsa_agent_t agent);
VISIBLE hsa_status_t hsa_amd_spm_release(hsa_agent_t agent);
VISIBLE hsa_status_t hsa_amd_spm_set_dest_buffer(hsa_agent_t agent, size_t bytes, uint32_t *timeout,
                                                 uint32_t *copied, void *to, bool *lost);

hsa_status_t hsa_amd_spm_acquire(hsa_agent_t agent)
{
    (void)agent;
    driver.buffer = NULL;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_spm_release(hsa_agent_t agent)
{
    (void)agent;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_spm_set_dest_buffer(hsa_agent_t agent, size_t bytes, uint32_t *timeout,
                                         uint32_t *copied, void *to, bool *lost)
{
    enum { PIECE = SAMPLES * BYTES / PIECES };
    (void)agent, (void)timeout, (void)copied, (void)lost;
    pthread_mutex_lock(&driver.lock);
    for (unsigned x = 0; driver.buffer && x < XCCS; x++) {
        uint8_t *part = driver.buffer + x * (driver.bytes / XCCS);
        const uint32_t header[8] = {4, driver.given < PIECES ? PIECE : 0};
        memcpy(part, header, HEADER);
        if (header[1])
            memcpy(part + HEADER, (const uint8_t *)driver.samples[x] + driver.given * PIECE, PIECE);
    }
    driver.given += driver.buffer != NULL;
    driver.buffer = to;
    driver.bytes = bytes;
    pthread_mutex_unlock(&driver.lock);
    return HSA_STATUS_SUCCESS;
}

/* ---- the rest of the SDK ---- */

enum { RECORDS = XCCS * SAMPLES * (ENGINES + CHANNELS) };

static struct {
    rocprofiler_spm_counter_record_t records[RECORDS];
    size_t count;
    unsigned headers, turns, pieces;
} seen;

bool sdk_buffer_emit(sdk_buffer_t *buffer, uint32_t category, uint32_t kind, const void *record,
                     size_t size)
{
    (void)buffer;
    assert_int_equal(category, ROCPROFILER_BUFFER_CATEGORY_COUNTERS);
    if (kind == ROCPROFILER_COUNTER_RECORD_PROFILE_COUNTING_DISPATCH_HEADER) {
        seen.headers++;
        return true;
    }
    assert_int_equal(size, sizeof seen.records[0]);
    assert_true(seen.count < RECORDS);
    memcpy(&seen.records[seen.count++], record, size);
    return true;
}

void hsax_turn_end(hsax_item_t *item, bool done)
{
    (void)item, (void)done;
    seen.turns++;
}

void hsax_collect_piece(void)
{
    seen.pieces++;
}

hsa_status_t sdk_gpu_allocate(void **memory, uint64_t size, aqlprofile_buffer_desc_flags_t flags,
                              void *userdata)
{
    (void)flags, (void)userdata;
    *memory = malloc(size);
    return HSA_STATUS_SUCCESS;
}

void sdk_gpu_free(void *memory, void *userdata)
{
    (void)userdata;
    free(memory);
}

hsa_status_t sdk_gpu_copy(void *to, const void *from, size_t size, void *userdata)
{
    (void)userdata;
    memcpy(to, from, size);
    return HSA_STATUS_SUCCESS;
}

const char *sdk_gpu_aql_message(void)
{
    const char *text = "";
    hsa_ven_amd_aqlprofile_error_string(&text);
    return text;
}

/* Not called here. */
_Atomic uint32_t sdk_emit_special;
void sdk_emit_begin_special(sdk_thread_t *self, uint32_t depth)
{
    (void)self, (void)depth;
}
sdk_thread_t *sdk_thread_needed(const char *loss)
{
    (void)loss;
    return NULL;
}
const rocprofiler_agent_v0_t *sdk_agent_find(rocprofiler_agent_id_t id)
{
    (void)id;
    return NULL;
}
rocprofiler_status_t sdk_counters_iterate(rocprofiler_agent_id_t agent_id,
                                          bool (*which)(const rocprofiler_agent_v0_t *,
                                                        const ctr_counter_t *),
                                          rocprofiler_available_counters_cb_t cb, void *user_data)
{
    (void)agent_id, (void)which, (void)cb, (void)user_data;
    return ROCPROFILER_STATUS_ERROR;
}
bool sdk_counters_aql_agent(const rocprofiler_agent_v0_t *agent, aqlprofile_agent_handle_t *handle)
{
    (void)agent, (void)handle;
    return false;
}
rocprofiler_status_t sdk_config_make(rocprofiler_agent_id_t agent_id,
                                     rocprofiler_counter_id_t *counters_list, size_t counters_count,
                                     const rocprofiler_counter_config_id_t *config_id,
                                     sdk_config_t **out)
{
    (void)agent_id, (void)counters_list, (void)counters_count, (void)config_id, (void)out;
    return ROCPROFILER_STATUS_ERROR;
}
rocprofiler_status_t sdk_config_end(sdk_config_t *config, rocprofiler_status_t status,
                                    rocprofiler_counter_config_id_t *config_id)
{
    (void)config, (void)config_id;
    return status;
}
rocprofiler_status_t sdk_config_destroy(rocprofiler_counter_config_id_t config_id, bool streams)
{
    (void)config_id, (void)streams;
    return ROCPROFILER_STATUS_ERROR;
}

/* ---- a configuration of a MI300X ---- */

typedef struct {
    ctr_definitions_t *definitions;
    ctr_catalogue_t *catalogue;
    const ctr_counter_t *waves, *hits;
    ctr_plan_t *plan;
    aqlprofile_pmc_event_t events[1 + CHANNELS];
    uint32_t event_of[1 + CHANNELS];
    rocprofiler_agent_v0_t agent;
    sdk_config_t config;
} setup_t;

static void set_up(setup_t *s)
{
    const aqlprofile_agent_info_t mi300x = {"gfx942", XCCS, XCCS * ENGINES, 304, 1};
    const ctr_agent_t shape = ctr_agent_of_product(gpus_product("mi300x"));
    ctr_error_t error;
    s->definitions = ctr_definitions_create();
    assert_int_equal(ctr_definitions_add_builtin(s->definitions), CTR_OK);
    assert_int_equal(ctr_catalogue_create(s->definitions, "gfx942", CTR_GENERATION_SDK, 1, NULL,
                                          NULL, &s->catalogue, &error),
                     CTR_OK);
    s->waves = ctr_catalogue_find(s->catalogue, "SQ_WAVES", 8);
    s->hits = ctr_catalogue_find(s->catalogue, "TCC_HIT", 7);
    const ctr_counter_t *wanted[] = {s->waves, s->hits};
    assert_int_equal(ctr_plan_create(s->catalogue, &shape, wanted, 2, 1, &s->plan, &error), CTR_OK);
    s->events[0] = (aqlprofile_pmc_event_t){.event_id = s->waves->event,
                                            .block_name = HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_SQ};
    for (uint32_t i = 0; i < CHANNELS; i++) {
        s->event_of[1 + i] = 1;
        s->events[1 + i] =
            (aqlprofile_pmc_event_t){.block_index = i,
                                     .event_id = s->hits->event,
                                     .block_name = HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_TCC};
    }
    s->agent = (rocprofiler_agent_v0_t){.name = "gfx942", .num_shader_banks = XCCS * ENGINES};
    s->config = (sdk_config_t){.agent = &s->agent,
                               .plan = s->plan,
                               .pass = ctr_plan_pass(s->plan, 0),
                               .events = s->events,
                               .event_of = s->event_of,
                               .event_count = 1 + CHANNELS,
                               .interval = 8192};
    assert_int_equal(aqlprofile_register_agent(&s->config.aql_agent, &mi300x), HSA_STATUS_SUCCESS);
}

static void make_samples(void)
{
    for (unsigned x = 0; x < XCCS; x++)
        for (unsigned k = 0; k < SAMPLES; k++) {
            uint16_t *s = driver.samples[x][k];
            const uint64_t clock = 5000 + 8192 * k + x;
            memset(s, 0, BYTES);
            memcpy(s, &clock, sizeof clock);
            for (unsigned i = 0; i < CHANNELS; i++)
                s[i < 12 ? 4 + i : 2 * LINE + i - 12] = (uint16_t)(1000 * x + 100 * k + i);
            for (unsigned e = 0; e < ENGINES; e++)
                s[(GPU_LINES + ENGINE_LINES * e) * LINE] = (uint16_t)(1000 * x + 100 * k + 50 + e);
        }
}

static void records_have_their_xcc(void **state)
{
    static setup_t s;
    static sdk_block_t block;
    sdk_dispatch_service_t service = {.buffer = (sdk_buffer_t *)&seen};
    hsa_ext_amd_aql_pm4_packet_t start, stop;
    bool found[XCCS][SAMPLES][ENGINES + CHANNELS] = {0};
    (void)state;
    set_up(&s);
    make_samples();
    block = (sdk_block_t){.config = &s.config, .agent = {7}, .service = &service};
    block.data.dispatch_info.dispatch_id = 9;
    assert_true(sdk_spm_make_packets(&s.config, &block, &start, &stop));
    assert_true(sdk_spm_begin(&block));
    sdk_spm_complete(&block);
    assert_int_equal(seen.turns, 1);
    assert_int_equal(seen.headers, 1);
    assert_int_equal(seen.count, RECORDS);
    assert_in_range(seen.pieces, 1, RECORDS);
    for (size_t i = 0; i < seen.count; i++) {
        const rocprofiler_spm_counter_record_t *r = &seen.records[i];
        const uint64_t x = ctr_instance_position(r->id, CTR_DIM_XCC),
                       e = ctr_instance_position(r->id, CTR_DIM_SHADER_ENGINE),
                       channel = ctr_instance_position(r->id, CTR_DIM_INSTANCE);
        const bool waves = ctr_instance_counter(r->id) == s.waves->id;
        assert_int_equal(r->dispatch_id, 9);
        assert_true(x < XCCS);
        const uint64_t k = (r->timestamp - 5000) / 8192, place = waves ? e : ENGINES + channel;
        assert_true(k < SAMPLES && place < ENGINES + CHANNELS);
        assert_int_equal(r->timestamp, 5000 + 8192 * k + x);
        assert_int_equal((uint64_t)r->value, 1000 * x + 100 * k + (waves ? 50 + e : channel));
        assert_false(found[x][k][place]);
        found[x][k][place] = true;
    }
    aqlprofile_spm_delete_packets(block.handle);
    sdk_spm_hsa_down();
    ctr_plan_destroy(s.plan);
    ctr_catalogue_destroy(s.catalogue);
    ctr_definitions_destroy(s.definitions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(records_have_their_xcc)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
