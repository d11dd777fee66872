/* samples_test.c - raw PC samples become records: which dispatch, which code object, which place.
 *
 * Stands in for the runtime and for the rest of the library. Raw samples are written here as the
 * runtime's trap handler leaves them (hsa_ven_amd_pc_sampling.h). */
#include "sdk/pc_sampling/sampling.h"

#include "gpus/gpus.h"
#include "hsa/lane.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { QUEUE_SIZE = 8, DOORBELL = 77, RECORDS = 2000 };

static struct {
    rocprofiler_pc_sampling_record_host_trap_v0_t records[RECORDS];
    rocprofiler_pc_sampling_record_stochastic_v0_t stochastic[RECORDS];
    uint32_t kind;
    size_t count;
    unsigned flushes;
    uint64_t read_index;
    bool forked;
    uint64_t retired[8]; /* ends of dispatches whose ids are through */
    unsigned retirements;
} seen;

/* ---- what samples.c calls ---- */

hsax_tables_t hsax;

uint64_t sdk_dispatch_external(const sdk_context_t *context, const sdk_operation_t *operation)
{
    (void)context;
    return 1000 + operation->internal;
}

bool sdk_buffer_emit(sdk_buffer_t *buffer, uint32_t category, uint32_t kind, const void *record,
                     size_t size)
{
    (void)buffer;
    assert_true(sdk_pcs_receiving());
    assert_int_equal(category, ROCPROFILER_BUFFER_CATEGORY_PC_SAMPLING);
    assert_true(seen.count < RECORDS);
    seen.kind = kind;
    switch (kind) {
    case ROCPROFILER_PC_SAMPLING_RECORD_HOST_TRAP_V0_SAMPLE:
        assert_int_equal(size, sizeof seen.records[0]);
        memcpy(&seen.records[seen.count++], record, size);
        return true;
    case ROCPROFILER_PC_SAMPLING_RECORD_STOCHASTIC_V0_SAMPLE:
        assert_int_equal(size, sizeof seen.stochastic[0]);
        memcpy(&seen.stochastic[seen.count++], record, size);
        return true;
    default:
        assert_int_equal(kind, ROCPROFILER_PC_SAMPLING_RECORD_INVALID_SAMPLE);
        assert_int_equal(size, sizeof(rocprofiler_pc_sampling_record_invalid_t));
        assert_int_equal(*(const uint64_t *)record, size);
        seen.count++;
        return true;
    }
}

uint64_t hsax_clock_ns(uint64_t ticks)
{
    return ticks + 5;
}

bool hsax_forked(void)
{
    return seen.forked;
}

bool sdk_attachable(void)
{
    return false;
}

bool sdk_pcs_configured(void)
{
    return true;
}

static void flush(sdk_pcs_session_t *of);

bool sdk_pcs_flush_session(sdk_pcs_session_t *session)
{
    flush(session);
    return true;
}

void sdk_pcs_flush(void)
{
    seen.flushes++;
}

/* As the service does, for a runtime that hands over nothing more. */
static void flush(sdk_pcs_session_t *of)
{
    sdk_pcs_overs_t overs = sdk_pcs_take_overs(of);
    seen.flushes++;
    sdk_pcs_retire(overs);
}

void sdk_retirement_release(sdk_reference_t *reference, uint64_t end)
{
    assert_non_null(reference);
    assert_true(seen.retirements < 8);
    seen.retired[seen.retirements++] = end;
}

static uint64_t read_index(const hsa_queue_t *queue)
{
    (void)queue;
    return seen.read_index;
}

/* ---- the bench ---- */

typedef struct {
    uint64_t pc, exec_mask;
    uint32_t group[3], wave, hw_id, snapshot[3];
    uint64_t timestamp;
    uint32_t packet, doorbell;
} raw_t;

static sdk_pcs_session_t session;
static sdk_buffer_t buffer;
static amd_signal_t doorbells[2];
static hsa_queue_t queues[2];

/* The session samples a GPU with this gfx target version, by this method. */
static void sampled(uint32_t gfx, rocprofiler_pc_sampling_method_t method)
{
    static sdk_pcs_way_t way;
    const rocprofiler_agent_v0_t agent = {.gfx_target_version = gfx};
    way.method = method;
    session.way = &way;
    session.format = sdk_pcs_format(&agent);
    assert_non_null(session.format);
}

