/* xml.c - reads counter definitions in the first generation's format, which resembles XML.
 *
 * <gfx9> ... </gfx9> sections, each of which may include all of another one (base="gfx9_expr"),
 * hold <metric name=N block=B event=E descr="..." expr=...> elements. Values may lack quotes (then
 * they end at > or before the next name=), metric elements need no end tag, '#' begins a comment
 * line, #include "file" reads another file. A real XML parser would refuse all that. This reader
 * examines one character at a time and after an error continues at the next tag. */
#include "counters/internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECTIONS_MAX = 8, ATTRIBUTES_MAX = 16, INCLUDES_MAX = 4 };

typedef struct {
    const char *text, *at, *end;
    const char *line_start;
    uint32_t line;
    const char *directory;
    int depth;
    ctr_slice_t sections[SECTIONS_MAX];
    int section_count;
    ctr_definitions_t *definitions;
    const ctr_reporter_t *reporter;
    ctr_error_t *error;
} reader_t;

typedef struct {
    ctr_slice_t name, value;
    uint32_t line, column; /* position of the value */
} attribute_t;

typedef struct {
    ctr_slice_t name;
    uint32_t line, column;
    attribute_t attributes[ATTRIBUTES_MAX];
    int count;
    bool closing, closed; /* </x>, <x/> */
} tag_t;

static void step(reader_t *r)
{
    if (*r->at == '\n') {
        r->line++;
        r->line_start = r->at + 1;
    }
    r->at++;
}

static uint32_t column(const reader_t *r)
{
    return (uint32_t)(r->at - r->line_start) + 1;
}

static bool starts(const reader_t *r, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(r->end - r->at) >= length && memcmp(r->at, text, length) == 0;
}

/* Skips to the end of the next occurrence of `text`, or to the end. */
static void skip_past(reader_t *r, const char *text)
{
    while (r->at < r->end && !starts(r, text))
        step(r);
    for (size_t i = 0; text[i] && r->at < r->end; i++)
        step(r);
}

static void skip_space(reader_t *r)
{
    while (r->at < r->end && isspace((unsigned char)*r->at))
        step(r);
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || strchr("_-.:", c) != NULL;
}

static ctr_slice_t word(reader_t *r)
{
    const char *start = r->at;
    while (r->at < r->end && *r->at && is_word(*r->at))
        r->at++;
    return (ctr_slice_t){start, (size_t)(r->at - start)};
}

/* Returns whether name= follows the blank at the present position. */
static bool attribute_follows(const reader_t *r)
{
    const char *p = r->at;
    while (p < r->end && isspace((unsigned char)*p))
        p++;
    const char *start = p;
    while (p < r->end && *p && is_word(*p))
        p++;
    if (p == start || isdigit((unsigned char)*start)) return false;
    while (p < r->end && isspace((unsigned char)*p))
        p++;
    return p < r->end && *p == '=' && (p + 1 >= r->end || p[1] != '=');
}

static ctr_slice_t bare_value(reader_t *r)
{
    const char *start = r->at;
    while (r->at < r->end && *r->at != '>') {
        if (isspace((unsigned char)*r->at) && attribute_follows(r)) break;
        if (*r->at == '/' && r->at + 1 < r->end && r->at[1] == '>') break;
        step(r);
    }
    return (ctr_slice_t){start, (size_t)(r->at - start)};
}

/* Reads a value in quotes. Returns false if the closing quote is missing. */
static bool quoted_value(reader_t *r, ctr_slice_t *value)
{
    char quote = *r->at;
    step(r);
    const char *start = r->at;
    while (r->at < r->end && *r->at != quote)
        step(r);
    *value = (ctr_slice_t){start, (size_t)(r->at - start)};
    if (r->at >= r->end) return false;
    step(r);
    return true;
}

static bool bad(reader_t *r, uint32_t line, uint32_t at, const char *what, ctr_slice_t name)
{
    ctr_say(r->reporter, CTR_BAD_TEXT, line, at, what, ctr_shown(name), name.text);
    return false;
}

