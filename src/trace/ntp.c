/* ntp.c - how well the time of day is kept, as the kernel states it; see clocks.h. It is apart
 * because the tool library needs nothing else of clocks.c. */
#include <inttypes.h>
#include <stdio.h>
#include <sys/timex.h>

#include "trace/clocks.h"

bool trace_clock_ask_ntp(char text[TRACE_CLOCK_NTP_TEXT])
{
    struct timex t = {.modes = 0};
    if (adjtimex(&t) < 0) return false;
    if (t.status & STA_UNSYNC)
        snprintf(text, TRACE_CLOCK_NTP_TEXT, "unsync");
    else
        snprintf(text, TRACE_CLOCK_NTP_TEXT, "sync %ld000 %ld000", t.maxerror, t.esterror);
    return true;
}

uint64_t trace_clock_read_ntp(const char *text)
{
    uint64_t most, likely;
    char more;
    if (sscanf(text, "sync %20" SCNu64 " %20" SCNu64 "%c", &most, &likely, &more) != 2) return 0;
    return likely && likely <= most ? most : 0;
}
