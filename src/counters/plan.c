/* plan.c - divides wanted counters into passes that fit the hardware, and prepares each pass.
 *
 * It is apart because only here the number of counters that a block can count at once matters. An
 * input is a hardware counter, or one with its accumulation; an item is a wanted counter with its
 * inputs, which share a pass. The method is first-fit decreasing: items are taken in the order of
 * how much of a block they fill, the largest first, and each goes into the first pass with room.
 * Equal ones keep the order of the request, so the same request gives the same plan. */
#include "counters/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum { NO_INPUT = UINT32_MAX };

typedef struct {
    const ctr_counter_t *counter;
    ctr_accumulate_t accumulate;
    uint32_t block;    /* index in the catalogue */
    uint32_t follower; /* the input whose name says that it accumulates this one, or NO_INPUT */
    bool follows;
} input_t;

typedef struct {
    uint32_t wanted, wanted_count; /* positions in the request, and their number */
    uint32_t inputs, input_count;  /* first of its inputs in planner_t.uses, and their number */
    uint32_t weight;
    uint32_t pass;
} item_t;

typedef struct {
    uint8_t *has; /* indexed by input: 1 if the pass has it */
    uint32_t slots[CTR_BLOCKS_MAX];
} load_t;

typedef struct {
    const ctr_catalogue_t *catalogue;
    const ctr_agent_t *agent;
    const ctr_counter_t **wanted;
    size_t wanted_count;
    input_t *inputs;
    size_t input_count, input_capacity;
    uint32_t *input_of; /* indexed by counter index * 3 + accumulation */
    uint32_t *uses;
    size_t use_count, use_capacity;
    item_t *items;
    size_t item_count;
    load_t *loads; /* indexed by pass */
    size_t load_count, load_capacity;
    ctr_error_t *error;
    ctr_status_t status;
} planner_t;

struct ctr_plan {
    ctr_arena_t arena;
    ctr_bound_pass_t *passes;
    size_t count;
};

static ctr_status_t no_memory(planner_t *p)
{
    return p->status = ctr_fail(p->error, CTR_NO_MEMORY, NULL, 0, 0, "no memory for a plan");
}

/* ---- the request ---- */

static bool take_wanted(planner_t *p, const ctr_counter_t *const *wanted, size_t count)
{
    uint8_t *seen = calloc(p->catalogue->count, 1);
    p->wanted = calloc(count + 1, sizeof(*p->wanted));
    for (size_t i = 0; seen && p->wanted && i < count; i++) {
        const ctr_counter_t *known = ctr_catalogue_at(p->catalogue, wanted[i]->index);
        if (known != wanted[i]) {
            p->status = ctr_fail(p->error, CTR_NOT_FOUND, NULL, 0, 0,
                                 "counter %s is not one of this agent's (%s)", wanted[i]->name,
                                 p->catalogue->gfx);
            break;
        }
        if (!seen[known->index]) p->wanted[p->wanted_count++] = known;
        seen[known->index] = 1;
    }
    if (!seen || !p->wanted) no_memory(p);
    free(seen);
    return p->status == CTR_OK;
}

/* Finds an input for the same event under another name, since an event is counted once. */
static uint32_t find_twin(const planner_t *p, const ctr_counter_t *counter,
                          ctr_accumulate_t accumulate)
{
    for (size_t i = 0; i < p->input_count; i++) {
        const ctr_counter_t *c = p->inputs[i].counter;
        if (c->event == counter->event && c->event_flags == counter->event_flags &&
            p->inputs[i].accumulate == accumulate && strcmp(c->block, counter->block) == 0)
            return (uint32_t)i;
    }
    return NO_INPUT;
}

