/* expression.c - compiles the expressions of derived counters to programs for a stack machine.
 *
 *   sum     = product { (+|-) product }
 *   product = factor { (*|/) factor }
 *   factor  = number | name | name[i] | ( sum ) | - factor | + factor
 *           | reduce(sum, op [, [dim, ...]])       op: sum min max avr; no list: all dimensions
 *           | select(sum, [dim=[i, j:k, ...], ...])
 *           | accumulate(name, NONE | LOW_RES | HIGH_RES)
 *           | sum(sum, n) | min(...) | max(...) | avr(...)   instances 0 to n-1
 * It is apart from the catalogue because it does not depend on it: names are looked up through
 * ctr_names_t. All checks that do not depend on an agent are made here. */
#include "counters/internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum { OPS_MAX = 65535, NESTING_MAX = 100 };

typedef struct {
    const char *text, *at, *end;
    ctr_generation_t generation;
    const ctr_names_t *names;
    ctr_arena_t *arena;
    ctr_op_t *ops;
    size_t count, capacity;
    int nesting;
    int raw; /* above 0 inside a function over instances, where a name means all its values */
    ctr_error_t *error;
    ctr_status_t status;
} parser_t;

static const struct {
    const char *name;
    ctr_fold_t fold;
} folds[] = {
    {"sum", CTR_FOLD_SUM}, {"min", CTR_FOLD_MIN}, {"max", CTR_FOLD_MAX}, {"avr", CTR_FOLD_AVR}};

static const struct {
    const char *name;
    ctr_dim_t dim;
} dim_names[] = {{"XCC", CTR_DIM_XCC},
                 {"XCD", CTR_DIM_XCC},
                 {"AID", CTR_DIM_AID},
                 {"SHADER_ENGINE", CTR_DIM_SHADER_ENGINE},
                 {"SE", CTR_DIM_SHADER_ENGINE},
                 {"AGENT", CTR_DIM_AGENT},
                 {"SHADER_ARRAY", CTR_DIM_SHADER_ARRAY},
                 {"SA", CTR_DIM_SHADER_ARRAY},
                 {"WGP", CTR_DIM_WGP},
                 {"INSTANCE", CTR_DIM_INSTANCE}};

static bool sum(parser_t *p);
static bool nested_factor(parser_t *p);

/* ---- errors and tokens ---- */

/* Fills the error and returns false; `at` is the place in the text. */
__attribute__((format(printf, 4, 5))) static bool fail(parser_t *p, const char *at,
                                                       ctr_status_t status, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    p->status = ctr_fail(p->error, status, NULL, 0, (uint32_t)(at - p->text) + 1, "%s", text);
    return false;
}

static void skip_space(parser_t *p)
{
    while (p->at < p->end && isspace((unsigned char)*p->at))
        p->at++;
}

static char peek(parser_t *p)
{
    skip_space(p);
    return p->at < p->end ? *p->at : '\0';
}

static bool expect(parser_t *p, char c, const char *where)
{
    char found = peek(p);
    if (p->at < p->end && found == c) {
        p->at++;
        return true;
    }
    if (p->at >= p->end)
        return fail(p, p->at, CTR_BAD_EXPRESSION, "'%c' is missing at the end of %s", c, where);
    return fail(p, p->at, CTR_BAD_EXPRESSION, "'%c' where %s needs '%c'", found, where, c);
}

static ctr_slice_t name_token(parser_t *p)
{
    skip_space(p);
    const char *start = p->at;
    if (p->at < p->end && (isalpha((unsigned char)*p->at) || *p->at == '_'))
        while (p->at < p->end && (isalnum((unsigned char)*p->at) || *p->at == '_'))
            p->at++;
    return (ctr_slice_t){start, (size_t)(p->at - start)};
}

/* Reads a number, exactly up to 15 digits. strtod() is not used because it depends on the program's
 * locale. */
