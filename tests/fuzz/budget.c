/* budget.c - fuzz target: any text at all is read as a budget without harm.
 *
 * The first byte says whether the others are the text or choose pieces of budgets. A refusal has to
 * say where; what was accepted has rules that stand where they say, and that are the same when they
 * are renewed with the values that they name. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "results/budget.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const pieces[] = {
    "matmul*",
    "/red.*/",
    ": ",
    "{",
    "}",
    ", ",
    "\n",
    "  ",
    "\"",
    "'",
    "<= ",
    ">= ",
    "< ",
    "= ",
    " .. ",
    "60",
    "0",
    "1.5e3",
    "-2",
    " %",
    " KiB",
    " ms",
    " \302\261 10 %",
    "+-5%",
    "vgprs",
    "SQ_WAVES",
    "total(",
    "mean(",
    ")",
    "tolerance",
    "# why\n",
    "&a ",
    "*a",
    "!!str ",
    "---\n",
    "...\n",
    "? ",
    "- ",
    "|\n",
    "\xef\xbb\xbf",
    "\302\261",
    "[",
    "]",
};

enum { PIECES = sizeof(pieces) / sizeof(*pieces) };

static char *make_text(const uint8_t *data, size_t size, bool raw, size_t *bytes)
{
    char *text = malloc(size * 16 + 1), *at = text;
    if (!text) abort();
    for (size_t i = 0; i < size; i++)
        if (raw)
            *at++ = (char)data[i];
        else
            at = stpcpy(at, pieces[data[i] % PIECES]);
    *bytes = (size_t)(at - text);
    *at = 0;
    return text;
}

static void look_at(const res_rule_t *rule, const char *text, size_t bytes)
{
    if (rule->begin >= rule->end || rule->end > bytes || !rule->line || !rule->column) abort();
    if (strchr("\"'", text[rule->begin])
            ? rule->end - rule->begin < 3
            : strncmp(text + rule->begin, rule->text, rule->end - rule->begin) != 0)
        abort();
    if (rule->relation != RES_BELOW && rule->relation != RES_ABOVE &&
        !res_rule_holds(rule, rule->low, 0))
        abort();
    free(res_rule_renew(rule, rule->low, rule->high));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char why[1024] = "";
    size_t bytes;
    res_budget_t b;
    if (!size) return 0;
    char *text = make_text(data + 1, size - 1, data[0] & 64, &bytes);
    if (res_budget_parse(&b, "f", text, bytes, why, sizeof(why)) != 0) {
        if (strncmp(why, "f:", 2) != 0) abort();
    } else {
        for (size_t i = 0; i < b.count; i++) {
            (void)res_entry_matches(&b.kernels[i], "matmul_tiled(float*)", "matmul_tiled");
            for (size_t j = 0; j < b.kernels[i].count; j++)
                look_at(&b.kernels[i].rules[j], text, bytes);
        }
        res_budget_free(&b);
    }
    free(text);
    return 0;
}
