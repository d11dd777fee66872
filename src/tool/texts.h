/* texts.h - numbers for texts: the same text has the same number.
 *
 * Looking a text up takes no lock, so that threads which set the same markers do not
 * wait for each other. Texts are kept until the process ends, up to TOOL_TEXTS_MAX. */
#ifndef CROCPROF_TOOL_TEXTS_H
#define CROCPROF_TOOL_TEXTS_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the number of a text that was added, 0 if it was not. Any thread may call this; it takes
 * no lock. */
uint32_t tool_text_find(const char *text);

/* Adds a text and returns its number, which is never 0. If memory or a limit is used up, the text
 * is not kept, and gets another number the next time. All callers of this function and of
 * tool_texts_each() hold one and the same lock. */
uint32_t tool_text_add(const char *text);

/* Calls `call` for each text that is kept. */
void tool_texts_each(void (*call)(uint32_t number, const char *text));

enum { TOOL_TEXTS_MAX = 1 << 18, TOOL_TEXT_BYTES_MAX = 64 << 20 };

#endif