static bool use_input(void *user, const ctr_counter_t *counter, ctr_accumulate_t accumulate)
{
    planner_t *p = user;
    uint32_t *known = &p->input_of[counter->index * 3 + accumulate];
    if (*known == NO_INPUT) *known = find_twin(p, counter, accumulate);
    if (*known == NO_INPUT) {
        const ctr_block_t *block = ctr_block_of(p->catalogue, counter, p->error);
        if (!block) {
            p->status = CTR_NOT_FOUND;
            return false;
        }
        input_t new = {.counter = counter,
                       .accumulate = accumulate,
                       .follower = NO_INPUT,
                       .block = (uint32_t)(block - p->catalogue->blocks)};
        if (!BASE_GROW(p->inputs, p->input_count, &p->input_capacity)) return false;
        *known = (uint32_t)p->input_count;
        p->inputs[p->input_count++] = new;
    }
    if (!BASE_GROW(p->uses, p->use_count, &p->use_capacity)) return false;
    p->uses[p->use_count++] = *known;
    return true;
}

/* Returns true for the counters whose event accumulates the one in the slot before. */
static bool accumulates_by_name(const ctr_counter_t *counter)
{
    return counter->kind == CTR_HARDWARE && (strcmp(counter->name, "SQ_ACCUM_PREV") == 0 ||
                                             strcmp(counter->name, "SQ_ACCUM_PREV_HIRES") == 0);
}

static bool sticks(const planner_t *p, size_t at)
{
    return at + 1 < p->wanted_count && accumulates_by_name(p->wanted[at + 1]) &&
           p->wanted[at]->kind == CTR_HARDWARE && !accumulates_by_name(p->wanted[at]) &&
           strcmp(p->wanted[at]->block, p->wanted[at + 1]->block) == 0;
}

static bool take_item(planner_t *p, item_t *item)
{
    for (uint32_t i = 0; i < item->wanted_count; i++)
        if (!ctr_walk_inputs(p->catalogue, p->wanted[item->wanted + i], use_input, p)) {
            if (p->status == CTR_OK) no_memory(p);
            return false;
        }
    item->input_count = (uint32_t)p->use_count - item->inputs;
    if (item->wanted_count == 2) {
        uint32_t first = p->uses[item->inputs], second = p->uses[item->inputs + 1];
        p->inputs[first].follower = second;
        p->inputs[second].follows = true;
    }
    return true;
}

static bool take_items(planner_t *p)
{
    size_t ways = p->catalogue->count * 3;
    p->items = calloc(p->wanted_count + 1, sizeof(*p->items));
    p->input_of = malloc((ways + 1) * sizeof(*p->input_of));
    if (!p->items || !p->input_of) return no_memory(p), false;
    for (size_t i = 0; i < ways; i++)
        p->input_of[i] = NO_INPUT;
    for (size_t at = 0; at < p->wanted_count; at += p->items[p->item_count++].wanted_count) {
        item_t *item = &p->items[p->item_count];
        *item = (item_t){.wanted = (uint32_t)at,
                         .wanted_count = sticks(p, at) ? 2 : 1,
                         .inputs = (uint32_t)p->use_count};
        if (!take_item(p, item)) return false;
    }
    return true;
}

/* ---- passes ---- */

uint32_t ctr_block_slots(const ctr_block_t *block, const ctr_agent_t *agent)
{
    const uint32_t own = block->id < CTR_BLOCK_IDS ? agent->slots[block->id] : 0;
    return own ? own : block->slots;
}

static uint32_t room_of(const planner_t *p, size_t block)
{
    return ctr_block_slots(&p->catalogue->blocks[block], p->agent);
}

static uint32_t slots_of(const input_t *input)
{
    return input->accumulate != CTR_ACCUMULATE_NONE ? 2 : 1;
}

static load_t *new_load(planner_t *p)
{
    if (!BASE_GROW(p->loads, p->load_count, &p->load_capacity)) return NULL;
    load_t *load = &p->loads[p->load_count];
    *load = (load_t){.has = calloc(p->input_count + 1, 1)};
    if (!load->has) return NULL;
    p->load_count++;
    return load;
}