static bool number_token(parser_t *p, double *number)
{
    double value = 0, scale = 1;
    int exponent = 0;
    bool digits = false, negative = false;
    skip_space(p);
    const char *start = p->at;
    for (; p->at < p->end && isdigit((unsigned char)*p->at); p->at++, digits = true)
        value = value * 10 + (*p->at - '0');
    if (p->at < p->end && *p->at == '.')
        for (p->at++; p->at < p->end && isdigit((unsigned char)*p->at); p->at++, digits = true) {
            value = value * 10 + (*p->at - '0');
            scale *= 10;
        }
    if (!digits) return fail(p, start, CTR_BAD_EXPRESSION, "'.' without digits");
    value /= scale;
    if (p->at < p->end && (*p->at == 'e' || *p->at == 'E')) {
        const char *e = p->at++;
        if (p->at < p->end && (*p->at == '-' || *p->at == '+')) negative = *p->at++ == '-';
        if (p->at >= p->end || !isdigit((unsigned char)*p->at))
            return fail(p, e, CTR_BAD_EXPRESSION, "exponent without digits");
        for (; p->at < p->end && isdigit((unsigned char)*p->at); p->at++)
            if (exponent < 1000) exponent = exponent * 10 + (*p->at - '0');
    }
    for (; exponent > 0; exponent--)
        value = negative ? value / 10 : value * 10;
    if (!(value <= 1e300)) /* infinite, or not a number */
        return fail(p, start, CTR_BAD_EXPRESSION, "number too large, limit 1e300");
    *number = value;
    return true;
}

/* Reads a whole number in [lo, hi]. */
static bool whole_token(parser_t *p, uint32_t lo, uint32_t hi, const char *what, uint32_t *number)
{
    uint64_t value = 0;
    skip_space(p);
    const char *start = p->at;
    for (; p->at < p->end && isdigit((unsigned char)*p->at); p->at++)
        if (value <= UINT32_MAX) value = value * 10 + (unsigned)(*p->at - '0');
    if (p->at == start) return fail(p, start, CTR_BAD_EXPRESSION, "%s is not a whole number", what);
    if (value < lo || value > hi)
        return fail(p, start, CTR_BAD_EXPRESSION, "%s %llu is outside %u to %u", what,
                    (unsigned long long)value, lo, hi);
    *number = (uint32_t)value;
    return true;
}

/* ---- ops ---- */

static ctr_op_t *emit(parser_t *p, ctr_opcode_t code)
{
    if (p->count >= OPS_MAX) {
        fail(p, p->at, CTR_BAD_EXPRESSION, "more than %d operations", OPS_MAX);
        return NULL;
    }
    if (!BASE_GROW(p->ops, p->count, &p->capacity)) {
        fail(p, p->at, CTR_NO_MEMORY, "no memory");
        return NULL;
    }
    ctr_op_t *op = &p->ops[p->count++];
    *op = (ctr_op_t){.code = (uint8_t)code};
    return op;
}

static bool emit_reduce(parser_t *p, ctr_fold_t fold, unsigned dims)
{
    ctr_op_t *op = emit(p, CTR_OP_REDUCE);
    if (!op) return false;
    op->fold = (uint8_t)fold;
    op->dims = (uint8_t)dims;
    return true;
}

static ctr_selection_t *emit_select(parser_t *p, ctr_dim_t dim)
{
    ctr_selection_t *selection = ctr_arena_alloc(p->arena, 1, sizeof(*selection));
    if (!selection) fail(p, p->at, CTR_NO_MEMORY, "no memory");
    ctr_op_t *op = selection ? emit(p, CTR_OP_SELECT) : NULL;
    if (!op) return NULL;
    selection->dim = dim;
    op->selection = selection;
    return selection;
}

static void choose(ctr_selection_t *selection, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i <= to; i++)
        selection->positions[i / 64] |= (uint64_t)1 << i % 64;
}

enum { NOT_INSTANCE = CTR_ALL_DIMS & ~(1 << CTR_DIM_INSTANCE) };

void ctr_v1_scalar(ctr_op_t *ops, uint32_t instance, ctr_selection_t *selection)
{
    *selection = (ctr_selection_t){.dim = CTR_DIM_INSTANCE};
    choose(selection, instance, instance);
    ops[0] = (ctr_op_t){.code = CTR_OP_REDUCE, .fold = CTR_FOLD_SUM, .dims = NOT_INSTANCE};
    ops[1] = (ctr_op_t){.code = CTR_OP_SELECT, .selection = selection};
}

static bool emit_instance(parser_t *p, uint32_t instance)
{
    if (p->generation == CTR_GENERATION_V1 && !emit_reduce(p, CTR_FOLD_SUM, NOT_INSTANCE))
        return false;
    ctr_selection_t *selection = emit_select(p, CTR_DIM_INSTANCE);
    if (selection) choose(selection, instance, instance);
    return selection != NULL;
}

/* ---- functions ---- */

