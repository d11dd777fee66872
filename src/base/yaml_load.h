/* yaml_load.h - reads a whole YAML text, unless it is nested too deeply.
 *
 * It is a header because only the rooms that read YAML link libyaml. libyaml's scanner examines
 * every open bracket for each token, so a megabyte of brackets would take it an hour. The check of
 * the depth reads one event at a time from libyaml's parser and stops as soon as the text is nested
 * too deeply. */
#ifndef CROCPROF_BASE_YAML_LOAD_H
#define CROCPROF_BASE_YAML_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

enum { BASE_YAML_DEPTH_MAX = 64 }; /* the formats that are read with it need 7 */

/* Why a text could not be read. */
typedef struct {
    size_t line, column; /* both count from 1; 0: unknown */
    const char *context,
        *text; /* problem: "did not find expected key"; context: "while parsing a block mapping", or
                * "" */
} base_yaml_problem_t;

/* Returns the number, from 1, of the line on which the text is nested deeper than
 * BASE_YAML_DEPTH_MAX, or 0 if it is not. A syntax error is not reported here and gives 0. */
static inline size_t base_yaml_too_deep(const char *text, size_t size)
{
    yaml_parser_t parser;
    size_t line = 0;
    int depth = 0;
    if (!yaml_parser_initialize(&parser)) return 0;
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    for (bool more = true; more && !line;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) break;
        more = event.type != YAML_STREAM_END_EVENT;
        depth += event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT;
        depth -= event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
        if (depth > BASE_YAML_DEPTH_MAX) line = event.start_mark.line + 1;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return line;
}

/* Reads the text into `document`, to be freed by yaml_document_delete(). Returns false with the
 * problem on failure. */
static inline bool base_yaml_load(yaml_document_t *document, const char *text, size_t size,
                                  base_yaml_problem_t *problem)
{
    yaml_parser_t parser;
    *problem = (base_yaml_problem_t){base_yaml_too_deep(text, size), 0, "",
                                     "nested deeper than 64 levels"};
    _Static_assert(BASE_YAML_DEPTH_MAX == 64, "as the text says");
    if (problem->line) return false;
    problem->text = "out of memory";
    if (!yaml_parser_initialize(&parser)) return false;
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    const bool loaded = yaml_parser_load(&parser, document);
    if (!loaded)
        *problem =
            (base_yaml_problem_t){parser.problem_mark.line + 1, parser.problem_mark.column + 1,
                                  parser.context ? parser.context : "",
                                  parser.problem ? parser.problem : "out of memory"};
    yaml_parser_delete(&parser);
    return loaded;
}

#endif
