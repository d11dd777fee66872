/* objects.c - see objects.h. Keys are those of AMD's serialisation; the bits of words are those of
 * ROCr's thunk. */
#include "output/objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/sampling_names.h"
#include "trace/agent-fields.h"
#include "trace/names.h"
#include "trace/reader.h"
#include "trace/store.h"

/* sizeof of AMD's structures, which their serialisation writes first */
enum { AGENT_BYTES = 312, CODE_OBJECT_BYTES = 88, KERNEL_BYTES = 88, HOST_FUNCTION_BYTES = 120 };

typedef struct {
    const char *key;
    uint8_t first, bits;
} bits_t;

static const bits_t capability_bits[] = {
    {"HotPluggable", 0, 1},
    {"HSAMMUPresent", 1, 1},
    {"SharedWithGraphics", 2, 1},
    {"QueueSizePowerOfTwo", 3, 1},
    {"QueueSize32bit", 4, 1},
    {"QueueIdleEvent", 5, 1},
    {"VALimit", 6, 1},
    {"WatchPointsSupported", 7, 1},
    {"WatchPointsTotalBits", 8, 4},
    {"DoorbellType", 12, 2},
    {"AQLQueueDoubleMap", 14, 1},
    {"DebugTrapSupported", 15, 1},
    {"WaveLaunchTrapOverrideSupported", 16, 1},
    {"WaveLaunchModeSupported", 17, 1},
    {"PreciseMemoryOperationsSupported", 18, 1},
    {"DEPRECATED_SRAM_EDCSupport", 19, 1},
    {"Mem_EDCSupport", 20, 1},
    {"RASEventNotify", 21, 1},
    {"ASICRevision", 22, 4},
    {"SRAM_EDCSupport", 26, 1},
    {"SVMAPISupported", 27, 1},
    {"CoherentHostAccess", 28, 1},
    {"DebugSupportedFirmware", 29, 1},
};

static const bits_t sdma_bits[] = {{"uCodeSDMA", 0, 10}, {"uCodeRes", 10, 10}};
static const bits_t engine_bits[] = {
    {"uCode", 0, 10}, {"Major", 10, 6}, {"Minor", 16, 8}, {"Stepping", 24, 8}};

static void put_bits(out_json_t *j, const char *key, uint64_t word, const bits_t *rows,
                     size_t count)
{
    out_json_begin(j, key, '{');
    for (size_t i = 0; i < count; i++)
        out_json_unsigned(j, rows[i].key, word >> rows[i].first & ((1u << rows[i].bits) - 1));
    out_json_end(j, '}');
}

#define PUT_BITS(j, key, word, rows) put_bits(j, key, word, rows, sizeof(rows) / sizeof(*(rows)))

/* Writes the fields that have another key than their own name, or that stand inside an object. */
static void put_dimension(out_json_t *j, const out_agent_t *a, const char *key, unsigned field)
{
    static const char *const axes[] = {"x", "y", "z"};
    out_json_begin(j, key, '{');
    for (unsigned i = 0; i < 3; i++)
        out_json_unsigned(j, axes[i], out_agent_value(a, field + i));
    out_json_end(j, '}');
}

static void put_part_count(out_json_t *j, const out_agent_t *a, unsigned part)
{
    static const char *const keys[] = {[TRACE_AGENT_PART_BANK] = "mem_banks_count",
                                       [TRACE_AGENT_PART_CACHE] = "caches_count",
                                       [TRACE_AGENT_PART_LINK] = "io_links_count"};
    uint64_t count = 0;
    for (size_t i = 0; i < a->part_count; i++)
        if (a->parts[i]->part == part) count += a->parts[i]->rows;
    out_json_unsigned(j, keys[part], count);
}

