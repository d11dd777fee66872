/* internal.h - what the files of this room share: memory, names, errors, programs.
 *
 * Apart from counters.h because nobody outside needs it. All memory of a definitions object, a
 * catalogue or a plan comes from one arena and goes with it, so that there is one place to free and
 * no owner to remember for a text. */
#ifndef CROCPROF_COUNTERS_INTERNAL_H
#define CROCPROF_COUNTERS_INTERNAL_H

#include "counters/counters.h"

#include <stdarg.h>
#include <string.h>

/* ---- parts of texts ---- */

/* Empty is NULL or length 0. */
typedef struct {
    const char *text;
    size_t length;
} ctr_slice_t;

static inline bool ctr_slice_is(ctr_slice_t slice, const char *text)
{
    return slice.length == strlen(text) && memcmp(slice.text, text, slice.length) == 0;
}

/* How much of it a message shows, for "%.*s". */
static inline int ctr_shown(ctr_slice_t slice)
{
    return slice.length > 80 ? 80 : (int)slice.length;
}

/* ---- memory.c ---- */

typedef struct ctr_chunk ctr_chunk_t;

typedef struct {
    ctr_chunk_t *chunks;
} ctr_arena_t;

/* Zeroed and aligned for any type; NULL without memory or if count * size overflows. */
void *ctr_arena_alloc(ctr_arena_t *arena, size_t count, size_t size);
/* A copy with a 0 at its end. */
char *ctr_arena_text(ctr_arena_t *arena, const char *text, size_t length);
void ctr_arena_free(ctr_arena_t *arena);

/* Makes room for one more element of `size` bytes in the malloc'd array *items. */
bool ctr_reserve(void *items, size_t *capacity, size_t count, size_t size);

/* Names to numbers; the keys must outlive the map. */
typedef struct {
    struct ctr_map_entry {
        const char *key;
        size_t length;
        uint32_t value;
    } * entries;
    size_t capacity, count;
} ctr_map_t;

enum { CTR_MAP_NONE = UINT32_MAX };

/* CTR_MAP_NONE if absent. */
uint32_t ctr_map_get(const ctr_map_t *map, const char *key, size_t length);
bool ctr_map_put(ctr_map_t *map, const char *key, size_t length, uint32_t value);
void ctr_map_free(ctr_map_t *map);

/* ---- errors ---- */

/* Fills `error` if there is one and returns `status`. "origin:line:column: " precedes the text as
 * far as they are known (origin NULL, numbers 0). */
