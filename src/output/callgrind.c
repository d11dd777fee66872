/* callgrind.c - counts of instructions for callgrind's viewers: KCachegrind, callgrind_annotate.
 *
 * Functions are those of the source: an inlined function is shown as a function that is called from
 * where it was inlined, so viewers show the call graph of the source. The cost of an instruction
 * belongs to the innermost function; the cost of a call is the sum over the code that was inlined
 * there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "insight/blocks.h"
#include "output/format.h"
#include "output/instructions.h"

/* The events: name, description, value of the counts `n`. Those from L1Miss on come from models. */
#define EVENTS(X)                                                                                  \
    X(Ex, "waves that executed it", n->issued)                                                     \
    X(Lanes, "active lanes", n->lanes)                                                             \
    X(Lines, "lines of memory touched", n->lines)                                                  \
    X(MinLines, "lines of memory needed", n->lines_needed)                                         \
    X(Conflicts, "clocks of LDS conflicts", n->lds_clocks - n->lds_clocks_needed)                  \
    X(Divergent, "times that EXEC was split", n->divergent)                                        \
    X(L1Miss, "requests of the vector L1 to L2", n->l1_misses)                                     \
    X(L2Miss, "requests that L2 had not", n->l2_misses)                                            \
    X(Cycles, "clocks of waves", ins_clocks(n))

enum {
#define X(name, meaning, value) EVENT_##name,
    EVENTS(X)
#undef X
        EVENT_COUNT,
    EVENT_EXACT_COUNT = EVENT_L1Miss
};

static const struct {
    const char *name, *meaning;
} events[] = {
#define X(name, meaning, value) {#name, meaning},
    EVENTS(X)
#undef X
};

/* A function of an instruction: that of the symbol, or entry `level` of the functions inlined
 * there. */
typedef struct {
    const ins_instruction_t *of;
    size_t level; /* index in of->inlined; inlined_count means the symbol's function */
} scope_t;

/* A function that was inlined at one place; its cost is that of its instructions. */
typedef struct {
    scope_t callee; /* the inlined function, with the first of its instructions */
    uint64_t times; /* how often that instruction was executed, in all kernels and dispatches */
    uint64_t values[EVENT_COUNT];
} call_t;

typedef struct {
    out_file_t *f;
    unsigned events;                  /* number of events that are written */
    const ins_instruction_t **items;  /* sorted by function */
    const ins_instruction_t **places; /* the same, sorted by address */
    size_t count;
    call_t *calls; /* sorted by caller */
    size_t call_count;
    const char *file; /* file of the last fl= or fi= line */
} graph_t;

static void add_values(const softgpu_instruction_counts_t *n, uint64_t values[EVENT_COUNT])
{
#define X(name, meaning, value) values[EVENT_##name] += (value);
    EVENTS(X)
#undef X
}

static const char *named(const char *text)
{
    return *text ? text : "???";
}

static const char *function_of(const ins_instruction_t *i, size_t level)
{
    return named(level < i->inlined_count ? i->inlined[level].function : i->function);
}

static scope_t caller_of(const call_t *c)
{
    return (scope_t){c->callee.of, c->callee.level + 1};
}

/* ---- order ---- */

