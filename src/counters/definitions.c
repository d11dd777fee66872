/* definitions.c - the definitions of counters as texts, before any of them is compiled.
 *
 * They are apart from the catalogue because definitions are for all GPUs and a catalogue is for
 * one. Checks here concern one entry alone; the catalogue makes the checks that need other
 * entries. */
#include "counters/internal.h"

#include "base/file.h"
#include "base/instance.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum { NAME_MAX_LENGTH = CTR_NAME_MAX, EXPRESSION_MAX = 16384, DESCRIPTION_MAX = 4096 };

ctr_definitions_t *ctr_definitions_create(void)
{
    return calloc(1, sizeof(ctr_definitions_t));
}

void ctr_definitions_destroy(ctr_definitions_t *definitions)
{
    if (!definitions) return;
    ctr_map_free(&definitions->seen);
    free(definitions->items);
    free(definitions->inherits);
    ctr_arena_free(&definitions->arena);
    free(definitions);
}

static ctr_definition_t *append(ctr_definitions_t *definitions)
{
    if (!BASE_GROW(definitions->items, definitions->count, &definitions->capacity)) return NULL;
    ctr_definition_t *item = &definitions->items[definitions->count++];
    *item = (ctr_definition_t){.source = definitions->source,
                               .arch = "",
                               .block = "",
                               .expression = "",
                               .description = "",
                               .origin = ""};
    return item;
}

ctr_status_t ctr_definitions_add_builtin(ctr_definitions_t *definitions)
{
    definitions->source++;
    for (size_t i = 0; i < ctr_builtin_counter_count; i++) {
        const ctr_builtin_t *counter = &ctr_builtin_counters[i];
        ctr_definition_t *item = append(definitions);
        if (!item) return CTR_NO_MEMORY;
        item->gpus = counter->gpus;
        item->name = counter->name;
        item->block = counter->block;
        item->event = counter->event;
        item->expression = counter->expression;
        item->description = counter->description;
        item->value_class = (ctr_class_t)counter->value_class;
        item->origin = "built-in";
    }
    return CTR_OK;
}

size_t ctr_builtin_find(const char *gfx)
{
    for (size_t i = 0; i < ctr_builtin_gpu_count; i++)
        if (strcmp(ctr_builtin_gpus[i].gfx, gfx) == 0) return i;
    return SIZE_MAX;
}

uint64_t ctr_builtin_bit(const char *gfx)
{
    const size_t gpu = ctr_builtin_find(gfx);
    return gpu == SIZE_MAX ? 0 : UINT64_C(1) << gpu;
}

static ctr_slice_t trimmed(ctr_slice_t slice)
{
    while (slice.length && isspace((unsigned char)slice.text[0]))
        slice.text++, slice.length--;
    while (slice.length && isspace((unsigned char)slice.text[slice.length - 1]))
        slice.length--;
    return slice;
}

/* Returns whether an expression can refer to the text: letters, digits and underscores, not
 * beginning with a digit. */
static bool is_name(ctr_slice_t slice)
{
    for (size_t i = 0; i < slice.length; i++) {
        unsigned char c = (unsigned char)slice.text[i];
        if (!isalnum(c) && c != '_') return false;
    }
    return slice.length && !isdigit((unsigned char)slice.text[0]);
}

bool ctr_is_counter_name(ctr_slice_t name)
{
    if (name.length > NAME_MAX_LENGTH) return false;
    return is_name((ctr_slice_t){name.text, base_instance_at(name.text, name.length)});
}

static bool parse_number(ctr_slice_t slice, uint64_t *number)
{
    char text[32], *end;
    if (!slice.length || slice.length >= sizeof(text)) return false;
    memcpy(text, slice.text, slice.length);
    text[slice.length] = '\0';
    if (!isdigit((unsigned char)text[0])) return false;
    errno = 0;
    *number = strtoull(text, &end, strncmp(text, "0x", 2) == 0 ? 16 : 10);
    return *end == '\0' && errno == 0;
}

/* Returns true if this text has already defined the name for this architecture. */
static bool seen_before(ctr_definitions_t *definitions, const char *arch, const char *name,
                        bool *memory)
{
    char key[2 * NAME_MAX_LENGTH + 2];
    int length = snprintf(key, sizeof(key), "%s %s", arch, name);
    *memory = true;
    if (ctr_map_get(&definitions->seen, key, (size_t)length) != CTR_MAP_NONE) return true;
    char *kept = ctr_arena_text(&definitions->arena, key, (size_t)length);
    *memory = kept && ctr_map_put(&definitions->seen, kept, (size_t)length, 1);
    return false;
}

