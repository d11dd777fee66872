/* counters.h - hardware counters and the metrics computed from them: definitions, plans, values.
 *
 * It is the only interface of this room, for both generations of the profiler. Three steps lead to
 * values:
 *
 *   definitions  names, blocks, events and expressions of all GPUs, from the built-in tables, AMD's
 *                counter_defs.yaml, or the first generation's XML;
 *   catalogue    the definitions of one GPU architecture, numbered, checked and compiled;
 *   plan         the hardware events that some wanted counters need on one agent, divided into
 *                passes that fit the hardware. It also turns raw values into the wanted ones.
 *
 * Agents are described to this room by ctr_agent_t; it uses neither HSA nor the profiler's API.
 *
 * Thread safety: a plan, and a catalogue to which nothing is being added, may be used by any number
 * of threads at once. While ctr_catalogue_add(), _event() or _instance() runs, no other thread may
 * use the catalogue; counters already there do not move and stay valid until
 * ctr_catalogue_destroy(). There is no global state. */
#ifndef CROCPROF_COUNTERS_COUNTERS_H
#define CROCPROF_COUNTERS_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpus/gpus.h"

/* ---- errors ------------------------------------------------------------------------------- */

typedef enum {
    CTR_OK = 0,
    CTR_NO_MEMORY,
    CTR_BAD_FILE, /* a file that cannot be read */
    CTR_BAD_TEXT, /* not YAML, not XML, or not of the schema */
    CTR_BAD_EXPRESSION,
    CTR_NOT_FOUND, /* there is no such counter, architecture or agent property */
    CTR_DUPLICATE, /* the name is already in use */
    CTR_TOO_MANY,  /* more counters than a block has */
} ctr_status_t;

/* What went wrong, and where. `text` is complete ("file:line:column: what, value and limit") and
 * has one line; line and column are 0 if the error has no place in a file. Every function that
 * takes a ctr_error_t accepts NULL, and leaves it unchanged when it succeeds. */
typedef struct {
    ctr_status_t status;
    uint32_t line, column;
    char text[1500]; /* enough for a proposal of passes for some 70 metrics */
} ctr_error_t;

/* Called once for every entry that is left out; the other entries are kept. If it is NULL,
 * base_warning() is used. */
typedef void (*ctr_report_t)(const ctr_error_t *error, void *user);

/* ---- dimensions --------------------------------------------------------------------------- */

/* Numbers and order as in AMD's library (its name is "DIMENSION_" and the name given here). */
#define CTR_DIMENSIONS(X)                                                                          \
    X(NONE, 48, 0) /* all dimensions as one number */                                              \
    X(XCC, 6, 0)                                                                                   \
    X(AID, 6, 6)                                                                                   \
    X(SHADER_ENGINE, 6, 12)                                                                        \
    X(AGENT, 6, 18)                                                                                \
    X(SHADER_ARRAY, 6, 24)                                                                         \
    X(WGP, 6, 30)                                                                                  \
    X(INSTANCE, 10, 36)

typedef enum {
#define CTR_X(name, bits, shift) CTR_DIM_##name,
    CTR_DIMENSIONS(CTR_X)
#undef CTR_X
        CTR_DIM_COUNT
} ctr_dim_t;

/* Returns "DIMENSION_XCC" etc.; NULL for a number that is no dimension. */
const char *ctr_dim_name(ctr_dim_t dim);

/* Extent of a counter in each dimension; 0: the counter does not have this dimension, which then
 * counts as one position. A counter without any dimension has INSTANCE of 1. Values of a counter
 * are stored in the order of the dimensions, with the last one (INSTANCE) varying fastest. */
typedef struct {
    uint16_t extent[CTR_DIM_COUNT]; /* [CTR_DIM_NONE] is always 0 */
} ctr_shape_t;

/* Returns the number of values of a counter of this shape, at least 1. */
size_t ctr_shape_size(const ctr_shape_t *shape);
/* Returns the index of the value at `position`. Positions in dimensions that the shape lacks are
 * ignored; SIZE_MAX if another one is outside its extent. */
