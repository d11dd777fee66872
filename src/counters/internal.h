/* internal.h - what the files of this room share: memory, names, errors, programs.
 *
 * It is apart from counters.h because no other room needs it. All memory of a definitions object, a
 * catalogue or a plan comes from one arena and is freed with it, so that single texts need no
 * owner. */
#ifndef CROCPROF_COUNTERS_INTERNAL_H
#define CROCPROF_COUNTERS_INTERNAL_H

#include "counters/counters.h"

#include <stdarg.h>
#include <string.h>

/* ---- slices: parts of texts ---- */

/* A text that need not end in 0. An empty slice has NULL or length 0. */
typedef struct {
    const char *text;
    size_t length;
} ctr_slice_t;

static inline bool ctr_slice_is(ctr_slice_t slice, const char *text)
{
    return slice.length == strlen(text) && memcmp(slice.text, text, slice.length) == 0;
}

/* Returns how many bytes of it a message shows, for "%.*s". */
static inline int ctr_shown(ctr_slice_t slice)
{
    return slice.length > 80 ? 80 : (int)slice.length;
}

/* ---- memory.c ---- */

typedef struct ctr_chunk ctr_chunk_t;

typedef struct {
    ctr_chunk_t *chunks;
} ctr_arena_t;

/* Returns zeroed memory, aligned for any type; NULL when out of memory or if count * size
 * overflows. */
void *ctr_arena_alloc(ctr_arena_t *arena, size_t count, size_t size);
/* Returns a copy of the text that ends in 0. */
char *ctr_arena_text(ctr_arena_t *arena, const char *text, size_t length);
void ctr_arena_free(ctr_arena_t *arena);

/* A hash table from names to numbers; the keys must outlive it. */
typedef struct {
    struct ctr_map_entry {
        const char *key;
        size_t length;
        uint32_t value;
    } * entries;
    size_t capacity, count;
} ctr_map_t;

enum { CTR_MAP_NONE = UINT32_MAX };

/* Returns the number of a key; CTR_MAP_NONE if it has none. */
uint32_t ctr_map_get(const ctr_map_t *map, const char *key, size_t length);
bool ctr_map_put(ctr_map_t *map, const char *key, size_t length, uint32_t value);
void ctr_map_free(ctr_map_t *map);

/* ---- errors ---- */

/* Fills in `error`, unless it is NULL, and returns `status`. The text is preceded by the known part
 * of "origin:line:column: " (NULL and 0 mean unknown). */
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

/* `arch` is empty for built-in definitions: these are for the GPUs in `gpus`, as in
 * ctr_builtin_t. */
typedef struct {
    const char *arch, *name, *block, *expression, *description, *origin;
    uint64_t event, gpus;
    ctr_class_t value_class;
    uint32_t source;       /* number of the text that contains it */
    uint32_t line, column; /* of the expression, or of the entry; 0 for built-in ones */
} ctr_definition_t;

typedef struct {
    const char *arch, *base; /* `arch` has all definitions of `base`, too */
    const char *origin;
    uint32_t source, line, column;
} ctr_inherit_t;

struct ctr_definitions {
    ctr_arena_t arena;
    ctr_definition_t *items;
    size_t count, capacity;
    ctr_inherit_t *inherits;
    size_t inherit_count, inherit_capacity;
    uint32_t source; /* number of the text that is being added */
    ctr_map_t seen;  /* "arch name" and "arch" of the text being added */
};

/* A definition as it was read; ctr_definitions_enter copies the texts. */
typedef struct {
    ctr_slice_t arch, name, block, event, expression, description;
    uint32_t line, column;
} ctr_found_t;

/* Returns whether a counter may have this name, in a file or from a tool: letters, digits and
 * underscores, not beginning with a digit, perhaps followed by the number of an instance, as in
 * TCC_HIT[3]. */
bool ctr_is_counter_name(ctr_slice_t name);
enum { CTR_NAME_MAX = 255 };
#define CTR_BAD_COUNTER_NAME                                                                       \
    "counter name \"%.*s\" is not made of 1 to 255 letters, digits and underscores, behind which " \
    "[N] may stand"

