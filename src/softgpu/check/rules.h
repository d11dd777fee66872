/* rules.h - suppression rules: which findings are not reported. They come from a file with a rule
 * on each line:
 *
 *     KIND [kernel=REGEX] [at=FILE[:LINE]] [made=FILE[:LINE]] [call=NAME]    # why
 *
 * KIND is the name of a kind or of a family, or "*". A value with blanks stands between double
 * quotes; inside, a backslash stands before a quote or a backslash. */
#ifndef SOFTGPU_CHECK_RULES_H
#define SOFTGPU_CHECK_RULES_H

#include "softgpu/check/kinds.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct chk_rules chk_rules_t;

/* Source lines, `n` of them. */
typedef struct {
    const char *const *file;
    const uint32_t *line;
    size_t n;
} chk_lines_t;

/* The properties of a finding that rules match; each may be missing. */
typedef struct {
    chk_kind_t kind;
    const char *kernel; /* its name in the source */
    const char *call;   /* name of the program's call */
    chk_lines_t at;     /* of the instruction and of the calls that were inlined */
    chk_lines_t made;   /* where the allocation was made, and the callers of that line */
} chk_subject_t;

enum { CHK_NO_RULE = -1 };

/* NULL: `why` names the file, the line, the value, and the valid values. */
chk_rules_t *chk_rules_read(const char *name, char *why, size_t room);
/* As chk_rules_read(), from a text, which may hold any bytes; `name` is for messages. */
chk_rules_t *chk_rules_parse(const char *text, size_t bytes, const char *name, char *why,
                             size_t room);
void chk_rules_free(chk_rules_t *r);

/* The first rule that matches, or CHK_NO_RULE. */
int chk_rules_find(const chk_rules_t *r, const chk_subject_t *s);
size_t chk_rules_count(const chk_rules_t *r);
/* "FILE:LINE" of the rule, and the rule's text. */
const char *chk_rule_place(const chk_rules_t *r, size_t rule);
const char *chk_rule_text(const chk_rules_t *r, size_t rule);

/* Writes a rule that suppresses this finding and its equals. */
void chk_rule_write(FILE *f, const chk_subject_t *s);

#endif
