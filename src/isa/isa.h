/* isa.h - the functions that decode and disassemble an instruction.
 *
 * Both use the table (table.h) and the architecture's descriptor (arch.h); neither executes
 * instructions. */
#ifndef ISA_ISA_H
#define ISA_ISA_H

#include <stddef.h>

#include "isa/arch.h"
#include "isa/inst.h"

/* Decodes the instruction of the GPU `arch` at `words` (n available dwords, at most
 * ISA_MAX_DWORDS are read) into *out. Returns its size in dwords, 0 if the GPU has no such
 * instruction, -1 if n is too small. Thread-safe; does not touch out->fn. */
int isa_decode(const isa_arch_t *arch, const uint32_t *words, unsigned n, isa_inst_t *out);

/* The same for waves of `lanes` lanes, 32 or 64; isa_decode() assumes arch->lanes. The size of
 * waves only decides how many bits a mask of lanes has in scalar registers. */
int isa_decode_lanes(const isa_arch_t *arch, unsigned lanes, const uint32_t *words, unsigned n,
                     isa_inst_t *out);

/* Sets *half to an instruction that does one of the two operations of a VOPD instruction: the first
 * (which = 0) or the second (1). Does not touch half->fn. */
void isa_decode_half(const isa_inst_t *pair, unsigned which, isa_inst_t *half);

/* Writes LLVM's assembly text of *i, which was decoded for `arch`, into buf. Branch targets are
 * printed as LLVM prints them without symbols: as an offset in dwords. Returns the length as
 * snprintf does. */
int isa_disassemble(const isa_arch_t *arch, const isa_inst_t *i, char *buf, size_t size);

#endif