static int set_up(void **state)
{
    (void)state;
    memset(&seen, 0, sizeof seen);
    memset(&session, 0, sizeof session);
    memset(&buffer, 0, sizeof buffer);
    hsax.core.hsa_queue_load_read_index_scacquire_fn = read_index;
    session.buffer = &buffer;
    sampled(90010, ROCPROFILER_PC_SAMPLING_METHOD_HOST_TRAP);
    session.hsa = 4242;
    session.received = malloc(SDK_PCS_BUFFER);
    pthread_mutex_init(&session.receive, NULL);
    for (unsigned i = 0; i < 2; i++) {
        /* the second queue has the doorbell of the first, which has gone */
        doorbells[i].hardware_doorbell_ptr = (void *)(uintptr_t)(0x7f0000002000 + 8 * DOORBELL);
        queues[i].doorbell_signal.handle = (uintptr_t)&doorbells[i];
        queues[i].size = QUEUE_SIZE << i;
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    sdk_pcs_forget(&session);
    free(session.received);
    return 0;
}

static void place(unsigned queue, uint64_t dispatch, uint64_t packet)
{
    _Alignas(64) hsax_item_t item = {0};
    const sdk_operation_t operation = {.internal = 100 + dispatch};
    sdk_dispatch_t d = {.item = &item, .data.dispatch_info.dispatch_id = dispatch};
    assert_ptr_equal(sdk_pcs_begin(&session, &d, &operation), &session);
    assert_true(item.special);
    assert_ptr_equal(item.mark, &d.mark);
    sdk_pcs_placed(&d.mark, &queues[queue], packet);
}

/* A dispatch of the session is over; true if the session keeps the reference to its id, if any. */
static bool over(sdk_reference_t *reference, uint64_t end)
{
    sdk_dispatch_t d = {.reference = reference, .data.end_timestamp = end};
    sdk_pcs_over(&session, &d);
    if (d.reference) sdk_retirement_release(d.reference, end); /* as its owner does */
    return reference && !d.reference;
}

static raw_t raw_of(uint64_t pc, uint32_t packet)
{
    return (raw_t){.pc = pc, .packet = packet, .doorbell = DOORBELL};
}

static hsa_status_t copy(void *from, size_t bytes, void *to)
{
    if (!from) return HSA_STATUS_ERROR;
    memcpy(to, from, bytes);
    return HSA_STATUS_SUCCESS;
}

static void receive(raw_t *samples, size_t count, size_t lost)
{
    sdk_pcs_receive(&session, count * sizeof *samples, lost, copy, samples);
}

static void load(uint64_t id, uint64_t agent, uint64_t base, bool unload)
{
    const hsax_code_object_t object = {
        .id = id, .agent = {agent}, .load_base = base, .load_size = 0x1000};
    sdk_pcs_code_object(&object, unload);
}

/* ---- tests ---- */

static void everything_of_a_sample(void **state)
{
    (void)state;
    load(8, 4243, 0x10000, false); /* the same address on another agent */
    load(7, 4242, 0x10000, false);
    place(0, 3, 21);
    raw_t raw = raw_of(0x10040, 21 % QUEUE_SIZE);
    raw.exec_mask = 0xf0f0;
    raw.group[0] = 9;
    raw.group[1] = 8;
    raw.group[2] = 7;
    raw.wave = 5 | 3 << 8; /* wave 5 on chiplet 3 */
    raw.timestamp = 1000;
    /* wave 10, SIMD 2, pipe 1, CU 13, SH 1, SE 6, workgroup slot 11, VMID 9, queue 5, ME 2 */
    raw.hw_id = 10 | 2 << 4 | 1 << 6 | 13 << 8 | 1 << 12 | 6 << 13 | 11 << 16 | 9 << 20 | 5 << 24 |
                2u << 30;
    receive(&raw, 1, 0);
    assert_int_equal(seen.count, 1);
    assert_false(sdk_pcs_receiving());
    const rocprofiler_pc_sampling_record_host_trap_v0_t *r = &seen.records[0];
    assert_int_equal(r->size, sizeof *r);
    assert_int_equal(r->pc.code_object_id, 7);
    assert_int_equal(r->pc.code_object_offset, 0x40);
    assert_int_equal(r->exec_mask, 0xf0f0);
    assert_int_equal(r->timestamp, 1005);
    assert_int_equal(r->dispatch_id, 3);
    assert_int_equal(r->correlation_id.internal, 103);
    assert_int_equal(r->correlation_id.external.value, 1103);
    assert_int_equal(r->workgroup_id.x, 9);
    assert_int_equal(r->workgroup_id.y, 8);
    assert_int_equal(r->workgroup_id.z, 7);
    assert_int_equal(r->wave_in_group, 5);
    assert_int_equal(r->hw_id.chiplet, 3);
    assert_int_equal(r->hw_id.wave_id, 10);
    assert_int_equal(r->hw_id.simd_id, 2);
    assert_int_equal(r->hw_id.pipe_id, 1);
    assert_int_equal(r->hw_id.cu_or_wgp_id, 13);
    assert_int_equal(r->hw_id.shader_array_id, 1);
    assert_int_equal(r->hw_id.shader_engine_id, 6);
    assert_int_equal(r->hw_id.workgroup_id, 11);
    assert_int_equal(r->hw_id.vm_id, 9);
    assert_int_equal(r->hw_id.queue_id, 5);
    assert_int_equal(r->hw_id.microengine_id, 2);
    load(7, 4242, 0x10000, true);
    load(8, 4243, 0x10000, true);
}

/* A snapshot's bits, and those of the arbiter: matrix and LDS issued, LDS stalled. */
static void a_snapshot(void **state)
{
    (void)state;
    sampled(90402, ROCPROFILER_PC_SAMPLING_METHOD_STOCHASTIC);
    load(7, 4242, 0x10000, false);
    place(0, 3, 21);
    raw_t raw[3] = {raw_of(0x10040, 21 % QUEUE_SIZE), raw_of(0x10044, 21 % QUEUE_SIZE),
                    raw_of(0x10048, 21 % QUEUE_SIZE)};
    raw[0].snapshot[0] = 1 | 1 << 1 | 9 << 3 | (1 << 6 | 1 << 3) << 10 | 1 << 3 << 18;
    raw[0].snapshot[1] = 1u << 31 | 17; /* bit 31 means nothing on this GPU */
    raw[0].wave = 5 | 3 << 8;
    raw[1].snapshot[0] = 1 | 2 << 7;           /* waits for a counter */
    raw[2].snapshot[0] = 1 | 1 << 1 | 1 << 26; /* the hardware could not take it whole */
    receive(raw, 3, 0);
    assert_int_equal(seen.count, 3);
    assert_int_equal(seen.kind, ROCPROFILER_PC_SAMPLING_RECORD_INVALID_SAMPLE);
    const rocprofiler_pc_sampling_record_stochastic_v0_t *r = &seen.stochastic[0];
    assert_int_equal(r->size, sizeof *r);
    assert_int_equal(r->flags.has_memory_counter, 0);
    assert_int_equal(r->pc.code_object_id, 7);
    assert_int_equal(r->pc.code_object_offset, 0x40);
    assert_int_equal(r->dispatch_id, 3);
    assert_int_equal(r->hw_id.chiplet, 3);
    assert_int_equal(r->wave_in_group, 5);
    assert_int_equal(r->wave_count, 17);
    assert_int_equal(r->wave_issued, 1);
    assert_int_equal(r->inst_type, ROCPROFILER_PC_SAMPLING_INSTRUCTION_TYPE_BRANCH_NOT_TAKEN);
    assert_int_equal(r->snapshot.arb_state_issue_matrix, 1);
    assert_int_equal(r->snapshot.arb_state_issue_lds, 1);
    assert_int_equal(r->snapshot.arb_state_issue_valu, 0);
    assert_int_equal(r->snapshot.arb_state_stall_lds, 1);
    assert_int_equal(r->snapshot.arb_state_stall_matrix, 0);
    r = &seen.stochastic[1];
    assert_int_equal(r->wave_issued, 0);
    assert_int_equal(r->snapshot.reason_not_issued,
                     ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_WAITCNT);
    load(7, 4242, 0x10000, true);
}

/* gfx950 says when the PC is two dwords behind the beginning of a long instruction. */
static void a_pc_inside_an_instruction(void **state)
{
    (void)state;
    sampled(90500, ROCPROFILER_PC_SAMPLING_METHOD_STOCHASTIC);
    load(7, 4242, 0x10000, false);
    raw_t raw = raw_of(0x10048, 0);
    raw.snapshot[0] = 1;
    raw.snapshot[1] = 1u << 31;
    receive(&raw, 1, 0);
    assert_int_equal(seen.stochastic[0].pc.code_object_offset, 0x40);
    load(7, 4242, 0x10000, true);
}

/* Each GPU has fields of its own in HW_ID; there are GPUs whose samples nobody can read. */
static void gpus(void **state)
{
    (void)state;
    sampled(120001, ROCPROFILER_PC_SAMPLING_METHOD_HOST_TRAP);
    raw_t raw = raw_of(0, 0);
    /* wave 17, queue 9, WGP 13, SIMD 2, SA 1, ME 1, SE 3, pipe 2, workgroup slot 21, VMID 12 */
    raw.hw_id = 17 | 9 << 5 | 13 << 10 | 2 << 14 | 1 << 16 | 1 << 17 | 3 << 18 | 2 << 20 |
                21 << 23 | 12u << 28;
    receive(&raw, 1, 0);
    const rocprofiler_pc_sampling_hw_id_v0_t *id = &seen.records[0].hw_id;
    assert_int_equal(id->wave_id, 17);
    assert_int_equal(id->queue_id, 9);
    assert_int_equal(id->cu_or_wgp_id, 13);
    assert_int_equal(id->simd_id, 2);
    assert_int_equal(id->shader_array_id, 1);
    assert_int_equal(id->microengine_id, 1);
    assert_int_equal(id->shader_engine_id, 3);
    assert_int_equal(id->pipe_id, 2);
    assert_int_equal(id->workgroup_id, 21);
    assert_int_equal(id->vm_id, 12);
    const rocprofiler_agent_v0_t unknown = {.gfx_target_version = 110000};
    assert_null(sdk_pcs_format(&unknown));
}

/* What the table of GPUs says of a GPU's sampling is what can be read: each of its ways, and no
 * other. */
static void tables_agree(void **state)
{
    (void)state;
    unsigned sampled_gpus = 0;
    for (size_t i = 0; i < gpus_count(); i++) {
        const gpus_arch_t *gpu = gpus_at(i);
        const rocprofiler_agent_v0_t agent = {.gfx_target_version = gpu->target};
        const sdk_pcs_format_t *format = sdk_pcs_format(&agent);
        uint32_t ways = 0;
        if (format && format->version[ROCPROFILER_PC_SAMPLING_METHOD_HOST_TRAP])
            ways |= GPUS_SAMPLING_HOST_TRAP;
        if (format && format->version[ROCPROFILER_PC_SAMPLING_METHOD_STOCHASTIC])
            ways |= GPUS_SAMPLING_STOCHASTIC;
        if (ways != gpu->sampling)
            fail_msg("%s: %u can be read, the table has %u", gpu->name, ways, gpu->sampling);
        sampled_gpus += ways != 0;
    }
    assert_int_equal(sampled_gpus, 7); /* gfx90a, gfx940 to gfx942, gfx950, gfx1200, gfx1201 */
}

static void what_is_not_known(void **state)
{
    (void)state;
    load(7, 4242, 0x10000, false);
    raw_t raw[3] = {raw_of(0x11000, 1), raw_of(0xffff, 1), raw_of(0x10fff, 1)};
    receive(raw, 3, 0);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(seen.records[i].dispatch_id, 0);
        assert_int_equal(seen.records[i].correlation_id.internal, 0);
    }
    assert_int_equal(seen.records[0].pc.code_object_id, 0);
    assert_int_equal(seen.records[0].pc.code_object_offset, 0x11000);
    assert_int_equal(seen.records[1].pc.code_object_id, 0);
    assert_int_equal(seen.records[2].pc.code_object_id, 7);
    /* before an object goes its samples are asked for; afterwards there are addresses */
    load(7, 4242, 0x10000, true);
    assert_int_equal(seen.flushes, 1);
    receive(&raw[2], 1, 0);
    assert_int_equal(seen.records[3].pc.code_object_id, 0);
}