static bool read_attribute(reader_t *r, tag_t *tag)
{
    uint32_t line = r->line, at = column(r);
    attribute_t a = {.name = word(r)};
    if (!a.name.length) {
        ctr_slice_t found = {r->at, 1};
        return bad(r, line, at, "\"%.*s\" where an attribute should begin", found);
    }
    skip_space(r);
    if (r->at >= r->end || *r->at != '=')
        return bad(r, line, at, "attribute \"%.*s\" without '='", a.name);
    step(r);
    skip_space(r);
    a.line = r->line;
    a.column = column(r);
    if (r->at < r->end && (*r->at == '"' || *r->at == '\'')) {
        a.column++;
        if (!quoted_value(r, &a.value))
            return bad(r, line, at, "the value of \"%.*s\" has no closing quote", a.name);
    } else {
        a.value = bare_value(r);
    }
    if (tag->count == ATTRIBUTES_MAX)
        return bad(r, line, at, "attribute \"%.*s\" is one too many, limit 16", a.name);
    tag->attributes[tag->count++] = a;
    return true;
}

/* Reads a tag from its '<' to its '>'. Returns false after an error, which has been reported. */
static bool read_tag(reader_t *r, tag_t *tag)
{
    *tag = (tag_t){.line = r->line, .column = column(r)};
    step(r);
    if (r->at < r->end && *r->at == '/') {
        tag->closing = true;
        step(r);
    }
    tag->name = word(r);
    if (!tag->name.length)
        return bad(r, tag->line, tag->column, "'<' without a name after it%.*s", tag->name);
    for (;;) {
        skip_space(r);
        if (r->at >= r->end)
            return bad(r, tag->line, tag->column, "<%.*s has no closing '>'", tag->name);
        if (*r->at == '>') break;
        if (starts(r, "/>")) {
            tag->closed = true;
            step(r);
            break;
        }
        if (!read_attribute(r, tag)) return false;
    }
    step(r);
    return true;
}

static const attribute_t *attribute(const tag_t *tag, const char *name)
{
    for (int i = 0; i < tag->count; i++)
        if (ctr_slice_is(tag->attributes[i].name, name)) return &tag->attributes[i];
    return NULL;
}

static ctr_slice_t value(const tag_t *tag, const char *name)
{
    const attribute_t *a = attribute(tag, name);
    return a ? a->value : (ctr_slice_t){0};
}

static ctr_status_t enter_metric(reader_t *r, const tag_t *tag)
{
    const attribute_t *expression = attribute(tag, "expr");
    ctr_found_t found = {.name = value(tag, "name"),
                         .block = value(tag, "block"),
                         .event = value(tag, "event"),
                         .expression = value(tag, "expr"),
                         .description = value(tag, "descr"),
                         .line = expression ? expression->line : tag->line,
                         .column = expression ? expression->column : tag->column};
    if (!r->section_count) {
        bad(r, tag->line, tag->column, "metric \"%.*s\" outside any section such as <gfx9>",
            found.name);
        return CTR_OK;
    }
    found.arch = r->sections[r->section_count - 1];
    return ctr_definitions_enter(r->definitions, &found, r->reporter);
}

static ctr_status_t open_section(reader_t *r, const tag_t *tag)
{
    ctr_slice_t base = value(tag, "base");
    if (base.length) {
        ctr_status_t status = ctr_definitions_inherit(r->definitions, tag->name, base, tag->line,
                                                      tag->column, r->reporter);
        if (status != CTR_OK) return status;
    }
    if (tag->closed) return CTR_OK;
    if (r->section_count == SECTIONS_MAX) {
        bad(r, tag->line, tag->column, "<%.*s> is nested too deep, limit 8", tag->name);
        return CTR_OK;
    }
    r->sections[r->section_count++] = tag->name;
    return CTR_OK;
}