static int by_number(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_scope(scope_t a, scope_t b)
{
    const int objects = by_number(a.of->object, b.of->object);
    return objects ? objects : strcmp(function_of(a.of, a.level), function_of(b.of, b.level));
}

static int by_function(const void *a, const void *b)
{
    const ins_instruction_t *x = *(const ins_instruction_t *const *)a;
    const ins_instruction_t *y = *(const ins_instruction_t *const *)b;
    const int functions = by_scope((scope_t){x, 0}, (scope_t){y, 0});
    return functions ? functions : by_number(x->address, y->address);
}

static int by_place(const void *a, const void *b)
{
    const ins_instruction_t *x = *(const ins_instruction_t *const *)a;
    const ins_instruction_t *y = *(const ins_instruction_t *const *)b;
    const int objects = by_number(x->object, y->object);
    return objects ? objects : by_number(x->address, y->address);
}

/* Compares the places at which two functions were inlined, from `level` outwards to the symbol. */
static int by_chain(scope_t a, scope_t b)
{
    size_t i = a.level, k = b.level;
    for (; i < a.of->inlined_count && k < b.of->inlined_count; i++, k++) {
        const dis_inlined_t *x = &a.of->inlined[i], *y = &b.of->inlined[k];
        const int lines = by_number(x->line, y->line);
        const int names = lines ? lines : strcmp(x->function, y->function);
        const int files = names ? names : strcmp(x->file, y->file);
        if (files) return files;
    }
    const int lengths = by_number(a.of->inlined_count - i, b.of->inlined_count - k);
    return lengths ? lengths : strcmp(a.of->function, b.of->function);
}

static int by_caller(const void *a, const void *b)
{
    const call_t *x = a, *y = b;
    const int callers = by_scope(caller_of(x), caller_of(y));
    const int chains = callers ? callers : by_chain(x->callee, y->callee);
    return chains ? chains : by_number(x->callee.of->address, y->callee.of->address);
}

/* ---- calls ---- */

/* Makes a call for each instruction and each function inlined around it, then sums the calls of the
 * same place. */
static bool find_calls(graph_t *g)
{
    size_t room = 0, kept = 0;
    for (size_t i = 0; i < g->count; i++)
        room += g->items[i]->inlined_count;
    g->calls = calloc(room + 1, sizeof(*g->calls));
    if (!g->calls) return false;
    for (size_t i = 0; i < g->count; i++)
        for (size_t level = 0; level < g->items[i]->inlined_count; level++) {
            call_t *c = &g->calls[g->call_count++];
            c->callee = (scope_t){g->items[i], level};
            c->times = g->items[i]->counts.issued;
            add_values(&g->items[i]->counts, c->values);
        }
    if (room) qsort(g->calls, room, sizeof(*g->calls), by_caller);
    for (size_t i = 0; i < room; i++) {
        call_t *c = &g->calls[i], *last = kept ? &g->calls[kept - 1] : NULL;
        const bool same = last && last->callee.of->object == c->callee.of->object &&
                          by_chain(last->callee, c->callee) == 0;
        for (unsigned e = 0; same && e < EVENT_COUNT; e++)
            last->values[e] += c->values[e];
        if (same && last->callee.of->address == c->callee.of->address) last->times += c->times;
        if (!same) g->calls[kept++] = *c;
    }
    g->call_count = kept;
    return true;
}

/* ---- lines of the file ---- */

static void put_hexadecimal(out_file_t *f, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof(digits), "0x%llx", (unsigned long long)value);
    out_text(f, digits);
}

static void put_values(graph_t *g, const uint64_t values[EVENT_COUNT])
{
    for (unsigned k = 0; k < g->events; k++) {
        out_char(g->f, ' ');
        out_unsigned(g->f, values[k]);
    }
    out_char(g->f, '\n');
}

/* Writes a name, which reaches to the end of its line. */
static void put_name(out_file_t *f, const char *what, const char *name)
{
    out_text(f, what);
    for (; *name; name++)
        out_char(f, *name == '\n' || *name == '\r' ? ' ' : *name);
    out_char(f, '\n');
}

static void put_place(out_file_t *f, uint64_t address, uint32_t line)
{
    put_hexadecimal(f, address);
    out_char(f, ' ');
    out_unsigned(f, line);
}

/* Writes that the following lines belong to `file`, which need not be the function's file. */
static void put_file(graph_t *g, const char *file)
{
    if (strcmp(g->file, file) != 0) put_name(g->f, "fi=", named(file));
    g->file = file;
}

static const ins_instruction_t *find(const graph_t *g, const ins_instruction_t *near,
                                     uint64_t address)
{
    const ins_instruction_t wanted = {.object = near->object, .address = address}, *key = &wanted;
    const ins_instruction_t *const *found =
        bsearch(&key, g->places, g->count, sizeof(*g->places), by_place);
    return found ? *found : NULL;
}

/* Writes how often a branch was taken, and its target. */
static void put_jump(graph_t *g, const ins_instruction_t *i)
{
    const uint64_t all = i->counts.taken + i->counts.not_taken;
    ins_step_t step = {.address = i->address};
    ins_step_decode(&step, i->arch, i->words, i->n_words);
    const ins_instruction_t *to = step.branches ? find(g, i, step.target) : NULL;
    if (!all || !to) return; /* branches that were never executed are left out */
    if (strcmp(function_of(to, 0), function_of(i, 0)) != 0) {
        put_name(g->f, "jfi=", named(to->file));
        put_name(g->f, "jfn=", function_of(to, 0));
    }
    out_text(g->f, step.falls ? "jcnd=" : "jump=");
    out_unsigned(g->f, i->counts.taken);
    if (step.falls) out_char(g->f, '/');
    if (step.falls) out_unsigned(g->f, all);
    out_char(g->f, ' ');
    put_place(g->f, step.target, to->line);
    out_char(g->f, '\n');
    put_place(g->f, i->address, i->line);
    out_char(g->f, '\n');
}

