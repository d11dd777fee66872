/* Instructions of loaded code objects as text, with their source lines. The program links amd_comgr
 * and libdw. Objects of these classes are for one thread at a time. */
#pragma once

#include <rocprofiler-sdk/cxx/codeobj/disassembly.hpp>
#include <rocprofiler-sdk/cxx/codeobj/segment.hpp>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <hsa/amd_hsa_elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rocprofiler
{
namespace sdk
{
namespace codeobj
{
namespace disassembly
{
using marker_id_t = segment::marker_id_t;

/** One instruction. */
struct Instruction {
    Instruction() = default;
    Instruction(std::string &&_inst, size_t _size) : inst{std::move(_inst)}, size{_size} {}

    /** Separates the source references of one instruction. */
    static constexpr std::string_view separator = " -> ";

    std::string inst = {};      /**< its text */
    std::string comment = {};   /**< FILE:LINE, and call sites that it was inlined through */
    uint64_t faddr = 0;         /**< offset in the file */
    uint64_t vaddr = 0;         /**< virtual address in the ELF image */
    size_t size = 0;            /**< bytes */
    uint64_t ld_addr = 0;       /**< loaded address; 0 if it was not looked up by that */
    marker_id_t codeobj_id = 0; /**< 0 if it was looked up without one */
};

/** One ELF image with its line table. */
class CodeobjDecoderComponent
{
  public:
    /** Copies the bytes. @throw std::exception the bytes are not a code object */
    CodeobjDecoderComponent(const char *codeobj_data, uint64_t codeobj_size)
        : disassembly{std::make_unique<DisassemblyInstance>(codeobj_data, codeobj_size)}
    {
        m_symbol_map = disassembly->GetKernelMap();
        read_lines();
    }

    /** Returns the offset in the file of a virtual address. */
    std::optional<uint64_t> va2fo(uint64_t vaddr) const { return disassembly->va2fo(vaddr); }

    /** Returns the instruction at an offset in the file, with the source reference of the virtual
     * address.
     * @throw std::exception there is none */
    std::unique_ptr<Instruction> disassemble_instruction(uint64_t faddr, uint64_t vaddr)
    {
        auto [text, size] = disassembly->ReadInstruction(faddr);
        auto instruction = std::make_unique<Instruction>(std::move(text), size);
        instruction->faddr = faddr;
        instruction->vaddr = vaddr;
        const auto line = m_line_number_map.find({vaddr, 0, 0});
        if (line != m_line_number_map.end()) instruction->comment = line->second;
        return instruction;
    }

    std::map<uint64_t, SymbolInfo> m_symbol_map = {}; /**< functions by virtual address */
    std::vector<std::shared_ptr<Instruction>> instructions = {}; /**< for use by the program only */
    std::unique_ptr<DisassemblyInstance> disassembly = nullptr;
    std::map<segment::address_range_t, std::string> m_line_number_map = {};

  private:
    static std::string reference(const char *file, int line)
    {
        return std::string{file ? file : ""} + ':' + std::to_string(line);
    }

    /** Returns the call sites through which the code at an address was inlined, outermost first. */
    static std::string call_sites(Dwarf_Die *unit, Dwarf_Addr address)
    {
        Dwarf_Files *files = nullptr;
        Dwarf_Die *innermost = nullptr;
        Dwarf_Die *scopes = nullptr;
        std::string sites;
        /* After the innermost scope, dwarf_getscopes continues with the scopes of the function's
         * definition; where the function was inlined follows from the tree. */
        int count = 0;
        if (dwarf_getscopes(unit, address, &innermost) > 0)
            count = dwarf_getscopes_die(innermost, &scopes);
        if (count > 0 && dwarf_getsrcfiles(unit, &files, nullptr) == 0) {
            for (int i = count - 1; i >= 0; --i)
                sites += call_site(&scopes[i], files);
        }
        std::free(innermost);
        std::free(scopes);
        return sites;
    }

    static std::string call_site(Dwarf_Die *scope, Dwarf_Files *files)
    {
        Dwarf_Attribute attribute;
        Dwarf_Word file = 0;
        Dwarf_Word line = 0;
        if (dwarf_tag(scope) != DW_TAG_inlined_subroutine ||
            dwarf_formudata(dwarf_attr(scope, DW_AT_call_file, &attribute), &file) ||
            dwarf_formudata(dwarf_attr(scope, DW_AT_call_line, &attribute), &line))
            return {};
        return std::string{Instruction::separator} +
               reference(dwarf_filesrc(files, file, nullptr, nullptr), static_cast<int>(line));
    }

    void add_unit(Dwarf_Die *unit)
    {
        Dwarf_Lines *lines = nullptr;
        size_t count = 0;
        if (dwarf_getsrclines(unit, &lines, &count) != 0) return;
        for (size_t i = 0; i + 1 < count; ++i) {
            Dwarf_Line *line = dwarf_onesrcline(lines, i);
            Dwarf_Addr begin = 0;
            Dwarf_Addr end = 0;
            int number = 0;
            bool last = false;
            if (dwarf_lineaddr(line, &begin) || dwarf_lineno(line, &number) ||
                dwarf_lineendsequence(line, &last) || last ||
                dwarf_lineaddr(dwarf_onesrcline(lines, i + 1), &end) || end <= begin)
                continue;
            m_line_number_map.emplace(segment::address_range_t{begin, end - begin, 0},
                                      reference(dwarf_linesrc(line, nullptr, nullptr), number) +
                                          call_sites(unit, begin));
        }
    }

    /** A code object without debug information has no lines. */
    void read_lines()
    {
        elf_version(EV_CURRENT);
        auto &bytes = disassembly->buffer;
        std::unique_ptr<Elf, decltype(&elf_end)> elf{elf_memory(bytes.data(), bytes.size()),
                                                     &elf_end};
        if (!elf) return;
        std::unique_ptr<Dwarf, decltype(&dwarf_end)> dwarf{
            dwarf_begin_elf(elf.get(), DWARF_C_READ, nullptr), &dwarf_end};
        if (!dwarf) return;
        Dwarf_CU *unit = nullptr;
        Dwarf_Die die;
        while (dwarf_get_units(dwarf.get(), unit, &unit, nullptr, nullptr, &die, nullptr) == 0)
            add_unit(&die);
    }
};

/** A code object that is loaded at [load_addr, load_addr + memsize). */
class LoadedCodeobjDecoder
{
  public:
    /** @param filepath a file's path, or a URI as for CodeObjectBinary
     * @throw std::exception the file cannot be read, or is not a code object */
    LoadedCodeobjDecoder(const char *filepath, uint64_t _load_addr, uint64_t memsize)
        : load_addr{_load_addr}, load_end{_load_addr + memsize}
    {
        if (!filepath) throw std::invalid_argument("no file of a code object");
        const std::string path = filepath;
        const auto bytes = path.find("://") != std::string::npos ? CodeObjectBinary{path}.buffer
                                                                 : whole_file(path);
        decoder = std::make_unique<CodeobjDecoderComponent>(bytes.data(), bytes.size());
    }

    /** @param data the ELF image, copied */
    LoadedCodeobjDecoder(const void *data, uint64_t size, uint64_t _load_addr, size_t memsize)
        : load_addr{_load_addr}, load_end{_load_addr + memsize},
          decoder{std::make_unique<CodeobjDecoderComponent>(static_cast<const char *>(data), size)}
    {
    }

    /** Returns the instruction at an address; null if there is none. */
    std::unique_ptr<Instruction> get(uint64_t ld_addr)
    {
        if (ld_addr < load_addr) return nullptr;
        const uint64_t vaddr = ld_addr - load_addr;
        const auto faddr = decoder->va2fo(vaddr);
        if (!faddr) return nullptr;
        try {
            auto instruction = decoder->disassemble_instruction(*faddr, vaddr);
            if (instruction->size == 0) return nullptr;
            instruction->ld_addr = ld_addr;
            return instruction;
        } catch (const std::exception &) {
            return nullptr;
        }
    }

    uint64_t begin() const { return load_addr; }
    uint64_t end() const { return load_end; }
    uint64_t size() const { return load_end - load_addr; }
    bool inrange(uint64_t addr) const { return addr >= begin() && addr < end(); }

    /** Returns the name of the function that begins at an address, or null; the text is valid as
     * long as this object. */
    const char *getSymbolName(uint64_t addr) const
    {
        const auto found = decoder->m_symbol_map.find(addr - load_addr);
        return found == decoder->m_symbol_map.end() ? nullptr : found->second.name.c_str();
    }

    /** Returns the functions by their virtual addresses. */
    std::map<uint64_t, SymbolInfo> &getSymbolMap() const { return decoder->m_symbol_map; }

    const uint64_t load_addr;

  private:
    static std::vector<char> whole_file(const std::string &path)
    {
        std::ifstream file{path, std::ios::in | std::ios::binary};
        if (!file) throw std::runtime_error("cannot open " + path);
        return std::vector<char>{std::istreambuf_iterator<char>{file}, {}};
    }

    uint64_t load_end = 0;
    std::unique_ptr<CodeobjDecoderComponent> decoder = nullptr;
};

/** Loaded code objects by their ids. */
class CodeobjMap
{
  public:
    CodeobjMap() = default;
    virtual ~CodeobjMap() = default;

    /** Adds a code object; replaces the one that has the id.
     * @throw std::exception as LoadedCodeobjDecoder */
    virtual void addDecoder(const char *filepath, marker_id_t id, uint64_t load_addr,
                            uint64_t memsize)
    {
        decoders[id] = std::make_shared<LoadedCodeobjDecoder>(filepath, load_addr, memsize);
    }
    virtual void addDecoder(const void *data, size_t memory_size, marker_id_t id,
                            uint64_t load_addr, uint64_t memsize)
    {
        decoders[id] =
            std::make_shared<LoadedCodeobjDecoder>(data, memory_size, load_addr, memsize);
    }

    /** Removes a code object. Returns whether there was one with the id. */
    virtual bool removeDecoderbyId(marker_id_t id) { return decoders.erase(id) != 0; }

    /** Returns the instruction at an offset from the start of a code object; null if there is
     * none. */
    std::unique_ptr<Instruction> get(marker_id_t id, uint64_t offset)
    {
        const auto found = decoders.find(id);
        if (found == decoders.end()) return nullptr;
        auto instruction = found->second->get(found->second->begin() + offset);
        if (instruction) instruction->codeobj_id = id;
        return instruction;
    }

    /** Returns the name of the function that begins at an offset from the start of a code object,
     * or null. */
    const char *getSymbolName(marker_id_t id, uint64_t offset)
    {
        const auto found = decoders.find(id);
        if (found == decoders.end()) return nullptr;
        return found->second->getSymbolName(found->second->begin() + offset);
    }

  protected:
    std::unordered_map<marker_id_t, std::shared_ptr<LoadedCodeobjDecoder>> decoders = {};
};

/** Loaded code objects by their addresses as well. */
class CodeobjAddressTranslate : public CodeobjMap
{
  public:
    void addDecoder(const char *filepath, marker_id_t id, uint64_t load_addr,
                    uint64_t memsize) override
    {
        removeDecoder(id);
        CodeobjMap::addDecoder(filepath, id, load_addr, memsize);
        enter({load_addr, memsize, id});
    }
    void addDecoder(const void *data, size_t memory_size, marker_id_t id, uint64_t load_addr,
                    uint64_t memsize) override
    {
        removeDecoder(id);
        CodeobjMap::addDecoder(data, memory_size, id, load_addr, memsize);
        enter({load_addr, memsize, id});
    }

    /** Removes a code object. Returns whether there was one with the id. */
    bool removeDecoder(marker_id_t id, uint64_t load_addr)
    {
        return table.remove(load_addr) && removeDecoderbyId(id);
    }
    bool removeDecoder(marker_id_t id)
    {
        const auto found = decoders.find(id);
        return found != decoders.end() && removeDecoder(id, found->second->begin());
    }

    /** Returns the instruction at an absolute address; null if it cannot be decoded.
     * @throw std::exception no code object has the address */
    std::unique_ptr<Instruction> get(uint64_t vaddr)
    {
        const auto range = table.find_codeobj_in_range(vaddr);
        return CodeobjMap::get(range.id, vaddr - range.addr);
    }

    /** Returns the instruction at an offset from the start of a code object, or with id 0 at an
     * absolute address; null if there is none. */
    std::unique_ptr<Instruction> get(marker_id_t id, uint64_t offset)
    {
        return id == 0 ? get(offset) : CodeobjMap::get(id, offset);
    }

    /** Returns the name of the function that begins at an absolute address, or null. */
    const char *getSymbolName(uint64_t vaddr)
    {
        for (const auto &[id, decoder] : decoders) {
            if (decoder->inrange(vaddr)) return decoder->getSymbolName(vaddr);
        }
        return nullptr;
    }

    /** Returns the functions of all code objects by their absolute addresses. */
    std::map<uint64_t, SymbolInfo> getSymbolMap() const
    {
        std::map<uint64_t, SymbolInfo> all;
        for (const auto &[id, decoder] : decoders) {
            for (const auto &[vaddr, symbol] : decoder->getSymbolMap())
                all.emplace(vaddr + decoder->load_addr, symbol);
        }
        return all;
    }

    /** Returns the functions of one code object by their virtual addresses; none if the id is
     * unknown. */
    std::map<uint64_t, SymbolInfo> getSymbolMap(marker_id_t id) const
    {
        const auto found = decoders.find(id);
        if (found == decoders.end()) return {};
        return found->second->getSymbolMap();
    }

  private:
    /* An address belongs to the code object that was loaded there last, even if the unload of an
     * earlier one was not reported. */
    void enter(const segment::address_range_t &range)
    {
        table.remove(range);
        table.insert(range);
    }

    segment::CodeobjTableTranslator table = {};
};
} // namespace disassembly
} // namespace codeobj
} // namespace sdk
} // namespace rocprofiler
