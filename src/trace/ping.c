/* ping.c - see ping.h. Here are the datagram, the server on rank 0 and the client on the other
 * ranks; clocks.c uses the estimates.
 *
 * Both sides poll for a datagram for some microseconds before they sleep: waking a thread takes as
 * long as the whole exchange, and takes a different time on each side, which would make the
 * estimate wrong. */
#include "trace/ping.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

enum {
    MICROSECOND = 1000,
    MILLISECOND = 1000000,
    LOOK_NS = 100 * MICROSECOND, /* how long a receiver polls before it sleeps */
    BOOT_BYTES = 40,
};

#define MAGIC UINT64_C(0x32474e49504f5243) /* "CROPING2" */

/* Questions and answers have the same form and size; numbers are little-endian, as all hosts of
 * these GPUs are. */
typedef struct {
    uint64_t magic, token;
    uint64_t number; /* number of the exchange */
    uint64_t rank;
    uint32_t pass;      /* number of the program's run */
    uint16_t end, done; /* `end`: asked at the end of the program; `done`: the rank sends nothing
                         * more in this pass */
    uint64_t reference;
    uint64_t received, sent; /* moments on rank 0's clock */
    char boot[BOOT_BYTES];
} datagram_t;

static void read_boot(char boot[BOOT_BYTES])
{
    memset(boot, 0, BOOT_BYTES);
    base_file_line("/proc/sys/kernel/random/boot_id", boot, BOOT_BYTES);
}

/* Receives a datagram: polls for it, then sleeps until `until` (CLOCK_MONOTONIC). Input on the
 * descriptor `also`, unless that is -1, ends the sleep, too. *at becomes the time directly after
 * the datagram was received. Returns 0 if none came, -1 with errno. */
static ssize_t receive(int fd, int also, uint64_t look_from, uint64_t until, datagram_t *d,
                       struct sockaddr_storage *from, socklen_t *from_bytes, uint64_t *at)
{
    for (;;) {
        *from_bytes = sizeof(*from);
        const ssize_t got =
            recvfrom(fd, d, sizeof(*d), MSG_DONTWAIT, (struct sockaddr *)from, from_bytes);
        *at = base_clock_ns(CLOCK_BOOTTIME);
        if (got >= 0 || (errno != EAGAIN && errno != EINTR)) return got;
        const uint64_t now = base_clock_ns(CLOCK_MONOTONIC);
        if (now >= until) return 0;
        if (now < look_from + LOOK_NS) continue;
        struct pollfd fds[] = {{.fd = fd, .events = POLLIN}, {.fd = also, .events = POLLIN}};
        const uint64_t left = (until - now) / MILLISECOND;
        const int limit = until == UINT64_MAX ? -1 : left < 1000 ? (int)left + 1 : 1000;
        const int ready = poll(fds, 2, limit);
        if (ready > 0 && fds[1].revents) return 0;
        look_from = base_clock_ns(CLOCK_MONOTONIC) - LOOK_NS; /* poll once more, then sleep again */
    }
}

/* ---- rank 0 ---- */

struct trace_ping_server {
    int fd, stop[2]; /* `stop` is a pipe: closing its write end ends the thread */
    uint16_t port;
    uint64_t token, reference;
    char boot[BOOT_BYTES];
    pthread_t thread;
    uint32_t *passes; /* for each rank the highest number of a pass in which it has asked */
    uint64_t *waited; /* a bit for each rank of another node that has asked at its beginning, but
                       * not yet at its end */
    uint64_t known;   /* all ranks that have asked are below this one */
    long waits;       /* number of bits that are set in `waited` */
};

/* Sets or clears a rank's bit, and counts it. */
static void mark(uint64_t *bits, uint64_t rank, bool set, long *count)
{
    const uint64_t bit = UINT64_C(1) << rank % 64;
    if (!(bits[rank / 64] & bit) != set) return;
    bits[rank / 64] ^= bit;
    __atomic_add_fetch(count, set ? 1 : -1, __ATOMIC_RELEASE);
}

