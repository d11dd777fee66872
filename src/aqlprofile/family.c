/* family.c - how each family of GPUs is programmed: its packets and the registers of counters in
 * general.
 *
 * It is apart because these are facts, as in AMD's library; internal.h and pm4.c describe the
 * words. share/gpus/architectures.tsv has the family of each GPU. */
#include "aqlprofile/internal.h"

/* GRBM_PERFCOUNTER and similar registers of later families have the same numbers as those of
 * gfx9. */
enum {
    SQ_PERFCOUNTER_CTRL2 = 0xd9e2,
    /* COPY_DATA, first word */
    FROM_PACKET = 5,
    TO_MEMORY = 5 << 8,
    TO_CACHED_MEMORY = 2 << 8, /* through the second-level cache */
    STREAMED = 1 << 13 | 1 << 25,
    TEMPORAL = 3 << 13 | 3 << 25, /* cache policy of source and destination on gfx12 */
    /* ACQUIRE_MEM: CP_COHER_CNTL of gfx9, GCR_CNTL of later families */
    COHER_ALL = 1 << 18 | 1 << 22 | 1 << 23 | 1 << 27 | 1 << 29,
    GCR_GL2_WRITE_BACK = 1 << 15,
    GCR_IN_ORDER = 1 << 16, /* from the first-level cache to the second */
    /* CP_PERFMON_CNTL */
    STOP_AND_SAMPLE = AQL_PERFMON_STOP | 1 << 10,
    /* INDIRECT_BUFFER */
    COMMANDS_STREAMED = 1 << 28,
    COMMANDS_TEMPORAL = 3 << 28,
    /* SQ_PERFCOUNTER_CTRL2 */
    ALL_VMIDS = 1 | 0xffff << 1, /* counts even if counting is disabled */
};

const aql_family_t aql_family_gfx9 = {
    .copy_value = FROM_PACKET,
    .copy_register = STREAMED | TO_MEMORY,
    .flushed_caches = COHER_ALL,
    .command_policy = COMMANDS_STREAMED,
    .clock_control = AQL_RLC_PERFMON_CLK_CNTL,
    .perfmon_stop = AQL_PERFMON_STOP,
    .sq_mask = AQL_SQ_PERFCOUNTER_MASK,
    .sq_waves = 0xffff0057, /* all VMIDs, all stages but ES and LS, which gfx9 merged with others */
    .sq_texture = 0xffff007f, /* all VMIDs, all stages */
    .trace = &aql_trace_gfx9,
};

const aql_family_t aql_family_gfx10 = {
    .copy_value = FROM_PACKET,
    .copy_register = TO_CACHED_MEMORY,
    .flush_control = GCR_GL2_WRITE_BACK | GCR_IN_ORDER,
    .command_policy = COMMANDS_STREAMED,
    .perfmon_stop = AQL_PERFMON_STOP,
    .sq_waves = 0x57,
    .sq_texture = 0x7f,
    .reads_grbm = true,
    .trace = &aql_trace_gfx10,
};

const aql_family_t aql_family_gfx11 = {
    .copy_value = FROM_PACKET,
    .copy_register = TO_CACHED_MEMORY,
    .flush_control = GCR_GL2_WRITE_BACK | GCR_IN_ORDER,
    .command_policy = COMMANDS_STREAMED,
    .perfmon_stop = AQL_PERFMON_STOP,
    .sq_waves = 0x55, /* PS, GS, HS and CS, which are all stages */
    .sq_texture = 0x55,
    .sq_control2 = SQ_PERFCOUNTER_CTRL2,
    .sq_control2_value = ALL_VMIDS,
    .trace = &aql_trace_gfx11,
};

const aql_family_t aql_family_gfx12 = {
    .copy_value = TEMPORAL | FROM_PACKET,
    .copy_register = TEMPORAL | TO_CACHED_MEMORY,
    .flush_control = GCR_GL2_WRITE_BACK | GCR_IN_ORDER,
    .command_policy = COMMANDS_TEMPORAL,
    .perfmon_stop = STOP_AND_SAMPLE,
    .sq_waves = 0x55,
    .sq_texture = 0x55,
    .sq_control2 = SQ_PERFCOUNTER_CTRL2,
    .sq_control2_value = ALL_VMIDS,
    .trace = &aql_trace_gfx12,
};
