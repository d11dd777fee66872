/* names.c - names of kernels and ranges by number, and the times of a rank by these numbers. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "waits/internal.h"

const char *const wts_part_kinds[WTS_PARTS] = {[WTS_KERNEL] = "kernel",
                                               [WTS_COPY] = "copy",
                                               [WTS_LAUNCH] = "launching",
                                               [WTS_MPI] = "MPI",
                                               [WTS_HOST] = "host"};

const char *const wts_kinds[] = {[WTS_COLLECTIVE] = "late in collectives",
                                 [WTS_SENDER] = "late sender",
                                 [WTS_RECEIVER] = "late receiver",
                                 [WTS_PHASE] = "imbalance",
                                 [WTS_BARRIER] = "needless barrier"};

static uint64_t key_of(const char *name)
{
    uint64_t key = 5381;
    for (const char *at = name; *at; at++)
        key = out_mix(key ^ (unsigned char)*at);
    return key;
}

int64_t wts_word_find(const wts_words_t *words, const char *name)
{
    uint64_t place;
    for (uint64_t key = key_of(name); (place = out_numbers_get(&words->places, key)); key++)
        if (strcmp(words->rows[place - 1], name) == 0) return (int64_t)place - 1;
    return -1;
}

int64_t wts_word(wts_words_t *words, const char *name)
{
    const int64_t known = wts_word_find(words, name);
    uint64_t key = key_of(name);
    if (known >= 0) return known;
    while (out_numbers_get(&words->places, key))
        key++;
    if (!base_add_text(&words->rows, &words->count, name)) return -1;
    return out_numbers_set(&words->places, key, words->count) ? (int64_t)words->count - 1 : -1;
}

void wts_words_free(wts_words_t *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->rows[i]);
    free(words->rows);
    free(words->places.rows);
}

bool wts_add_time(wts_time_t **times, size_t *room, int64_t number, uint64_t count, uint64_t ns)
{
    if (number < 0) return false;
    if (!BASE_RESERVE_ZEROS(*times, (size_t)number + 1, room)) return false;
    (*times)[number].count += count;
    (*times)[number].ns += ns;
    return true;
}
