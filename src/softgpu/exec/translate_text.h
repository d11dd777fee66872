/* translate_text.h - a text that grows: LLVM's assembly while it is written.
 *
 * Apart from translate_emit.c, which is long enough with what it writes. Without memory a text
 * takes no more, and says so in the end. */
#ifndef SOFTGPU_EXEC_TRANSLATE_TEXT_H
#define SOFTGPU_EXEC_TRANSLATE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    char *at; /* to be freed */
    size_t size, room;
    bool failed;
} isa_text_t;

/* Appends, as printf would print. */
__attribute__((format(printf, 2, 3))) void isa_put(isa_text_t *t, const char *format, ...);

/* Appends `from`, which is empty afterwards. */
void isa_move(isa_text_t *to, isa_text_t *from);

#endif