size_t ctr_shape_index(const ctr_shape_t *shape, const uint32_t position[CTR_DIM_COUNT]);
/* The inverse: computes the position of the value at `index`. */
void ctr_shape_position(const ctr_shape_t *shape, size_t index, uint32_t position[CTR_DIM_COUNT]);

/* Makes a rocprofiler_counter_instance_id_t: the counter's id in bits 63-48, below it one field per
 * dimension as in CTR_DIMENSIONS. Values too large for their field lose their high bits. */
uint64_t ctr_instance_pack(uint32_t counter_id, const uint32_t position[CTR_DIM_COUNT]);
/* Calls ctr_instance_pack() for the value at `index` of a counter of this shape. */
uint64_t ctr_instance_id(uint32_t counter_id, const ctr_shape_t *shape, size_t index);
uint32_t ctr_instance_counter(uint64_t instance);
/* Returns the position in one dimension; CTR_DIM_NONE returns all 48 bits, a number that is no
 * dimension 0. */
uint64_t ctr_instance_position(uint64_t instance, ctr_dim_t dim);

/* ---- agents ------------------------------------------------------------------------------- */

/* Properties of an agent that expressions may name: fields of rocprofiler_agent_t. */
#define CTR_PROPERTIES(X)                                                                          \
    X(cpu_cores_count)                                                                             \
    X(simd_count)                                                                                  \
    X(mem_banks_count)                                                                             \
    X(caches_count)                                                                                \
    X(io_links_count)                                                                              \
    X(cpu_core_id_base)                                                                            \
    X(simd_id_base)                                                                                \
    X(max_waves_per_simd)                                                                          \
    X(lds_size_in_kb)                                                                              \
    X(gds_size_in_kb)                                                                              \
    X(num_gws)                                                                                     \
    X(wave_front_size)                                                                             \
    X(num_xcc)                                                                                     \
    X(cu_count)                                                                                    \
    X(array_count)                                                                                 \
    X(num_shader_banks)                                                                            \
    X(simd_arrays_per_engine)                                                                      \
    X(cu_per_simd_array)                                                                           \
    X(simd_per_cu)                                                                                 \
    X(max_slots_scratch_cu)                                                                        \
    X(gfx_target_version)                                                                          \
    X(vendor_id)                                                                                   \
    X(device_id)                                                                                   \
    X(location_id)                                                                                 \
    X(domain)                                                                                      \
    X(drm_render_minor)                                                                            \
    X(num_sdma_engines)                                                                            \
    X(num_sdma_xgmi_engines)                                                                       \
    X(num_sdma_queues_per_engine)                                                                  \
    X(num_cp_queues)                                                                               \
    X(max_engine_clk_ccompute)                                                                     \
    X(max_engine_clk_fcompute)                                                                     \
    X(cu_per_engine)                                                                               \
    X(max_waves_per_cu)                                                                            \
    X(workgroup_max_size)                                                                          \
    X(grid_max_size)                                                                               \
    X(local_mem_size)                                                                              \
    X(hive_id)                                                                                     \
    X(gpu_id)                                                                                      \
    X(family_id)                                                                                   \
    X(fw_version)                                                                                  \
    X(sdma_fw_version)

/* The properties of an agent that expressions and plans use. The caller assigns the fields; unknown
 * ones stay 0. */
enum { CTR_BLOCK_IDS = 64 }; /* more than there are block numbers in the aqlprofile interfaces */
typedef struct {
#define CTR_X(name) uint64_t name;
    CTR_PROPERTIES(CTR_X)
#undef CTR_X
    /* By block_id: how many counters of the block can count at once, as the AQL profile library
     * reports for this agent (BLOCK_COUNTERS); 0: as many as the architecture has. */
    uint32_t slots[CTR_BLOCK_IDS];
} ctr_agent_t;