static void forget_loads(planner_t *p)
{
    for (size_t i = 0; i < p->load_count; i++)
        free(p->loads[i].has);
    p->load_count = 0;
}

/* Computes the slots that a pass would need with the item added. */
static void slots_with(const planner_t *p, const load_t *load, const item_t *item,
                       uint32_t slots[CTR_BLOCKS_MAX])
{
    memcpy(slots, load->slots, sizeof(load->slots));
    for (uint32_t i = 0; i < item->input_count; i++) {
        uint32_t input = p->uses[item->inputs + i];
        bool counted = load->has[input];
        for (uint32_t j = 0; j < i && !counted; j++)
            counted = p->uses[item->inputs + j] == input;
        if (!counted) slots[p->inputs[input].block] += slots_of(&p->inputs[input]);
    }
}

/* Returns the first block that has too few slots; NULL if all have enough. */
static const ctr_block_t *overflow(const planner_t *p, const uint32_t slots[CTR_BLOCKS_MAX],
                                   uint32_t *needed)
{
    for (size_t i = 0; i < p->catalogue->block_count; i++) {
        *needed = slots[i];
        if (slots[i] > room_of(p, i)) return &p->catalogue->blocks[i];
    }
    return NULL;
}

static void put(planner_t *p, load_t *load, item_t *item, const uint32_t slots[CTR_BLOCKS_MAX])
{
    memcpy(load->slots, slots, sizeof(load->slots));
    for (uint32_t i = 0; i < item->input_count; i++)
        load->has[p->uses[item->inputs + i]] = 1;
    item->pass = (uint32_t)(load - p->loads);
}

/* Fails if an item is too large for any pass. */
static bool weigh_items(planner_t *p)
{
    load_t empty = {.has = calloc(p->input_count + 1, 1)};
    if (!empty.has) return no_memory(p), false;
    for (size_t i = 0; i < p->item_count && p->status == CTR_OK; i++) {
        uint32_t slots[CTR_BLOCKS_MAX], needed;
        slots_with(p, &empty, &p->items[i], slots);
        const ctr_block_t *block = overflow(p, slots, &needed);
        if (block)
            p->status = ctr_fail(p->error, CTR_TOO_MANY, NULL, 0, 0,
                                 "%s needs %u counters of block %s at once, there are %u",
                                 p->wanted[p->items[i].wanted]->name, needed, block->name,
                                 ctr_block_slots(block, p->agent));
        for (size_t b = 0; b < p->catalogue->block_count; b++) {
            uint32_t share = slots[b] * 1000 / room_of(p, b);
            if (share > p->items[i].weight) p->items[i].weight = share;
        }
    }
    free(empty.has);
    return p->status == CTR_OK;
}

static bool place(planner_t *p, item_t *item)
{
    uint32_t slots[CTR_BLOCKS_MAX], needed;
    for (size_t i = 0; i < p->load_count; i++) {
        slots_with(p, &p->loads[i], item, slots);
        if (overflow(p, slots, &needed)) continue;
        put(p, &p->loads[i], item, slots);
        return true;
    }
    load_t *load = new_load(p);
    if (!load) return no_memory(p), false;
    slots_with(p, load, item, slots);
    put(p, load, item, slots);
    return true;
}

/* Sorts by weight, then by the order of the request, so that the sort is stable. */
static int heavier(const void *a, const void *b)
{
    const item_t *x = *(item_t *const *)a, *y = *(item_t *const *)b;
    if (x->weight != y->weight) return x->weight < y->weight ? 1 : -1;
    return x->wanted < y->wanted ? -1 : x->wanted > y->wanted;
}

