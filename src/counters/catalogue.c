/* catalogue.c - the counters of one architecture: chosen among the definitions, numbered, compiled.
 *
 * It is apart from the definitions because here entries refer to each other: names are resolved,
 * cycles found, blocks checked. A faulty entry is reported and left out, and so are all entries
 * that use it; the other entries are numbered without gaps. Chosen entries are called candidates,
 * those that remain counters. */
#include "counters/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/grow.h"

enum {
    IDS_MAX = 65536,
    ARCHS_MAX = 32,
    SUGGESTIONS_MAX = 100 /* limits the time, since each suggestion compares with all names */
};

static const char *const property_names[] = {
#define CTR_X(name) #name,
    CTR_PROPERTIES(CTR_X)
#undef CTR_X
};
enum { PROPERTY_COUNT = sizeof(property_names) / sizeof(*property_names) };
_Static_assert(offsetof(ctr_agent_t, slots) == PROPERTY_COUNT * sizeof(uint64_t),
               "one number per property");

/* Names that the first generation accepts without a definition, and the properties for which they
 * stand. */
static const char *const standing[][2] = {{"MAX_WAVE_SIZE", "wave_front_size"},
                                          {"SIMD_NUM", "simd_count"},
                                          {"CU_NUM", "simd_count/simd_per_cu"},
                                          {"SE_NUM", "array_count/simd_arrays_per_engine"},
                                          {"XCC_NUM", "num_xcc"}};

double ctr_property(const ctr_agent_t *agent, uint32_t index)
{
    uint64_t value;
    memcpy(&value, (const char *)agent + index * sizeof(value), sizeof(value));
    return (double)value;
}

const char *ctr_class_name(ctr_class_t value_class)
{
    static const char *const names[] = {"", "exact", "cache-model", "timing-model", "unavailable"};
    return (unsigned)value_class < sizeof(names) / sizeof(*names) ? names[value_class] : "";
}

/* ---- choosing ---- */

typedef enum { UNKNOWN, ACTIVE, GOOD, BAD } state_t;

/* Properties of a value that follow from the inputs of its expression. */
typedef struct {
    ctr_class_t value_class;
    uint32_t height; /* longest chain of definitions below this one */
    bool constant;   /* depends only on properties of the agent */
} traits_t;

typedef struct {
    const ctr_definition_t *definition; /* NULL: a property of the agent, or a row of `standing` */
    const char *name, *expression, *description;
    ctr_kind_t kind;
    traits_t traits;
    const ctr_block_t *block;
    ctr_program_t *program;
    state_t state;
    uint32_t level;  /* rank of the section of its architecture: lower is more specific */
    uint32_t cursor; /* while the candidate is visited: the op of its program that is next */
    uint32_t index;  /* index in the finished catalogue */
} candidate_t;

typedef struct {
    const ctr_definitions_t *definitions;
    ctr_catalogue_t *catalogue;
    candidate_t *items;
    size_t count, capacity;
    ctr_map_t names;
    const ctr_reporter_t *reporter;
    int suggestions; /* number of suggestions made so far */
} builder_t;

static bool is_prefix(const char *prefix, const char *text)
{
    size_t length = strlen(prefix);
    return length < strlen(text) && strncmp(prefix, text, length) == 0;
}

/* Returns whether the definition belongs to the section `arch`, whose bit among the built-in GPUs
 * is `gpu`. */
static bool is_of(const ctr_definition_t *definition, const char *arch, uint64_t gpu)
{
    return definition->gpus ? definition->gpus & gpu : strcmp(definition->arch, arch) == 0;
}

static bool has_arch(const ctr_definitions_t *d, uint32_t source, const char *arch)
{
    const uint64_t gpu = ctr_builtin_bit(arch);
    for (size_t i = 0; i < d->count; i++)
        if (d->items[i].source == source && is_of(&d->items[i], arch, gpu)) return true;
    for (size_t i = 0; i < d->inherit_count; i++)
        if (d->inherits[i].source == source && strcmp(d->inherits[i].arch, arch) == 0) return true;
    return false;
}