static void close_section(reader_t *r, const tag_t *tag)
{
    for (int i = r->section_count; i-- > 0;) {
        if (r->sections[i].length != tag->name.length ||
            memcmp(r->sections[i].text, tag->name.text, tag->name.length) != 0)
            continue;
        r->section_count = i;
        return;
    }
    bad(r, tag->line, tag->column, "</%.*s> closes nothing", tag->name);
}

static ctr_status_t handle_tag(reader_t *r)
{
    tag_t tag;
    if (!read_tag(r, &tag)) {
        while (r->at < r->end && *r->at != '<')
            step(r);
        return CTR_OK;
    }
    if (ctr_slice_is(tag.name, "metric")) return tag.closing ? CTR_OK : enter_metric(r, &tag);
    if (!tag.closing) return open_section(r, &tag);
    close_section(r, &tag);
    return CTR_OK;
}

/* Handles #include "name": reads the file of this name in the same folder, as if it were part of
 * this text. */
static ctr_status_t include(reader_t *r)
{
    uint32_t line = r->line, at = column(r);
    ctr_slice_t name = {0};
    char path[4096], *text = NULL;
    size_t size;
    for (int i = 0; i < 8; i++)
        step(r); /* "#include" */
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t'))
        step(r);
    if (r->at >= r->end || *r->at != '"' || !quoted_value(r, &name) || !name.length) {
        bad(r, line, at, "#include without a name in quotes%.*s", (ctr_slice_t){"", 0});
        return CTR_OK;
    }
    if (!r->directory || r->depth >= INCLUDES_MAX) {
        bad(r, line, at,
            r->directory ? "\"%.*s\" is included too deep, limit 4"
                         : "\"%.*s\" cannot be included: this text is not a file",
            name);
        return CTR_OK;
    }
    const char *directory = name.text[0] == '/' ? "" : r->directory;
    if (snprintf(path, sizeof(path), "%s%.*s", directory, (int)name.length, name.text) >=
        (int)sizeof(path))
        return ctr_fail(r->error, CTR_BAD_FILE, r->reporter->origin, line, at,
                        "path of included file longer than %zu", sizeof(path));
    ctr_status_t status = ctr_read_file(path, &text, &size, r->error);
    if (status != CTR_OK) return status;
    ctr_reporter_t reporter = {r->reporter->function, r->reporter->user, path};
    status =
        ctr_read_xml(r->definitions, text, size, r->directory, r->depth + 1, &reporter, r->error);
    free(text);
    return status;
}

ctr_status_t ctr_read_xml(ctr_definitions_t *definitions, const char *text, size_t size,
                          const char *directory, int depth, const ctr_reporter_t *reporter,
                          ctr_error_t *error)
{
    reader_t r = {.text = text,
                  .at = text,
                  .end = text + size,
                  .line_start = text,
                  .line = 1,
                  .directory = directory,
                  .depth = depth,
                  .definitions = definitions,
                  .reporter = reporter,
                  .error = error};
    ctr_status_t status = CTR_OK;
    while (status == CTR_OK) {
        skip_space(&r);
        if (r.at >= r.end) break;
        if (starts(&r, "#include"))
            status = include(&r);
        else if (*r.at == '#')
            skip_past(&r, "\n");
        else if (starts(&r, "<!--"))
            skip_past(&r, "-->");
        else if (starts(&r, "<?") || starts(&r, "<!"))
            skip_past(&r, ">");
        else if (*r.at == '<')
            status = handle_tag(&r);
        else
            while (r.at < r.end && *r.at != '<' && *r.at != '\n')
                step(&r);
    }
    for (int i = 0; i < r.section_count && status == CTR_OK; i++)
        bad(&r, r.line, column(&r), "the text ends within <%.*s>", r.sections[i]);
    if (status == CTR_NO_MEMORY) ctr_fail(error, status, reporter->origin, 0, 0, "no memory");
    return status;
}
