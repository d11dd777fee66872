/* kinds.c - see kinds.h: the tables that its lists expand to. */
#include "softgpu/check/kinds.h"

const chk_kind_row_t chk_kinds[CHK_KIND_COUNT] = {
#define X(id, family, name, text, help, repair) {CHK_##family, name, text, help, repair},
    CHK_KINDS(X)
#undef X
};

const chk_family_row_t chk_families[CHK_FAMILY_COUNT] = {
#define X(id, name) {CHK_##id, name},
    CHK_FAMILIES(X)
#undef X
};

const char *chk_family_name(unsigned bit)
{
    unsigned k = 0;
    while (k + 1 < CHK_FAMILY_COUNT && chk_families[k].bit != bit)
        k++;
    return chk_families[k].name;
}