ctr_status_t ctr_fail(ctr_error_t *error, ctr_status_t status, const char *origin, uint32_t line,
                      uint32_t column, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

typedef struct {
    ctr_report_t function;
    void *user;
    const char *origin;
} ctr_reporter_t;

/* Reports an entry that is left out. */
void ctr_say(const ctr_reporter_t *reporter, ctr_status_t status, uint32_t line, uint32_t column,
             const char *format, ...) __attribute__((format(printf, 5, 6)));

/* ---- definitions.c ---- */

typedef struct {
    const char *arch, *name, *block, *expression, *description, *origin;
    uint64_t event;
    ctr_class_t value_class;
    uint32_t source;       /* number of the text it came from */
    uint32_t line, column; /* of the expression, or of the entry; 0 for built-in ones */
} ctr_definition_t;

typedef struct {
    const char *arch, *base; /* `arch` has all that `base` has */
    const char *origin;
    uint32_t source, line, column;
} ctr_inherit_t;

struct ctr_definitions {
    ctr_arena_t arena;
    ctr_definition_t *items;
    size_t count, capacity;
    ctr_inherit_t *inherits;
    size_t inherit_count, inherit_capacity;
    uint32_t source; /* of what is being added now */
    ctr_map_t seen;  /* "arch name" and "arch" of the text being added */
};

/* A definition as a reader found it; the texts are copied. */
typedef struct {
    ctr_slice_t arch, name, block, event, expression, description;
    uint32_t line, column;
} ctr_found_t;

/* Letters, digits and underscores, not beginning with a digit, and behind them perhaps the number
 * of an instance, as in TCC_HIT[3]: what a counter may be called, in a file or by a tool. */
bool ctr_is_counter_name(ctr_slice_t name);
enum { CTR_NAME_MAX = 255 };
#define CTR_BAD_COUNTER_NAME                                                                       \
    "counter name \"%.*s\" is not made of 1 to 255 letters, digits and underscores, behind which " \
    "[N] may stand"

/* Checks and enters a definition, or reports why not. CTR_NO_MEMORY is the only error. */
ctr_status_t ctr_definitions_enter(ctr_definitions_t *definitions, const ctr_found_t *found,
                                   const ctr_reporter_t *reporter);
ctr_status_t ctr_definitions_inherit(ctr_definitions_t *definitions, ctr_slice_t arch,
                                     ctr_slice_t base, uint32_t line, uint32_t column,
                                     const ctr_reporter_t *reporter);

/* yaml.c, xml.c. `directory` is where includes are looked for, NULL: nowhere. */
ctr_status_t ctr_read_yaml(ctr_definitions_t *definitions, const char *text, size_t size,
                           const ctr_reporter_t *reporter, ctr_error_t *error);
ctr_status_t ctr_read_xml(ctr_definitions_t *definitions, const char *text, size_t size,
                          const char *directory, int depth, const ctr_reporter_t *reporter,
                          ctr_error_t *error);

/* Reads a whole file of at most CTR_FILE_MAX bytes; the text is malloc'd. */
enum { CTR_FILE_MAX = 64 << 20 };
ctr_status_t ctr_read_file(const char *path, char **text, size_t *size, ctr_error_t *error);

/* ---- built-in tables, generated from share/counters ---- */

typedef struct {
    const char *name, *block, *expression, *description;
    uint32_t event;
    uint8_t value_class;
} ctr_builtin_t;

typedef struct {
    const char *gfx;
    const ctr_builtin_t *counters;
    size_t counter_count;
    const ctr_block_t *blocks;
    size_t block_count;
} ctr_builtin_gpu_t;

extern const ctr_builtin_gpu_t ctr_builtin_gpus[];
extern const size_t ctr_builtin_gpu_count;

/* ---- programs: an expression compiled for a stack of values ---- */

typedef enum {
    CTR_OP_NUMBER,
    CTR_OP_LOAD, /* the values of a counter */
    CTR_OP_ADD,
    CTR_OP_SUB,
    CTR_OP_MUL,
    CTR_OP_DIV,
    CTR_OP_REDUCE, /* folds the dimensions in `dims` */
    CTR_OP_SELECT, /* keeps some positions of one dimension */
} ctr_opcode_t;

typedef enum { CTR_FOLD_SUM, CTR_FOLD_MIN, CTR_FOLD_MAX, CTR_FOLD_AVR } ctr_fold_t;

enum { CTR_ALL_DIMS = (1 << CTR_DIM_COUNT) - 2, CTR_POSITIONS_MAX = 1024 };

typedef struct {
    ctr_dim_t dim;
    bool keep;  /* several were asked for: the dimension stays, renumbered from 0 */
    bool clamp; /* positions that an agent lacks are passed over, not an error */
    uint64_t positions[CTR_POSITIONS_MAX / 64];
} ctr_selection_t;

typedef struct {
    uint8_t code;       /* ctr_opcode_t */
    uint8_t fold;       /* ctr_fold_t */
    uint8_t accumulate; /* ctr_accumulate_t */
    uint8_t dims;
    union {
        double number;
        uint32_t counter;
        const ctr_selection_t *selection;
    };
} ctr_op_t;

struct ctr_program {
    ctr_op_t *ops;
    uint32_t count;
    uint32_t height; /* definitions below this one, the longest way */
    bool constant;   /* follows from agent properties alone */
};

/* ---- expression.c ---- */

/* Finds a name of an expression: its index, and whether it is a counter of the hardware (with its
 * block). False: unknown. */
typedef struct {
    bool (*find)(void *user, const char *name, size_t length, uint32_t *index, bool *hardware,
                 const char **block);
    const char *(*similar)(void *user, const char *name); /* may return NULL */
    void *user;
} ctr_names_t;

/* Compiles an expression. Errors carry in `column` the place within the text, from 1. */
ctr_status_t ctr_compile(const char *text, size_t length, ctr_generation_t generation,
                         const ctr_names_t *names, ctr_arena_t *arena, ctr_program_t **program,
                         ctr_error_t *error);

/* What a bare name means in the first generation: folds all but INSTANCE, then selects one. Ops
 * are written to `ops` (two of them). */
void ctr_v1_scalar(ctr_op_t *ops, uint32_t instance, ctr_selection_t *selection);

/* ---- catalogue.c ---- */

enum {
    CTR_HEIGHT_MAX = 256, /* of definitions above one another: walks are that deep at most */
    CTR_BLOCKS_MAX = 64   /* of a GPU; none that is known has as many */
};

struct ctr_catalogue {
    ctr_arena_t arena;
    const char *gfx;
    ctr_generation_t generation;
    uint32_t first_id;
    ctr_counter_t **counters;
    size_t count, capacity;
    ctr_map_t names;
    const ctr_block_t *blocks;
    size_t block_count;
    /* The v1 meaning of a hardware counter that is wanted itself: NULL in the SDK's catalogues. */
    ctr_op_t v1_ops[2];
    ctr_selection_t v1_selection;
};

/* Value of a constant: those are the first counters of every catalogue, in the order of
 * CTR_PROPERTIES. */
double ctr_property(const ctr_agent_t *agent, uint32_t index);

/* ---- bind.c: programs and shapes on one agent ---- */

/* Where values lie while a pass is evaluated. */
typedef enum { CTR_IN_RAW, CTR_IN_SCRATCH } ctr_space_t;

typedef struct {
    ctr_space_t space;
    size_t first;
    ctr_shape_t shape;
} ctr_place_t;

/* An op with its operands placed. `map` where the operands do not simply run in parallel:
 * REDUCE: for each input the output; SELECT: for each output the input; arithmetic: for each output
 * the inputs, a and b in turn. */
typedef struct {
    uint8_t code, fold;
    ctr_space_t a_space, b_space;
    size_t a, b, to;
    size_t a_count, b_count, count;
    double number;
    const uint32_t *map;
} ctr_step_t;

typedef struct {
    ctr_arena_t *arena;
    const ctr_catalogue_t *catalogue;
    const ctr_agent_t *agent;
    ctr_step_t *steps; /* malloc'd */
    size_t count, capacity;
    size_t scratch;
    bool shapes_only;
    /* Instances that the load in hand uses, [begin, end); UINT32_MAX: to the last. */
    uint32_t instance_begin, instance_end;
    /* Finds the place of a counter's values that a program loads. */
    ctr_status_t (*load)(void *user, const ctr_counter_t *counter, ctr_accumulate_t accumulate,
                         ctr_place_t *place, ctr_error_t *error);
    void *user;
} ctr_binder_t;

ctr_status_t ctr_bind(ctr_binder_t *binder, const ctr_counter_t *owner, const ctr_op_t *ops,
                      size_t count, ctr_place_t *result, ctr_error_t *error);
/* The v1 meaning of a bare counter applied to values already placed. */
ctr_status_t ctr_bind_v1(ctr_binder_t *binder, const ctr_counter_t *owner, ctr_place_t *place,
                         ctr_error_t *error);
/* The block of a hardware counter; NULL, with an error, if nothing is known of it. */
const ctr_block_t *ctr_block_of(const ctr_catalogue_t *catalogue, const ctr_counter_t *counter,
                                ctr_error_t *error);
/* Shape of a hardware counter as its block gives it. */
ctr_status_t ctr_block_shape(const ctr_catalogue_t *catalogue, const ctr_counter_t *counter,
                             const ctr_agent_t *agent, ctr_shape_t *shape, ctr_error_t *error);

/* Finds what a counter's value is made of, each once, in the order of first use: hardware counters,
 * one entry per way of accumulation. A visitor that returns false ends the walk. False without
 * memory or if the visitor said so. */
bool ctr_walk_inputs(const ctr_catalogue_t *catalogue, const ctr_counter_t *counter,
                     bool (*visit)(void *user, const ctr_counter_t *input,
                                   ctr_accumulate_t accumulate),
                     void *user);

/* A pass with what ctr_evaluate() needs besides. */
typedef struct {
    ctr_pass_t pass; /* first, so that the public pointer leads here */
    ctr_step_t *steps;
    size_t step_count;
    ctr_place_t *sources; /* of each result */
} ctr_bound_pass_t;

#endif