static bool find_dim(parser_t *p, ctr_dim_t *dim)
{
    ctr_slice_t name = name_token(p), rest = name;
    if (name.length > 10 && memcmp(name.text, "DIMENSION_", 10) == 0)
        rest = (ctr_slice_t){name.text + 10, name.length - 10};
    for (size_t i = 0; i < sizeof(dim_names) / sizeof(*dim_names); i++)
        if (ctr_slice_is(rest, dim_names[i].name)) {
            *dim = dim_names[i].dim;
            return true;
        }
    return fail(p, name.text, CTR_BAD_EXPRESSION,
                "\"%.*s\" is no dimension; there are DIMENSION_XCC, _AID, _SHADER_ENGINE, _AGENT, "
                "_SHADER_ARRAY, _WGP and _INSTANCE",
                ctr_shown(name), name.text);
}

static bool find_fold(parser_t *p, ctr_fold_t *fold)
{
    ctr_slice_t name = name_token(p);
    for (size_t i = 0; i < sizeof(folds) / sizeof(*folds); i++)
        if (ctr_slice_is(name, folds[i].name)) {
            *fold = folds[i].fold;
            return true;
        }
    return fail(p, name.text, CTR_BAD_EXPRESSION,
                "\"%.*s\" is no operation of reduce(); there are sum, min, max and avr",
                ctr_shown(name), name.text);
}

static bool argument(parser_t *p)
{
    p->raw++;
    bool good = sum(p);
    p->raw--;
    return good;
}

/* Reads the rest of a reduction, after its name and the parenthesis. */
static bool reduce_function(parser_t *p)
{
    ctr_fold_t fold = CTR_FOLD_SUM;
    unsigned dims = 0;
    if (!argument(p) || !expect(p, ',', "reduce(expression, operation)") || !find_fold(p, &fold))
        return false;
    if (peek(p) == ',') {
        p->at++;
        if (!expect(p, '[', "reduce(expression, operation, [dimensions])")) return false;
        do {
            ctr_dim_t dim;
            if (!find_dim(p, &dim)) return false;
            dims |= 1u << dim;
        } while (peek(p) == ',' && p->at++);
        if (!expect(p, ']', "the list of dimensions")) return false;
    }
    return expect(p, ')', "reduce()") && emit_reduce(p, fold, dims ? dims : CTR_ALL_DIMS);
}

/* Reads one item, such as dim=[1, 3:5]. */
static bool selection_item(parser_t *p)
{
    ctr_dim_t dim;
    uint32_t from, to, count = 0;
    if (!find_dim(p, &dim) || !expect(p, '=', "select(expression, [dimension=[positions]])") ||
        !expect(p, '[', "the positions of a dimension"))
        return false;
    ctr_selection_t *selection = emit_select(p, dim);
    if (!selection) return false;
    uint32_t limit = (dim == CTR_DIM_INSTANCE ? 1024 : 64) - 1;
    do {
        if (!whole_token(p, 0, limit, "position", &from)) return false;
        to = from;
        if (peek(p) == ':') {
            p->at++;
            if (!whole_token(p, from, limit, "end of the range", &to)) return false;
            count++; /* a range keeps the dimension even if it has a single position */
        }
        choose(selection, from, to);
        count++;
    } while (peek(p) == ',' && p->at++);
    selection->keep = count > 1;
    return expect(p, ']', "the positions of a dimension");
}

static bool select_function(parser_t *p)
{
    if (!argument(p) || !expect(p, ',', "select(expression, [dimension=[positions]])") ||
        !expect(p, '[', "select(expression, [dimension=[positions]])"))
        return false;
    do {
        if (!selection_item(p)) return false;
    } while (peek(p) == ',' && p->at++);
    return expect(p, ']', "the list of dimensions") && expect(p, ')', "select()");
}

/* Reads a function over instances, such as sum(X, 16). */
static bool fold_function(parser_t *p, ctr_fold_t fold)
{
    uint32_t instances;
    if (!argument(p) || !expect(p, ',', "a function of (counter, instances)") ||
        !whole_token(p, 1, CTR_POSITIONS_MAX, "number of instances", &instances) ||
        !expect(p, ')', "a function of (counter, instances)"))
        return false;
    if (!emit_reduce(p, CTR_FOLD_SUM, NOT_INSTANCE)) return false;
    ctr_selection_t *selection = emit_select(p, CTR_DIM_INSTANCE);
    if (!selection) return false;
    choose(selection, 0, instances - 1);
    selection->keep = true;
    selection->clamp = true;
    return emit_reduce(p, fold, CTR_ALL_DIMS);
}