/* Returns the longest prefix of `gfx` for which the text has a section, such as "gfx9" for gfx90a;
 * NULL if there is none. */
static const char *generic_arch(const ctr_definitions_t *d, uint32_t source, const char *gfx)
{
    const char *best = NULL;
    for (size_t i = 0; i < d->count + d->inherit_count; i++) {
        bool item = i < d->count;
        const char *arch = item ? d->items[i].arch : d->inherits[i - d->count].arch;
        if ((item ? d->items[i].source : d->inherits[i - d->count].source) != source) continue;
        if (strncmp(arch, "gfx", 3) == 0 && arch[3] && is_prefix(arch, gfx) &&
            (!best || strlen(arch) > strlen(best)))
            best = arch;
    }
    return best;
}

static bool add_arch(const char **archs, size_t *count, const char *arch)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(archs[i], arch) == 0) return true;
    if (*count == ARCHS_MAX) return false;
    archs[(*count)++] = arch;
    return true;
}

/* Lists the sections of a text that apply to `gfx`, the most specific first; *all is false if there
 * are more than ARCHS_MAX. */
static size_t archs_of(const ctr_definitions_t *d, uint32_t source, const char *gfx,
                       const char *archs[ARCHS_MAX], bool *all)
{
    size_t count = 0;
    *all = true;
    const char *first = has_arch(d, source, gfx) ? gfx : generic_arch(d, source, gfx);
    if (first) add_arch(archs, &count, first);
    for (int round = 0; round < 2; round++) {
        for (size_t at = 0; at < count; at++)
            for (size_t i = 0; i < d->inherit_count; i++)
                if (d->inherits[i].source == source && strcmp(d->inherits[i].arch, archs[at]) == 0)
                    *all = add_arch(archs, &count, d->inherits[i].base) && *all;
        if (round == 0) *all = add_arch(archs, &count, "global") && *all;
    }
    return count;
}

static candidate_t *add_candidate(builder_t *b, const char *name)
{
    if (!BASE_GROW(b->items, b->count, &b->capacity) ||
        !ctr_map_put(&b->names, name, strlen(name), (uint32_t)b->count))
        return NULL;
    candidate_t *item = &b->items[b->count++];
    *item = (candidate_t){.name = name, .expression = "", .description = ""};
    return item;
}

static ctr_status_t choose(builder_t *b, const ctr_definition_t *definition, uint32_t level)
{
    uint32_t at = ctr_map_get(&b->names, definition->name, strlen(definition->name));
    candidate_t *item = at == CTR_MAP_NONE ? add_candidate(b, definition->name) : &b->items[at];
    if (!item) return CTR_NO_MEMORY;
    if (item->kind == CTR_CONSTANT) {
        ctr_reporter_t reporter = *b->reporter;
        reporter.origin = definition->origin;
        ctr_say(&reporter, CTR_DUPLICATE, definition->line, definition->column,
                "%s is the name of an agent property", definition->name);
        return CTR_OK;
    }
    if (item->definition && item->definition->source == definition->source && item->level <= level)
        return CTR_OK;
    item->definition = definition;
    item->expression = definition->expression;
    item->description = definition->description;
    item->kind = definition->expression[0] ? CTR_DERIVED : CTR_HARDWARE;
    item->traits.value_class = definition->value_class;
    item->level = level;
    return CTR_OK;
}

static ctr_status_t choose_all(builder_t *b, bool *any)
{
    const ctr_definitions_t *d = b->definitions;
    const char *archs[ARCHS_MAX];
    uint64_t gpus[ARCHS_MAX];
    size_t arch_count = 0;
    uint32_t source = 0;
    bool all;
    for (size_t i = 0; i < d->count; i++) { /* definitions of one text are adjacent */
        if (d->items[i].source != source) {
            source = d->items[i].source;
            arch_count = archs_of(d, source, b->catalogue->gfx, archs, &all);
            for (size_t level = 0; level < arch_count; level++)
                gpus[level] = ctr_builtin_bit(archs[level]);
            ctr_reporter_t reporter = *b->reporter;
            reporter.origin = d->items[i].origin;
            if (!all)
                ctr_say(&reporter, CTR_TOO_MANY, 0, 0,
                        "more than %d sections apply to %s; those beyond are left out", ARCHS_MAX,
                        b->catalogue->gfx);
        }
        for (size_t level = 0; level < arch_count; level++) {
            if (!is_of(&d->items[i], archs[level], gpus[level])) continue;
            ctr_status_t status = choose(b, &d->items[i], (uint32_t)level);
            if (status != CTR_OK) return status;
            *any = true;
        }
    }
    return CTR_OK;
}

