/* place.c - see place.h. The facts are read once, when the store is opened. */
#include "tool/place.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "base/file.h"
#include "trace/clocks.h"
#include "trace/ranks.h"
#include "trace/store.h"

/* Passes the first line of a file to `put`, or an empty text. */
static void put_line(void (*put)(const char *name, const char *value), const char *name,
                     const char *path)
{
    char line[64];
    put(name, base_file_line(path, line, sizeof(line)));
}

static void put_ntp(void (*put)(const char *name, const char *value), const char *name)
{
    char text[TRACE_CLOCK_NTP_TEXT];
    if (trace_clock_ask_ntp(text)) put(name, text);
}

static const char *variable(const void *keys, const char *name)
{
    return ((const trace_keys_t *)keys)->env(name);
}

void tool_place_put(const trace_keys_t *keys, void (*put)(const char *name, const char *value))
{
    struct utsname u = {0};
    const trace_rank_t rank = trace_rank_told(&(trace_variables_t){variable, keys});
    put_line(put, TRACE_INFO_MACHINE, "/etc/machine-id");
    put_line(put, TRACE_INFO_BOOT, "/proc/sys/kernel/random/boot_id");
    put_ntp(put, TRACE_CLOCK_TAG_NTP);
    trace_rank_each(&rank, put);
    if (uname(&u) != 0) return;
    put(TRACE_INFO_SYSTEM, u.sysname);
    put(TRACE_INFO_HOST, u.nodename);
    put(TRACE_INFO_RELEASE, u.release);
    put(TRACE_INFO_VERSION, u.version);
    put(TRACE_INFO_HARDWARE, u.machine);
    put(TRACE_INFO_DOMAIN, u.domainname);
}

void tool_place_put_end(void (*put)(const char *name, const char *value))
{
    char text[64];
    const uint64_t at = base_clock_ns(CLOCK_BOOTTIME);
    const uint64_t day = at + base_clock_difference(CLOCK_BOOTTIME, CLOCK_REALTIME, NULL);
    snprintf(text, sizeof(text), "%llu %llu", (unsigned long long)at, (unsigned long long)day);
    put(TRACE_INFO_LAST, text);
    put_ntp(put, TRACE_CLOCK_TAG_NTP_LAST);
}