/* Numbers the passes in the order in which the request first needs them. */
static void renumber(planner_t *p)
{
    uint32_t next = 0;
    for (size_t i = 0; i < p->item_count; i++) {
        uint32_t old = p->items[i].pass;
        if (old < next) continue;
        for (size_t j = i; j < p->item_count; j++)
            if (p->items[j].pass == old)
                p->items[j].pass = next;
            else if (p->items[j].pass == next)
                p->items[j].pass = old;
        load_t swap = p->loads[old];
        p->loads[old] = p->loads[next];
        p->loads[next++] = swap;
    }
}

static bool fill_passes(planner_t *p)
{
    item_t **order = calloc(p->item_count + 1, sizeof(*order));
    if (!order || !new_load(p)) {
        free(order);
        return no_memory(p), false;
    }
    for (size_t i = 0; i < p->item_count; i++)
        order[i] = &p->items[i];
    qsort(order, p->item_count, sizeof(*order), heavier);
    for (size_t i = 0; i < p->item_count && p->status == CTR_OK; i++)
        place(p, order[i]);
    free(order);
    if (p->status == CTR_OK) renumber(p);
    return p->status == CTR_OK;
}

/* Writes passes that would be possible, as "SQ_A SQ_B | SQ_C". */
static void write_passes(const planner_t *p, char *text, size_t size)
{
    size_t used = 0;
    for (size_t pass = 0; pass < p->load_count; pass++)
        for (size_t i = 0, first = 1; i < p->item_count; i++) {
            if (p->items[i].pass != pass) continue;
            for (uint32_t j = 0; j < p->items[i].wanted_count && used < size; j++, first = 0)
                used += (size_t)snprintf(text + used, size - used, "%s%s",
                                         !first ? " "
                                         : pass ? " | "
                                                : "",
                                         p->wanted[p->items[i].wanted + j]->name);
        }
    if (used >= size) memcpy(text + size - 4, "...", 4);
}

static ctr_status_t refuse(planner_t *p, size_t max_passes)
{
    char passes[1300] = "";
    uint32_t slots[CTR_BLOCKS_MAX] = {0}, needed = 0;
    for (size_t i = 0; i < p->input_count; i++)
        slots[p->inputs[i].block] += slots_of(&p->inputs[i]);
    const ctr_block_t *block = overflow(p, slots, &needed);
    write_passes(p, passes, sizeof(passes));
    return ctr_fail(p->error, CTR_TOO_MANY, NULL, 0, 0,
                    "%u counters of block %s are wanted, %u available; %zu passes would do, "
                    "limit %zu: %s",
                    needed, block ? block->name : "?", block ? ctr_block_slots(block, p->agent) : 0,
                    p->load_count, max_passes, passes);
}

/* ---- preparing a pass ---- */

typedef struct {
    planner_t *planner;
    ctr_binder_t binder;
    ctr_event_t *events;
    uint32_t *event_of;  /* indexed by input; NO_INPUT if it is not in this pass */
    ctr_place_t *places; /* places of derived and constant counters, by counter */
    uint8_t *placed;
} passmaker_t;

/* Widens the range of instances that the first generation programs for the event. A block that each
 * WGP has one of, as SQ of gfx11, has no such dimension, and one instance. */
static void widen(ctr_event_t *event, uint32_t begin, uint32_t end)
{
    uint32_t extent = event->shape.extent[CTR_DIM_INSTANCE];
    if (!extent) extent = 1;
    if (end > extent) end = extent;
    if (begin >= end) return;
    bool unused = event->instance_begin == event->instance_end;
    if (unused || begin < event->instance_begin) event->instance_begin = begin;
    if (unused || end > event->instance_end) event->instance_end = end;
}