static ctr_status_t choose_constants(builder_t *b)
{
    for (size_t i = 0; i < PROPERTY_COUNT; i++) {
        char text[96];
        int length = snprintf(text, sizeof(text), "Property %s of the agent", property_names[i]);
        candidate_t *item = add_candidate(b, property_names[i]);
        if (!item) return CTR_NO_MEMORY;
        item->kind = CTR_CONSTANT;
        item->traits = (traits_t){CTR_CLASS_EXACT, 0, true};
        item->description = ctr_arena_text(&b->catalogue->arena, text, (size_t)length);
        if (!item->description) return CTR_NO_MEMORY;
    }
    return CTR_OK;
}

static ctr_status_t choose_standing(builder_t *b)
{
    for (size_t i = 0; i < sizeof(standing) / sizeof(*standing); i++) {
        if (ctr_map_get(&b->names, standing[i][0], strlen(standing[i][0])) != CTR_MAP_NONE)
            continue;
        candidate_t *item = add_candidate(b, standing[i][0]);
        if (!item) return CTR_NO_MEMORY;
        item->kind = CTR_DERIVED;
        item->expression = standing[i][1];
        item->description = "A number that follows from the agent's properties";
    }
    return CTR_OK;
}

/* ---- checking and compiling ---- */

__attribute__((format(printf, 4, 5))) static void
reject(builder_t *b, candidate_t *item, ctr_status_t status, const char *format, ...)
{
    char text[400];
    va_list arguments;
    ctr_reporter_t reporter = *b->reporter;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    item->state = BAD;
    if (item->definition) reporter.origin = item->definition->origin;
    ctr_say(&reporter, status, item->definition ? item->definition->line : 0,
            item->definition ? item->definition->column : 0, "%s: %s", item->name, text);
}

/* Returns the class of an event of the hardware, from the built-in definitions, under whatever name
 * a file defines it. */
static ctr_class_t class_of_event(const builder_t *b, const char *block, uint32_t event)
{
    const uint64_t gpu = ctr_builtin_bit(b->catalogue->gfx);
    for (size_t i = 0; gpu && i < ctr_builtin_counter_count; i++) {
        const ctr_builtin_t *counter = &ctr_builtin_counters[i];
        if (counter->gpus & gpu && counter->event == event && counter->block[0] &&
            strcmp(counter->block, block) == 0)
            return (ctr_class_t)counter->value_class;
    }
    return CTR_CLASS_NONE;
}

static void check_hardware(builder_t *b, candidate_t *item)
{
    const ctr_definition_t *definition = item->definition;
    uint32_t event = (uint32_t)definition->event;
    item->block = ctr_catalogue_find_block(b->catalogue, definition->block);
    if (!item->block)
        reject(b, item, CTR_NOT_FOUND, "block %s is unknown on %s", definition->block,
               b->catalogue->gfx);
    else if (item->block && event > item->block->max_event)
        reject(b, item, CTR_TOO_MANY, "event %u of block %s, the highest is %u", event,
               item->block->name, item->block->max_event);
    else
        item->state = GOOD;
    if (item->traits.value_class == CTR_CLASS_NONE)
        item->traits.value_class = class_of_event(b, definition->block, event);
}

static bool find_candidate(void *user, const char *name, size_t length, uint32_t *index,
                           bool *hardware, const char **block)
{
    const builder_t *b = user;
    *index = ctr_map_get(&b->names, name, length);
    if (*index == CTR_MAP_NONE) return false;
    const candidate_t *item = &b->items[*index];
    *hardware = item->kind == CTR_HARDWARE;
    if (item->kind == CTR_HARDWARE) *block = item->definition->block;
    return true;
}

