/* rules.c - fuzz target: any text at all is read as rules of suppression without harm.
 *
 * The first byte says whether the others are the text or choose pieces of rules. A refusal has to
 * say where. What was accepted is the same when each rule is read again by itself, and the rule
 * that is made of a finding means it, whatever its kernel is called. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softgpu/check/rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const pieces[] = {
    "invalid-read",
    "invalid-write",
    "memory",
    "sync",
    "*",
    " ",
    "\t",
    "\n",
    "\r\n",
    "# why",
    "kernel=",
    "at=",
    "call=",
    "^fill",
    "fill",
    "(int)",
    "\\(int\\)",
    "\"",
    "\\\"",
    "\\",
    "a.hip",
    "*.hip",
    "/src/",
    ":7",
    ":",
    "[a-z]",
    "?",
    ".",
    "|",
    "$",
    "hipFree",
    "made=",
};

enum { PIECES = sizeof(pieces) / sizeof(*pieces), LONGEST = 16 };

/* Repetitions of repetitions take the C library's expressions minutes and gigabytes. */
static char *make_text(const uint8_t *data, size_t size, bool raw, size_t *bytes)
{
    char *text = malloc(size * LONGEST + 1), *at = text;
    if (!text) abort();
    for (size_t i = 0; i < size && i < 200; i++)
        if (raw)
            *at++ = memchr("{*+", data[i], 3) ? 'x' : (char)data[i];
        else
            at = stpcpy(at, pieces[data[i] % PIECES]);
    *bytes = (size_t)(at - text);
    *at = 0;
    return text;
}

static chk_rules_t *read_again(const char *text, size_t bytes)
{
    char why[512];
    chk_rules_t *rules = chk_rules_parse(text, bytes, "f", why, sizeof why);
    if (!rules || chk_rules_count(rules) != 1) abort();
    return rules;
}

static void look_at(const chk_rules_t *rules, const chk_subject_t *s)
{
    int first = CHK_NO_RULE;
    for (size_t k = 0; k < chk_rules_count(rules); k++) {
        const char *text = chk_rule_text(rules, k);
        if (strncmp(chk_rule_place(rules, k), "f:", 2) != 0) abort();
        chk_rules_t *one = read_again(text, strlen(text));
        if (first == CHK_NO_RULE && chk_rules_find(one, s) == 0) first = (int)k;
        chk_rules_free(one);
    }
    if (chk_rules_find(rules, s) != first) abort();
}

/* A finding in a kernel and a file of these names has a rule. */
static void offer(const char *name)
{
    const uint32_t line = 7;
    const chk_subject_t s = {.kind = CHK_KIND_WRITE, .kernel = name, .at = {&name, &line, 1}};
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    if (!f) abort();
    chk_rule_write(f, &s);
    if (fclose(f) != 0) abort();
    chk_rules_t *rules = read_again(text, bytes);
    if (chk_rules_find(rules, &s) != 0) abort();
    chk_rules_free(rules);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const file = "/src/a.hip";
    static const uint32_t line = 7;
    const chk_subject_t s = {.kind = CHK_KIND_READ,
                             .kernel = "fill(int)",
                             .at = {&file, &line, 1},
                             .made = {&file, &line, 1}};
    char why[1024] = "";
    size_t bytes;
    if (!size) return 0;
    char *text = make_text(data + 1, size - 1, data[0] & 64, &bytes);
    chk_rules_t *rules = chk_rules_parse(text, bytes, "f", why, sizeof why);
    if (!rules && strncmp(why, "f:", 2) != 0) abort();
    look_at(rules, &s);
    chk_rules_free(rules);
    if (*text) offer(text);
    free(text);
    return 0;
}
