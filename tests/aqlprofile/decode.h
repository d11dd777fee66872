/* decode.h - PM4 commands as text, one line per packet.
 *
 * Written from the packets' documentation without the library's own tables, so that the two check
 * each other. Shared by the tests of packets. */
#ifndef TESTS_AQLPROFILE_DECODE_H
#define TESTS_AQLPROFILE_DECODE_H

#include <aqlprofile-sdk/aql_profile_v2.h>
#include <stdio.h>

/* Prints the commands that the packet executes; addresses inside `results` (of `size` bytes) as
 * results+offset. False, after a line that says why, if they are not well formed. */
bool decode_packet(FILE *out, const hsa_ext_amd_aql_pm4_packet_t *packet, const void *results,
                   uint64_t size);

#endif