static ctr_status_t load_counter(void *user, const ctr_counter_t *counter,
                                 ctr_accumulate_t accumulate, ctr_place_t *place_,
                                 ctr_error_t *error)
{
    passmaker_t *m = user;
    ctr_status_t status = CTR_OK;
    if (counter->kind == CTR_HARDWARE) {
        uint32_t input = m->planner->input_of[counter->index * 3 + accumulate];
        ctr_event_t *event = &m->events[m->event_of[input]];
        widen(event, m->binder.instance_begin, m->binder.instance_end);
        *place_ = (ctr_place_t){CTR_IN_RAW, event->first, event->shape};
        return CTR_OK;
    }
    if (!m->placed[counter->index]) {
        ctr_op_t number = {.code = CTR_OP_NUMBER};
        bool constant = counter->kind == CTR_CONSTANT;
        if (constant) number.number = ctr_property(m->planner->agent, counter->index);
        status =
            ctr_bind(&m->binder, counter, constant ? &number : counter->program->ops,
                     constant ? 1 : counter->program->count, &m->places[counter->index], error);
        m->placed[counter->index] = 1;
    }
    *place_ = m->places[counter->index];
    return status;
}

static bool add_event(passmaker_t *m, ctr_pass_t *pass, uint32_t *slots, uint32_t at)
{
    planner_t *p = m->planner;
    const input_t *input = &p->inputs[at];
    ctr_event_t *event = &m->events[pass->event_count];
    *event = (ctr_event_t){.counter = input->counter,
                           .accumulate = input->accumulate,
                           .block = &p->catalogue->blocks[input->block],
                           .first = pass->raw_count,
                           .slot = slots[input->block],
                           .slots = slots_of(input)};
    p->status = ctr_block_shape(p->catalogue, input->counter, p->agent, &event->shape, p->error);
    if (p->status != CTR_OK) return false;
    pass->raw_count += ctr_shape_size(&event->shape);
    slots[input->block] += event->slots;
    m->event_of[at] = (uint32_t)pass->event_count++;
    return true;
}

/* Adds the events in the order of the request, except that an event which accumulates another
 * follows it directly. */
static bool add_events(passmaker_t *m, ctr_pass_t *pass, const load_t *load)
{
    planner_t *p = m->planner;
    uint32_t slots[CTR_BLOCKS_MAX] = {0};
    for (size_t i = 0; i < p->input_count; i++) {
        const input_t *input = &p->inputs[i];
        if (!load->has[i] || input->follows) continue;
        if (!add_event(m, pass, slots, (uint32_t)i)) return false;
        if (input->follower != NO_INPUT && load->has[input->follower] &&
            !add_event(m, pass, slots, input->follower))
            return false;
    }
    for (size_t i = 0; i < p->input_count; i++) /* events that accumulate one of another pass */
        if (load->has[i] && m->event_of[i] == NO_INPUT && !add_event(m, pass, slots, (uint32_t)i))
            return false;
    return true;
}

static bool add_result(passmaker_t *m, ctr_bound_pass_t *bound, ctr_result_t *results,
                       const ctr_counter_t *counter)
{
    planner_t *p = m->planner;
    ctr_place_t found = {0};
    bool v1 = p->catalogue->generation == CTR_GENERATION_V1 && counter->kind == CTR_HARDWARE;
    m->binder.instance_begin = 0;
    m->binder.instance_end = v1 ? 1 : UINT32_MAX;
    p->status = load_counter(m, counter, CTR_ACCUMULATE_NONE, &found, p->error);
    if (p->status == CTR_OK && v1) p->status = ctr_bind_v1(&m->binder, counter, &found, p->error);
    if (p->status != CTR_OK) return false;
    size_t at = bound->pass.result_count++;
    bound->sources[at] = found;
    results[at] = (ctr_result_t){counter, found.shape, bound->pass.value_count};
    bound->pass.value_count += ctr_shape_size(&found.shape);
    return true;
}

static bool keep_steps(ctr_plan_t *plan, ctr_bound_pass_t *bound, const ctr_binder_t *binder)
{
    bound->steps = ctr_arena_alloc(&plan->arena, binder->count + 1, sizeof(*bound->steps));
    if (!bound->steps) return false;
    if (binder->count) memcpy(bound->steps, binder->steps, binder->count * sizeof(*bound->steps));
    bound->step_count = binder->count;
    bound->pass.scratch_count = binder->scratch;
    return true;
}

