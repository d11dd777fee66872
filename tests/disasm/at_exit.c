/* at_exit.c - disassembles while the process exits, after the destructors of libamd_comgr and of
 * its LLVM, which nothing has used before.
 *
 * The library is opened after the handler of exit was registered, as HIP opens it after a tool was
 * loaded: its destructors run before the handler. */
#include "disasm/disasm.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SKIPPED = 77, MACHINE_AMDGPU = 224, GFX90A = 0x3f, AT = 0x1000 };

static dis_object_t *object;

static void disassemble(void)
{
    char text[64] = "";
    uint64_t bytes = 0;
    if (dis_object_text(object, AT, text, sizeof text, &bytes) && bytes == 4 &&
        strcmp(text, "s_endpgm") == 0)
        return;
    fprintf(stderr, "\"%s\" of %llu bytes at exit\n", text, (unsigned long long)bytes);
    _exit(1);
}

int main(void)
{
    struct {
        Elf64_Ehdr header;
        Elf64_Phdr segment;
        uint32_t code;
    } file = {
        .header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64},
                   .e_machine = MACHINE_AMDGPU,
                   .e_flags = GFX90A,
                   .e_phoff = offsetof(__typeof__(file), segment),
                   .e_phentsize = sizeof(Elf64_Phdr),
                   .e_phnum = 1},
        .segment = {.p_type = PT_LOAD,
                    .p_vaddr = AT,
                    .p_offset = offsetof(__typeof__(file), code),
                    .p_filesz = sizeof file.code},
        .code = 0xbf810000,
    };
    if (dis_object_open(&file, sizeof file, &object) || atexit(disassemble)) return 1;
    if (!dlopen("libamd_comgr.so.3", RTLD_LAZY) && !dlopen("libamd_comgr.so.2", RTLD_LAZY)) {
        fprintf(stderr, "skipped: libamd_comgr is not installed\n");
        _exit(SKIPPED);
    }
    if (!dis_available()) _exit(1);
    return 0;
}