/* Returns the agent for a product. */
ctr_agent_t ctr_agent_of_product(const gpus_product_t *product);

/* ---- definitions -------------------------------------------------------------------------- */

typedef struct ctr_definitions ctr_definitions_t;

typedef enum {
    CTR_FORMAT_AUTO, /* XML if the first character that is not a blank is '<', else YAML */
    CTR_FORMAT_YAML, /* AMD's counter_defs.yaml, both schemas */
    CTR_FORMAT_XML,  /* metrics.xml, gfx_metrics.xml, basic_counters.xml, also with unquoted
                      * attributes */
} ctr_format_t;

/* Returns empty definitions; NULL without memory. */
ctr_definitions_t *ctr_definitions_create(void);
void ctr_definitions_destroy(ctr_definitions_t *definitions);

/* Adds the built-in definitions. */
ctr_status_t ctr_definitions_add_builtin(ctr_definitions_t *definitions);

/* Adds the definitions of a text. A definition replaces an earlier one of the same name and
 * architecture; only if both are in this text is that reported, as CTR_DUPLICATE. `origin` is the
 * text's name in messages. `text` need not end in 0 and may be freed afterwards. Faulty entries are
 * passed to `report`; the result, with `error`, is a failure only if the text as a whole could not
 * be read. */
ctr_status_t ctr_definitions_add_text(ctr_definitions_t *definitions, ctr_format_t format,
                                      const char *text, size_t size, const char *origin,
                                      ctr_report_t report, void *user, ctr_error_t *error);
/* The same for a file. An XML file may include others in its folder: #include "file". */
ctr_status_t ctr_definitions_add_file(ctr_definitions_t *definitions, ctr_format_t format,
                                      const char *path, ctr_report_t report, void *user,
                                      ctr_error_t *error);

/* ---- catalogue ---------------------------------------------------------------------------- */

typedef struct ctr_catalogue ctr_catalogue_t;
typedef struct ctr_program ctr_program_t;

typedef enum { CTR_HARDWARE, CTR_DERIVED, CTR_CONSTANT } ctr_kind_t;

/* How softgpu obtains the value (docs/counter-definitions.md). A derived counter has the weakest
 * class of its inputs; hardware counters that softgpu does not count have NONE. */
typedef enum {
    CTR_CLASS_NONE,
    CTR_CLASS_EXACT,       /* follows from the executed instructions */
    CTR_CLASS_CACHE_MODEL, /* from the modelled caches */
    CTR_CLASS_TIMING_MODEL,
    CTR_CLASS_UNAVAILABLE, /* a compute GPU never counts this: always 0 */
} ctr_class_t;

/* Returns "exact", "cache-model", "timing-model", "unavailable" or "". */
const char *ctr_class_name(ctr_class_t value_class);

typedef struct {
    uint32_t id; /* first_id of the catalogue + index */
    ctr_kind_t kind;
    ctr_class_t value_class;
    const char *name;
    const char *description; /* never NULL, like all texts here */
    const char *block;       /* "SQ"; empty unless it is a hardware counter */
    const char *expression;  /* as written; empty unless it is a derived counter */
    uint32_t block_id;       /* number in the aqlprofile interfaces; UINT32_MAX if the block is
                              * unknown */
    uint32_t event;          /* select value, low 32 bits of the definition */
    uint32_t event_flags;    /* high 32 bits of the definition: aqlprofile_pmc_event_flags_t.raw */
    uint32_t index;          /* index in the catalogue */
    const ctr_program_t *program; /* only for derived counters */
} ctr_counter_t;

/* The unit that has one set of a block's instances. ORDER: each unit is part of the one before
 * it. */
typedef enum { CTR_OF_GPU, CTR_OF_ENGINE, CTR_OF_ARRAY, CTR_OF_WGP } ctr_scope_t;

/* A hardware block of the architecture. Its attributes determine the dimensions of the block's
 * counters. */