/* Notes that a rank has begun to ask, or that it is done. Ranks of this node ask only once in each
 * pass. */
static void note_rank(trace_ping_server_t *s, const datagram_t *d)
{
    if (d->rank >= TRACE_PING_RANKS) return;
    const bool here = memcmp(d->boot, s->boot, BOOT_BYTES) == 0;
    if (!here && (!d->end || d->done)) mark(s->waited, d->rank, !d->end, &s->waits);
    if (s->passes[d->rank] < d->pass)
        __atomic_store_n(&s->passes[d->rank], d->pass, __ATOMIC_RELEASE);
    if (s->known <= d->rank) __atomic_store_n(&s->known, d->rank + 1, __ATOMIC_RELEASE);
}

static void *answer(void *server)
{
    trace_ping_server_t *s = server;
    uint64_t last = 0, at;
    for (;;) {
        struct sockaddr_storage from;
        socklen_t bytes;
        datagram_t d;
        ssize_t got = receive(s->fd, s->stop[0], last, UINT64_MAX, &d, &from, &bytes, &at);
        if (got == 0) return NULL;
        if (got != sizeof(d) || d.magic != MAGIC || d.token != s->token) continue;
        last = base_clock_ns(CLOCK_MONOTONIC);
        note_rank(s, &d);
        d.reference = s->reference;
        memcpy(d.boot, s->boot, BOOT_BYTES);
        d.received = at;
        d.sent = base_clock_ns(CLOCK_BOOTTIME);
        sendto(s->fd, &d, sizeof(d), MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&from, bytes);
    }
}

/* Opens a socket for IPv6 and IPv4 if the system has both, else for the one it has. */
static int listen_at(uint16_t port, uint16_t *taken)
{
    const int no = 0;
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(port)};
    socklen_t bytes = sizeof(six);
    int fd = base_file_own(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (fd >= 0 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no)) == 0 &&
        bind(fd, (struct sockaddr *)&six, sizeof(six)) == 0 &&
        getsockname(fd, (struct sockaddr *)&six, &bytes) == 0) {
        *taken = ntohs(six.sin6_port);
        return fd;
    }
    if (fd >= 0) close(fd);
    bytes = sizeof(four);
    fd = base_file_own(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (fd >= 0 && bind(fd, (struct sockaddr *)&four, sizeof(four)) == 0 &&
        getsockname(fd, (struct sockaddr *)&four, &bytes) == 0) {
        *taken = ntohs(four.sin_port);
        return fd;
    }
    const int error = errno;
    if (fd >= 0) close(fd);
    errno = error;
    return -1;
}

static int start_thread(trace_ping_server_t *s)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failure = pthread_create(&s->thread, NULL, answer, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = failure;
    return failure ? -1 : 0;
}

static void free_server(trace_ping_server_t *s)
{
    if (s->fd >= 0) close(s->fd);
    for (int i = 0; i < 2; i++)
        if (s->stop[i] >= 0) close(s->stop[i]);
    free(s->waited);
    free(s->passes);
    free(s);
}

trace_ping_server_t *trace_ping_serve(uint64_t token, uint16_t port, char *why, size_t why_bytes)
{
    trace_ping_server_t *s = calloc(1, sizeof(*s));
    if (!s) {
        snprintf(why, why_bytes, "%s", strerror(ENOMEM));
        return NULL;
    }
    s->token = token;
    s->stop[0] = s->stop[1] = -1;
    s->waited = calloc(TRACE_PING_RANKS / 64, sizeof(*s->waited));
    s->passes = calloc(TRACE_PING_RANKS, sizeof(*s->passes));
    read_boot(s->boot);
    s->fd = listen_at(port, &s->port);
    while (!s->reference &&
           getrandom(&s->reference, sizeof(s->reference), 0) == sizeof(s->reference)) {
    }
    int ends[2];
    bool made = s->waited && s->passes && s->fd >= 0 && s->reference && pipe2(ends, O_CLOEXEC) == 0;
    for (int i = 0; made && i < 2; i++)
        s->stop[i] = base_file_own(ends[i]);
    if (made && s->stop[0] >= 0 && s->stop[1] >= 0 && start_thread(s) == 0) return s;
    snprintf(why, why_bytes, "port %u: %s", port, strerror(errno));
    free_server(s);
    return NULL;
}

