/* yaml.c - reads counter definitions in AMD's YAML, in both schemas.
 *
 * The current schema: rocprofiler-sdk: counters: a list of {name, description, definitions: list of
 * {architectures: list, block, event | expression}}. The older one: NAME: {architectures:
 * {"gfx1/gfx2": {block, event | expression}}, description}. libyaml parses; this file handles only
 * the schemas. Unknown keys are ignored, as in AMD's reader. */
#include "base/yaml_load.h"
#include "counters/internal.h"

#include <string.h>
#include <yaml.h>

typedef struct {
    yaml_document_t *document;
    ctr_definitions_t *definitions;
    const ctr_reporter_t *reporter;
    ctr_status_t status; /* CTR_NO_MEMORY ends the reading */
} reader_t;

static uint32_t line_of(const yaml_node_t *node)
{
    return (uint32_t)node->start_mark.line + 1;
}

static uint32_t column_of(const yaml_node_t *node)
{
    return (uint32_t)node->start_mark.column + 1;
}

static ctr_slice_t scalar(const yaml_node_t *node)
{
    if (!node || node->type != YAML_SCALAR_NODE) return (ctr_slice_t){0};
    return (ctr_slice_t){(const char *)node->data.scalar.value, node->data.scalar.length};
}

static yaml_node_t *value_of(reader_t *r, const yaml_node_t *mapping, const char *key)
{
    if (!mapping || mapping->type != YAML_MAPPING_NODE) return NULL;
    for (yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
         pair < mapping->data.mapping.pairs.top; pair++)
        if (ctr_slice_is(scalar(yaml_document_get_node(r->document, pair->key)), key))
            return yaml_document_get_node(r->document, pair->value);
    return NULL;
}

/* Reads block, event and expression, which are the same in both schemas. The entry's line is that
 * of its expression. */
static void take_definition(reader_t *r, const yaml_node_t *node, ctr_found_t *found)
{
    yaml_node_t *expression = value_of(r, node, "expression");
    const yaml_node_t *place = expression ? expression : node;
    found->block = scalar(value_of(r, node, "block"));
    found->event = scalar(value_of(r, node, "event"));
    found->expression = scalar(expression);
    found->line = line_of(place);
    found->column = column_of(place);
    yaml_node_t *own = value_of(r, node, "description");
    if (own) found->description = scalar(own);
}

static void enter(reader_t *r, const ctr_found_t *found)
{
    if (r->status == CTR_OK) r->status = ctr_definitions_enter(r->definitions, found, r->reporter);
}

static void read_definition(reader_t *r, const yaml_node_t *node, ctr_found_t *found)
{
    yaml_node_t *archs = value_of(r, node, "architectures");
    if (!archs || archs->type != YAML_SEQUENCE_NODE) {
        ctr_say(r->reporter, CTR_BAD_TEXT, line_of(node), column_of(node),
                "%.*s: a definition without a list \"architectures\"", ctr_shown(found->name),
                found->name.text);
        return;
    }
    take_definition(r, node, found);
    for (yaml_node_item_t *item = archs->data.sequence.items.start;
         item < archs->data.sequence.items.top; item++) {
        found->arch = scalar(yaml_document_get_node(r->document, *item));
        enter(r, found);
    }
}

static void read_counter(reader_t *r, const yaml_node_t *node)
{
    yaml_node_t *name = value_of(r, node, "name");
    yaml_node_t *list = value_of(r, node, "definitions");
    if (!scalar(name).length) {
        ctr_say(r->reporter, CTR_BAD_TEXT, line_of(node), column_of(node),
                "an entry of \"counters\" without a name");
        return;
    }
    if (!list || list->type != YAML_SEQUENCE_NODE) {
        ctr_say(r->reporter, CTR_BAD_TEXT, line_of(node), column_of(node),
                "%.*s: no list \"definitions\"", ctr_shown(scalar(name)), scalar(name).text);
        return;
    }
    for (yaml_node_item_t *item = list->data.sequence.items.start;
         item < list->data.sequence.items.top; item++) {
        ctr_found_t found = {.name = scalar(name),
                             .description = scalar(value_of(r, node, "description"))};
        read_definition(r, yaml_document_get_node(r->document, *item), &found);
    }
}

