/* input_file.c - fuzz target: any text at all is read as an input file without harm.
 *
 * The first byte chooses the form. Noise rarely gets past the first brace, so the bytes behind it
 * choose pieces of input files, unless the first byte says to take them as they are. What was
 * accepted is planned, and a refusal has to say where. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/input.h"
#include "trace/selection.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const pieces[] = {
    "jobs:\n",
    "  - ",
    "    ",
    "pmc: ",
    "[",
    "]",
    "{",
    "}",
    ", ",
    "\n",
    "\"jobs\": ",
    "\"pmc\": ",
    "\"SQ_WAVES\"",
    "SQ_WAVES",
    "GRBM_COUNT",
    "\"",
    "'",
    ": ",
    "kernel_trace: ",
    "\"stats\": ",
    "true",
    "false",
    "null",
    "7",
    "pmc_groups: ",
    "output_file: ",
    "#",
    "&a ",
    "*a",
    "<<: ",
    "? ",
    "|\n",
    ">-\n",
    "!!str ",
    "\t",
    "\r\n",
    "kernel_iteration_range: ",
    "[1-3,5]",
    ":device=1",
    "\\u0041",
    "---\n",
    "...\n",
};

enum { PIECES = sizeof(pieces) / sizeof(*pieces) };

static char *make_text(const uint8_t *data, size_t size, bool raw, size_t *bytes)
{
    size_t room = size * 32 + 1;
    char *text = malloc(room);
    if (!text) abort();
    *bytes = 0;
    for (size_t i = 0; i < size; i++) {
        const char *piece = pieces[data[i] % PIECES];
        if (raw)
            text[(*bytes)++] = (char)data[i];
        else
            *bytes = (size_t)(stpcpy(text + *bytes, piece) - text);
    }
    text[*bytes] = 0;
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char why[256] = "";
    size_t bytes;
    cli_jobs_t jobs;
    trace_sets_t sets;
    trace_selection_t selection;
    if (!size) return 0;
    char *text = make_text(data + 1, size - 1, data[0] & 64, &bytes);
    int result =
        cli_input_parse(&jobs, (cli_input_form_t)(data[0] % 3), "f", text, bytes, why, sizeof(why));
    if (result != 0 && strncmp(why, "f:", 2) != 0) abort();
    if (result == 0 && !jobs.count) abort();
    cli_jobs_free(&jobs);
    (void)!trace_sets_read(&sets, text, why, sizeof(why));
    trace_sets_free(&sets);
    (void)!trace_selection_read(&selection, NULL, NULL, text, why, sizeof(why));
    trace_selection_free(&selection);
    if (bytes < 200 && trace_selection_read(&selection, text, NULL, NULL, why, sizeof(why)) == 0)
        (void)trace_selects_kernel(&selection, "void reduce<float>(float const*)");
    trace_selection_free(&selection);
    free(text);
    return 0;
}
