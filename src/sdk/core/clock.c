/* clock.c - conversion of the TSC to CLOCK_BOOTTIME.
 *
 * It is apart because its correctness rests on an argument about two clocks. The constants may be
 * changed freely. Segments must stay continuous: each begins at the time that the one before has
 * reached, otherwise converted stamps could run backwards. */
#include "sdk/core/clock.h"

#include <cpuid.h>
#include <pthread.h>
#include <string.h>

#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"

enum {
    /* Segments are kept in a ring; a stamp older than all of them is converted by the oldest. */
    CLOCK_SEGMENTS = 64,
    CLOCK_WARMUP_NS = 2000000,      /* the first rate is measured over at least this time */
    CLOCK_DISCIPLINE_NS = 250000000 /* there is at most one new segment in this time; while the
                                     * process is young, one per quarter of its age */
};

bool sdk_clock_uses_tsc;
const sdk_clock_segment_t *_Atomic sdk_clock_newest;

static sdk_clock_segment_t segments[CLOCK_SEGMENTS];
static _Atomic uint64_t discipline_due; /* the next segment may not begin before this raw stamp */
static _Atomic uint64_t segment_count;  /* written under clock_lock. Segments with lower numbers do
                                         * not change until the ring wraps, seconds later */
static pthread_mutex_t clock_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t anchor_raw, anchor_ns; /* the first pair of both clocks */

/* Reads both clocks at nearly the same time: the pair with the shortest distance of a few tries. */
static void read_pair(uint64_t *raw, uint64_t *ns)
{
    uint64_t best = 0;
    for (int i = 0; i < 7; i++) {
        uint64_t before = __builtin_ia32_rdtsc();
        uint64_t now = sdk_clock_boottime();
        uint64_t after = __builtin_ia32_rdtsc();
        if (i && after - before >= best) continue;
        best = after - before;
        *raw = before + best / 2;
        *ns = now;
    }
}

static bool tsc_is_invariant(void)
{
    /* CPUID 0x80000007, EDX bit 8: the TSC ticks at a constant rate in all power states */
    unsigned int a, b, c, d;
    if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d & (1u << 8))) return false;
    /* The kernel checks that the counters of all cores agree; if they do not, its clock source is
     * not "tsc". */
    char name[32] = "";
    int fd = base_file_open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                            O_RDONLY, 0);
    if (fd < 0) return false;
    ssize_t n = read(fd, name, sizeof name - 1);
    close(fd);
    if (n <= 0) return false;
    name[strcspn(name, "\n")] = 0;
    return !strcmp(name, "tsc") || !strcmp(name, "kvm-clock") ||
           !strcmp(name, "hyperv_clocksource_tsc_page");
}

static void take_first_anchor(void)
{
    if (!tsc_is_invariant()) return;
    read_pair(&anchor_raw, &anchor_ns);
    sdk_clock_uses_tsc = true;
}

void sdk_clock_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, take_first_anchor);
}

/* Called with clock_lock held. The segment lasts CLOCK_DISCIPLINE_NS, or, while the process is
 * young, a quarter of the age that the process has when the segment ends. */
static void publish_segment(uint64_t count)
{
    const sdk_clock_segment_t *s = &segments[(count - 1) % CLOCK_SEGMENTS];
    uint64_t longest =
        (uint64_t)(((unsigned __int128)CLOCK_DISCIPLINE_NS << 32) / (s->rate ? s->rate : 1));
    uint64_t third = (s->begin - anchor_raw) / 3;
    atomic_store_explicit(&discipline_due, s->begin + (third < longest ? third : longest),
                          memory_order_relaxed);
    atomic_store_explicit(&segment_count, count, memory_order_release);
    atomic_store_explicit(&sdk_clock_newest, s, memory_order_release);
}

/* Measures the counter's rate for the first time. */
static void start_first_segment(void)
{
    pthread_mutex_lock(&clock_lock);
    if (!atomic_load_explicit(&segment_count, memory_order_relaxed)) {
        while (sdk_clock_boottime() - anchor_ns < CLOCK_WARMUP_NS) {
            struct timespec nap = {.tv_nsec = 200000};
            nanosleep(&nap, NULL);
        }
        uint64_t raw, ns;
        read_pair(&raw, &ns);
        segments[0].begin = anchor_raw;
        segments[0].base = anchor_ns;
        segments[0].rate =
            (uint64_t)(((unsigned __int128)(ns - anchor_ns) << 32) / (raw - anchor_raw));
        publish_segment(1);
    }
    pthread_mutex_unlock(&clock_lock);
}

uint64_t sdk_clock_ns(uint64_t raw)
{
    if (!sdk_clock_uses_tsc) return raw;
    uint64_t count = atomic_load_explicit(&segment_count, memory_order_acquire);
    if (!count) {
        start_first_segment();
        count = 1;
    }
    const sdk_clock_segment_t *newest = &segments[(count - 1) % CLOCK_SEGMENTS];
    if (__builtin_expect(raw >= newest->begin, 1)) return sdk_clock_since(newest, raw);
    uint64_t oldest = count > CLOCK_SEGMENTS / 2 ? count - CLOCK_SEGMENTS / 2 : 0;
    const sdk_clock_segment_t *s = newest;
    count--;
    while (raw < s->begin && count > oldest)
        s = &segments[--count % CLOCK_SEGMENTS];
    return raw >= s->begin ? sdk_clock_since(s, raw)
                           : s->base - sdk_clock_scale(s->begin - raw, s->rate);
}

void sdk_clock_discipline(void)
{
    if (!sdk_clock_uses_tsc) return;
    uint64_t count = atomic_load_explicit(&segment_count, memory_order_acquire);
    if (!count) {
        start_first_segment();
        return;
    }
    if (__builtin_ia32_rdtsc() <= atomic_load_explicit(&discipline_due, memory_order_relaxed))
        return;
    if (pthread_mutex_trylock(&clock_lock)) return;
    if (atomic_load_explicit(&segment_count, memory_order_relaxed) == count) {
        const sdk_clock_segment_t *s = &segments[(count - 1) % CLOCK_SEGMENTS];
        uint64_t raw, ns;
        read_pair(&raw, &ns);
        uint64_t arrived = s->base + sdk_clock_scale(raw - s->begin, s->rate);
        /* The rate measured since the first pair, adjusted so that the present error is gone after
         * a second. */
        uint64_t rate =
            (uint64_t)(((unsigned __int128)(ns - anchor_ns) << 32) / (raw - anchor_raw));
        int64_t error = (int64_t)(ns - arrived);
        if (error > 1000000) error = 1000000; /* at most 0.1 % off the measured rate */
        if (error < -1000000) error = -1000000;
        sdk_clock_segment_t *next = &segments[count % CLOCK_SEGMENTS];
        next->begin = raw;
        next->base = arrived;
        next->rate =
            (uint64_t)((int64_t)rate + (int64_t)((__int128)(int64_t)rate * error / 1000000000));
        publish_segment(count + 1);
    }
    pthread_mutex_unlock(&clock_lock);
}

void sdk_clock_fork_prepare(void)
{
    pthread_mutex_lock(&clock_lock);
}

void sdk_clock_fork_done(void)
{
    pthread_mutex_unlock(&clock_lock);
}