/* In the older schema "gfx906/gfx908" means both architectures. */
static void read_old_counter(reader_t *r, ctr_slice_t name, const yaml_node_t *node)
{
    yaml_node_t *archs = value_of(r, node, "architectures");
    if (!archs || archs->type != YAML_MAPPING_NODE) {
        ctr_say(r->reporter, CTR_BAD_TEXT, line_of(node), column_of(node),
                "%.*s: no mapping \"architectures\"", ctr_shown(name), name.text);
        return;
    }
    for (yaml_node_pair_t *pair = archs->data.mapping.pairs.start;
         pair < archs->data.mapping.pairs.top; pair++) {
        ctr_slice_t left = scalar(yaml_document_get_node(r->document, pair->key));
        ctr_found_t found = {.name = name, .description = scalar(value_of(r, node, "description"))};
        take_definition(r, yaml_document_get_node(r->document, pair->value), &found);
        while (left.length) {
            const char *slash = memchr(left.text, '/', left.length);
            size_t length = slash ? (size_t)(slash - left.text) : left.length;
            found.arch = (ctr_slice_t){left.text, length};
            enter(r, &found);
            left.text += slash ? length + 1 : length;
            left.length -= slash ? length + 1 : length;
        }
    }
}

static ctr_status_t read_current(reader_t *r, const yaml_node_t *header, ctr_error_t *error)
{
    yaml_node_t *counters = value_of(r, header, "counters");
    yaml_node_t *version = value_of(r, header, "counters-schema-version");
    if (version && !ctr_slice_is(scalar(version), "1"))
        return ctr_fail(error, CTR_BAD_TEXT, r->reporter->origin, line_of(version),
                        column_of(version), "counters-schema-version %.*s, known is 1",
                        scalar(version).length > 20 ? 20 : (int)scalar(version).length,
                        scalar(version).length ? scalar(version).text : "");
    if (!counters || counters->type != YAML_SEQUENCE_NODE)
        return ctr_fail(error, CTR_BAD_TEXT, r->reporter->origin, line_of(header),
                        column_of(header), "\"rocprofiler-sdk\" has no list \"counters\"");
    for (yaml_node_item_t *item = counters->data.sequence.items.start;
         item < counters->data.sequence.items.top; item++)
        read_counter(r, yaml_document_get_node(r->document, *item));
    return r->status;
}

static ctr_status_t read_document(reader_t *r, ctr_error_t *error)
{
    yaml_node_t *root = yaml_document_get_root_node(r->document);
    if (!root) return ctr_fail(error, CTR_BAD_TEXT, r->reporter->origin, 0, 0, "the text is empty");
    if (root->type != YAML_MAPPING_NODE)
        return ctr_fail(error, CTR_BAD_TEXT, r->reporter->origin, line_of(root), column_of(root),
                        "not a mapping; \"rocprofiler-sdk:\" is expected at the top");
    yaml_node_t *header = value_of(r, root, "rocprofiler-sdk");
    if (header) return read_current(r, header, error);
    for (yaml_node_pair_t *pair = root->data.mapping.pairs.start;
         pair < root->data.mapping.pairs.top; pair++) {
        ctr_slice_t name = scalar(yaml_document_get_node(r->document, pair->key));
        if (!ctr_slice_is(name, "schema-version"))
            read_old_counter(r, name, yaml_document_get_node(r->document, pair->value));
    }
    return r->status;
}

ctr_status_t ctr_read_yaml(ctr_definitions_t *definitions, const char *text, size_t size,
                           const ctr_reporter_t *reporter, ctr_error_t *error)
{
    yaml_document_t document;
    base_yaml_problem_t problem;
    if (!base_yaml_load(&document, text, size, &problem))
        return ctr_fail(error, problem.line ? CTR_BAD_TEXT : CTR_NO_MEMORY, reporter->origin,
                        (uint32_t)problem.line, problem.column ? (uint32_t)problem.column : 1, "%s",
                        problem.text);
    reader_t r = {&document, definitions, reporter, CTR_OK};
    const ctr_status_t status = read_document(&r, error);
    yaml_document_delete(&document);
    if (status == CTR_NO_MEMORY) ctr_fail(error, status, reporter->origin, 0, 0, "no memory");
    return status;
}