typedef struct {
    const char *name;
    uint32_t id;        /* hsa_ven_amd_aqlprofile_block_name_t, aqlprofile_block_name_t */
    uint32_t instances; /* most instances within one unit of `scope` */
    uint32_t slots;     /* counters that can count at once, unless ctr_agent_t.slots has another
                         * number */
    uint32_t max_event;
    ctr_scope_t scope;
    bool of_unit; /* there is an instance for each compute unit of an array */
    bool outside; /* not in the XCCs: a GPU with several has the instances once, one on each AID */
} ctr_block_t;

typedef enum {
    /* A counter's name in an expression stands for all its values, which are combined position by
     * position, as in rocprofiler-sdk. */
    CTR_GENERATION_SDK,
    /* A counter's name in an expression stands for the number that the first generation reports:
     * instance 0, summed over the other dimensions. NAME[i] is instance i. */
    CTR_GENERATION_V1,
} ctr_generation_t;

/* Makes the catalogue of `gfx` ("gfx90a"; features after ':' are ignored). It also takes the
 * definitions of groups such as "gfx9" and "global"; the most specific definition is used. Ids
 * count from first_id: constants (agent properties) come first, then the definitions in their
 * order. Definitions that do not compile (unknown name, cycle, wrong arguments) are reported and
 * left out, and so are those that use them. The result is CTR_NOT_FOUND if there are no definitions
 * for the architecture. */
ctr_status_t ctr_catalogue_create(const ctr_definitions_t *definitions, const char *gfx,
                                  ctr_generation_t generation, uint32_t first_id,
                                  ctr_report_t report, void *user, ctr_catalogue_t **catalogue,
                                  ctr_error_t *error);
void ctr_catalogue_destroy(ctr_catalogue_t *catalogue);

size_t ctr_catalogue_count(const ctr_catalogue_t *catalogue);
/* Returns the counter; NULL if index >= count. */
const ctr_counter_t *ctr_catalogue_at(const ctr_catalogue_t *catalogue, size_t index);
/* Finds an exact name (case matters, as in all of AMD's tools); NULL if there is none. */
const ctr_counter_t *ctr_catalogue_find(const ctr_catalogue_t *catalogue, const char *name,
                                        size_t length);
/* Returns the counter; NULL if the id is not one of this catalogue. */
const ctr_counter_t *ctr_catalogue_by_id(const ctr_catalogue_t *catalogue, uint32_t id);
/* Returns a name that is similar to this one, for "did you mean"; NULL if there is none. */
const char *ctr_catalogue_similar(const ctr_catalogue_t *catalogue, const char *name);
const ctr_block_t *ctr_catalogue_find_block(const ctr_catalogue_t *catalogue, const char *name);
/* Returns how many counters of the block the agent can count at once. */
uint32_t ctr_block_slots(const ctr_block_t *block, const ctr_agent_t *agent);

/* Defines one more derived counter. Errors are CTR_DUPLICATE, CTR_BAD_EXPRESSION, and CTR_NOT_FOUND
 * with the unknown name. Lengths are in bytes; the texts are copied. */
ctr_status_t ctr_catalogue_add(ctr_catalogue_t *catalogue, const char *name, size_t name_length,
                               const char *expression, size_t expression_length,
                               const char *description, size_t description_length,
                               const ctr_counter_t **counter, ctr_error_t *error);

/* Finds the hardware counter for an event that has no definition. It is called BLOCK_EVENT_n and
 * added to the catalogue at the first use. CTR_NOT_FOUND if the architecture has no such block, or
 * the block no such event. */
ctr_status_t ctr_catalogue_event(ctr_catalogue_t *catalogue, const char *block, uint32_t event,
                                 const ctr_counter_t **counter, ctr_error_t *error);

/* Finds "NAME" or the first generation's "NAME[i]" (hardware counters only). The latter is added to
 * the catalogue as a derived counter at the first use. */
ctr_status_t ctr_catalogue_instance(ctr_catalogue_t *catalogue, const char *name,
                                    const ctr_counter_t **counter, ctr_error_t *error);