static void put_field(out_json_t *j, const out_agent_t *a, const char *member, unsigned field,
                      char form)
{
    uint64_t value = out_agent_value(a, field);
    switch (field) {
    case TRACE_AGENT_Node_Id:
    case TRACE_AGENT_Logical_Node_Id:
    case TRACE_AGENT_Agent_Type:
    case TRACE_AGENT_Workgroup_Max_Dim_Y:
    case TRACE_AGENT_Workgroup_Max_Dim_Z:
    case TRACE_AGENT_Grid_Max_Dim_Y:
    case TRACE_AGENT_Grid_Max_Dim_Z: return; /* written elsewhere */
    case TRACE_AGENT_Sdma_Fw_Version: PUT_BITS(j, "sdma_fw_version", value, sdma_bits); return;
    case TRACE_AGENT_Fw_Version: PUT_BITS(j, "fw_version", value, engine_bits); return;
    case TRACE_AGENT_Capability: PUT_BITS(j, "capability", value, capability_bits); return;
    case TRACE_AGENT_Workgroup_Max_Dim_X: put_dimension(j, a, "workgroup_max_dim", field); return;
    case TRACE_AGENT_Grid_Max_Dim_X: put_dimension(j, a, "grid_max_dim", field); return;
    default: break;
    }
    if (form == 'S')
        out_json_signed(j, member, (int64_t)value);
    else
        out_json_unsigned(j, member, value);
    for (unsigned i = 0; field == TRACE_AGENT_Simd_Count && i < TRACE_AGENT_PART_VISIBLE; i++)
        put_part_count(j, a, i);
}

static const bits_t bank_flags[] = {{"HotPluggable", 0, 1}, {"NonVolatile", 1, 1}};
static const bits_t cache_types[] = {
    {"Data", 0, 1}, {"Instruction", 1, 1}, {"CPU", 2, 1}, {"HSACU", 3, 1}};
static const bits_t link_flags[] = {{"Override", 0, 1},
                                    {"NonCoherent", 1, 1},
                                    {"NoAtomics32bit", 2, 1},
                                    {"NoAtomics64bit", 3, 1},
                                    {"NoPeerToPeerDMA", 4, 1}};

typedef struct {
    const char *key;
    char form; /* U: a number; F: a word of bits */
} column_t;

/* The parts that an agent has several of, and groups of its fields. */
static const struct {
    const char *key;
    char bracket; /* [: an array of objects; {: one object; B: an object with an array of bytes */
    column_t columns[13];
    const bits_t *bits;
    size_t bit_count;
} parts[TRACE_AGENT_PART_COUNT] = {
#define X(key, member, form) {#key, #form[0]},
#define BITS(rows)           rows, sizeof(rows) / sizeof(*(rows))
    [TRACE_AGENT_PART_BANK] = {"mem_banks", '[', {TRACE_AGENT_BANK_FIELDS(X)}, BITS(bank_flags)},
    [TRACE_AGENT_PART_CACHE] = {"caches", '[', {TRACE_AGENT_CACHE_FIELDS(X)}, BITS(cache_types)},
    [TRACE_AGENT_PART_LINK] = {"io_links", '[', {TRACE_AGENT_LINK_FIELDS(X)}, BITS(link_flags)},
    [TRACE_AGENT_PART_VISIBLE] =
        {"runtime_visibility", '{', {TRACE_AGENT_VISIBLE_FIELDS(X)}, NULL, 0},
    [TRACE_AGENT_PART_UUID] = {"uuid", 'B', {{NULL, 0}}, NULL, 0},
#undef BITS
#undef X
};

static void put_columns(out_json_t *j, unsigned part, const uint64_t *row, uint32_t columns)
{
    const column_t *c = parts[part].columns;
    for (uint32_t i = 0; i < columns && c[i].key; i++) {
        if (c[i].form == 'F')
            put_bits(j, c[i].key, row[i], parts[part].bits, parts[part].bit_count);
        else
            out_json_unsigned(j, c[i].key, row[i]);
    }
}

static void put_part(out_json_t *j, const out_agent_t *a, unsigned part)
{
    char bracket = parts[part].bracket;
    out_json_begin(j, parts[part].key, bracket == '[' ? '[' : '{');
    if (bracket == 'B') out_json_begin(j, "bytes", '[');
    for (size_t i = 0; i < a->part_count; i++) {
        const trace_table_t *t = a->parts[i];
        for (uint64_t n = 0; t->part == part && n < t->rows; n++) {
            const uint64_t *row = trace_table_row(t, n);
            if (bracket == '[') out_json_begin(j, NULL, '{');
            if (bracket == 'B')
                out_json_unsigned(j, NULL, *row);
            else
                put_columns(j, part, row, t->columns);
            if (bracket == '[') out_json_end(j, '}');
        }
    }
    if (bracket == 'B') out_json_end(j, ']');
    out_json_end(j, bracket == '[' ? ']' : '}');
}