uint64_t trace_ping_reference(const trace_ping_server_t *s)
{
    return s->reference;
}

/* The loopback addresses come last, since only processes of this node can use them. */
void trace_ping_where(const trace_ping_server_t *s, char text[TRACE_PING_ADDRESSES])
{
    struct ifaddrs *all = NULL;
    size_t used = 0;
    *text = 0;
    if (getifaddrs(&all) != 0) all = NULL;
    for (int loopback = 0; loopback < 2; loopback++)
        for (const struct ifaddrs *i = all; i; i = i->ifa_next) {
            char host[NI_MAXHOST];
            if (!i->ifa_addr || !(i->ifa_flags & IFF_UP)) continue;
            if (!(i->ifa_flags & IFF_LOOPBACK) != !loopback) continue;
            const bool six = i->ifa_addr->sa_family == AF_INET6;
            if (!six && i->ifa_addr->sa_family != AF_INET) continue;
            const socklen_t bytes = six ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
            if (getnameinfo(i->ifa_addr, bytes, host, sizeof(host), NULL, 0, NI_NUMERICHOST) != 0)
                continue;
            if (strchr(host, '%')) continue; /* an address of one link is of no use elsewhere */
            const int n = snprintf(text + used, TRACE_PING_ADDRESSES - used,
                                   six ? "%s[%s]:%u" : "%s%s:%u", used ? " " : "", host, s->port);
            if (used + (size_t)n >= TRACE_PING_ADDRESSES) {
                text[used] = 0;
                break;
            }
            used += (size_t)n;
        }
    if (all) freeifaddrs(all);
}

/* Returns how many of the ranks have not asked in that pass or in a later one. */
static long count_missing(const trace_ping_server_t *s, const trace_ping_wait_t *wait)
{
    long missing = wait->ranks;
    const uint64_t known = __atomic_load_n(&s->known, __ATOMIC_ACQUIRE);
    for (uint64_t i = 0; i < known && missing > 0; i++)
        missing -= __atomic_load_n(&s->passes[i], __ATOMIC_ACQUIRE) >= wait->pass;
    return missing > 0 ? missing : 0;
}

/* Returns whether some rank still has to ask. note_rank() sets `waits` before `passes`, and here
 * `passes` is read first: so a rank that counts as come is also waited for. */
static bool is_needed(const trace_ping_server_t *s, const trace_ping_wait_t *wait)
{
    return count_missing(s, wait) > 0 || __atomic_load_n(&s->waits, __ATOMIC_ACQUIRE) > 0;
}

long trace_ping_stop(trace_ping_server_t *s, const trace_ping_wait_t *wait)
{
    if (!s) return 0;
    const uint64_t until = base_clock_ns(CLOCK_MONOTONIC) + wait->ns;
    while (is_needed(s, wait) && base_clock_ns(CLOCK_MONOTONIC) < until &&
           !(wait->stop && *wait->stop))
        nanosleep(&(struct timespec){.tv_nsec = MILLISECOND}, NULL);
    close(s->stop[1]);
    s->stop[1] = -1;
    pthread_join(s->thread, NULL);
    const long missing = count_missing(s, wait);
    free_server(s);
    return missing;
}

/* ---- the other ranks ---- */

enum { TARGETS_MAX = 32, SAMPLES_MAX = 4096, SAMPLES_LEAST = 24, BURST = 8 };

/* If other processes occupy the processors, most exchanges are slow, but a few are fast. The client
 * therefore goes on until it has had some fast ones: the larger the error still is, the longer. */