/* Returns how many letters have to be changed, added or dropped, not counting case: 0 to 2, or 3
 * for more. */
static int distance(const char *a, const char *b)
{
    enum { LONG = 64 };
    int row[LONG + 1];
    int la = (int)strnlen(a, LONG + 1), lb = (int)strnlen(b, LONG + 1);
    if (la > LONG || lb > LONG || abs(la - lb) > 2) return 3;
    for (int j = 0; j <= lb; j++)
        row[j] = j;
    for (int i = 1; i <= la; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= lb; j++) {
            int change = diagonal + (strncasecmp(&a[i - 1], &b[j - 1], 1) != 0);
            diagonal = row[j];
            int least = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            row[j] = change < least ? change : least;
        }
    }
    return row[lb] < 3 ? row[lb] : 3;
}

/* The first of the most similar names so far; NULL: none is similar. */
typedef struct {
    const char *wanted, *name;
    int distance;
} nearest_t;

static void consider(nearest_t *nearest, const char *name)
{
    int d = nearest->distance ? distance(nearest->wanted, name) : 0;
    if (d >= nearest->distance) return;
    nearest->name = name;
    nearest->distance = d;
}

static const char *similar_candidate(void *user, const char *name)
{
    builder_t *b = user;
    nearest_t nearest = {name, NULL, 3};
    if (b->suggestions >= SUGGESTIONS_MAX) return NULL;
    b->suggestions++;
    for (size_t i = 0; i < b->count; i++)
        consider(&nearest, b->items[i].name);
    return nearest.name;
}

static ctr_status_t compile(builder_t *b, candidate_t *item)
{
    ctr_error_t error = {0};
    ctr_names_t names = {find_candidate, similar_candidate, b};
    ctr_status_t status =
        ctr_compile(item->expression, strlen(item->expression), b->catalogue->generation, &names,
                    &b->catalogue->arena, &item->program, &error);
    if (status == CTR_NO_MEMORY) return status;
    if (status != CTR_OK)
        reject(b, item, status, "%s, at character %u of \"%.160s\"", error.text, error.column,
               item->expression);
    return CTR_OK;
}

/* Returns the weaker of two classes, for a value computed from both. */
static ctr_class_t weaker(ctr_class_t a, ctr_class_t b)
{
    if (a == CTR_CLASS_NONE || b == CTR_CLASS_NONE) return CTR_CLASS_NONE;
    if (a == CTR_CLASS_UNAVAILABLE || b == CTR_CLASS_UNAVAILABLE) return a < b ? a : b;
    return a > b ? a : b;
}

static const traits_t without_inputs = {CTR_CLASS_UNAVAILABLE, 0, true};

static void combine(traits_t *made, const traits_t *input)
{
    if (input->height >= made->height) made->height = input->height + 1;
    /* properties of agents have no class, since they are not counted */
    if (!input->constant) made->value_class = weaker(made->value_class, input->value_class);
    made->constant = made->constant && input->constant;
}

/* Completes the properties of a value. Called when all inputs have been combined. */
static void finish(traits_t *made)
{
    if (made->constant) made->value_class = CTR_CLASS_EXACT;
}

/* Combines one input of an item; returns false if the input has to be visited before. */
static bool take_input(builder_t *b, candidate_t *item, candidate_t *input)
{
    if (input->state == UNKNOWN && input->kind == CTR_DERIVED) return false;
    if (input->state == UNKNOWN) input->state = GOOD; /* it needs no visit */
    if (input->state == ACTIVE)
        reject(b, item, CTR_BAD_EXPRESSION, "is defined by itself, through %s", input->name);
    else if (input->state == BAD)
        reject(b, item, CTR_NOT_FOUND, "%s, which it uses, is left out", input->name);
    else if (input->traits.height >= CTR_HEIGHT_MAX)
        reject(b, item, CTR_TOO_MANY, "%u definitions above one another, limit %d",
               input->traits.height + 1, CTR_HEIGHT_MAX);
    combine(&item->traits, &input->traits);
    return true;
}

/* Combines the inputs of an item until one has to be visited first, which is returned; NULL if the
 * item is complete. */
