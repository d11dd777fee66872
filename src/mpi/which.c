/* which.c - see which.h. */
#include "mpi/which.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { VERSION_BYTES = 8192 }; /* more than any implementation needs */

/* Returns whether the implementation has MPICH's handles and structures. */
static bool is_mpich(void *(*find)(const char *symbol))
{
    static const char *const names[] = {"MPICH", "MVAPICH", "Intel(R) MPI"};
    int (*get)(char *, int *) = NULL;
    void *symbol = find("PMPI_Get_library_version");
    static char text[VERSION_BYTES];
    int bytes = 0;
    memcpy(&get, &symbol, sizeof(get));
    if (!get || get(text, &bytes) != 0) return false;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strstr(text, names[i])) return true;
    return false;
}

mpi_which_t mpi_which(void *(*find)(const char *symbol))
{
    if (find("ompi_mpi_comm_world")) return MPI_IS_OPENMPI;
    return is_mpich(find) ? MPI_IS_MPICH : MPI_IS_OTHER;
}
