/* counters_xml.c - fuzz target: any bytes as counter definitions in XML, then all that follows.
 *
 * Built with -fsanitize=fuzzer,address, or with a main() that feeds it the files named. */
#include "counters_common.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return use_definitions(CTR_FORMAT_XML, data, size);
}
