"""Accesses and frees that are wrong; see corpus.py."""
import signal

import corpus

ALLOCATION = "is 0 bytes after the 4000 bytes that hipMalloc gave out at"

BUGS = {
    # 1005 of 1024 work-items write: 1000 to 1004 are lanes 40 to 44 of the fourth wave of group 3
    "write-behind": ({"invalid-write": 1}, "invalid write of 4 bytes, lane 40 of wave 3, group (3,0,0)",
                     "bug: write", "5 lanes of this wave", ALLOCATION, "made: allocate"),
    # from[8 + i]: work-items 992 to 999 read behind the end, lanes 32 to 39 of the last wave
    "read-behind": ({"invalid-read": 1}, "invalid read of 4 bytes, lane 32 of wave 3, group (3,0,0)",
                    "bug: read", "8 lanes of this wave", ALLOCATION, "made: allocate"),
    "atomic-behind": ({"invalid-atomic": 1}, "invalid atomic access of 4 bytes, lane 0 of wave 0, group (0,0,0)",
                      "bug: atomic", " of this wave",  # of one lane where the compiler has it add for all
                      "is 0 bytes after the 16 bytes that hipMalloc gave out at", "made: allocate"),
    # the GPU has no such page: the runtime ends the program, as without the check
    "used-freed": corpus.Bug(None, "invalid read of 4 bytes, lane 0 of wave 0, group", "bug: read",
                             place="bytes inside the 4000 bytes that hipMalloc gave out at", made="made: allocate",
                             gone="bug: freed", status=-signal.SIGABRT),
    "freed-twice": ({"double-free": 1}, "free of what has been taken back", "bug: double-free", None,
                    "is 0 bytes inside the 4000 bytes that hipMalloc gave out at", "made: allocate"),
    # the runtime takes the whole of it back, so that the next call is wrong too
    "freed-inside": ({"invalid-free": 1, "double-free": 1}, "free of what has not been given out", "bug: free", None,
                     "is 16 bytes inside the 4000 bytes that hipMalloc gave out at", "made: allocate"),
    # 1024 - 64 bytes: the last 16 work-items write beyond, and the first 16 read there
    "lds-short": ({"lds-write": 1, "lds-read": 1},
                  "write beyond the LDS of the workgroup of 4 bytes, lane 48 of wave 3, group", "bug: lds-write",
                  "16 lanes of this wave", "offset 960; the workgroup has 960 bytes"),
    "lds-shifted": ({"lds-read": 1}, "read beyond the LDS of the workgroup of 4 bytes, lane 0 of wave 0, group",
                    "bug: lds-read", "2 lanes of this wave", "offset 1028; the workgroup has 1024 bytes"),
}

corpus.main(BUGS)
