/* rules.h - findings that nobody wants to hear of: a file with a rule on each line.
 *
 *     KIND [kernel=REGEX] [at=FILE[:LINE]] [made=FILE[:LINE]] [call=NAME]    # why
 *
 * KIND is the name of a kind or of a family, or "*". A value with blanks stands between double
 * quotes, where a backslash takes the meaning from a quote or a backslash. */
#ifndef SOFTGPU_CHECK_RULES_H
#define SOFTGPU_CHECK_RULES_H

#include "softgpu/check/kinds.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct chk_rules chk_rules_t;

/* Lines of code, `n` of them. */
typedef struct {
    const char *const *file;
    const uint32_t *line;
    size_t n;
} chk_lines_t;

/* What rules look at; all may be NULL. */
typedef struct {
    chk_kind_t kind;
    const char *kernel; /* as the source names it */
    const char *call;   /* of the program's */
    chk_lines_t at;     /* of the instruction and of inlined calls */
    chk_lines_t made;   /* where the allocation was given out, and who called that */
} chk_subject_t;

enum { CHK_NO_RULE = -1 };

/* NULL: `why` names file, line, value and what would be good. */
chk_rules_t *chk_rules_read(const char *name, char *why, size_t room);
/* The same of a text, which may hold anything; `name` for messages. */
chk_rules_t *chk_rules_parse(const char *text, size_t bytes, const char *name, char *why,
                             size_t room);
void chk_rules_free(chk_rules_t *r);

/* The first rule that means it, or CHK_NO_RULE. */
int chk_rules_find(const chk_rules_t *r, const chk_subject_t *s);
size_t chk_rules_count(const chk_rules_t *r);
/* "FILE:LINE" of the rule, and its own text. */
const char *chk_rule_place(const chk_rules_t *r, size_t rule);
const char *chk_rule_text(const chk_rules_t *r, size_t rule);

/* Writes the rule that means this one and what is equal to it. */
void chk_rule_write(FILE *f, const chk_subject_t *s);

#endif
