/* texts.c - see texts.h. The texts are in a hash table that is replaced by a larger one when it
 * grows. Threads may still be reading the old table, so old tables are kept: together they are as
 * large as the new one. */
#include "tool/texts.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t hash, number;
    char text[];
} row_t;

typedef struct table {
    size_t size; /* a power of two, at most half full */
    struct table *older;
    row_t *rows[];
} table_t;

static table_t *current;
static uint32_t last_number;
static size_t kept_texts, kept_bytes;

/* Returns the row of the text, or the unused row where it belongs. */
static row_t **place(table_t *table, uint32_t hash, const char *text)
{
    for (size_t at = hash;; at++) {
        row_t **slot = &table->rows[at & (table->size - 1)];
        row_t *row = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
        if (!row || (row->hash == hash && strcmp(row->text, text) == 0)) return slot;
    }
}

uint32_t tool_text_find(const char *text)
{
    table_t *table = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
    if (!table) return 0;
    row_t *row =
        __atomic_load_n(place(table, base_hash(text, strlen(text)), text), __ATOMIC_ACQUIRE);
    return row ? row->number : 0;
}

static bool grow(void)
{
    table_t *old = current;
    if (old && kept_texts < old->size / 2) return true;
    size_t size = old ? old->size * 2 : 256;
    table_t *table = calloc(1, sizeof(*table) + size * sizeof(*table->rows));
    if (!table) return false;
    table->size = size;
    table->older = old;
    for (size_t i = 0; old && i < old->size; i++)
        if (old->rows[i]) *place(table, old->rows[i]->hash, old->rows[i]->text) = old->rows[i];
    __atomic_store_n(&current, table, __ATOMIC_RELEASE);
    return true;
}

uint32_t tool_text_add(const char *text)
{
    size_t bytes = strlen(text) + 1;
    uint32_t number = ++last_number;
    bool keep = kept_texts < TOOL_TEXTS_MAX && bytes < TOOL_TEXT_BYTES_MAX - kept_bytes && grow();
    row_t *row = keep ? malloc(sizeof(*row) + bytes) : NULL;
    if (!row) return number;
    row->hash = base_hash(text, strlen(text));
    row->number = number;
    memcpy(row->text, text, bytes);
    kept_texts++;
    kept_bytes += bytes;
    __atomic_store_n(place(current, row->hash, text), row, __ATOMIC_RELEASE);
    return number;
}

void tool_texts_each(void (*call)(uint32_t number, const char *text))
{
    for (size_t i = 0; current && i < current->size; i++)
        if (current->rows[i]) call(current->rows[i]->number, current->rows[i]->text);
}