static candidate_t *advance(builder_t *b, candidate_t *item)
{
    for (; item->state == ACTIVE && item->cursor < item->program->count; item->cursor++) {
        const ctr_op_t *op = &item->program->ops[item->cursor];
        if (op->code == CTR_OP_LOAD && !take_input(b, item, &b->items[op->counter]))
            return &b->items[op->counter];
    }
    if (item->state == ACTIVE) item->state = GOOD;
    finish(&item->traits);
    return NULL;
}

/* Visits the item and all items on which it depends, depth first. It is not recursive, since chains
 * of definitions in a file may be long. */
static void visit(builder_t *b, candidate_t *item, candidate_t **stack)
{
    size_t depth = 0;
    for (candidate_t *next = item; next || depth;) {
        if (next) {
            next->state = ACTIVE;
            next->traits = without_inputs;
            stack[depth++] = next;
        }
        next = advance(b, stack[depth - 1]);
        if (!next) depth--;
    }
}

static ctr_status_t check_all(builder_t *b)
{
    for (size_t i = 0; i < b->count; i++) {
        candidate_t *item = &b->items[i];
        if (item->kind == CTR_HARDWARE) check_hardware(b, item);
        if (item->kind != CTR_DERIVED) continue;
        ctr_status_t status = compile(b, item);
        if (status != CTR_OK) return status;
    }
    candidate_t **stack = calloc(b->count, sizeof(*stack));
    if (!stack) return CTR_NO_MEMORY;
    for (size_t i = 0; i < b->count; i++) {
        candidate_t *item = &b->items[i];
        if (item->state == UNKNOWN && item->kind == CTR_DERIVED) visit(b, item, stack);
        if (item->state == UNKNOWN) item->state = GOOD;
    }
    free(stack);
    return CTR_OK;
}

/* ---- the counters that remain ---- */

static ctr_counter_t *add_counter(ctr_catalogue_t *c, const char *name)
{
    ctr_counter_t *counter = ctr_arena_alloc(&c->arena, 1, sizeof(*counter));
    if (!counter || !BASE_GROW(c->counters, c->count, &c->capacity) ||
        !ctr_map_put(&c->names, name, strlen(name), (uint32_t)c->count))
        return NULL;
    *counter = (ctr_counter_t){.id = c->first_id + (uint32_t)c->count,
                               .name = name,
                               .block = "",
                               .expression = "",
                               .description = "",
                               .block_id = UINT32_MAX,
                               .index = (uint32_t)c->count};
    c->counters[c->count++] = counter;
    return counter;
}

static bool copy_texts(ctr_catalogue_t *c, ctr_counter_t *counter, const candidate_t *item)
{
    counter->description = ctr_arena_text(&c->arena, item->description, strlen(item->description));
    counter->expression = ctr_arena_text(&c->arena, item->expression, strlen(item->expression));
    if (item->kind == CTR_HARDWARE)
        counter->block =
            ctr_arena_text(&c->arena, item->definition->block, strlen(item->definition->block));
    return counter->description && counter->expression && counter->block;
}

static ctr_status_t number_counters(builder_t *b)
{
    ctr_catalogue_t *c = b->catalogue;
    for (size_t i = 0; i < b->count; i++) {
        candidate_t *item = &b->items[i];
        if (item->state != GOOD) continue;
        item->index = (uint32_t)c->count;
        char *name = ctr_arena_text(&c->arena, item->name, strlen(item->name));
        ctr_counter_t *counter = name ? add_counter(c, name) : NULL;
        if (!counter || !copy_texts(c, counter, item)) return CTR_NO_MEMORY;
        counter->kind = item->kind;
        counter->value_class = item->traits.value_class;
        counter->program = item->program;
        if (item->program) {
            item->program->height = item->traits.height;
            item->program->constant = item->traits.constant;
        }
        if (item->kind != CTR_HARDWARE) continue;
        counter->event = (uint32_t)item->definition->event;
        counter->event_flags = (uint32_t)(item->definition->event >> 32);
        if (item->block) counter->block_id = item->block->id;
    }
    /* until here programs have the numbers of candidates; now they get those of counters */
    for (size_t i = 0; i < b->count; i++)
        for (uint32_t op = 0;
             b->items[i].state == GOOD && b->items[i].program && op < b->items[i].program->count;
             op++)
            if (b->items[i].program->ops[op].code == CTR_OP_LOAD)
                b->items[i].program->ops[op].counter =
                    b->items[b->items[i].program->ops[op].counter].index;
    return CTR_OK;
}

