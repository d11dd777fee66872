/* budget.c - see budget.h.
 *
 * libyaml's events are read one by one: a budget is two mappings deep, so deeper nesting is refused
 * before libyaml parses more of it. A new relation is a row here. */
#include "results/budget.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/grow.h"

/* A word that begins with another word must stand before that one. */
static const struct {
    const char *word;
    res_relation_t relation;
} relations[] = {{"<=", RES_AT_MOST}, {">=", RES_AT_LEAST}, {"<", RES_BELOW},
                 {">", RES_ABOVE},    {"==", RES_EQUAL},    {"=", RES_EQUAL}};

/* ORDER: res_over_t. */
static const char *const overs[] = {"", "total", "mean"};

static const char *const signs[] = {"\302\261", "+-"}; /* U+00B1 */

typedef struct {
    res_budget_t *budget;
    const char *text; /* the whole text; the byte and the character up to which byte_of() has
                       * counted */
    size_t bytes, at, characters;
    yaml_parser_t parser;
    char *why;
    size_t why_bytes;
} reader_t;

static int __attribute__((format(printf, 3, 4)))
refuse(reader_t *r, yaml_mark_t at, const char *format, ...)
{
    va_list list;
    char what[512];
    va_start(list, format);
    vsnprintf(what, sizeof(what), format, list);
    va_end(list);
    snprintf(r->why, r->why_bytes, "%s:%zu:%zu: %s", r->budget->name, at.line + 1, at.column + 1,
             what);
    return -1;
}

static int no_memory(reader_t *r)
{
    snprintf(r->why, r->why_bytes, "%s: %s", r->budget->name, strerror(ENOMEM));
    return -1;
}

/* Returns the offset in bytes of a mark. libyaml's marks count characters; calls must be in the
 * order of the text. */
static size_t byte_of(reader_t *r, yaml_mark_t mark)
{
    while (r->at < r->bytes && r->characters < mark.index) {
        r->at++;
        while (r->at < r->bytes && (r->text[r->at] & 0xc0) == 0x80)
            r->at++;
        r->characters++;
    }
    return r->at;
}

static int next_event(reader_t *r, yaml_event_t *e)
{
    if (yaml_parser_parse(&r->parser, e)) return 0;
    const yaml_parser_t *p = &r->parser;
    if (p->error == YAML_MEMORY_ERROR) return no_memory(r);
    /* errors in the encoding have an offset in bytes, but no line */
    if (p->error == YAML_READER_ERROR) {
        yaml_mark_t mark = {0, 0, 0};
        for (size_t i = 0; i < p->problem_offset && i < r->bytes; i++) {
            mark.column = r->text[i] == '\n' ? 0 : mark.column + 1;
            mark.line += r->text[i] == '\n';
        }
        return refuse(r, mark, "%s", p->problem);
    }
    const char *problem = p->problem ? p->problem : "not YAML";
    return refuse(r, p->problem_mark, "%s%s%s", p->context ? p->context : "",
                  p->context ? ": " : "", problem);
}

/* ---- rules ---- */

static const char *skip(const char *at)
{
    return at + strspn(at, " \t");
}

/* Reads a decimal number and returns its end; NULL if there is none. Other forms that strtod()
 * accepts, such as hexadecimal ones, are refused. */
static const char *read_number(const char *at, double *value)
{
    char *end;
    at = skip(at);
    size_t length = strspn(at, "0123456789.eE+-");
    const char *dots = strstr(at, ".."); /* "1..2" are two numbers */
    if (dots && dots < at + length) length = (size_t)(dots - at);
    const char *plus = strstr(at, signs[1]);
    if (plus && plus < at + length) length = (size_t)(plus - at);
    char digits[64];
    if (!length || length >= sizeof(digits)) return NULL;
    memcpy(digits, at, length);
    digits[length] = 0;
    *value = strtod(digits, &end);
    return *end || !isfinite(*value) ? NULL : at + length;
}