/* Notes that this text has a section for the architecture; `arch` must outlive the definitions. */
static bool note_arch(ctr_definitions_t *definitions, const char *arch)
{
    size_t length = strlen(arch);
    return ctr_map_get(&definitions->seen, arch, length) != CTR_MAP_NONE ||
           ctr_map_put(&definitions->seen, arch, length, 1);
}

/* Checks an entry by itself and reports errors; returns true if there are none. */
static bool is_sound(const ctr_found_t *f, uint64_t *event, const ctr_reporter_t *reporter)
{
    ctr_slice_t name = f->name, expression = f->expression;
    int shown = ctr_shown(name);
    if (!ctr_is_counter_name(name)) {
        ctr_say(reporter, CTR_BAD_TEXT, f->line, f->column, CTR_BAD_COUNTER_NAME, shown,
                name.text ? name.text : "");
        return false;
    }
    if (expression.length > EXPRESSION_MAX) {
        ctr_say(reporter, CTR_BAD_TEXT, f->line, f->column,
                "%.*s: expression of %zu characters, limit %d", shown, name.text, expression.length,
                EXPRESSION_MAX);
        return false;
    }
    bool hardware = f->block.length || f->event.length;
    if (expression.length && hardware) {
        ctr_say(reporter, CTR_BAD_TEXT, f->line, f->column,
                "%.*s has an expression and also a block or event", shown, name.text);
        return false;
    }
    if (!expression.length && !(f->block.length && f->event.length)) {
        ctr_say(reporter, CTR_BAD_TEXT, f->line, f->column, "%.*s has no expression and no %s",
                shown, name.text, f->block.length ? "event" : "block");
        return false;
    }
    if (hardware && (!is_name(f->block) || f->block.length > NAME_MAX_LENGTH)) {
        ctr_say(reporter, CTR_BAD_TEXT, f->line, f->column, "%.*s: block \"%.*s\" is not a name",
                shown, name.text, ctr_shown(f->block), f->block.text);
        return false;
    }
    if (hardware && !parse_number(f->event, event)) {
        ctr_say(reporter, CTR_BAD_TEXT, f->line, f->column,
                "%.*s: event \"%.*s\" is not a number of 64 bits", shown, name.text,
                ctr_shown(f->event), f->event.text);
        return false;
    }
    if (!is_name(f->arch) || f->arch.length > NAME_MAX_LENGTH) {
        ctr_say(reporter, CTR_BAD_TEXT, f->line, f->column,
                "%.*s: architecture \"%.*s\" is not a name", shown, name.text, ctr_shown(f->arch),
                f->arch.text ? f->arch.text : "");
        return false;
    }
    return true;
}

static const char *keep(ctr_definitions_t *definitions, ctr_slice_t slice)
{
    return slice.length ? ctr_arena_text(&definitions->arena, slice.text, slice.length) : "";
}

static const char *keep_origin(ctr_definitions_t *definitions, const ctr_reporter_t *reporter)
{
    return keep(definitions, (ctr_slice_t){reporter->origin, strlen(reporter->origin)});
}

ctr_status_t ctr_definitions_enter(ctr_definitions_t *definitions, const ctr_found_t *found,
                                   const ctr_reporter_t *reporter)
{
    uint64_t event = 0;
    bool memory;
    ctr_found_t f = {trimmed(found->arch),
                     trimmed(found->name),
                     trimmed(found->block),
                     trimmed(found->event),
                     trimmed(found->expression),
                     trimmed(found->description),
                     found->line,
                     found->column};
    if (!is_sound(&f, &event, reporter)) return CTR_OK;
    if (f.description.length > DESCRIPTION_MAX) f.description.length = DESCRIPTION_MAX;
    ctr_definition_t new = {.arch = keep(definitions, f.arch),
                            .name = keep(definitions, f.name),
                            .block = keep(definitions, f.block),
                            .event = event,
                            .expression = keep(definitions, f.expression),
                            .description = keep(definitions, f.description),
                            .origin = keep_origin(definitions, reporter),
                            .source = definitions->source,
                            .line = found->line,
                            .column = found->column};
    if (!new.arch || !new.name || !new.block || !new.expression || !new.description || !new.origin)
        return CTR_NO_MEMORY;
    if (seen_before(definitions, new.arch, new.name, &memory)) {
        ctr_say(reporter, CTR_DUPLICATE, found->line, found->column,
                "%s is defined before in this text for %s; the first definition stays", new.name,
                new.arch);
        return CTR_OK;
    }
    memory = memory && note_arch(definitions, new.arch);
    ctr_definition_t *item = memory ? append(definitions) : NULL;
    if (!item) return CTR_NO_MEMORY;
    *item = new;
    return CTR_OK;
}