enum {
    FINE_NS = 4 * MICROSECOND,
    GOOD_NS = 12 * MICROSECOND,
    ENOUGH_NS = 300 * MILLISECOND,
    MOST_NS = 1500 * MILLISECOND
};

typedef struct {
    uint64_t at;    /* the middle of the exchange, on our clock */
    int64_t lo, hi; /* bounds of what has to be added to our clock */
} sample_t;

typedef struct {
    const trace_ping_t *ping;
    int fd;
    struct sockaddr_storage targets[TARGETS_MAX];
    socklen_t bytes[TARGETS_MAX];
    size_t target_count;
    char boot[BOOT_BYTES];
    int unfound; /* status of the last look-up of a name that failed; 0: none did */
    uint64_t number;
    uint64_t reference;
    bool refused; /* no process listens at the address */
    sample_t samples[SAMPLES_MAX];
    size_t count;
} asker_t;

/* The request for the address of a name. It is allocated for itself, since the system may work on
 * it after the time limit: then the memory is never freed. */
typedef struct {
    char host[NI_MAXHOST], port[NI_MAXSERV];
    struct addrinfo hints;
    struct gaicb request, *list[1];
} lookup_t;

static int look_up_name(const char *host, const char *port, uint64_t until, struct addrinfo **found)
{
    lookup_t *l = calloc(1, sizeof(*l));
    if (!l) return EAI_MEMORY;
    snprintf(l->host, sizeof(l->host), "%s", host);
    snprintf(l->port, sizeof(l->port), "%s", port);
    l->hints.ai_socktype = SOCK_DGRAM;
    l->request = (struct gaicb){.ar_name = l->host, .ar_service = l->port, .ar_request = &l->hints};
    l->list[0] = &l->request;
    int status = getaddrinfo_a(GAI_NOWAIT, l->list, 1, NULL);
    if (status != 0) {
        free(l);
        return status;
    }
    const uint64_t now = base_clock_ns(CLOCK_MONOTONIC), left = until > now ? until - now : 0;
    const struct timespec limit = {(time_t)(left / 1000000000), (long)(left % 1000000000)};
    gai_suspend((const struct gaicb *const *)l->list, 1, &limit);
    status = gai_error(&l->request);
    if (status == 0) *found = l->request.ar_result;
    if (status != EAI_INPROGRESS || gai_cancel(&l->request) == EAI_CANCELED) free(l);
    return status;
}

/* Numeric addresses need no request; a name is looked up within the time limit. Returns 0, or a
 * status for gai_strerror(): EAI_INPROGRESS if the time was over first. */
static int look_up(const char *host, const char *port, uint64_t until, struct addrinfo **found)
{
    const struct addrinfo numeric = {.ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICHOST};
    if (getaddrinfo(host, port, &numeric, found) == 0) return 0;
    return look_up_name(host, port, until, found);
}

/* Reads "HOST:PORT HOST:PORT ..."; a host that contains colons is in square brackets. */
static void read_targets(asker_t *a, const char *addresses)
{
    char text[TRACE_PING_ADDRESSES], *rest = text, *word;
    snprintf(text, sizeof(text), "%s", addresses);
    while ((word = strsep(&rest, " "))) {
        char *colon = strrchr(word, ':');
        if (!colon || a->target_count == TARGETS_MAX) continue;
        *colon = 0;
        if (*word == '[') {
            word++;
            word[strcspn(word, "]")] = 0;
        }
        struct addrinfo *found = NULL;
        const int status = look_up(word, colon + 1, a->ping->until_ns, &found);
        if (status != 0) a->unfound = status;
        for (const struct addrinfo *i = found; i && a->target_count < TARGETS_MAX; i = i->ai_next) {
            memcpy(&a->targets[a->target_count], i->ai_addr, i->ai_addrlen);
            a->bytes[a->target_count++] = i->ai_addrlen;
        }
        if (found) freeaddrinfo(found);
    }
}