static const char *read_unit(const char *at, res_rule_t *rule)
{
    at = skip(at);
    size_t length = *at == '%' ? 1
                               : strspn(at, "abcdefghijklmnopqrstuvwxyz"
                                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    const res_unit_t *unit = res_unit(at, length);
    if (!unit) return NULL;
    rule->unit = unit->word;
    rule->measure = unit->measure;
    rule->factor = unit->factor;
    return skip(at + length);
}

static const char *read_relation(const char *at, res_rule_t *rule)
{
    rule->relation = RES_EQUAL;
    for (size_t i = 0; i < sizeof(relations) / sizeof(*relations); i++) {
        size_t length = strlen(relations[i].word);
        if (strncmp(at, relations[i].word, length) != 0) continue;
        rule->relation = relations[i].relation;
        return skip(at + length);
    }
    return at;
}

static size_t sign_bytes(const char *at)
{
    for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
        if (strncmp(at, signs[i], strlen(signs[i])) == 0) return strlen(signs[i]);
    return 0;
}

/* Reads "10 %" as a share and returns its end; NULL if there is none. */
static const char *read_share(const char *at, double *share)
{
    at = read_number(at, share);
    if (!at || *(at = skip(at)) != '%' || *share < 0) return NULL;
    *share /= 100;
    return skip(at + 1);
}

static int read_rule(reader_t *r, res_rule_t *rule, yaml_mark_t mark)
{
    static const char form[] = "a rule is [<= >= < > =] NUMBER [UNIT] or NUMBER .. NUMBER [UNIT], "
                               "with \302\261 PERCENT % behind it or not";
    const char *at = read_relation(skip(rule->text), rule), *before = at;
    at = read_number(at, &rule->low);
    if (!at) return refuse(r, mark, "'%.80s': %s", rule->text, form);
    rule->high = rule->low;
    at = skip(at);
    if (strncmp(at, "..", 2) == 0) {
        if (before != skip(rule->text))
            return refuse(r, mark, "'%.80s': a range has no relation before it", rule->text);
        at = read_number(at + 2, &rule->high);
        if (!at) return refuse(r, mark, "'%.80s': %s", rule->text, form);
        if (rule->high < rule->low)
            return refuse(r, mark, "'%.80s': the range ends before it begins", rule->text);
        rule->relation = RES_WITHIN;
    }
    const char *unit = skip(at);
    at = read_unit(at, rule);
    if (!at)
        return refuse(r, mark, "'%.80s': unknown unit '%.*s': %% bytes B KiB MiB GiB ns us ms s",
                      rule->text, (int)strcspn(unit, " \t"), unit);
    size_t sign = sign_bytes(at);
    if (sign && !(at = read_share(at + sign, &rule->tolerance)))
        return refuse(r, mark, "'%.80s': a tolerance is a number and %%", rule->text);
    if (*at) return refuse(r, mark, "'%.80s': nothing may follow at '%.40s'", rule->text, at);
    rule->low *= rule->factor;
    rule->high *= rule->factor;
    return 0;
}

/* Reads NAME, total(NAME) or mean(NAME). */
static int read_quantity(reader_t *r, res_rule_t *rule, const char *key, yaml_mark_t mark)
{
    const char *open = strchr(key, '(');
    size_t length = strlen(key);
    rule->over = RES_EACH;
    if (open) {
        size_t over = 1;
        while (over < sizeof(overs) / sizeof(*overs) &&
               (strlen(overs[over]) != (size_t)(open - key) ||
                strncmp(overs[over], key, strlen(overs[over])) != 0))
            over++;
        if (over == sizeof(overs) / sizeof(*overs) || key[length - 1] != ')')
            return refuse(r, mark, "'%.80s': known are NAME, total(NAME) and mean(NAME)", key);
        rule->over = (res_over_t)over;
        key = open + 1;
        length = strlen(key) - 1;
    }
    if (!length) return refuse(r, mark, "a quantity needs a name");
    rule->quantity = strndup(key, length);
    return rule->quantity ? 0 : no_memory(r);
}

/* ---- the file ---- */

static const char *scalar_of(const yaml_event_t *e)
{
    return (const char *)e->data.scalar.value;
}

/* Checks that the event is a text of one line without anchor or tag, so that its marks enclose just
 * the text. */
static int expect_text(reader_t *r, const yaml_event_t *e, const char *what)
{
    if (e->type == YAML_ALIAS_EVENT)
        return refuse(r, e->start_mark,
                      "'*' begins an alias in YAML: an expression that begins "
                      "with it needs quotes");
    if (e->type != YAML_SCALAR_EVENT) return refuse(r, e->start_mark, "%s is expected", what);
    if (e->data.scalar.anchor || e->data.scalar.tag)
        return refuse(r, e->start_mark, "anchors and tags have no meaning here");
    if (e->end_mark.line != e->start_mark.line)
        return refuse(r, e->start_mark, "%s stands on one line", what);
    if (strlen(scalar_of(e)) != e->data.scalar.length)
        return refuse(r, e->start_mark, "a zero byte in a text");
    if (!*scalar_of(e)) return refuse(r, e->start_mark, "%s is expected, and not nothing", what);
    return 0;
}

static bool is_second(const res_entry_t *l, const res_rule_t *rule)
{
    for (size_t i = 0; i + 1 < l->count; i++)
        if (l->rules[i].over == rule->over && strcmp(l->rules[i].quantity, rule->quantity) == 0)
            return true;
    return false;
}

/* Reads the rule with this key. */
static int take_rule(reader_t *r, res_entry_t *l, const yaml_event_t *key)
{
    yaml_event_t value;
    if (!BASE_GROW_BY_ONE(l->rules, l->count)) return no_memory(r);
    res_rule_t *rule = &l->rules[l->count++];
    *rule = (res_rule_t){.tolerance = -1, .unit = ""};
    if (read_quantity(r, rule, scalar_of(key), key->start_mark) != 0) return -1;
    if (is_second(l, rule))
        return refuse(r, key->start_mark, "'%.80s' stands here for the second time",
                      scalar_of(key));
    if (next_event(r, &value) != 0) return -1;
    int result = expect_text(r, &value, "a rule");
    if (result == 0) {
        rule->text = strdup(scalar_of(&value));
        rule->line = (unsigned)value.start_mark.line + 1;
        rule->column = (unsigned)value.start_mark.column + 1;
        rule->begin = byte_of(r, value.start_mark);
        rule->end = byte_of(r, value.end_mark);
        result = rule->text ? read_rule(r, rule, value.start_mark) : no_memory(r);
    }
    yaml_event_delete(&value);
    return result;
}

/* Reads rules up to the end of their mapping. */
static int take_rules(reader_t *r, res_entry_t *l)
{
    for (;;) {
        yaml_event_t key;
        if (next_event(r, &key) != 0) return -1;
        bool end = key.type == YAML_MAPPING_END_EVENT;
        int result = end ? 0 : expect_text(r, &key, "the name of a quantity");
        if (!end && result == 0) result = take_rule(r, l, &key);
        yaml_event_delete(&key);
        if (end || result != 0) return result;
    }
}

static int begin_kernels(reader_t *r, const yaml_event_t *key, res_entry_t **at)
{
    res_budget_t *b = r->budget;
    char why[256];
    const char *expression = scalar_of(key);
    size_t length = strlen(expression);
    for (size_t i = 0; i < b->count; i++)
        if (strcmp(b->kernels[i].expression, expression) == 0)
            return refuse(r, key->start_mark, "'%.80s' stands here for the second time (line %u)",
                          expression, b->kernels[i].line);
    if (!BASE_GROW_BY_ONE(b->kernels, b->count)) return no_memory(r);
    *at = &b->kernels[b->count++];
    **at = (res_entry_t){.expression = strdup(expression),
                         .line = (unsigned)key->start_mark.line + 1,
                         .column = (unsigned)key->start_mark.column + 1};
    if (!(*at)->expression) return no_memory(r);
    if (*expression != '/' || length < 2 || expression[length - 1] != '/') return 0;
    (*at)->regex = trace_pattern_make(expression + 1, length - 2, false, why, sizeof(why));
    return (*at)->regex ? 0 : refuse(r, key->start_mark, "%s", why);
}

static int take_tolerance(reader_t *r, const yaml_event_t *value)
{
    if (r->budget->tolerance >= 0)
        return refuse(r, value->start_mark, "'tolerance' stands here for the second time");
    if (expect_text(r, value, "a tolerance") != 0) return -1;
    const char *at = scalar_of(value) + sign_bytes(scalar_of(value));
    at = read_share(at, &r->budget->tolerance);
    return at && !*at ? 0 : refuse(r, value->start_mark, "a tolerance is a number and %%");
}

/* Reads the value of a key of the outer mapping. */
static int take_entry(reader_t *r, const yaml_event_t *key)
{
    yaml_event_t value;
    res_entry_t *l = NULL;
    int result;
    if (next_event(r, &value) != 0) return -1;
    if (value.type == YAML_SCALAR_EVENT && strcmp(scalar_of(key), "tolerance") == 0)
        result = take_tolerance(r, &value);
    else if (value.type != YAML_MAPPING_START_EVENT)
        result = refuse(r, value.start_mark, "'%.80s' needs rules: {QUANTITY: \"<= NUMBER\", ...}",
                        scalar_of(key));
    else if (value.data.mapping_start.anchor || value.data.mapping_start.tag)
        result = refuse(r, value.start_mark, "anchors and tags have no meaning here");
    else
        result = begin_kernels(r, key, &l);
    if (result == 0 && l) result = take_rules(r, l);
    if (result == 0 && l && !l->count)
        result = refuse(r, value.start_mark, "'%.80s' has no rules", scalar_of(key));
    yaml_event_delete(&value);
    return result;
}

/* Reads entries up to the end of the outer mapping. */
static int take_entries(reader_t *r)
{
    for (;;) {
        yaml_event_t key;
        if (next_event(r, &key) != 0) return -1;
        bool end = key.type == YAML_MAPPING_END_EVENT;
        int result = end ? 0 : expect_text(r, &key, "an expression for kernels");
        if (!end && result == 0) result = take_entry(r, &key);
        yaml_event_delete(&key);
        if (end || result != 0) return result;
    }
}

/* Reads the document: the events before the outer mapping, the mapping, and the events after it. */
static int take_document(reader_t *r)
{
    bool inside = false, done = false;
    for (;;) {
        yaml_event_t e;
        if (next_event(r, &e) != 0) return -1;
        int result = 0;
        bool end = e.type == YAML_STREAM_END_EVENT;
        if (end && !done)
            result = refuse(r, e.start_mark,
                            "the file is empty: expressions for kernels with "
                            "their rules are expected");
        else if (e.type == YAML_DOCUMENT_START_EVENT && done)
            result = refuse(r, e.start_mark, "a second document in one file");
        else if (e.type == YAML_DOCUMENT_START_EVENT)
            inside = true;
        else if (inside && !done && e.type == YAML_MAPPING_START_EVENT) {
            result = take_entries(r);
            done = true;
        } else if (inside && !done)
            result = refuse(r, e.start_mark,
                            "expressions for kernels with their rules are "
                            "expected: 'matmul*: {vgprs: \"<= 64\"}'");
        yaml_event_delete(&e);
        if (result != 0 || end) return result;
    }
}

int res_budget_parse(res_budget_t *b, const char *name, const char *text, size_t bytes, char *why,
                     size_t why_bytes)
{
    reader_t r = {.budget = b, .text = text, .bytes = bytes, .why = why, .why_bytes = why_bytes};
    *b = (res_budget_t){.name = strdup(name), .tolerance = -1};
    int result = -1;
    if (!b->name || !yaml_parser_initialize(&r.parser)) {
        snprintf(why, why_bytes, "%s: %s", name, strerror(ENOMEM));
    } else {
        yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
        yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, bytes);
        result = take_document(&r);
        yaml_parser_delete(&r.parser);
    }
    if (result != 0) res_budget_free(b);
    return result;
}