static ctr_status_t build(builder_t *b, bool *any)
{
    ctr_status_t status = choose_constants(b);
    if (status == CTR_OK) status = choose_all(b, any);
    if (status != CTR_OK || !*any) return status;
    status = choose_standing(b);
    if (status == CTR_OK) status = check_all(b);
    return status == CTR_OK ? number_counters(b) : status;
}

static void find_blocks(ctr_catalogue_t *c)
{
    const size_t gpu = ctr_builtin_find(c->gfx);
    if (gpu == SIZE_MAX) return;
    c->blocks = ctr_builtin_gpus[gpu].blocks;
    c->block_count = ctr_builtin_gpus[gpu].block_count;
    if (c->block_count > CTR_BLOCKS_MAX) c->block_count = CTR_BLOCKS_MAX;
}

ctr_status_t ctr_catalogue_create(const ctr_definitions_t *definitions, const char *gfx,
                                  ctr_generation_t generation, uint32_t first_id,
                                  ctr_report_t report, void *user, ctr_catalogue_t **catalogue,
                                  ctr_error_t *error)
{
    bool any = false;
    ctr_reporter_t reporter = {report, user, "built-in"};
    ctr_status_t status = CTR_NO_MEMORY;
    ctr_catalogue_t *c = calloc(1, sizeof(*c));
    builder_t b = {.definitions = definitions, .catalogue = c, .reporter = &reporter};
    if (!c) goto out;
    c->generation = generation;
    c->first_id = first_id;
    c->gfx = ctr_arena_text(&c->arena, gfx, strcspn(gfx, ":"));
    if (!c->gfx) goto out;
    find_blocks(c);
    ctr_v1_scalar(c->v1_ops, 0, &c->v1_selection);
    status = build(&b, &any);
    if (status == CTR_OK && !any)
        status = ctr_fail(error, CTR_NOT_FOUND, NULL, 0, 0,
                          "no counters are defined for architecture %.80s", gfx);
    else if (status == CTR_OK && first_id + c->count > IDS_MAX)
        status = ctr_fail(error, CTR_TOO_MANY, NULL, 0, 0,
                          "%zu counters of %.80s from id %u on, ids end at %d", c->count, gfx,
                          first_id, IDS_MAX - 1);
out:
    free(b.items);
    ctr_map_free(&b.names);
    if (status == CTR_NO_MEMORY) ctr_fail(error, status, NULL, 0, 0, "no memory for counters");
    if (status != CTR_OK) {
        ctr_catalogue_destroy(c);
        c = NULL;
    }
    *catalogue = c;
    return status;
}

void ctr_catalogue_destroy(ctr_catalogue_t *catalogue)
{
    if (!catalogue) return;
    ctr_map_free(&catalogue->names);
    free(catalogue->counters);
    ctr_arena_free(&catalogue->arena);
    free(catalogue);
}

/* ---- looking up ---- */

size_t ctr_catalogue_count(const ctr_catalogue_t *catalogue)
{
    return catalogue->count;
}

const ctr_counter_t *ctr_catalogue_at(const ctr_catalogue_t *catalogue, size_t index)
{
    return index < catalogue->count ? catalogue->counters[index] : NULL;
}

const ctr_counter_t *ctr_catalogue_find(const ctr_catalogue_t *catalogue, const char *name,
                                        size_t length)
{
    uint32_t index = ctr_map_get(&catalogue->names, name, length);
    return index == CTR_MAP_NONE ? NULL : catalogue->counters[index];
}

const ctr_counter_t *ctr_catalogue_by_id(const ctr_catalogue_t *catalogue, uint32_t id)
{
    return id < catalogue->first_id ? NULL : ctr_catalogue_at(catalogue, id - catalogue->first_id);
}

