/* translate_library.c - the handlers as bitcode, which the build makes, and the passes by which
 * LLVM optimises code that calls them. */
#include "softgpu/exec/translate_internal.h"

#include <string.h>

#define LIBRARY(name)                                                                              \
    __asm__(".pushsection .rodata\n"                                                               \
            ".balign 16\n"                                                                         \
            "isa_bitcode_" #name ":\n"                                                             \
            ".incbin \"" ISA_LIBRARY_FOLDER "/translate_" #name ".bc\"\n"                          \
            "isa_bitcode_" #name "_behind:\n"                                                      \
            ".byte 0\n"                                                                            \
            ".popsection\n");                                                                      \
    extern const char isa_bitcode_##name[] __attribute__((visibility("hidden")));                  \
    extern const char isa_bitcode_##name##_behind[] __attribute__((visibility("hidden")));
#ifdef ISA_LIBRARY_FOLDER
LIBRARY(avx2)
LIBRARY(avx512)
#endif

static const isa_library_t libraries[] = {
#ifdef ISA_LIBRARY_FOLDER
    {"avx512", "x86-64-v4", 512, 32, true, false, isa_bitcode_avx512, isa_bitcode_avx512_behind},
    {"avx2", "x86-64-v3", 256, 8, false, true, isa_bitcode_avx2, isa_bitcode_avx2_behind},
    {"avx2_32", "x86-64-v3", 256, 8, false, true, isa_bitcode_avx2, isa_bitcode_avx2_behind},
#endif
    {0}};

const isa_library_t *isa_library_for(const isa_core_t *core)
{
    for (const isa_library_t *l = libraries; l->core; l++)
        if (!strcmp(l->core, core->name)) return l;
    return NULL;
}

_Static_assert(sizeof libraries / sizeof *libraries <= TRANSLATOR_LIBRARIES,
               "softgpu-translator keeps fewer libraries");

uint32_t isa_library_number(const isa_library_t *library)
{
    uint32_t n = 0;
    while (libraries[n].bitcode != library->bitcode)
        n++;
    return n;
}

/* The passes that optimise a loop: they inline the library's functions, replace their structures by
 * values, and fold constants. */
const char isa_library_passes[] =
    "cgscc(inline),globaldce,function(sroa,early-cse<memssa>,instcombine,"
    "simplifycfg,loop-mssa(licm),early-cse,dse,adce,simplifycfg)";

const uint32_t isa_library_level = TRANSLATOR_LESS;
