/* counters_yaml.c - fuzz target: any bytes as counter definitions in YAML, then all that follows.
 *
 * Built with -fsanitize=fuzzer,address, or with a main() that feeds it the files named. */
#include "counters_common.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return use_definitions(CTR_FORMAT_YAML, data, size);
}