static bool send_to(asker_t *a, size_t target, bool done, uint64_t *at)
{
    datagram_t d = {.magic = MAGIC,
                    .token = a->ping->token,
                    .number = ++a->number,
                    .rank = (uint64_t)a->ping->rank,
                    .pass = a->ping->pass,
                    .end = a->ping->end,
                    .done = done};
    memcpy(d.boot, a->boot, BOOT_BYTES);
    *at = base_clock_ns(CLOCK_BOOTTIME);
    return sendto(a->fd, &d, sizeof(d), MSG_NOSIGNAL, (struct sockaddr *)&a->targets[target],
                  a->bytes[target]) == sizeof(d);
}

/* Waits for the answer to the exchange `number`. Returns false if none came. */
static bool await_answer(asker_t *a, uint64_t number, uint64_t until, datagram_t *d, uint64_t *at)
{
    struct sockaddr_storage from;
    socklen_t bytes;
    const uint64_t now = base_clock_ns(CLOCK_MONOTONIC);
    for (;;) {
        const ssize_t got = receive(a->fd, -1, now, until, d, &from, &bytes, at);
        if (got == 0) return false;
        if (got < 0 && errno == ECONNREFUSED) a->refused = true;
        if (got < 0) return false;
        if (got == sizeof(*d) && d->magic == MAGIC && d->token == a->ping->token &&
            d->number == number)
            return true;
    }
}