static const char *similar_counter(void *user, const char *name)
{
    return ctr_catalogue_similar(user, name);
}

const char *ctr_catalogue_similar(const ctr_catalogue_t *catalogue, const char *name)
{
    nearest_t nearest = {name, NULL, 3};
    for (size_t i = 0; i < catalogue->count; i++)
        consider(&nearest, catalogue->counters[i]->name);
    return nearest.name;
}

const ctr_block_t *ctr_catalogue_find_block(const ctr_catalogue_t *catalogue, const char *name)
{
    for (size_t i = 0; i < catalogue->block_count; i++)
        if (strcmp(catalogue->blocks[i].name, name) == 0) return &catalogue->blocks[i];
    return NULL;
}

/* ---- adding ---- */

static bool find_counter(void *user, const char *name, size_t length, uint32_t *index,
                         bool *hardware, const char **block)
{
    const ctr_counter_t *counter = ctr_catalogue_find(user, name, length);
    if (!counter) return false;
    *index = counter->index;
    *hardware = counter->kind == CTR_HARDWARE;
    *block = counter->block;
    return true;
}

static traits_t traits_of(const ctr_counter_t *counter)
{
    if (!counter->program)
        return (traits_t){counter->value_class, 0, counter->kind == CTR_CONSTANT};
    return (traits_t){counter->value_class, counter->program->height, counter->program->constant};
}

static ctr_class_t classify(const ctr_catalogue_t *c, ctr_program_t *program)
{
    traits_t made = without_inputs;
    for (uint32_t i = 0; i < program->count; i++) {
        if (program->ops[i].code != CTR_OP_LOAD) continue;
        const traits_t input = traits_of(c->counters[program->ops[i].counter]);
        combine(&made, &input);
    }
    finish(&made);
    program->height = made.height;
    program->constant = made.constant;
    return made.value_class;
}

static ctr_status_t add_derived(ctr_catalogue_t *c, const char *name, size_t name_length,
                                const char *expression, size_t expression_length,
                                const char *description, size_t description_length,
                                const ctr_counter_t **counter, ctr_error_t *error)
{
    ctr_error_t own = {0};
    ctr_program_t *program = NULL;
    ctr_names_t names = {find_counter, similar_counter, c};
    if (c->first_id + c->count >= IDS_MAX)
        return ctr_fail(error, CTR_TOO_MANY, NULL, 0, 0, "%.80s: no counter id is left, limit %d",
                        name, IDS_MAX);
    ctr_status_t status = ctr_compile(expression, expression_length, c->generation, &names,
                                      &c->arena, &program, &own);
    if (status != CTR_OK)
        return ctr_fail(error, status, NULL, 1, own.column, "%.*s: %s, at character %u of \"%.*s\"",
                        (int)name_length, name, own.text, own.column,
                        expression_length > 160 ? 160 : (int)expression_length, expression);
    ctr_class_t value_class = classify(c, program);
    if (program->height > CTR_HEIGHT_MAX)
        return ctr_fail(error, CTR_TOO_MANY, NULL, 0, 0,
                        "%.*s: %u definitions above one another, limit %d", (int)name_length, name,
                        program->height, CTR_HEIGHT_MAX);
    char *kept = ctr_arena_text(&c->arena, name, name_length);
    char *text = ctr_arena_text(&c->arena, expression, expression_length);
    char *about = ctr_arena_text(&c->arena, description, description_length);
    ctr_counter_t *made = kept && text && about ? add_counter(c, kept) : NULL;
    if (!made) return ctr_fail(error, CTR_NO_MEMORY, NULL, 0, 0, "no memory for a counter");
    made->kind = CTR_DERIVED;
    made->expression = text;
    made->description = about;
    made->program = program;
    made->value_class = value_class;
    *counter = made;
    return CTR_OK;
}

