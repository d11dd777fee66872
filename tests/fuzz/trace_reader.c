/* trace_reader.c - fuzz target: any bytes at all are read as a trace segment without harm.
 *
 * Built with -fsanitize=fuzzer,address, or with a main() that feeds it the files named. Checks what
 * the reader promises: records inside the file, texts ended inside their record, bytes accounted.
 */
#include "trace/reader.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put(int fd, const void *data, size_t size, off_t at)
{
    if (size && pwrite(fd, data, size, at) != (ssize_t)size) abort();
}

/* A header that is right as often as possible, so that the records are reached: the first byte
 * says how much of it to take from the input. */
static int make_segment(const uint8_t *data, size_t size)
{
    int fd = memfd_create("segment", MFD_CLOEXEC);
    if (fd < 0) abort();
    if (size && data[0] == 0xff) {
        put(fd, data + 1, size - 1, 0);
        return fd;
    }
    trace_segment_header_t h = {.version = TRACE_VERSION,
                                .header_bytes = TRACE_HEADER_BYTES,
                                .window_bytes = TRACE_WINDOW_BYTES,
                                .committed = size + (size & 64)};
    memcpy(h.magic, TRACE_MAGIC, sizeof(h.magic));
    put(fd, &h, sizeof(h), 0);
    put(fd, data, size, TRACE_HEADER_BYTES);
    return fd;
}

static size_t characters; /* of all texts: they are read to be counted */

static void check_record(const trace_head_t *record)
{
    size_t bytes = trace_words(*record) * 8u;
    const char *end = (const char *)record + bytes;
    if (bytes < sizeof(*record)) abort();
    for (unsigned i = 0; i < 6; i++) {
        const char *text = trace_record_text(record, i);
        size_t length = strlen(text);
        if (length && text + length >= end) abort();
        characters += length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char why[128] = "";
    uint64_t given = 0;
    trace_reader_t *r = trace_reader_open_fd(make_segment(data, size), "fuzz", why, sizeof(why));
    if (!r) {
        if (!why[0]) abort();
        return 0;
    }
    for (const trace_head_t *record; (record = trace_reader_next(r));) {
        check_record(record);
        given += trace_words(*record) * 8u;
    }
    if (given > size || trace_reader_next(r)) abort();
    trace_reader_close(r);
    return 0;
}