static ctr_status_t make_pass(planner_t *p, ctr_plan_t *plan, uint32_t index)
{
    ctr_bound_pass_t *bound = &plan->passes[index];
    ctr_arena_t *arena = &plan->arena;
    passmaker_t m = {
        .planner = p,
        .binder = {
            .arena = arena, .catalogue = p->catalogue, .agent = p->agent, .load = load_counter}};
    m.binder.user = &m;
    m.events = ctr_arena_alloc(arena, p->input_count + 1, sizeof(*m.events));
    bound->sources = ctr_arena_alloc(arena, p->wanted_count + 1, sizeof(*bound->sources));
    ctr_result_t *results = ctr_arena_alloc(arena, p->wanted_count + 1, sizeof(*results));
    m.event_of = malloc((p->input_count + 1) * sizeof(*m.event_of));
    m.places = calloc(p->catalogue->count, sizeof(*m.places));
    m.placed = calloc(p->catalogue->count, 1);
    if (!m.events || !bound->sources || !results || !m.event_of || !m.places || !m.placed) {
        no_memory(p);
        goto out;
    }
    for (size_t i = 0; i < p->input_count; i++)
        m.event_of[i] = NO_INPUT;
    bound->pass.events = m.events;
    bound->pass.results = results;
    if (!add_events(&m, &bound->pass, &p->loads[index])) goto out;
    for (size_t i = 0; i < p->item_count; i++)
        for (uint32_t j = 0; p->items[i].pass == index && j < p->items[i].wanted_count; j++)
            if (!add_result(&m, bound, results, p->wanted[p->items[i].wanted + j])) goto out;
    if (!keep_steps(plan, bound, &m.binder)) no_memory(p);
out:
    free(m.event_of);
    free(m.places);
    free(m.placed);
    free(m.binder.steps);
    return p->status;
}

static ctr_status_t make_plan(planner_t *p, ctr_plan_t **plan)
{
    ctr_plan_t *made = calloc(1, sizeof(*made));
    if (made) made->passes = ctr_arena_alloc(&made->arena, p->load_count, sizeof(*made->passes));
    if (!made || !made->passes) {
        ctr_plan_destroy(made);
        return no_memory(p);
    }
    made->count = p->load_count;
    for (uint32_t i = 0; i < made->count && p->status == CTR_OK; i++)
        make_pass(p, made, i);
    if (p->status != CTR_OK) {
        ctr_plan_destroy(made);
        made = NULL;
    }
    *plan = made;
    return p->status;
}

ctr_status_t ctr_plan_create(const ctr_catalogue_t *catalogue, const ctr_agent_t *agent,
                             const ctr_counter_t *const *wanted, size_t count, size_t max_passes,
                             ctr_plan_t **plan, ctr_error_t *error)
{
    planner_t p = {.catalogue = catalogue, .agent = agent, .error = error, .status = CTR_OK};
    *plan = NULL;
    if (take_wanted(&p, wanted, count) && take_items(&p) && weigh_items(&p) && fill_passes(&p)) {
        if (max_passes && p.load_count > max_passes)
            p.status = refuse(&p, max_passes);
        else
            make_plan(&p, plan);
    }
    forget_loads(&p);
    free(p.loads);
    free(p.items);
    free(p.inputs);
    free(p.input_of);
    free(p.uses);
    free(p.wanted);
    return p.status;
}

void ctr_plan_destroy(ctr_plan_t *plan)
{
    if (!plan) return;
    ctr_arena_free(&plan->arena);
    free(plan);
}

size_t ctr_plan_pass_count(const ctr_plan_t *plan)
{
    return plan->count;
}

const ctr_pass_t *ctr_plan_pass(const ctr_plan_t *plan, size_t index)
{
    return index < plan->count ? &plan->passes[index].pass : NULL;
}
