/* bind.c - fits a program to an agent: the shape of each value, and the steps that compute the
 * result.
 *
 * It is apart from the compiler because extents depend on the agent, and apart from the evaluation
 * because this part may allocate and fail: tables of indices are made here once, and the evaluation
 * only iterates over them. */
#include "counters/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* Returns the largest extent for which the bits of an instance id suffice; records cannot
 * distinguish more positions. */
static uint32_t extent_limit(ctr_dim_t dim)
{
    return dim == CTR_DIM_INSTANCE ? 1024 : 64;
}

enum { UNITS_OF_WGP = 2 };

static uint64_t at_least_one(uint64_t n)
{
    return n ? n : 1;
}

static ctr_status_t set_extent(ctr_shape_t *shape, ctr_dim_t dim, uint64_t extent,
                               ctr_error_t *error)
{
    if (extent > extent_limit(dim))
        return ctr_fail(error, CTR_TOO_MANY, NULL, 0, 0, "the agent has %llu of %s, limit %u",
                        (unsigned long long)extent, ctr_dim_name(dim), extent_limit(dim));
    shape->extent[dim] = (uint16_t)extent;
    return CTR_OK;
}

const ctr_block_t *ctr_block_of(const ctr_catalogue_t *catalogue, const ctr_counter_t *counter,
                                ctr_error_t *error)
{
    const ctr_block_t *block = ctr_catalogue_find_block(catalogue, counter->block);
    if (!block)
        ctr_fail(error, CTR_NOT_FOUND, NULL, 0, 0, "%s: nothing is known of block %s on %s",
                 counter->name, counter->block, catalogue->gfx);
    return block;
}

/* The numbers of places on an agent that can contain counter blocks. `engines` and `units` are
 * counted over all XCCs, `arrays` in one engine. */
typedef struct {
    uint64_t xccs, engines, arrays, units;
} places_t;

static places_t count_places(const ctr_agent_t *agent)
{
    places_t p = {.xccs = at_least_one(agent->num_xcc),
                  .arrays = at_least_one(agent->simd_arrays_per_engine),
                  .units = agent->cu_count};
    p.engines = at_least_one(agent->num_shader_banks ? agent->num_shader_banks
                                                     : agent->array_count / p.arrays);
    if (!p.units) p.units = agent->simd_count / at_least_one(agent->simd_per_cu);
    return p;
}

/* Returns the units of an array, rounded up, since arrays may differ in size. AMD's library reads
 * one more instance of a unit's block than that. */
static uint64_t per_array(const places_t *p, uint64_t units)
{
    const uint64_t arrays = p->arrays * p->engines;
    return (units + arrays - 1) / arrays;
}

/* The dimensions are those that the AQL profile library reports for the position of a value. */
ctr_status_t ctr_block_shape(const ctr_catalogue_t *catalogue, const ctr_counter_t *counter,
                             const ctr_agent_t *agent, ctr_shape_t *shape, ctr_error_t *error)
{
    const ctr_block_t *block = ctr_block_of(catalogue, counter, error);
    ctr_status_t status = CTR_OK;
    *shape = (ctr_shape_t){0};
    if (!block) return CTR_NOT_FOUND;
    const places_t p = count_places(agent);
    const bool v1 = catalogue->generation == CTR_GENERATION_V1, several = p.xccs > 1;
    uint64_t instances = at_least_one(block->instances);
    /* the first generation reads all instances */
    if (block->of_unit && !v1 && p.units && per_array(&p, p.units) + 1 < instances)
        instances = per_array(&p, p.units) + 1;
    if (block->outside && !several) instances = 1;
    const bool of_wgp = block->scope >= CTR_OF_WGP;
    const struct {
        ctr_dim_t dim;
        bool has;
        uint64_t extent;
    } dims[] = {
        {CTR_DIM_XCC, several && !block->outside, p.xccs},
        {CTR_DIM_AID, several && block->outside && instances > 1, instances},
        {CTR_DIM_SHADER_ENGINE, block->scope >= CTR_OF_ENGINE, p.engines / p.xccs},
        {CTR_DIM_SHADER_ARRAY, block->scope >= CTR_OF_ARRAY, p.arrays},
        {CTR_DIM_WGP, of_wgp, per_array(&p, p.units / UNITS_OF_WGP)},
        {CTR_DIM_INSTANCE, !of_wgp || instances > 1,
         several && block->outside && instances > 1 ? 1 : instances},
    };
    for (size_t i = 0; i < sizeof dims / sizeof *dims && status == CTR_OK; i++)
        if (dims[i].has)
            status = set_extent(shape, dims[i].dim, at_least_one(dims[i].extent), error);
    return status;
}