/* Checks a definition and adds it, or reports why it cannot be added. Fails only with
 * CTR_NO_MEMORY. */
ctr_status_t ctr_definitions_enter(ctr_definitions_t *definitions, const ctr_found_t *found,
                                   const ctr_reporter_t *reporter);
ctr_status_t ctr_definitions_inherit(ctr_definitions_t *definitions, ctr_slice_t arch,
                                     ctr_slice_t base, uint32_t line, uint32_t column,
                                     const ctr_reporter_t *reporter);

/* In yaml.c and xml.c. `directory` is the folder of included files; NULL: none may be included. */
ctr_status_t ctr_read_yaml(ctr_definitions_t *definitions, const char *text, size_t size,
                           const ctr_reporter_t *reporter, ctr_error_t *error);
ctr_status_t ctr_read_xml(ctr_definitions_t *definitions, const char *text, size_t size,
                          const char *directory, int depth, const ctr_reporter_t *reporter,
                          ctr_error_t *error);

/* Reads a whole file of at most CTR_FILE_MAX bytes; the text is allocated by malloc(). */
enum { CTR_FILE_MAX = 64 << 20 };
ctr_status_t ctr_read_file(const char *path, char **text, size_t *size, ctr_error_t *error);

/* ---- built-in tables, generated from share ---- */

/* A definition, and the GPUs to which it applies: bit i is GPU i of ctr_builtin_gpus. A counter has
 * several rows if its event, expression, description or class differ between GPUs. */
typedef struct {
    const char *name, *block, *expression, *description;
    uint32_t event;
    uint8_t value_class;
    uint64_t gpus;
} ctr_builtin_t;

typedef struct {
    const char *gfx;
    const ctr_block_t *blocks;
    size_t block_count;
} ctr_builtin_gpu_t;

extern const ctr_builtin_t ctr_builtin_counters[];
extern const size_t ctr_builtin_counter_count;
extern const ctr_builtin_gpu_t ctr_builtin_gpus[];
extern const size_t ctr_builtin_gpu_count;

/* Returns the index of an architecture in ctr_builtin_gpus; SIZE_MAX if it is none of them. */
size_t ctr_builtin_find(const char *gfx);
/* Returns the bit of an architecture in ctr_builtin_t.gpus; 0 if it is none of them. */
uint64_t ctr_builtin_bit(const char *gfx);

/* ---- programs: expressions compiled for a stack machine ---- */

typedef enum {
    CTR_OP_NUMBER,
    CTR_OP_LOAD, /* pushes the values of a counter */
    CTR_OP_ADD,
    CTR_OP_SUB,
    CTR_OP_MUL,
    CTR_OP_DIV,
    CTR_OP_REDUCE, /* combines all positions of the dimensions in `dims` */
    CTR_OP_SELECT, /* keeps some positions of one dimension */
} ctr_opcode_t;

typedef enum { CTR_FOLD_SUM, CTR_FOLD_MIN, CTR_FOLD_MAX, CTR_FOLD_AVR } ctr_fold_t;

enum { CTR_ALL_DIMS = (1 << CTR_DIM_COUNT) - 2, CTR_POSITIONS_MAX = 1024 };

typedef struct {
    ctr_dim_t dim;
    bool keep;  /* several positions are selected: the dimension stays, renumbered from 0 */
    bool clamp; /* positions that an agent lacks are skipped and are no error */
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
    uint32_t height; /* longest chain of definitions below this one */
    bool constant;   /* depends only on properties of the agent */
};

/* ---- expression.c ---- */

/* How the compiler looks up a name: sets its index, whether it is a hardware counter, and the block
 * of that. Returns false for an unknown name. */
typedef struct {
    bool (*find)(void *user, const char *name, size_t length, uint32_t *index, bool *hardware,
                 const char **block);
    const char *(*similar)(void *user, const char *name); /* may return NULL */
    void *user;
} ctr_names_t;

