/* comgr.c - disassembles by LLVM, through libamd_comgr.
 *
 * The library is loaded at the first use, not linked: profilers and decoders work without it, and
 * if the HIP runtime has loaded it already, that version is used. The few functions used here are
 * the same in all versions. */
#include "base/symbol.h"
#include "disasm/internal.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    uint64_t handle;
} info_t;

typedef int create_fn_t(const char *isa, uint64_t (*read)(uint64_t, char *, uint64_t, void *),
                        void (*print)(const char *, void *), void (*annotate)(uint64_t, void *),
                        info_t *info);
typedef int destroy_fn_t(info_t info);
typedef int disassemble_fn_t(info_t info, uint64_t address, void *user, uint64_t *size);

static create_fn_t *create;
static destroy_fn_t *destroy;
static disassemble_fn_t *disassemble;

typedef struct {
    dis_object_t *object;
    char *text;
    size_t room, length;
} request_t;

static uint64_t read_memory(uint64_t from, char *to, uint64_t size, void *user)
{
    uint64_t left;
    const uint8_t *bytes = dis_bytes(((request_t *)user)->object, from, &left);
    if (!bytes) return 0;
    if (size > left) size = left;
    memcpy(to, bytes, size);
    return size;
}

static void take_text(const char *text, void *user)
{
    request_t *r = user;
    while (*text == ' ' || *text == '\t')
        text++;
    r->length = strlen(text);
    while (r->length && (text[r->length - 1] == ' ' || text[r->length - 1] == '\n'))
        r->length--;
    size_t n = r->length < r->room ? r->length : r->room ? r->room - 1 : 0;
    if (!r->room) return;
    memcpy(r->text, text, n);
    r->text[n] = '\0';
}

static void take_address(uint64_t address, void *user)
{
    (void)address, (void)user;
}

/* LLVM sets itself up when it is first used. Traces are also decoded while the process exits, when
 * LLVM's own destructors may have run: to set it up then would free memory twice. What was set up
 * before stays usable. So the first use is here, where the program still runs if the decoder got
 * its code objects as they were loaded. */
static void begin_llvm(void)
{
    /* Several targets, since a newer libamd_comgr may not have one of them. They are named here
     * because amd_comgr_get_isa_name() also gives targets for which LLVM has no disassembler, and
     * LLVM ends the process when it is asked for one. */
    static const char *const targets[] = {"amdgcn-amd-amdhsa--gfx900", "amdgcn-amd-amdhsa--gfx90a",
                                          "amdgcn-amd-amdhsa--gfx942",
                                          "amdgcn-amd-amdhsa--gfx1100"};
    info_t info;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (create(targets[i], read_memory, take_text, take_address, &info) == 0) {
            destroy(info);
            return;
        }
}

static void load(void)
{
    static const char *const names[] = {"libamd_comgr.so.3", "libamd_comgr.so.2",
                                        "libamd_comgr.so"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
    if (!library) return;
    base_symbol(library, "amd_comgr_destroy_disassembly_info", &destroy);
    base_symbol(library, "amd_comgr_disassemble_instruction", &disassemble);
    if (destroy && disassemble) base_symbol(library, "amd_comgr_create_disassembly_info", &create);
    if (create) begin_llvm();
}

bool dis_available(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return create;
}

static bool begin(dis_object_t *object)
{
    info_t info;
    char isa[64];
    if (object->comgr) return true;
    if (!dis_available()) return false;
    snprintf(isa, sizeof isa, "amdgcn-amd-amdhsa--%s", object->gpu);
    if (create(isa, read_memory, take_text, take_address, &info)) return false;
    object->comgr = info.handle;
    return true;
}

bool dis_object_disassembles(dis_object_t *object)
{
    return begin(object) || dis_llvm_begin(object);
}

size_t dis_object_text(dis_object_t *object, uint64_t address, char *text, size_t room,
                       uint64_t *bytes)
{
    request_t request = {.object = object, .text = text, .room = room};
    uint64_t left;
    if (!dis_bytes(object, address, &left)) return 0;
    if (object->llvm) return dis_llvm_text(object, address, text, room, bytes);
    if (!begin(object)) return 0;
    if (disassemble((info_t){object->comgr}, address, &request, bytes)) return 0;
    return *bytes && *bytes <= left ? request.length : 0;
}

void dis_comgr_free(dis_object_t *o)
{
    if (o->comgr) destroy((info_t){o->comgr});
}