/* ---- steps ---- */

static ctr_step_t *add_step(ctr_binder_t *b, ctr_opcode_t code, const ctr_place_t *from,
                            ctr_place_t *to, ctr_error_t *error)
{
    if (!BASE_GROW(b->steps, b->count, &b->capacity)) {
        ctr_fail(error, CTR_NO_MEMORY, NULL, 0, 0, "no memory for a plan");
        return NULL;
    }
    ctr_step_t *step = &b->steps[b->count++];
    *step = (ctr_step_t){.code = (uint8_t)code, .count = ctr_shape_size(&to->shape)};
    to->space = CTR_IN_SCRATCH;
    to->first = b->scratch;
    step->to = to->first;
    b->scratch += step->count;
    if (from) {
        step->a_space = from->space;
        step->a = from->first;
        step->a_count = ctr_shape_size(&from->shape);
    }
    return step;
}

static uint32_t *new_map(ctr_binder_t *b, size_t count, ctr_error_t *error)
{
    uint32_t *map = ctr_arena_alloc(b->arena, count, sizeof(*map));
    if (!map) ctr_fail(error, CTR_NO_MEMORY, NULL, 0, 0, "no memory for a plan");
    return map;
}

static bool same_shape(const ctr_shape_t *a, const ctr_shape_t *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

/* Gives a value without any dimension an INSTANCE of 1. */
static void close_shape(ctr_shape_t *shape)
{
    for (int dim = CTR_DIM_XCC; dim < CTR_DIM_COUNT; dim++)
        if (shape->extent[dim]) return;
    shape->extent[CTR_DIM_INSTANCE] = 1;
}

static ctr_status_t bind_number(ctr_binder_t *b, double number, ctr_place_t *to, ctr_error_t *error)
{
    *to = (ctr_place_t){.shape.extent[CTR_DIM_INSTANCE] = 1};
    if (b->shapes_only) return CTR_OK;
    ctr_step_t *step = add_step(b, CTR_OP_NUMBER, NULL, to, error);
    if (!step) return CTR_NO_MEMORY;
    step->number = number;
    return CTR_OK;
}

static ctr_status_t bind_reduce(ctr_binder_t *b, const ctr_op_t *op, ctr_place_t *top,
                                ctr_error_t *error)
{
    ctr_place_t from = *top, to = *top;
    for (int dim = CTR_DIM_XCC; dim < CTR_DIM_COUNT; dim++)
        if (op->dims & 1 << dim) to.shape.extent[dim] = 0;
    close_shape(&to.shape);
    if (same_shape(&from.shape, &to.shape)) return CTR_OK;
    *top = to;
    if (b->shapes_only) return CTR_OK;
    ctr_step_t *step = add_step(b, CTR_OP_REDUCE, &from, top, error);
    if (!step) return CTR_NO_MEMORY;
    step->fold = op->fold;
    if (step->count == 1) return CTR_OK;
    uint32_t *map = new_map(b, step->a_count, error);
    if (!map) return CTR_NO_MEMORY;
    for (size_t i = 0; i < step->a_count; i++) {
        uint32_t position[CTR_DIM_COUNT];
        ctr_shape_position(&from.shape, i, position);
        for (int dim = CTR_DIM_XCC; dim < CTR_DIM_COUNT; dim++)
            if (op->dims & 1 << dim) position[dim] = 0;
        map[i] = (uint32_t)ctr_shape_index(&to.shape, position);
    }
    step->map = map;
    return CTR_OK;
}

static bool chosen(const ctr_selection_t *selection, uint32_t position)
{
    return selection->positions[position / 64] >> position % 64 & 1;
}

/* Lists the selected positions below `extent` in order; *beyond becomes the number of selected
 * positions above. */
static uint32_t list_positions(const ctr_selection_t *selection, uint32_t extent,
                               uint32_t positions[CTR_POSITIONS_MAX], uint32_t *beyond)
{
    uint32_t count = 0;
    *beyond = UINT32_MAX;
    for (uint32_t i = 0; i < CTR_POSITIONS_MAX; i++) {
        if (!chosen(selection, i)) continue;
        if (i < extent)
            positions[count++] = i;
        else if (*beyond == UINT32_MAX)
            *beyond = i;
    }
    return count;
}

static ctr_status_t bind_select(ctr_binder_t *b, const ctr_counter_t *owner,
                                const ctr_selection_t *selection, ctr_place_t *top,
                                ctr_error_t *error)
{
    uint32_t positions[CTR_POSITIONS_MAX], beyond;
    ctr_place_t from = *top, to = *top;
    uint32_t extent = from.shape.extent[selection->dim];
    uint32_t count = list_positions(selection, extent ? extent : 1, positions, &beyond);
    if (!count || (beyond != UINT32_MAX && !selection->clamp))
        return ctr_fail(error, CTR_BAD_EXPRESSION, NULL, 0, 0,
                        "%s: position %u of %s is selected, the agent has %u", owner->name, beyond,
                        ctr_dim_name(selection->dim), extent ? extent : 1);
    if (!extent) return CTR_OK;
    to.shape.extent[selection->dim] = selection->keep ? (uint16_t)count : 0;
    close_shape(&to.shape);
    if (same_shape(&from.shape, &to.shape)) return CTR_OK;
    *top = to;
    if (b->shapes_only) return CTR_OK;
    ctr_step_t *step = add_step(b, CTR_OP_SELECT, &from, top, error);
    uint32_t *map = step ? new_map(b, step->count, error) : NULL;
    if (!map) return CTR_NO_MEMORY;
    for (size_t i = 0; i < step->count; i++) {
        uint32_t position[CTR_DIM_COUNT];
        ctr_shape_position(&to.shape, i, position);
        position[selection->dim] = positions[selection->keep ? position[selection->dim] : 0];
        map[i] = (uint32_t)ctr_shape_index(&from.shape, position);
    }
    step->map = map;
    return CTR_OK;
}

/* Computes the shape of an operation on two values. A single number fits any shape. A dimension
 * that only one side has is kept, and the other side is repeated along it. */
static ctr_status_t join_shapes(const ctr_counter_t *owner, const ctr_shape_t *a,
                                const ctr_shape_t *b, ctr_shape_t *out, ctr_error_t *error)
{
    if (ctr_shape_size(a) == 1 || ctr_shape_size(b) == 1) {
        *out = ctr_shape_size(b) == 1 ? *a : *b;
        return CTR_OK;
    }
    for (int dim = CTR_DIM_XCC; dim < CTR_DIM_COUNT; dim++) {
        uint16_t ea = a->extent[dim], eb = b->extent[dim];
        if (ea > 1 && eb > 1 && ea != eb)
            return ctr_fail(error, CTR_BAD_EXPRESSION, NULL, 0, 0,
                            "%s: values with %u and %u positions of %s cannot be combined; "
                            "reduce() them first",
                            owner->name, ea, eb, ctr_dim_name((ctr_dim_t)dim));
        out->extent[dim] = ea > eb ? ea : eb;
    }
    return CTR_OK;
}

static uint32_t index_in(const ctr_shape_t *shape, const uint32_t position[CTR_DIM_COUNT])
{
    uint32_t own[CTR_DIM_COUNT];
    for (int dim = 0; dim < CTR_DIM_COUNT; dim++)
        own[dim] = shape->extent[dim] > 1 ? position[dim] : 0;
    return (uint32_t)ctr_shape_index(shape, own);
}

static ctr_status_t bind_arithmetic(ctr_binder_t *b, const ctr_counter_t *owner, ctr_opcode_t code,
                                    ctr_place_t *left, const ctr_place_t *right, ctr_error_t *error)
{
    ctr_place_t to = {0}, from = *left;
    ctr_status_t status = join_shapes(owner, &from.shape, &right->shape, &to.shape, error);
    if (status != CTR_OK) return status;
    *left = to;
    if (b->shapes_only) return CTR_OK;
    ctr_step_t *step = add_step(b, code, &from, left, error);
    if (!step) return CTR_NO_MEMORY;
    step->b_space = right->space;
    step->b = right->first;
    step->b_count = ctr_shape_size(&right->shape);
    bool parallel_a = step->a_count == 1 || step->a_count == step->count;
    bool parallel_b = step->b_count == 1 || step->b_count == step->count;
    if (parallel_a && parallel_b) return CTR_OK;
    uint32_t *map = new_map(b, step->count * 2, error);
    if (!map) return CTR_NO_MEMORY;
    for (size_t i = 0; i < step->count; i++) {
        uint32_t position[CTR_DIM_COUNT];
        ctr_shape_position(&to.shape, i, position);
        map[2 * i] = index_in(&from.shape, position);
        map[2 * i + 1] = index_in(&right->shape, position);
    }
    step->map = map;
    return CTR_OK;
}

/* ---- programs ---- */

/* Finds the instances that are used of the counter loaded by ops[at]: a selection of instances may
 * follow directly, or after a reduction of other dimensions. */
static void find_instances(ctr_binder_t *b, const ctr_op_t *ops, size_t count, size_t at)
{
    b->instance_begin = 0;
    b->instance_end = UINT32_MAX;
    if (at + 1 < count && ops[at + 1].code == CTR_OP_REDUCE &&
        !(ops[at + 1].dims & 1 << CTR_DIM_INSTANCE))
        at++;
    if (at + 1 >= count || ops[at + 1].code != CTR_OP_SELECT ||
        ops[at + 1].selection->dim != CTR_DIM_INSTANCE)
        return;
    uint32_t positions[CTR_POSITIONS_MAX], beyond;
    uint32_t found = list_positions(ops[at + 1].selection, CTR_POSITIONS_MAX, positions, &beyond);
    if (!found) return;
    b->instance_begin = positions[0];
    b->instance_end = positions[found - 1] + 1;
}

static ctr_status_t bind_op(ctr_binder_t *b, const ctr_counter_t *owner, const ctr_op_t *ops,
                            size_t count, size_t at, ctr_place_t *stack, size_t *depth,
                            ctr_error_t *error)
{
    const ctr_op_t *op = &ops[at];
    switch ((ctr_opcode_t)op->code) {
    case CTR_OP_NUMBER: return bind_number(b, op->number, &stack[(*depth)++], error);
    case CTR_OP_LOAD:
        find_instances(b, ops, count, at);
        return b->load(b->user, b->catalogue->counters[op->counter],
                       (ctr_accumulate_t)op->accumulate, &stack[(*depth)++], error);
    case CTR_OP_ADD:
    case CTR_OP_SUB:
    case CTR_OP_MUL:
    case CTR_OP_DIV:
        --*depth;
        return bind_arithmetic(b, owner, (ctr_opcode_t)op->code, &stack[*depth - 1], &stack[*depth],
                               error);
    case CTR_OP_REDUCE: return bind_reduce(b, op, &stack[*depth - 1], error);
    case CTR_OP_SELECT: return bind_select(b, owner, op->selection, &stack[*depth - 1], error);
    }
    return CTR_BAD_EXPRESSION;
}

ctr_status_t ctr_bind(ctr_binder_t *binder, const ctr_counter_t *owner, const ctr_op_t *ops,
                      size_t count, ctr_place_t *result, ctr_error_t *error)
{
    size_t depth = 0;
    ctr_status_t status = CTR_OK;
    ctr_place_t *stack = calloc(count + 1, sizeof(*stack));
    if (!stack) return ctr_fail(error, CTR_NO_MEMORY, NULL, 0, 0, "no memory for a plan");
    for (size_t at = 0; at < count && status == CTR_OK; at++)
        status = bind_op(binder, owner, ops, count, at, stack, &depth, error);
    if (status == CTR_OK) *result = stack[0];
    free(stack);
    return status;
}

ctr_status_t ctr_bind_v1(ctr_binder_t *binder, const ctr_counter_t *owner, ctr_place_t *place,
                         ctr_error_t *error)
{
    const ctr_op_t *ops = binder->catalogue->v1_ops;
    ctr_status_t status = bind_reduce(binder, &ops[0], place, error);
    return status == CTR_OK ? bind_select(binder, owner, ops[1].selection, place, error) : status;
}

/* ---- shapes without steps ---- */

typedef struct {
    ctr_binder_t binder;
    ctr_shape_t *shapes; /* by counter; a shape of all zeros has not been computed yet */
} shaper_t;

static ctr_status_t shape_of(shaper_t *s, const ctr_counter_t *counter, ctr_shape_t *shape,
                             ctr_error_t *error);

static ctr_status_t load_shape(void *user, const ctr_counter_t *counter,
                               ctr_accumulate_t accumulate, ctr_place_t *place, ctr_error_t *error)
{
    (void)accumulate;
    return shape_of(user, counter, &place->shape, error);
}

static ctr_status_t shape_of(shaper_t *s, const ctr_counter_t *counter, ctr_shape_t *shape,
                             ctr_error_t *error)
{
    static const ctr_shape_t none;
    ctr_status_t status = CTR_OK;
    ctr_place_t place = {0};
    if (!same_shape(&s->shapes[counter->index], &none)) {
        *shape = s->shapes[counter->index];
        return CTR_OK;
    }
    if (counter->kind == CTR_CONSTANT)
        place.shape.extent[CTR_DIM_INSTANCE] = 1;
    else if (counter->kind == CTR_HARDWARE)
        status =
            ctr_block_shape(s->binder.catalogue, counter, s->binder.agent, &place.shape, error);
    else
        status = ctr_bind(&s->binder, counter, counter->program->ops, counter->program->count,
                          &place, error);
    *shape = s->shapes[counter->index] = place.shape;
    return status;
}

ctr_status_t ctr_counter_shape(const ctr_catalogue_t *catalogue, const ctr_counter_t *counter,
                               const ctr_agent_t *agent, ctr_shape_t *shape, ctr_error_t *error)
{
    shaper_t s = {
        .binder = {
            .catalogue = catalogue, .agent = agent, .shapes_only = true, .load = load_shape}};
    s.binder.user = &s;
    if (counter->kind == CTR_HARDWARE && catalogue->generation == CTR_GENERATION_V1) {
        *shape = (ctr_shape_t){.extent[CTR_DIM_INSTANCE] = 1};
        return CTR_OK;
    }
    if (counter->kind == CTR_HARDWARE)
        return ctr_block_shape(catalogue, counter, agent, shape, error);
    s.shapes = calloc(catalogue->count, sizeof(*s.shapes));
    if (!s.shapes) return ctr_fail(error, CTR_NO_MEMORY, NULL, 0, 0, "no memory for shapes");
    ctr_status_t status = shape_of(&s, counter, shape, error);
    free(s.shapes);
    return status;
}
