/* escape.c - see escape.h. A new form is a row of the table. */
#include "base/escape.h"

#include <string.h>

#include "base/utf8.h"

#define UNKNOWN "\357\277\275" /* U+FFFD */

/* How control characters without an entry in `becomes` are written. */
typedef enum { KEPT, REPLACED, NUMBERED } control_t;

/* ORDER: base_escape_t. */
static const struct {
    const char *characters;
    const char *becomes[10]; /* ORDER: the array `characters` */
    control_t control;
    const char *replacement; /* what replaces a control character */
    bool utf8;               /* bytes that are not UTF-8 become U+FFFD */
} forms[] = {
    {"\"\\\n\t", {"\\\"", "\\\\", "\\n", "\\t"}, NUMBERED, NULL, true},
    {"&<>\"\t\n\r",
     {"&amp;", "&lt;", "&gt;", "&quot;", "&#9;", "&#10;", "&#13;"},
     REPLACED,
     UNKNOWN,
     true},
    {"&<>", {"&amp;", "&lt;", "&gt;"}, KEPT, NULL, false},
    {"<\\|`*_[]#",
     {"&lt;", "\\\\", "\\|", "\\`", "\\*", "\\_", "\\[", "\\]", "\\#"},
     REPLACED,
     "?",
     false},
    {"\"", {"\"\""}, KEPT, NULL, false},
    {"'", {"'\\''"}, KEPT, NULL, false},
    {"", {NULL}, REPLACED, "?", false},
};

/* Returns the number of bytes of the character at the beginning of the text; 0 if there is no valid
 * character, or one of U+FFFE and U+FFFF, which XML does not allow. */
static size_t character_bytes(const char *at)
{
    const bool none = !strncmp(at, "\357\277\276", 3) || !strncmp(at, "\357\277\277", 3);
    return none ? 0 : base_utf8_bytes(at);
}

/* Returns what replaces the character at the beginning of the text; NULL if the character is
 * written as it is. *bytes becomes the character's length. */
static const char *instead_of(base_escape_t form, const char *at, size_t *bytes, char room[8])
{
    const unsigned char c = (unsigned char)*at;
    *bytes = 1;
    if (c >= 0x80 && forms[form].utf8) {
        const size_t whole = character_bytes(at);
        if (whole) *bytes = whole;
        return whole ? NULL : UNKNOWN;
    }
    const char *row = strchr(forms[form].characters, c);
    if (row) return forms[form].becomes[row - forms[form].characters];
    if ((c >= 0x20 && c != 0x7f) || forms[form].control == KEPT) return NULL;
    if (forms[form].control == REPLACED) return forms[form].replacement;
    snprintf(room, 8, "\\u%04x", (unsigned)c);
    return room;
}

bool base_escape_next(base_escape_t form, const char **text, base_piece_t *piece)
{
    const char *at = *text, *instead = NULL;
    size_t bytes = 0;
    for (; *at && !(instead = instead_of(form, at, &bytes, piece->room)); at += bytes)
        continue;
    const bool plain = at != *text;
    piece->text = plain ? *text : instead;
    piece->bytes = plain ? (size_t)(at - *text) : instead ? strlen(instead) : 0;
    *text = plain ? at : at + (instead ? bytes : 0);
    return piece->bytes;
}

void base_put(FILE *f, base_escape_t form, const char *text)
{
    for (base_piece_t piece; base_escape_next(form, &text, &piece);)
        fwrite(piece.text, 1, piece.bytes, f);
}

void base_put_json(FILE *f, const char *text)
{
    fputc('"', f);
    base_put(f, BASE_JSON, text);
    fputc('"', f);
}

void base_put_word(FILE *f, const char *word)
{
    const size_t plain = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789_./%+,@^-");
    if (*word && *word != '-' && !word[plain]) {
        fputs(word, f);
        return;
    }
    fputs(*word == '-' ? "./'" : "'", f);
    base_put(f, BASE_SHELL, word);
    fputc('\'', f);
}
