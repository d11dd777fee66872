/* attacher.c - attaches a process and detaches it: attacher PID. It prints what went wrong; the
 * status is 0, 1 when it could not attach, 2 when it could not detach. */
#include <stdio.h>
#include <stdlib.h>

#include "rocattach/internal.h"

int main(int argc, char **argv)
{
    int pid = argc > 1 ? atoi(argv[1]) : 0;
    if (rocattach_attach(pid) != ROCATTACH_STATUS_SUCCESS) {
        puts(rat_why());
        return 1;
    }
    puts("attached");
    if (rocattach_detach(pid) == ROCATTACH_STATUS_SUCCESS) return 0;
    puts(rat_why());
    return 2;
}