/* Compiles an expression. The error's `column` is the position in the text, from 1. */
ctr_status_t ctr_compile(const char *text, size_t length, ctr_generation_t generation,
                         const ctr_names_t *names, ctr_arena_t *arena, ctr_program_t **program,
                         ctr_error_t *error);

/* Writes the two ops for a counter's name in the first generation: sum over all dimensions except
 * INSTANCE, then select one instance. */
void ctr_v1_scalar(ctr_op_t *ops, uint32_t instance, ctr_selection_t *selection);

/* ---- catalogue.c ---- */

enum {
    CTR_HEIGHT_MAX = 256, /* longest chain of definitions, which bounds recursion */
    CTR_BLOCKS_MAX = 64   /* most blocks of a GPU; no known GPU has as many */
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
    /* The ops of ctr_v1_scalar, for hardware counters that are wanted themselves. Not used by
     * catalogues of CTR_GENERATION_SDK. */
    ctr_op_t v1_ops[2];
    ctr_selection_t v1_selection;
};

/* Returns the value of a constant. Constants are the first counters of every catalogue, in the
 * order of CTR_PROPERTIES. */
double ctr_property(const ctr_agent_t *agent, uint32_t index);

/* ---- bind.c: programs and shapes on one agent ---- */

/* The array that contains a value while a pass is evaluated. */
typedef enum { CTR_IN_RAW, CTR_IN_SCRATCH } ctr_space_t;

typedef struct {
    ctr_space_t space;
    size_t first;
    ctr_shape_t shape;
} ctr_place_t;

/* One operation and the places of its operands. `map` is NULL if the operands are used position by
 * position. Otherwise it has, for REDUCE: the output of each input; for SELECT: the input of each
 * output; for arithmetic: both inputs of each output, a and b in turn. */
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
    ctr_step_t *steps; /* allocated by malloc() */
    size_t count, capacity;
    size_t scratch;
    bool shapes_only;
    /* Instances used by the load that is being bound, [begin, end); UINT32_MAX means to the
     * last. */
    uint32_t instance_begin, instance_end;
    /* Finds the place of the values of a counter that a program loads. */
    ctr_status_t (*load)(void *user, const ctr_counter_t *counter, ctr_accumulate_t accumulate,
                         ctr_place_t *place, ctr_error_t *error);
    void *user;
} ctr_binder_t;

ctr_status_t ctr_bind(ctr_binder_t *binder, const ctr_counter_t *owner, const ctr_op_t *ops,
                      size_t count, ctr_place_t *result, ctr_error_t *error);
/* Applies the ops of ctr_v1_scalar to the values of a counter whose place is known. */
ctr_status_t ctr_bind_v1(ctr_binder_t *binder, const ctr_counter_t *owner, ctr_place_t *place,
                         ctr_error_t *error);
/* Returns the block of a hardware counter; NULL, with an error, if it is unknown. */
const ctr_block_t *ctr_block_of(const ctr_catalogue_t *catalogue, const ctr_counter_t *counter,
                                ctr_error_t *error);
/* Computes the shape of a hardware counter, which follows from its block. */
ctr_status_t ctr_block_shape(const ctr_catalogue_t *catalogue, const ctr_counter_t *counter,
                             const ctr_agent_t *agent, ctr_shape_t *shape, ctr_error_t *error);

/* Finds the hardware counters from which a counter's value is computed, in the order of first use:
 * each once for every way in which it is accumulated. If the visitor returns false, the walk ends.
 * Returns false when out of memory or if the visitor returned false. */
bool ctr_walk_inputs(const ctr_catalogue_t *catalogue, const ctr_counter_t *counter,
                     bool (*visit)(void *user, const ctr_counter_t *input,
                                   ctr_accumulate_t accumulate),
                     void *user);

/* A pass with the steps that ctr_evaluate() executes. */
typedef struct {
    ctr_pass_t pass; /* must be the first member, since pointers to it are converted to pointers to
                      * the whole */
    ctr_step_t *steps;
    size_t step_count;
    ctr_place_t *sources; /* the place of each result */
} ctr_bound_pass_t;

#endif