/* A place in the ring is used again only after the samples of the dispatch before were asked for.
 */
static void the_ring_goes_round(void **state)
{
    (void)state;
    for (uint64_t packet = 40; packet < 40 + QUEUE_SIZE; packet++)
        place(0, packet, packet);
    assert_int_equal(seen.flushes, 0);
    seen.read_index = 45;
    place(0, 48, 48); /* in the place of packet 40 */
    assert_int_equal(seen.flushes, 1);
    place(0, 49, 49); /* those below 45 are over */
    place(0, 52, 52);
    assert_int_equal(seen.flushes, 1);
    place(0, 53, 53); /* in the place of packet 45 */
    assert_int_equal(seen.flushes, 2);
    raw_t raw[2] = {raw_of(0, 53 % QUEUE_SIZE), raw_of(0, 46 % QUEUE_SIZE)};
    receive(raw, 2, 0);
    assert_int_equal(seen.records[0].dispatch_id, 53);
    assert_int_equal(seen.records[1].dispatch_id, 46);
}

static void a_doorbell_is_used_again(void **state)
{
    (void)state;
    place(0, 1, 3);
    place(1, 2, 4); /* of another queue, and of another size */
    assert_int_equal(seen.flushes, 1);
    raw_t raw[2] = {raw_of(0, 3), raw_of(0, 4)};
    receive(raw, 2, 0);
    assert_int_equal(seen.records[0].dispatch_id, 0);
    assert_int_equal(seen.records[1].dispatch_id, 2);
}

