/* containers.h - finds the code objects of AMD GPUs that bytes contain, however they are packed.
 *
 * Supported are code objects themselves, executables, libraries and object files with a fat binary
 * inside, offload bundles, plain or compressed, OpenMP's offload binaries, and archives of all
 * these. Files are not read here. The bytes are untrusted: every offset and size is checked. A new
 * container is a row in containers.c. */
#ifndef CROCPROF_CODE_CONTAINERS_H
#define CROCPROF_CODE_CONTAINERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CODE_WHY_BYTES = 256 };

/* Called with each code object, an ELF file; the bytes are valid during the call. Returning false
 * ends the search. */
typedef bool code_each_t(void *to, const uint8_t *elf, uint64_t size);

/* Returns whether bytes with this beginning may contain code objects: `data` is the first
 * CODE_HEAD_BYTES of a file, or all of it. */
enum { CODE_HEAD_BYTES = 24 };
bool code_may_contain(const uint8_t *head, size_t size);

/* Finds all code objects. Parts that cannot be read are skipped; `why` describes the error of the
 * first such part, and is "" if there is none. */
void code_find(const uint8_t *data, uint64_t size, code_each_t *each, void *to,
               char why[CODE_WHY_BYTES]);

/* unpack.c: returns the unpacked bytes of a compressed bundle, to be freed; NULL with a line in
 * `why`. */
typedef enum { CODE_ZLIB, CODE_ZSTD } code_packing_t;
uint8_t *code_unpack(code_packing_t packing, const uint8_t *data, uint64_t size, uint64_t unpacked,
                     char *why, size_t why_bytes);

#endif
