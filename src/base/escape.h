/* escape.h - writes texts where some characters have a special meaning: in JSON, XML, HTML,
 * Markdown, CSV, a shell's word, on a terminal.
 *
 * Each form is a row of a table in escape.c, which is the only place that lists these characters.
 * Texts come from programs and databases and may contain any bytes but zero. */
#ifndef CROCPROF_BASE_ESCAPE_H
#define CROCPROF_BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum {
    BASE_JSON,     /* between double quotes; bytes that are not UTF-8 become U+FFFD */
    BASE_XML,      /* in an element or between double quotes; characters that XML does not allow,
                    * and bytes that are not UTF-8, become U+FFFD */
    BASE_HTML,     /* in an element */
    BASE_MARKDOWN, /* also in a table; control characters become '?' */
    BASE_CSV,      /* between double quotes */
    BASE_SHELL,    /* between single quotes */
    BASE_TERMINAL, /* control characters, which could move the cursor, become '?' */
} base_escape_t;

typedef struct {
    const char *text; /* not terminated by a zero */
    size_t bytes;
    char room[8];
} base_piece_t;

/* Takes the next piece of the text in its escaped form, and moves *text behind it. Returns false at
 * the end of the text. */
bool base_escape_next(base_escape_t form, const char **text, base_piece_t *piece);

/* Writes the text, without quotes around it. */
void base_put(FILE *f, base_escape_t form, const char *text);

/* Writes the text as a string of JSON, with its quotes. */
void base_put_json(FILE *f, const char *text);

/* Writes a word of a shell's command, in single quotes if it needs them. A file whose name begins
 * with '-' gets "./" in front, so that it is not taken for an option. */
void base_put_word(FILE *f, const char *word);

#endif