/* Writes a call; the number of calls is how often the first instruction was executed. */
static void put_call(graph_t *g, const call_t *c)
{
    const ins_instruction_t *i = c->callee.of;
    const dis_inlined_t *at = &i->inlined[c->callee.level];
    const char *file = c->callee.level ? i->inlined[c->callee.level - 1].file : i->file;
    put_file(g, at->file);
    put_name(g->f, "cfi=", named(file));
    put_name(g->f, "cfn=", function_of(i, c->callee.level));
    out_text(g->f, "calls=");
    out_unsigned(g->f, c->times);
    out_char(g->f, ' ');
    put_place(g->f, i->address, c->callee.level ? i->inlined[c->callee.level - 1].line : i->line);
    out_char(g->f, '\n');
    put_place(g->f, i->address, at->line);
    put_values(g, c->values);
}

static void put_function(graph_t *g, scope_t scope, const char *file)
{
    out_text(g->f, "\nob=code object ");
    out_unsigned(g->f, scope.of->object);
    put_name(g->f, "\nfl=", named(file));
    put_name(g->f, "fn=", function_of(scope.of, scope.level));
    g->file = file;
}

/* Merges both lists, which are sorted by function: a function may have only calls and no
 * instructions of its own. */
static void put_functions(graph_t *g)
{
    size_t i = 0, c = 0;
    while (i < g->count || c < g->call_count) {
        const bool calls_first =
            i == g->count ||
            (c < g->call_count && by_scope(caller_of(&g->calls[c]), (scope_t){g->items[i], 0}) < 0);
        const scope_t scope = calls_first ? caller_of(&g->calls[c]) : (scope_t){g->items[i], 0};
        put_function(g, scope,
                     calls_first ? scope.of->inlined[scope.level - 1].file : scope.of->file);
        for (; i < g->count && by_scope((scope_t){g->items[i], 0}, scope) == 0; i++) {
            uint64_t values[EVENT_COUNT] = {0};
            add_values(&g->items[i]->counts, values);
            put_file(g, g->items[i]->file);
            put_place(g->f, g->items[i]->address, g->items[i]->line);
            put_values(g, values);
            put_jump(g, g->items[i]);
        }
        for (; c < g->call_count && by_scope(caller_of(&g->calls[c]), scope) == 0; c++)
            put_call(g, &g->calls[c]);
    }
}

static void put_header(graph_t *g, const out_model_t *m)
{
    uint64_t totals[EVENT_COUNT] = {0};
    out_text(g->f, "# callgrind format\nversion: 1\ncreator: crocprof\npid: ");
    out_unsigned(g->f, m->header.pid);
    put_name(g->f, "\ncmd: ", out_model_info(m, "command"));
    out_text(g->f, "positions: instr line\n");
    for (unsigned e = 0; e < g->events; e++)
        out_format(g->f, "event: %s : %s\n", events[e].name, events[e].meaning);
    out_text(g->f, "events:");
    for (unsigned e = 0; e < g->events; e++)
        out_format(g->f, " %s", events[e].name);
    for (size_t i = 0; i < g->count; i++)
        add_values(&g->items[i]->counts, totals);
    out_text(g->f, "\nsummary:");
    put_values(g, totals);
}

void out_instructions_callgrind(out_file_t *f, const out_model_t *m, const ins_set_t *set)
{
    const bool modelled = set->level >= SOFTGPU_INSTRUCTION_MODEL_LEVEL;
    graph_t g = {.f = f,
                 .events = modelled ? EVENT_COUNT : EVENT_EXACT_COUNT,
                 .items = calloc(set->count + 1, sizeof(*g.items)),
                 .places = calloc(set->count + 1, sizeof(*g.places)),
                 .count = set->count,
                 .file = ""};
    const bool room = g.items && g.places;
    for (size_t i = 0; room && i < set->count; i++)
        g.items[i] = g.places[i] = &set->items[i];
    if (room && set->count) qsort(g.items, g.count, sizeof(*g.items), by_function);
    if (room && set->count) qsort(g.places, g.count, sizeof(*g.places), by_place);
    if (room && find_calls(&g)) {
        put_header(&g, m);
        put_functions(&g);
    } else {
        out_no_memory(f);
    }
    free(g.items);
    free(g.places);
    free(g.calls);
}

int out_callgrind_write(out_job_t *job, const char *path)
{
    if (!job->instructions) return 0;
    out_file_t *f = out_file_open(path, job->why, job->why_bytes);
    if (f) out_instructions_callgrind(f, job->model, job->instructions);
    return f ? out_file_close(f, job->why, job->why_bytes) : -1;
}