/* ---- names ---- */

static bool find_name(parser_t *p, ctr_slice_t name, uint32_t *index, bool *hardware,
                      const char **block)
{
    char text[256];
    if (p->names->find(p->names->user, name.text, name.length, index, hardware, block)) return true;
    size_t length = name.length < sizeof(text) - 1 ? name.length : sizeof(text) - 1;
    memcpy(text, name.text, length);
    text[length] = '\0';
    const char *similar = p->names->similar ? p->names->similar(p->names->user, text) : NULL;
    return fail(p, name.text, CTR_NOT_FOUND, "no counter or agent property \"%.80s\"%s%.80s%s",
                text, similar ? "; is it " : "", similar ? similar : "", similar ? "?" : "");
}

static bool emit_load(parser_t *p, uint32_t index, ctr_accumulate_t accumulate)
{
    ctr_op_t *op = emit(p, CTR_OP_LOAD);
    if (!op) return false;
    op->counter = index;
    op->accumulate = (uint8_t)accumulate;
    return true;
}

static bool accumulate_function(parser_t *p)
{
    static const char *const names[] = {"NONE", "LOW_RES", "HIGH_RES"};
    uint32_t index;
    bool hardware;
    const char *block = "";
    ctr_slice_t name = name_token(p);
    if (!name.length)
        return fail(p, p->at, CTR_BAD_EXPRESSION, "accumulate() begins with the name of a counter");
    if (!find_name(p, name, &index, &hardware, &block)) return false;
    if (!hardware || strcmp(block, "SQ") != 0)
        return fail(p, name.text, CTR_BAD_EXPRESSION,
                    "accumulate() of \"%.*s\", which is not a hardware counter of block SQ",
                    ctr_shown(name), name.text);
    if (!expect(p, ',', "accumulate(counter, resolution)")) return false;
    ctr_slice_t resolution = name_token(p);
    for (int i = 0; i < 3; i++) {
        if (!ctr_slice_is(resolution, names[i])) continue;
        if (!expect(p, ')', "accumulate()") || !emit_load(p, index, (ctr_accumulate_t)i))
            return false;
        return p->generation != CTR_GENERATION_V1 || p->raw || emit_instance(p, 0);
    }
    return fail(p, resolution.text, CTR_BAD_EXPRESSION,
                "\"%.*s\" is no resolution; there are NONE, LOW_RES and HIGH_RES",
                ctr_shown(resolution), resolution.text);
}

/* Extends a name by the number in brackets that directly follows, as in TCC_HIT[3]. If there is
 * none, the name is returned unchanged. */
static ctr_slice_t with_instance(const parser_t *p, ctr_slice_t name)
{
    const char *at = name.text + name.length;
    if (at < p->end && *at == '[') {
        do
            at++;
        while (at < p->end && isdigit((unsigned char)*at));
        if (at < p->end && *at == ']') name.length = (size_t)(at + 1 - name.text);
    }
    return name;
}

/* Reads a counter's name. If the name of a definition ends in [3], it is preferred to instance 3 of
 * a hardware counter. */
static bool counter_name(parser_t *p, ctr_slice_t name)
{
    uint32_t index, instance;
    bool hardware;
    const char *block = "";
    const ctr_slice_t whole = with_instance(p, name);
    if (whole.length > name.length &&
        p->names->find(p->names->user, whole.text, whole.length, &index, &hardware, &block)) {
        p->at = whole.text + whole.length;
        return emit_load(p, index, CTR_ACCUMULATE_NONE) &&
               (p->generation != CTR_GENERATION_V1 || p->raw || !hardware || emit_instance(p, 0));
    }
    if (!find_name(p, name, &index, &hardware, &block)) return false;
    if (!emit_load(p, index, CTR_ACCUMULATE_NONE)) return false;
    if (peek(p) != '[')
        return p->generation != CTR_GENERATION_V1 || p->raw || !hardware || emit_instance(p, 0);
    if (!hardware)
        return fail(p, p->at, CTR_BAD_EXPRESSION, "\"%.*s\" is derived and has no instances",
                    ctr_shown(name), name.text);
    p->at++;
    return whole_token(p, 0, CTR_POSITIONS_MAX - 1, "instance", &instance) &&
           expect(p, ']', "the number of an instance") && emit_instance(p, instance);
}