void out_object_agent(out_json_t *j, const out_agent_t *a)
{
    static const unsigned order[] = {TRACE_AGENT_PART_VISIBLE, TRACE_AGENT_PART_UUID,
                                     TRACE_AGENT_PART_BANK, TRACE_AGENT_PART_CACHE,
                                     TRACE_AGENT_PART_LINK};
    static const char *const text_keys[] = {
#define X(column, member) #member,
        TRACE_AGENT_TEXTS(X)
#undef X
    };
    const char *text = (const char *)a->record + a->record->text_offset;
    out_json_unsigned(j, "size", AGENT_BYTES);
    out_json_handle(j, "id", a->record->id);
    out_json_unsigned(j, "type", a->record->type);
#define X(column, member, form) put_field(j, a, #member, TRACE_AGENT_##column, #form[0]);
    TRACE_AGENT_FIELDS(X)
#undef X
    for (int i = 0; i < TRACE_AGENT_TEXT_COUNT; i++, text += strlen(text) + 1)
        out_json_text(j, text_keys[i], text);
    out_json_unsigned(j, "node_id", out_agent_value(a, TRACE_AGENT_Node_Id));
    out_json_signed(j, "logical_node_id", (int64_t)out_agent_value(a, TRACE_AGENT_Logical_Node_Id));
    out_json_signed(j, "logical_node_type_id", a->record->type_index);
    for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
        put_part(j, a, order[i]);
}

/* Values of rocprofiler_code_object_storage_type_t. */
enum { STORAGE_FILE = 1, STORAGE_MEMORY = 2 };

void out_object_code_object(out_json_t *j, const trace_code_object_t *c)
{
    bool memory = c->memory_size;
    out_json_unsigned(j, "size", CODE_OBJECT_BYTES);
    out_json_unsigned(j, "code_object_id", c->id);
    out_json_handle(j, "agent_id", c->agent);
    out_json_text(j, "uri", trace_record_text(&c->head, 0));
    out_json_unsigned(j, "load_base", c->load_base);
    out_json_unsigned(j, "load_size", c->load_size);
    out_json_signed(j, "load_delta", c->load_delta);
    out_json_unsigned(j, "storage_type", memory ? STORAGE_MEMORY : STORAGE_FILE);
    if (!memory) return;
    out_json_unsigned(j, "memory_base", c->memory_base);
    out_json_unsigned(j, "memory_size", c->memory_size);
}

static void put_name(out_json_t *j, const char *key, const char *symbol, trace_names_t form)
{
    char *name = trace_kernel_name(symbol, form);
    out_json_text(j, key, name ? name : symbol);
    free(name);
}

void out_object_kernel(out_json_t *j, const out_kernel_t *kernel)
{
    const trace_kernel_t *k = kernel->record;
    const char *symbol = trace_record_text(&k->head, 0);
    out_json_unsigned(j, "size", KERNEL_BYTES);
    out_json_unsigned(j, "kernel_id", k->id);
    out_json_unsigned(j, "code_object_id", k->code_object);
    out_json_text(j, "kernel_name", symbol);
    out_json_unsigned(j, "kernel_object", k->object);
    out_json_unsigned(j, "kernarg_segment_size", k->kernarg_bytes);
    out_json_unsigned(j, "kernarg_segment_alignment", k->kernarg_alignment);
    out_json_unsigned(j, "group_segment_size", k->group_bytes);
    out_json_unsigned(j, "private_segment_size", k->private_bytes);
    out_json_unsigned(j, "sgpr_count", k->sgprs);
    out_json_unsigned(j, "arch_vgpr_count", k->vgprs);
    out_json_unsigned(j, "accum_vgpr_count", k->agprs);
    out_json_signed(j, "kernel_code_entry_byte_offset", k->entry_offset);
    out_json_handle(j, "kernel_address", k->address);
    out_json_text(j, "formatted_kernel_name", kernel->name);
    put_name(j, "demangled_kernel_name", symbol, TRACE_NAMES_DEMANGLED);
    put_name(j, "truncated_kernel_name", symbol, TRACE_NAMES_TRUNCATED);
}

static void put_dim(out_json_t *j, const char *key, const uint32_t dim[3])
{
    out_json_begin(j, key, '{');
    out_json_unsigned(j, "x", dim[0]);
    out_json_unsigned(j, "y", dim[1]);
    out_json_unsigned(j, "z", dim[2]);
    out_json_end(j, '}');
}

