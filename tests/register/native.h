/* native.h - what the fake HIP with a table, the SDK that counts its calls and their program share.
 *
 * Positions are those of HIP's table; NATIVE_TABLE_SIZE makes it one of step 10, as HIP 6.4 has. */
#ifndef CROCPROF_TESTS_REGISTER_NATIVE_H
#define CROCPROF_TESTS_REGISTER_NATIVE_H

#include <stdint.h>

enum { NATIVE_SET_DEVICE, NATIVE_RECORD, NATIVE_GET_PROC_ADDRESS, NATIVE_FUNCTIONS };

enum {
    NATIVE_AT_API_NAME = 1,
    NATIVE_AT_SET_DEVICE = 328,
    NATIVE_AT_GET_PROC_ADDRESS = 443,
    NATIVE_AT_RECORD = 474,
    NATIVE_TABLE_SIZE = 475
};

#endif