static bool name_or_function(parser_t *p)
{
    ctr_slice_t name = name_token(p);
    if (peek(p) != '(') return counter_name(p, name);
    p->at++;
    if (ctr_slice_is(name, "reduce")) return reduce_function(p);
    if (ctr_slice_is(name, "select")) return select_function(p);
    if (ctr_slice_is(name, "accumulate")) return accumulate_function(p);
    for (size_t i = 0; i < sizeof(folds) / sizeof(*folds); i++)
        if (ctr_slice_is(name, folds[i].name)) return fold_function(p, folds[i].fold);
    return fail(p, name.text, CTR_BAD_EXPRESSION,
                "\"%.*s\" is no function; there are reduce, select, accumulate, sum, min, max "
                "and avr",
                ctr_shown(name), name.text);
}

/* ---- arithmetic ---- */

static bool emit_number(parser_t *p, double number)
{
    ctr_op_t *op = emit(p, CTR_OP_NUMBER);
    if (op) op->number = number;
    return op != NULL;
}

static bool factor(parser_t *p)
{
    double number = 0;
    char c = peek(p);
    if (p->at >= p->end)
        return fail(p, p->at, CTR_BAD_EXPRESSION, "the expression ends where a value is expected");
    if (isdigit((unsigned char)c) || c == '.')
        return number_token(p, &number) && emit_number(p, number);
    if (isalpha((unsigned char)c) || c == '_') return name_or_function(p);
    if (c == '(') {
        p->at++;
        return sum(p) && expect(p, ')', "the parenthesis");
    }
    if (c == '-') {
        p->at++;
        return emit_number(p, 0) && nested_factor(p) && emit(p, CTR_OP_SUB);
    }
    if (c == '+') {
        p->at++;
        return nested_factor(p);
    }
    if (isprint((unsigned char)c))
        return fail(p, p->at, CTR_BAD_EXPRESSION, "'%c' where a value is expected", c);
    return fail(p, p->at, CTR_BAD_EXPRESSION, "byte 0x%02x where a value is expected",
                (unsigned char)c);
}

static bool nested_factor(parser_t *p)
{
    if (p->nesting >= NESTING_MAX)
        return fail(p, p->at, CTR_BAD_EXPRESSION, "nested deeper than %d", NESTING_MAX);
    p->nesting++;
    bool good = factor(p);
    p->nesting--;
    return good;
}

static bool product(parser_t *p)
{
    if (!nested_factor(p)) return false;
    for (;;) {
        char c = peek(p);
        if (p->at >= p->end || (c != '*' && c != '/')) return true;
        p->at++;
        if (!nested_factor(p) || !emit(p, c == '*' ? CTR_OP_MUL : CTR_OP_DIV)) return false;
    }
}

static bool sum(parser_t *p)
{
    if (!product(p)) return false;
    for (;;) {
        char c = peek(p);
        if (p->at >= p->end || (c != '+' && c != '-')) return true;
        p->at++;
        if (!product(p) || !emit(p, c == '+' ? CTR_OP_ADD : CTR_OP_SUB)) return false;
    }
}

ctr_status_t ctr_compile(const char *text, size_t length, ctr_generation_t generation,
                         const ctr_names_t *names, ctr_arena_t *arena, ctr_program_t **program,
                         ctr_error_t *error)
{
    parser_t p = {.text = text,
                  .at = text,
                  .end = text + length,
                  .generation = generation,
                  .names = names,
                  .arena = arena,
                  .error = error,
                  .status = CTR_OK};
    ctr_program_t *made = NULL;
    if (!sum(&p)) goto out;
    peek(&p);
    if (p.at < p.end) {
        fail(&p, p.at, CTR_BAD_EXPRESSION, "'%c' after the end of the expression",
             isprint((unsigned char)*p.at) ? *p.at : '?');
        goto out;
    }
    made = ctr_arena_alloc(arena, 1, sizeof(*made));
    if (made) made->ops = ctr_arena_alloc(arena, p.count, sizeof(*made->ops));
    if (!made || !made->ops) {
        fail(&p, p.at, CTR_NO_MEMORY, "no memory");
        goto out;
    }
    memcpy(made->ops, p.ops, p.count * sizeof(*p.ops));
    made->count = (uint32_t)p.count;
    *program = made;
out:
    free(p.ops);
    return p.status;
}
