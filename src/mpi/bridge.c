/* bridge.c - librocprofiler-mpi-bridge: defines MPI's functions in front of the loaded
 * implementation, which it identifies.
 *
 * The library is preloaded and defines the functions of trace/mpi.tsv, for C and for Fortran. Each
 * jumps through a table, which is chosen at the first call: the wrappers for Open MPI, those for
 * MPICH and implementations with its ABI, or, if no tool traces MPI, MPI's own functions. The
 * library is not linked with an MPI, and has no effect in a program without one. */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "base/hide.h"
#include "base/loaded.h"
#include "base/log.h"
#include "mpi/tool.h"
#include "mpi/which.h"
#define MPI_NAMES
#include "mpi/bridge.h"

void *mpi_real[2 * MPI_FUNCTIONS];

/* Assembly code reads the table; if it is NULL, it calls the function, which chooses the table. */
void *const *mpi_table;
void *const *mpi_choose(void);

static pthread_once_t once = PTHREAD_ONCE_INIT;

static const char *const libraries[] = {"libmpi.so", "libmpich.so"};
static const char *const fortran_libraries[] = {"libmpi_mpifh.so", "libmpichfort.so",
                                                "libmpifort.so"};
enum {
    LIBRARIES = sizeof(libraries) / sizeof(*libraries),
    FORTRAN_LIBRARIES = sizeof(fortran_libraries) / sizeof(*fortran_libraries)
};

static void *handles[LIBRARIES + FORTRAN_LIBRARIES];

static void open_libraries(void)
{
    char path[4096];
    for (int i = 0; i < LIBRARIES; i++)
        handles[i] = base_find_loaded(libraries[i], path);
    for (int i = 0; i < FORTRAN_LIBRARIES; i++)
        handles[LIBRARIES + i] = base_find_loaded(fortran_libraries[i], path);
}

/* Searches also libraries that a plugin has opened, which are in no global scope. */
static void *find(const char *symbol)
{
    void *found = dlsym(RTLD_DEFAULT, symbol);
    for (int i = 0; !found && i < LIBRARIES + FORTRAN_LIBRARIES; i++)
        if (handles[i]) found = dlsym(handles[i], symbol);
    return found;
}

/* Replaces a function that this MPI does not have. */
static int missing(void)
{
    base_error("the program has called a function of MPI that its library does not have");
    return 16; /* MPI_ERR_OTHER, or a similar code */
}

static void *const *choose_wrappers(void)
{
    switch (mpi_which(find)) {
#ifdef HAVE_OPENMPI
    case MPI_IS_OPENMPI: return mpi_openmpi_begin(find) ? mpi_openmpi_entries : NULL;
#endif
#ifdef HAVE_MPICH
    case MPI_IS_MPICH: return mpi_mpich_begin(find) ? mpi_mpich_entries : NULL;
#endif
    default: return NULL;
    }
}

static void choose(void)
{
    base_log_init("rocprofv3", "ROCPROF_LOG_LEVEL");
    open_libraries();
    for (int i = 0; i < 2 * MPI_FUNCTIONS; i++)
        if (!(mpi_real[i] = find(mpi_names[i]))) mpi_real[i] = (void *)missing;
    void *const *wrappers = mpi_tool_start() ? choose_wrappers() : mpi_real;
    if (!wrappers)
        base_warning(
            "--mpi-trace: an MPI that is neither Open MPI nor has MPICH's ABI is not traced");
    __atomic_store_n(&mpi_table, wrappers ? wrappers : mpi_real, __ATOMIC_RELEASE);
}

void *const *mpi_choose(void)
{
    pthread_once(&once, choose);
    return __atomic_load_n(&mpi_table, __ATOMIC_ACQUIRE);
}

/* Programs that test whether MPI is there must get the same result as without this library. */
__attribute__((constructor)) static void initialise(void)
{
    static const char *const prefixes[] = {"MPI_", NULL};
    char path[4096];
    const char *runtime = libraries[0];
    for (int i = 0; i < LIBRARIES; i++)
        if (base_find_loaded(libraries[i], path)) runtime = libraries[i];
    base_hide_at_start(runtime, prefixes);
}

/* ---- the tool ---- */

static struct {
    bool (*start)(void);
    uint64_t (*now)(void);
    void (*put)(trace_mpi_t *, const void *, size_t);
} tool;

bool mpi_tool_start(void)
{
    *(void **)&tool.start = dlsym(RTLD_DEFAULT, "rocprofv3_mpi_start");
    *(void **)&tool.now = dlsym(RTLD_DEFAULT, "rocprofv3_mpi_now");
    *(void **)&tool.put = dlsym(RTLD_DEFAULT, "rocprofv3_mpi_put");
    return tool.start && tool.now && tool.put && tool.start();
}

uint64_t mpi_tool_now(void)
{
    return tool.now();
}

void mpi_tool_put(trace_mpi_t *record, const void *rest, size_t bytes)
{
    tool.put(record, rest, bytes);
}