void res_budget_free(res_budget_t *b)
{
    for (size_t i = 0; i < b->count; i++) {
        res_entry_t *l = &b->kernels[i];
        for (size_t j = 0; j < l->count; j++) {
            free(l->rules[j].quantity);
            free(l->rules[j].text);
        }
        free(l->rules);
        free(l->expression);
        trace_pattern_free(l->regex);
    }
    free(b->kernels);
    free(b->name);
    *b = (res_budget_t){0};
}

/* ---- evaluation of rules ---- */

bool res_entry_matches(const res_entry_t *l, const char *name, const char *brief)
{
    if (l->regex) return trace_pattern_matches(l->regex, name);
    return fnmatch(l->expression, name, 0) == 0 || (brief && fnmatch(l->expression, brief, 0) == 0);
}

bool res_rule_holds(const res_rule_t *r, double value, double tolerance)
{
    double low = r->low - tolerance * fabs(r->low), high = r->high + tolerance * fabs(r->high);
    switch (r->relation) {
    case RES_AT_MOST: return value <= high;
    case RES_AT_LEAST: return value >= low;
    case RES_BELOW: return value < high;
    case RES_ABOVE: return value > low;
    case RES_EQUAL:
    case RES_WITHIN: return value >= low && value <= high;
    }
    return false;
}

