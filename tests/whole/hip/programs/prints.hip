// prints - every work-item of many workgroups calls printf: prints GROUPS ROUNDS KIND. What must come is
// told by prints.py, which reads it. A line begins with its round, workgroup and work-item.
#include "check.h"

#include <cstring>

// Longer than the part of a string that goes to the host at once.
#define LONG_TEXT "a text of more than fifty-six characters, which go to the host in several parts"

enum kind { NUMBERS, STRINGS, DIVERGENT };

__global__ void speak(int rounds, kind what)
{
    const int group = (int)blockIdx.x, item = (int)threadIdx.x;
    for (int round = 0; round < rounds; round++) {
        if (what == NUMBERS)
            printf("%d %d %d\n", round, group, item);
        else if (what == STRINGS)
            printf("%d %d %d %s %s\n", round, group, item, item % 2 ? "odd" : "even", LONG_TEXT);
        else if (item % 3 == 0)
            printf("%d %d %d third\n", round, group, item);
        else if (item % 3 == 1)
            printf("%d %d %d %s\n", round, group, item, LONG_TEXT);
    }
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"numbers", "strings", "divergent"};
    if (argc != 4) return 2;
    for (int k = NUMBERS; k <= DIVERGENT; k++)
        if (!std::strcmp(argv[3], names[k])) speak<<<std::atoi(argv[1]), 256>>>(std::atoi(argv[2]), (kind)k);
    HIP(hipDeviceSynchronize());
    return 0;
}