ctr_status_t ctr_catalogue_add(ctr_catalogue_t *catalogue, const char *name, size_t name_length,
                               const char *expression, size_t expression_length,
                               const char *description, size_t description_length,
                               const ctr_counter_t **counter, ctr_error_t *error)
{
    if (!ctr_is_counter_name((ctr_slice_t){name, name_length}))
        return ctr_fail(error, CTR_BAD_TEXT, NULL, 0, 0, CTR_BAD_COUNTER_NAME,
                        name_length > 80 ? 80 : (int)name_length, name);
    if (ctr_catalogue_find(catalogue, name, name_length))
        return ctr_fail(error, CTR_DUPLICATE, NULL, 0, 0, "counter %.*s exists already",
                        (int)name_length, name);
    return add_derived(catalogue, name, name_length, expression, expression_length, description,
                       description_length, counter, error);
}

ctr_status_t ctr_catalogue_event(ctr_catalogue_t *catalogue, const char *block, uint32_t event,
                                 const ctr_counter_t **counter, ctr_error_t *error)
{
    const ctr_block_t *of = ctr_catalogue_find_block(catalogue, block);
    if (!of)
        return ctr_fail(error, CTR_NOT_FOUND, NULL, 0, 0, "%s has no block %.80s", catalogue->gfx,
                        block);
    if (event > of->max_event)
        return ctr_fail(error, CTR_NOT_FOUND, NULL, 0, 0,
                        "event %u of block %s, its last is %u on %s", event, of->name,
                        of->max_event, catalogue->gfx);
    char name[80];
    int length = snprintf(name, sizeof name, "%.60s_EVENT_%u", of->name, event);
    if ((*counter = ctr_catalogue_find(catalogue, name, (size_t)length))) return CTR_OK;
    if (catalogue->first_id + catalogue->count >= IDS_MAX)
        return ctr_fail(error, CTR_TOO_MANY, NULL, 0, 0, "%s: no counter id is left, limit %d",
                        name, IDS_MAX);
    char *kept = ctr_arena_text(&catalogue->arena, name, (size_t)length);
    ctr_counter_t *made = kept ? add_counter(catalogue, kept) : NULL;
    if (!made) return ctr_fail(error, CTR_NO_MEMORY, NULL, 0, 0, "no memory for a counter");
    made->kind = CTR_HARDWARE;
    made->block = of->name;
    made->block_id = of->id;
    made->event = event;
    *counter = made;
    return CTR_OK;
}

/* ctr_catalogue_instance() gives its counters their own name as expression. A definition in a file
 * cannot have that, since it would be a cycle. */
bool ctr_is_instance(const ctr_counter_t *counter)
{
    return counter->kind == CTR_DERIVED && strcmp(counter->name, counter->expression) == 0;
}

ctr_status_t ctr_catalogue_instance(ctr_catalogue_t *catalogue, const char *name,
                                    const ctr_counter_t **counter, ctr_error_t *error)
{
    const ctr_counter_t *found = ctr_catalogue_find(catalogue, name, strlen(name));
    size_t length = strcspn(name, "["), rest = strlen(name) - length;
    if (found) {
        *counter = found;
        return CTR_OK;
    }
    found = ctr_catalogue_find(catalogue, name, length);
    size_t digits = rest > 2 ? strspn(name + length + 1, "0123456789") : 0;
    if (!found || found->kind != CTR_HARDWARE || !digits || digits > 4 || rest != digits + 2 ||
        name[length + 1 + digits] != ']') {
        const char *similar = ctr_catalogue_similar(catalogue, name);
        return ctr_fail(error, CTR_NOT_FOUND, NULL, 0, 0, "no counter \"%.80s\" on %s%s%s%s", name,
                        catalogue->gfx, similar ? "; is it " : "", similar ? similar : "",
                        similar ? "?" : "");
    }
    unsigned instance = (unsigned)strtoul(name + length + 1, NULL, 10);
    const ctr_block_t *block = ctr_catalogue_find_block(catalogue, found->block);
    if (block && instance >= block->instances)
        return ctr_fail(error, CTR_NOT_FOUND, NULL, 0, 0,
                        "instance %u of counter %s, block %s has %u on %s", instance, found->name,
                        block->name, block->instances, catalogue->gfx);
    return add_derived(catalogue, name, strlen(name), name, strlen(name), found->description,
                       strlen(found->description), counter, error);
}
