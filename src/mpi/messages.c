/* messages.c - see messages.h: loads the library, and sends messages of any length.
 *
 * The launcher's variables identify the implementation that has started the job; if they do not,
 * the libraries are tried in the order of the rows. A new implementation is a row. */
#include "mpi/messages.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/log.h"
#include "mpi/messages_abi.h"
#include "mpi/which.h"

/* ORDER: libraries of the first row whose variable is set are tried first. */
static const struct {
    const char *variable;     /* variable that the launcher of this implementation sets */
    const char *libraries[4]; /* names of its library in several versions */
} implementations[] = {
    {"OMPI_COMM_WORLD_SIZE", {"libmpi.so.40", "libmpi.so.80"}},
    {"PMI_SIZE", {"libmpich.so.12", "libmpi.so.12", "libmpi_gnu.so.12"}},
    {"PMIX_RANK", {"libmpi.so.40", "libmpich.so.12"}},
};
enum { IMPLEMENTATIONS = sizeof(implementations) / sizeof(*implementations) };

static void *library;
static const mpi_messages_abi_t *abi;

static void *find(const char *symbol)
{
    return dlsym(library, symbol);
}

/* Opens a library with global scope, since plugins of Open MPI look for the library's symbols
 * there. */
static bool open_library(const char *name)
{
    library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    return library;
}

static bool open_first_of(int row)
{
    for (size_t i = 0; i < sizeof(implementations->libraries) / sizeof(char *); i++)
        if (implementations[row].libraries[i] && open_library(implementations[row].libraries[i]))
            return true;
    return false;
}

static int load(void)
{
    const char *given = base_env(MPI_LIBRARY_VARIABLE);
    bool found = given && *given && open_library(given);
    if (given && *given && !found) {
        base_error(MPI_LIBRARY_VARIABLE "=%s: %s", given, dlerror());
        return -1;
    }
    for (int set = 1; !found && set >= 0; set--)
        for (int i = 0; !found && i < IMPLEMENTATIONS; i++)
            if (!set || base_env(implementations[i].variable)) found = open_first_of(i);
    if (!found) {
        base_error("no library of MPI is found: " MPI_LIBRARY_VARIABLE
                   " names it, or --tree files does without");
        return -1;
    }
    switch (mpi_which(find)) {
#ifdef HAVE_OPENMPI
    case MPI_IS_OPENMPI: abi = &mpi_openmpi_messages; break;
#endif
#ifdef HAVE_MPICH
    case MPI_IS_MPICH: abi = &mpi_mpich_messages; break;
#endif
    default: break;
    }
    if (abi && abi->load(find)) return 0;
    base_error("this MPI is neither Open MPI nor has MPICH's ABI, or rocprofv3 was built without "
               "its mpi.h: --tree files does without MPI");
    return -1;
}

int mpi_messages_begin(long expected, long *rank, long *size)
{
    int r = 0, n = 0;
    if (load() != 0) return -1;
    if (!abi->begin(&r, &n)) {
        base_error("MPI cannot begin");
        return -1;
    }
    *rank = r;
    *size = n;
    if (expected <= 1 || n > 1) return 0;
    base_error(
        "the launcher has started %ld ranks, of which this MPI knows one: " MPI_LIBRARY_VARIABLE
        " names the library of the MPI that was started",
        expected);
    abi->end();
    return -1;
}

enum { PART = 1 << 30 }; /* most bytes of one MPI message, whose length is an int */

static int failed(void)
{
    base_error("a message of MPI has failed");
    return -1;
}

int mpi_messages_send(long to, const char *bytes, size_t count)
{
    const uint64_t head = count;
    if (!abi->send(&head, sizeof(head), (int)to)) return failed();
    for (size_t at = 0; at < count; at += PART) {
        const size_t part = count - at < PART ? count - at : PART;
        if (!abi->send(bytes + at, (int)part, (int)to)) return failed();
    }
    return 0;
}

char *mpi_messages_receive(long from, size_t *count)
{
    uint64_t head = 0;
    if (!abi->receive(&head, sizeof(head), (int)from)) {
        failed();
        return NULL;
    }
    char *bytes = malloc(head + 1);
    if (!bytes) {
        base_error("a message of %llu bytes: %s", (unsigned long long)head, strerror(ENOMEM));
        return NULL;
    }
    for (size_t at = 0; at < head; at += PART) {
        const size_t part = head - at < PART ? head - at : PART;
        if (abi->receive(bytes + at, (int)part, (int)from)) continue;
        free(bytes);
        failed();
        return NULL;
    }
    *count = head;
    return bytes;
}

void mpi_messages_end(void)
{
    abi->end();
}
