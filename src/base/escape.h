/* escape.h - what a text becomes where some characters have a meaning of their own: in JSON, XML,
 * HTML, Markdown, CSV, a shell's word, on a terminal.
 *
 * The one place that knows these characters, each form being a row of a table in escape.c. Texts
 * come from programs and databases and may have any bytes but zero. */
#ifndef CROCPROF_BASE_ESCAPE_H
#define CROCPROF_BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum {
    BASE_JSON,     /* between double quotes; bytes that are no UTF-8 become U+FFFD */
    BASE_XML,      /* in an element or between double quotes; characters that XML cannot have, and
                      bytes that are no UTF-8, become U+FFFD */
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

/* Takes the next piece of the text, as it is to be written, and moves *text behind it. False at the
 * text's end. */
bool base_escape_next(base_escape_t form, const char **text, base_piece_t *piece);

/* Writes the text, without quotes around it. */
void base_put(FILE *f, base_escape_t form, const char *text);

/* Writes the text as a string of JSON, with its quotes. */
void base_put_json(FILE *f, const char *text);

/* Writes a word of a shell's command, in single quotes if it needs them. A file whose name begins
 * with '-' gets "./" in front, so that it is not taken for an option. */
void base_put_word(FILE *f, const char *word);

#endif
