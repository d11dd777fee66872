/* intern.c - see intern.h.
 *
 * A hash table of lists that only grow at their heads: a reader needs no lock, and a writer one
 * atomic exchange. The exchange succeeds only if the writer has searched the whole list, so no text
 * is in it twice. */
#include "base/intern.h"

#include "base/text.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { LISTS = 4096 };

typedef struct text {
    struct text *next;
    char bytes[];
} text_t;

static text_t *_Atomic lists[LISTS];

const char *base_intern(const char *text)
{
    if (!text) return NULL;
    size_t length = strlen(text), bytes = length + 1;
    text_t *_Atomic *list = &lists[base_hash(text, length) % LISTS];
    text_t *head = atomic_load_explicit(list, memory_order_acquire), *made = NULL;
    const text_t *searched = NULL; /* the list from this element on does not contain the text */
    do {
        for (const text_t *t = head; t != searched; t = t->next)
            if (!strcmp(t->bytes, text)) {
                free(made);
                return t->bytes;
            }
        searched = head;
        if (!made) {
            made = malloc(sizeof *made + bytes);
            if (!made) return NULL;
            memcpy(made->bytes, text, bytes);
        }
        made->next = head;
    } while (!atomic_compare_exchange_weak_explicit(list, &head, made, memory_order_release,
                                                    memory_order_acquire));
    return made->bytes;
}