/* received = written + dropped: what is not written is counted. */
static void losses(void **state)
{
    (void)state;
    static raw_t many[RECORDS - 1];
    receive(many, RECORDS - 1, 17);
    assert_int_equal(seen.count, RECORDS - 1);
    assert_int_equal(buffer.unringed_drops, 17);
    sdk_pcs_receive(&session, 3 * sizeof(raw_t), 0, copy, NULL);
    assert_int_equal(buffer.unringed_drops, 20);
    sdk_pcs_receive(&session, 0, 2, copy, NULL);
    assert_int_equal(buffer.unringed_drops, 22);
    seen.forked = true;
    receive(many, 1, 1);
    assert_int_equal(seen.count, RECORDS - 1);
    assert_int_equal(buffer.unringed_drops, 22);
}

/* An id is through when what the runtime has had at its dispatch's end has been handed over. */
static void ids_retire_last(void **state)
{
    (void)state;
    sdk_reference_t *const any = (sdk_reference_t *)&seen;
    raw_t raw = raw_of(0, 1);
    place(0, 1, 1);
    assert_false(over(NULL, 10)); /* nobody follows it */
    assert_true(over(any, 11));
    receive(&raw, 1, 0); /* some samples, perhaps not the last */
    assert_int_equal(seen.retirements, 0);
    sdk_pcs_overs_t overs = sdk_pcs_take_overs(&session);
    assert_true(over(any, 12)); /* ends while the runtime is asked: its turn is the next time */
    sdk_pcs_retire(overs);
    assert_int_equal(seen.retirements, 1);
    assert_int_equal(seen.retired[0], 11);
    for (uint64_t packet = 2; packet < 2 + QUEUE_SIZE; packet++)
        place(0, packet, packet); /* asks when a place is used again */
    assert_int_equal(seen.flushes, 1);
    assert_int_equal(seen.retirements, 2);
    assert_true(over(any, 13));
    sdk_pcs_forget(&session); /* HSA is down: there are no more samples */
    assert_int_equal(seen.retirements, 3);
    session.hsa = 0;
    assert_false(over(any, 14)); /* no longer sampled */
    assert_int_equal(seen.retirements, 4);
    assert_int_equal(seen.retired[3], 14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(everything_of_a_sample, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_snapshot, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_pc_inside_an_instruction, set_up, tear_down),
        cmocka_unit_test_setup_teardown(gpus, set_up, tear_down),
        cmocka_unit_test(tables_agree),
        cmocka_unit_test_setup_teardown(what_is_not_known, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_ring_goes_round, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_doorbell_is_used_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(losses, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ids_retire_last, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
