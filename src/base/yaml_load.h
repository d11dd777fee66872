/* yaml_load.h - reads a YAML text whole, unless it is nested too deeply.
 *
 * Apart, and a header, because some rooms read YAML and only they link libyaml. Its scanner looks
 * at every open bracket for each token, so a megabyte of brackets would keep it busy for an hour;
 * its parser, asked for one event at a time, can be left as soon as the text goes too deep. */
#ifndef CROCPROF_BASE_YAML_LOAD_H
#define CROCPROF_BASE_YAML_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

enum { BASE_YAML_DEPTH_MAX = 64 }; /* the formats read here need 7 */

/* Why a text is not read. */
typedef struct {
    size_t line, column; /* from 1; 0: unknown */
    const char *context,
        *text; /* "while parsing a block mapping", or ""; "did not find expected key" */
} base_yaml_problem_t;

/* 0, or the number, from 1, of the line on which the text is nested deeper than
 * BASE_YAML_DEPTH_MAX. A syntax error is not reported here: 0. */
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

/* Reads the text, to be freed by yaml_document_delete(). False with the problem. */
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
