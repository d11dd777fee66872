/* texts.h - the texts of a process, by their ids. Records refer to calls and categories by the ids
 * of few texts, which are read once and looked up instead of being joined to each record. */
#ifndef CROCPROF_ROCPD_TEXTS_H
#define CROCPROF_ROCPD_TEXTS_H

#include "db/db.h"
#include "model/numbers.h"

typedef struct {
    char **rows;
    size_t count, room;
    out_numbers_t places; /* by id: index + 1 */
} rocpd_texts_t;

/* Reads rocpd_string. Returns 0, or -1 after reporting the reason. The texts have to be freed in
 * both cases. */
int rocpd_texts_read(rocpd_texts_t *t, const db_t *db, const char *guid);
void rocpd_texts_free(rocpd_texts_t *t);

/* Returns the text with this id; NULL if there is none. */
static inline const char *rocpd_text(const rocpd_texts_t *t, uint64_t id)
{
    const uint64_t place = out_numbers_get(&t->places, id);
    return place ? t->rows[place - 1] : NULL;
}

#endif
