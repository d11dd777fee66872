/* owner_table.c - the table of owner.h, which all libraries of a process share.
 *
 * Its symbol has the binding STB_GNU_UNIQUE: the dynamic linker uses the first definition for all
 * libraries, also those loaded without RTLD_GLOBAL. It is defined in assembly, since C cannot
 * express that binding. Each library's version script has to name it. */
#include "hsa/owner.h"

#define TABLE_BYTES 1024
_Static_assert(sizeof(crocprof_counting_owners_1) == TABLE_BYTES, "the table's size has changed");

#define TEXT_(value) #value
#define TEXT(value)  TEXT_(value)
#define BYTES        TEXT(TABLE_BYTES)
__asm__(".pushsection .bss.crocprof_counting_owners_1, \"aw\", @nobits\n"
        ".balign 64\n"
        ".type crocprof_counting_owners_1, @gnu_unique_object\n"
        ".size crocprof_counting_owners_1, " BYTES "\n"
        "crocprof_counting_owners_1: .zero " BYTES "\n"
        ".popsection");
