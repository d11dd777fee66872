/* standalone.c - main() for a fuzz target where libFuzzer is not at hand: feeds it the files named,
 * or, with -runs=N, N inputs of random bytes and random repetitions. Deterministic, so that a
 * failure in a test run comes again. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 1 << 20, RANDOM_MAX = 4096 };

static uint64_t state = 88172645463325252u;

static uint32_t random_below(uint32_t limit)
{
    state ^= state << 13; /* xorshift64 */
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32) % limit;
}

/* Half zero bytes and some copied stretches: closer to structured input than noise. */
static size_t make_input(uint8_t *data)
{
    size_t size = random_below(RANDOM_MAX);
    for (size_t i = 0; i < size; i++)
        data[i] = random_below(2) ? (uint8_t)random_below(256) : 0;
    for (int i = 0; i < 8 && size > 64; i++)
        memmove(data + random_below((uint32_t)size - 32), data + random_below((uint32_t)size - 64),
                16);
    return size;
}

static int feed_file(const char *path, uint8_t *data)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        return 1;
    }
    size_t size = fread(data, 1, INPUT_MAX, f);
    fclose(f);
    return LLVMFuzzerTestOneInput(data, size);
}

int main(int argc, char **argv)
{
    int result = 0;
    uint8_t *data = malloc(INPUT_MAX);
    if (!data) return 1;
    for (int i = 1; i < argc; i++) {
        long runs = strncmp(argv[i], "-runs=", 6) == 0 ? atol(argv[i] + 6) : -1;
        if (runs < 0) result |= feed_file(argv[i], data);
        for (long run = 0; run < runs; run++)
            LLVMFuzzerTestOneInput(data, make_input(data));
    }
    free(data);
    return result;
}
