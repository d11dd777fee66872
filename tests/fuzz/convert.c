/* convert.c - fuzz target: records of any contents become files of every format, or an error.
 *
 * The first byte chooses format and statistics, the next two say how many bytes are the process's
 * own records (names, agents, kernels, facts); the rest are its traced ones. What the reader lets
 * pass is any numbers and any texts: no writer may trust them. */
#include "folder.h"

#include <stdint.h>
#include <string.h>

#include "output/config.h"
#include "output/convert.h"
#include "output/format.h"
#include "trace/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 3, STATS = 8, GROUP_BY_QUEUE = 16, SUMMARY = 32 };

static char store[80], output[80];

static void make_folders(void)
{
    folder_make();
    snprintf(store, sizeof(store), "%s/store", folder);
    snprintf(output, sizeof(output), "%s/output", folder);
    if (trace_make_directories(store) != 0 || trace_make_directories(output) != 0) abort();
}

static void put_segment(const char *name, uint32_t contents, const uint8_t *data, size_t size)
{
    char path[128];
    static uint8_t page[TRACE_HEADER_BYTES];
    trace_segment_header_t h = {.version = TRACE_VERSION,
                                .header_bytes = TRACE_HEADER_BYTES,
                                .window_bytes = TRACE_WINDOW_BYTES,
                                .contents = contents,
                                .pid = 77,
                                .committed = size & ~(size_t)7,
                                .closed_ns = 1};
    memcpy(h.magic, TRACE_MAGIC, sizeof(h.magic));
    memcpy(page, &h, sizeof(h));
    snprintf(path, sizeof(path), "%s/%s", store, name);
    FILE *f = fopen(path, "w");
    if (!f || fwrite(page, sizeof(page), 1, f) != 1 || fwrite(data, 1, size, f) != size ||
        fclose(f) != 0)
        abort();
}

/* The variables that choose what to write. */
static const char *variable(const void *from, const char *name)
{
    const uint8_t choice = *(const uint8_t *)from;
    static const char *const formats[] = {"csv", "json", "pftrace", "rocpd", "otf2"};
    if (strcmp(name, "ROCPROF_OUTPUT_FORMAT") == 0) return formats[choice % 8 % (sizeof(formats) / sizeof(*formats))];
    if (strcmp(name, "ROCPROF_STATS") == 0) return choice & STATS ? "1" : NULL;
    if (strcmp(name, "ROCPROF_GROUP_BY_QUEUE") == 0) return choice & GROUP_BY_QUEUE ? "1" : NULL;
    if (strcmp(name, "ROCPROF_STATS_SUMMARY") == 0) return choice & SUMMARY ? "1" : NULL;
    if (strcmp(name, "ROCPROF_STATS_SUMMARY_OUTPUT") == 0) return "summary";
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char why[1024] = "";
    out_config_t config;
    out_result_t result;
    if (size < HEAD) return 0;
    if (!*folder) make_folders();
    size_t meta = data[1] | (size_t)data[2] << 8;
    if (meta > size - HEAD) meta = size - HEAD;
    put_segment(TRACE_META_FILE, TRACE_CONTENTS_META, data + HEAD, meta);
    put_segment("records-0.seg", TRACE_CONTENTS_RECORDS, data + HEAD + meta, size - HEAD - meta);
    if (out_config_read(&config, variable, data, why, sizeof(why)) != 0) abort();
    out_conversion_t conversion = {.config = &config, .directory = output};
    if (out_convert(&conversion, store, &result, why, sizeof(why)) != 0 && !*why) abort();
    out_conversion_free(&conversion);
    out_config_free(&config);
    folder_clear(output);
    return 0;
}