const char *res_number_text(double value, char text[RES_NUMBER_BYTES])
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, RES_NUMBER_BYTES, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    return text;
}

char *res_rule_renew(const res_rule_t *r, double least, double most)
{
    char low[RES_NUMBER_BYTES], high[RES_NUMBER_BYTES], *text = NULL;
    char behind[64] = "";
    res_number_text(least / r->factor, low);
    res_number_text(most / r->factor, high);
    if (r->tolerance >= 0) {
        char share[RES_NUMBER_BYTES];
        snprintf(behind, sizeof(behind), " %s %s %%", signs[0],
                 res_number_text(r->tolerance * 100, share));
    }
    const char *blank = *r->unit ? " " : "";
    int written = -1;
    switch (r->relation) {
    case RES_AT_MOST:
    case RES_BELOW: /* the new bound must be one to which today's values keep */
        written = asprintf(&text, "<= %s%s%s%s", high, blank, r->unit, behind);
        break;
    case RES_AT_LEAST:
    case RES_ABOVE: written = asprintf(&text, ">= %s%s%s%s", low, blank, r->unit, behind); break;
    case RES_EQUAL:
    case RES_WITHIN:
        if (least == most)
            written = asprintf(&text, "%s%s%s%s", low, blank, r->unit, behind);
        else
            written = asprintf(&text, "%s .. %s%s%s%s", low, high, blank, r->unit, behind);
        break;
    }
    return written < 0 ? NULL : text;
}