void out_object_host_function(out_json_t *j, const out_host_function_t *function)
{
    const trace_host_function_t *f = function->record;
    const char *device = trace_record_text(&f->head, 0);
    out_json_unsigned(j, "size", HOST_FUNCTION_BYTES);
    out_json_unsigned(j, "host_function_id", f->id);
    out_json_unsigned(j, "kernel_id", f->kernel);
    out_json_unsigned(j, "code_object_id", f->code_object);
    out_json_handle(j, "host_function", f->function);
    out_json_handle(j, "modules", f->modules);
    out_json_text(j, "device_function", device);
    out_json_unsigned(j, "thread_limit", f->thread_limit);
    put_dim(j, "thread_ids", f->thread_ids);
    put_dim(j, "block_ids", f->block_ids);
    put_dim(j, "block_dims", f->block_dims);
    put_dim(j, "grid_dims", f->grid_dims);
    out_json_unsigned(j, "workgroup_size", f->workgroup_size);
    out_json_text(j, "formatted_host_function_name", function->name);
    put_name(j, "demangled_host_function_name", device, TRACE_NAMES_DEMANGLED);
    put_name(j, "truncated_host_function_name", device, TRACE_NAMES_TRUNCATED);
}

const char *out_machine(const out_model_t *m)
{
    const char *machine = out_model_info(m, TRACE_INFO_MACHINE);
    return *machine ? machine : out_model_info(m, TRACE_INFO_HOST);
}

/* The hash has 63 bits, because readers take ids for signed numbers. */
uint64_t out_machine_hash(const out_model_t *m)
{
    return out_hash(out_machine(m)) >> 1;
}

void out_object_place(out_json_t *j, uint64_t place)
{
    /* ORDER, widths and keys: rocprofiler_pc_sampling_hw_id_v0_t; one key ends with a blank */
    static const struct {
        const char *key;
        unsigned bits;
    } fields[] = {{"chiplet", 6},          {"wave_id", 7},       {"simd_id", 2},
                  {"pipe_id", 4},          {"cu_or_wgp_id", 4},  {"shader_array_id", 1},
                  {"shader_engine_id", 5}, {"workgroup_id ", 7}, {"vm_id", 6},
                  {"queue_id", 4},         {"microengine_id", 2}};
    for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
        out_json_unsigned(j, fields[i].key, place & ((UINT64_C(1) << fields[i].bits) - 1));
        place >>= fields[i].bits;
    }
}

/* ---- stochastic samples ---- */

#define NAME_OF(names, value) ((value) < sizeof(names) / sizeof(*(names)) ? (names)[value] : "")

const char *out_sampled_type(const trace_snapshot_t *s)
{
    static const char *const names[] = {BASE_SAMPLING_TYPES(BASE_SAMPLING_TYPE_TEXT)};
    return NAME_OF(names, s->instruction);
}

const char *out_sampled_reason(const trace_snapshot_t *s)
{
    static const char *const names[] = {BASE_SAMPLING_REASONS(BASE_SAMPLING_REASON_TEXT)};
    return NAME_OF(names, s->snapshot & 15);
}

void out_object_snapshot(out_json_t *j, const trace_snapshot_t *s)
{
    /* ORDER: as in AMD's files. The bits are those of rocprofiler_pc_sampling_snapshot_v0_t. */
    static const struct {
        const char *key;
        unsigned bit;
    } fields[] = {{"dual_issue_valu", 27},
                  {"arb_state_issue_valu", 5},
                  {"arb_state_issue_matrix", 6},
                  {"arb_state_issue_lds", 7},
                  {"arb_state_issue_lds_direct", 8},
                  {"arb_state_issue_scalar", 9},
                  {"arb_state_issue_vmem_tex", 10},
                  {"arb_state_issue_flat", 11},
                  {"arb_state_issue_exp", 12},
                  {"arb_state_issue_misc", 13},
                  {"arb_state_issue_brmsg", 14},
                  {"arb_state_stall_valu", 16},
                  {"arb_state_stall_matrix", 17},
                  {"arb_state_stall_lds", 18},
                  {"arb_state_stall_lds_direct", 19},
                  {"arb_state_stall_scalar", 20},
                  {"arb_state_stall_vmem_tex", 21},
                  {"arb_state_stall_flat", 22},
                  {"arb_state_stall_exp", 23},
                  {"arb_state_stall_misc", 24},
                  {"arb_state_stall_brmsg", 25}};
    out_json_text(j, "stall_reason", out_sampled_reason(s));
    for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
        out_json_unsigned(j, fields[i].key, s->snapshot >> fields[i].bit & 1);
}
