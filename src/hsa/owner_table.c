/* owner_table.c - the table of owner.h, which all libraries of a process share.
 *
 * A unique symbol: the dynamic linker binds it to the definition that came first, in libraries
 * loaded without RTLD_GLOBAL too. Apart so that no compiler takes owner.c's table for its own. Each
 * library's version script has to name it. */
#include "hsa/owner.h"

hsax_owner_slot_t crocprof_counting_owners_1[HSAX_OWNERS_MAX];
__asm__(".type crocprof_counting_owners_1, @gnu_unique_object");