/* Returns true for a counter that ctr_catalogue_instance() has added; false also if a file of
 * definitions has a counter of the name NAME[i]. */
bool ctr_is_instance(const ctr_counter_t *counter);

/* Computes the dimensions of a counter's value on an agent. CTR_BAD_EXPRESSION if operands do not
 * match on this agent (for instance, instances of two blocks of different size added position by
 * position). */
ctr_status_t ctr_counter_shape(const ctr_catalogue_t *catalogue, const ctr_counter_t *counter,
                               const ctr_agent_t *agent, ctr_shape_t *shape, ctr_error_t *error);

/* ---- plans -------------------------------------------------------------------------------- */

typedef enum { CTR_ACCUMULATE_NONE, CTR_ACCUMULATE_LOW, CTR_ACCUMULATE_HIGH } ctr_accumulate_t;

/* One event to program. Events of one block are in the order in which they get slots. If
 * `accumulate` is set, the event takes the next slot, too, for the event that accumulates it (SQ's
 * event 1, or the GPU's other one); its values are then those of the second slot. */
typedef struct {
    const ctr_counter_t *counter; /* a hardware counter, with block_id, event and event_flags */
    const ctr_block_t *block;
    ctr_accumulate_t accumulate; /* = aqlprofile_accumulation_type_t */
    ctr_shape_t shape;
    size_t first;         /* index of the first of its ctr_shape_size(&shape) raw values */
    uint32_t slot, slots; /* number of the slot within the block, and of slots */
    /* The instances that are used, [begin, end). The first generation programs only these; raw
     * values of other instances may stay 0. */
    uint32_t instance_begin, instance_end;
} ctr_event_t;

typedef struct {
    const ctr_counter_t *counter;
    ctr_shape_t shape;
    size_t first; /* index of the first of its values in the results of its pass */
} ctr_result_t;

/* The events that are counted in one run of the kernels. */
typedef struct {
    const ctr_event_t *events;
    size_t event_count;
    const ctr_result_t *results; /* in the order of the request */
    size_t result_count;
    size_t raw_count;     /* length of the array of raw values */
    size_t value_count;   /* length of the array of results */
    size_t scratch_count; /* how many doubles ctr_evaluate() needs as working space */
} ctr_pass_t;

typedef struct ctr_plan ctr_plan_t;

/* Plans the counters `wanted` (a counter named twice counts once) for an agent. With max_passes 1,
 * all are in one pass, or the result is CTR_TOO_MANY; 0 allows as many passes as needed. The inputs
 * of one counter always share a pass, counters keep the order of the request within a pass, and the
 * same request gives the same plan. The error text of CTR_TOO_MANY names the block, how many
 * counters are wanted and available, and passes that would be possible. If SQ_ACCUM_PREV or
 * SQ_ACCUM_PREV_HIRES is wanted itself, it accumulates the counter wanted just before it and stays
 * with it. */
ctr_status_t ctr_plan_create(const ctr_catalogue_t *catalogue, const ctr_agent_t *agent,
                             const ctr_counter_t *const *wanted, size_t count, size_t max_passes,
                             ctr_plan_t **plan, ctr_error_t *error);
void ctr_plan_destroy(ctr_plan_t *plan);
size_t ctr_plan_pass_count(const ctr_plan_t *plan);
/* Returns the pass; NULL if index >= count. */
const ctr_pass_t *ctr_plan_pass(const ctr_plan_t *plan, size_t index);

/* Computes the results of a pass. `raw` has raw_count values (0 for those that were not counted),
 * `scratch` has room for scratch_count, and `values` receives value_count. It allocates nothing and
 * takes no lock; several threads may evaluate one pass, each with its own arrays. Division by zero
 * gives 0, as in rocprofiler-sdk. */
void ctr_evaluate(const ctr_pass_t *pass, const double *raw, double *scratch, double *values);

#endif