ctr_status_t ctr_definitions_inherit(ctr_definitions_t *definitions, ctr_slice_t arch,
                                     ctr_slice_t base, uint32_t line, uint32_t column,
                                     const ctr_reporter_t *reporter)
{
    ctr_inherit_t new = {.arch = keep(definitions, trimmed(arch)),
                         .base = keep(definitions, trimmed(base)),
                         .origin = keep_origin(definitions, reporter),
                         .source = definitions->source,
                         .line = line,
                         .column = column};
    if (!new.arch || !new.base || !new.origin || !note_arch(definitions, new.arch) ||
        !BASE_GROW(definitions->inherits, definitions->inherit_count,
                   &definitions->inherit_capacity))
        return CTR_NO_MEMORY;
    definitions->inherits[definitions->inherit_count++] = new;
    return CTR_OK;
}

ctr_status_t ctr_read_file(const char *path, char **text, size_t *size, ctr_error_t *error)
{
    *text = base_file_read(path, CTR_FILE_MAX, size);
    if (*text) return CTR_OK;
    switch (errno) {
    case EFBIG:
        return ctr_fail(error, CTR_BAD_FILE, path, 0, 0, "larger than %d bytes", CTR_FILE_MAX);
    case ENOMEM: return ctr_fail(error, CTR_NO_MEMORY, path, 0, 0, "%s", strerror(ENOMEM));
    default: return ctr_fail(error, CTR_BAD_FILE, path, 0, 0, "%s", strerror(errno));
    }
}

/* Reports the sections of the text just read whose base section (base="...") does not exist. */
static void check_bases(const ctr_definitions_t *definitions, const ctr_reporter_t *reporter)
{
    for (size_t i = definitions->inherit_count; i-- > 0;) {
        const ctr_inherit_t *inherit = &definitions->inherits[i];
        if (inherit->source != definitions->source) return;
        ctr_reporter_t of_file = {reporter->function, reporter->user, inherit->origin};
        if (ctr_map_get(&definitions->seen, inherit->base, strlen(inherit->base)) == CTR_MAP_NONE)
            ctr_say(&of_file, CTR_NOT_FOUND, inherit->line, inherit->column,
                    "%.80s takes over \"%.80s\", of which this text defines nothing", inherit->arch,
                    inherit->base);
    }
}

static ctr_status_t add_text(ctr_definitions_t *definitions, ctr_format_t format, const char *text,
                             size_t size, const char *directory, const ctr_reporter_t *reporter,
                             ctr_error_t *error)
{
    ctr_status_t status;
    definitions->source++;
    ctr_map_free(&definitions->seen);
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* the byte order mark of UTF-8 */
        text += 3;
        size -= 3;
    }
    if (format == CTR_FORMAT_AUTO) {
        /* XML files of AMD begin with comments (#) and includes */
        size_t i = 0;
        while (i < size && isspace((unsigned char)text[i]))
            i++;
        bool include = size - i >= 8 && memcmp(text + i, "#include", 8) == 0;
        for (; i < size && text[i] == '#';) {
            while (i < size && text[i] != '\n')
                i++;
            while (i < size && isspace((unsigned char)text[i]))
                i++;
        }
        format = include || (i < size && text[i] == '<') ? CTR_FORMAT_XML : CTR_FORMAT_YAML;
    }
    if (format != CTR_FORMAT_XML) return ctr_read_yaml(definitions, text, size, reporter, error);
    status = ctr_read_xml(definitions, text, size, directory, 0, reporter, error);
    if (status == CTR_OK) check_bases(definitions, reporter);
    return status;
}

ctr_status_t ctr_definitions_add_text(ctr_definitions_t *definitions, ctr_format_t format,
                                      const char *text, size_t size, const char *origin,
                                      ctr_report_t report, void *user, ctr_error_t *error)
{
    ctr_reporter_t reporter = {report, user, origin};
    return add_text(definitions, format, text, size, NULL, &reporter, error);
}

ctr_status_t ctr_definitions_add_file(ctr_definitions_t *definitions, ctr_format_t format,
                                      const char *path, ctr_report_t report, void *user,
                                      ctr_error_t *error)
{
    ctr_reporter_t reporter = {report, user, path};
    char *text = NULL, *directory = NULL;
    size_t size = 0;
    ctr_status_t status = ctr_read_file(path, &text, &size, error);
    if (status != CTR_OK) return status;
    const char *slash = strrchr(path, '/');
    directory = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("");
    status = directory ? add_text(definitions, format, text, size, directory, &reporter, error)
                       : ctr_fail(error, CTR_NO_MEMORY, path, 0, 0, "no memory");
    free(directory);
    free(text);
    return status;
}