static int open_socket(const asker_t *a, size_t target)
{
    return base_file_own(socket(a->targets[target].ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

/* Tries the addresses in turn until one answers, and connects the socket to that one: on a
 * connected socket the system reports if no process listens at the address any more. */
static bool find_target(asker_t *a, datagram_t *d)
{
    enum { PATIENCE = 50 * MILLISECOND };
    size_t refused = 0;
    for (size_t i = 0; i < a->target_count; i++) {
        uint64_t at;
        const uint64_t now = base_clock_ns(CLOCK_MONOTONIC);
        const uint64_t until =
            now + PATIENCE < a->ping->until_ns ? now + PATIENCE : a->ping->until_ns;
        a->refused = false;
        a->fd = open_socket(a, i);
        if (a->fd >= 0 && connect(a->fd, (struct sockaddr *)&a->targets[i], a->bytes[i]) == 0 &&
            send_to(a, i, false, &at) && await_answer(a, a->number, until, d, &at)) {
            a->targets[0] = a->targets[i];
            a->bytes[0] = a->bytes[i];
            return true;
        }
        refused += a->refused;
        if (a->fd >= 0) close(a->fd);
        a->fd = -1;
    }
    a->refused = a->target_count && refused == a->target_count;
    return false;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Combines the bounds of all samples at the moment of the narrowest one. The bounds of a sample
 * become wider with its distance from that moment, since the clocks may drift apart by 100 ppm. */
static void estimate(const asker_t *a, trace_clock_point_t *p)
{
    const sample_t *best = a->samples;
    for (size_t i = 1; i < a->count; i++)
        if (a->samples[i].hi - a->samples[i].lo < best->hi - best->lo) best = &a->samples[i];
    int64_t lo = best->lo, hi = best->hi;
    for (size_t i = 0; i < a->count; i++) {
        const sample_t *s = &a->samples[i];
        const int64_t apart =
            s->at > best->at ? (int64_t)(s->at - best->at) : (int64_t)(best->at - s->at);
        lo = most(lo, s->lo - apart / 10000);
        hi = -most(-hi, -(s->hi + apart / 10000));
    }
    if (lo > hi) { /* the clocks drift faster than that: use the narrowest sample alone */
        lo = best->lo;
        hi = best->hi;
    }
    *p = (trace_clock_point_t){.reference = a->reference,
                               .local_ns = best->at,
                               .offset_ns = lo + (hi - lo) / 2,
                               .error_ns = (uint64_t)(hi - lo + 1) / 2};
}

static void exchange(asker_t *a)
{
    enum { PATIENCE = 20 * MILLISECOND };
    datagram_t d;
    uint64_t sent, received;
    const uint64_t until = base_clock_ns(CLOCK_MONOTONIC) + PATIENCE;
    if (!send_to(a, 0, false, &sent) || !await_answer(a, a->number, until, &d, &received)) return;
    a->samples[a->count++] = (sample_t){.at = sent + (received - sent) / 2,
                                        .lo = (int64_t)(d.sent - received),
                                        .hi = (int64_t)(d.received - sent)};
}

/* Exchanges come in bursts: after a pause both sides are likely to keep their processors for a
 * while, and the first exchange of a burst has woken rank 0 for the following ones. */
static void exchange_all(asker_t *a, trace_clock_point_t *found)
{
    const uint64_t begin = base_clock_ns(CLOCK_MONOTONIC), left = a->ping->until_ns - begin;
    while (a->count + BURST <= SAMPLES_MAX && !a->refused) {
        for (int i = 0; i < BURST && !a->refused; i++)
            exchange(a);
        if (a->count) estimate(a, found);
        if (a->count >= SAMPLES_LEAST && found->error_ns <= FINE_NS) return;
        const uint64_t spent = base_clock_ns(CLOCK_MONOTONIC) - begin;
        if (spent >= left - left / 4 || spent >= MOST_NS) return;
        if (a->count >= SAMPLES_LEAST && spent >= ENOUGH_NS && found->error_ns <= GOOD_NS) return;
        nanosleep(&(struct timespec){.tv_nsec = MILLISECOND}, NULL);
    }
}

/* Reports to rank 0 that it need not wait for this rank. If all reports were lost, rank 0 would
 * wait for its time limit, so up to three are sent. */
static void report_done(asker_t *a)
{
    datagram_t d;
    uint64_t at;
    for (int i = 0; i < 3; i++) {
        const uint64_t until = base_clock_ns(CLOCK_MONOTONIC) + 10 * MILLISECOND;
        if (!send_to(a, 0, true, &at) || await_answer(a, a->number, until, &d, &at)) return;
    }
}

/* Writes why there is no address to ask. */
static void tell_unfound(const asker_t *a, const char *addresses, char *why, size_t why_bytes)
{
    if (!a->unfound)
        snprintf(why, why_bytes, "'%s' has no address HOST:PORT", addresses);
    else if (a->unfound != EAI_INPROGRESS)
        snprintf(why, why_bytes, "%s: %s", addresses, gai_strerror(a->unfound));
    else if (!*why)
        snprintf(why, why_bytes, "%s: the name was not found in time", addresses);
}

int trace_ping_ask(const trace_ping_t *ping, const char *addresses, trace_clock_point_t *found,
                   bool *gone, char *why, size_t why_bytes)
{
    asker_t *a = calloc(1, sizeof(*a));
    datagram_t d;
    int result = -1;
    *found = (trace_clock_point_t){0};
    *gone = false;
    if (!a) {
        snprintf(why, why_bytes, "%s", strerror(ENOMEM));
        return -1;
    }
    a->ping = ping;
    a->fd = -1;
    read_boot(a->boot);
    read_targets(a, addresses);
    if (a->target_count)
        snprintf(why, why_bytes, "no answer from %s", addresses);
    else
        tell_unfound(a, addresses, why, why_bytes);
    if (find_target(a, &d)) {
        a->reference = d.reference;
        result = 0;
        if (memcmp(d.boot, a->boot, BOOT_BYTES) == 0) {
            *found = (trace_clock_point_t){.reference = d.reference,
                                           .local_ns = base_clock_ns(CLOCK_BOOTTIME)};
        } else {
            exchange_all(a, found);
            if (ping->end) report_done(a);
            result = found->reference ? 0 : -1;
        }
    }
    *gone = a->refused;
    if (a->fd >= 0) close(a->fd);
    free(a);
    return result;
}
