/* The bytes of a code object, given its URI; its function symbols; and its instructions as text, by
 * comgr. The program links amd_comgr. */
#pragma once

#if __has_include(<amd_comgr/amd_comgr.h>)
#include <amd_comgr/amd_comgr.h>
#else
#include <amd_comgr.h>
#endif

/* AMD's header includes these, too, and programs rely on that. */
#include <elf.h>
#include <fcntl.h>
#include <hsa/amd_hsa_elf.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
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
namespace details
{
/** Writes a line on standard error about a call of comgr that failed. */
inline bool comgr_failed(amd_comgr_status_t status, const char *call)
{
    if (status == AMD_COMGR_STATUS_SUCCESS) return false;
    const char *reason = nullptr;
    amd_comgr_status_string(status, &reason);
    std::cerr << call << ": " << (reason ? reason : "unknown error") << '\n';
    return true;
}
} // namespace details

/** Checks a call of comgr: if it fails, writes a line on standard error and throws
 * std::exception. */
#define THROW_COMGR(call)                                                                          \
    do {                                                                                           \
        if (::rocprofiler::sdk::codeobj::disassembly::details::comgr_failed(call, #call))          \
            throw std::exception();                                                                \
    } while (0)

/** Checks a call of comgr in a function that returns a status: if the call fails, returns
 * AMD_COMGR_STATUS_ERROR. */
#define RETURN_COMGR(call)                                                                         \
    do {                                                                                           \
        if (::rocprofiler::sdk::codeobj::disassembly::details::comgr_failed(call, #call))          \
            return AMD_COMGR_STATUS_ERROR;                                                         \
    } while (0)

/** A function of a code object. */
struct SymbolInfo {
    std::string name = {};
    uint64_t faddr = 0;    /**< offset in the file */
    uint64_t vaddr = 0;    /**< virtual address in the ELF image */
    uint64_t mem_size = 0; /**< bytes */
};

/** The bytes that a code object's URI names: file://PATH, percent-encoded, followed by
 * #offset=N&size=N or ?offset=N&size=N if they are a part of the file. */
class CodeObjectBinary
{
  public:
    /** @throw std::runtime_error the bytes are not in a file, or cannot be read */
    explicit CodeObjectBinary(std::string _uri) : m_uri{std::move(_uri)}
    {
        const std::string scheme = "file://";
        if (m_uri.compare(0, scheme.size(), scheme) != 0)
            throw std::runtime_error("not the URI of a file: " + m_uri);
        const size_t end = m_uri.find_first_of("#?", scheme.size());
        const std::string path = decoded(m_uri.substr(scheme.size(), end - scheme.size()));
        const std::string part = end == std::string::npos ? "" : m_uri.substr(end + 1);

        std::ifstream file{path, std::ios::in | std::ios::binary | std::ios::ate};
        if (!file) throw std::runtime_error("cannot open " + path);
        const auto total = static_cast<uint64_t>(file.tellg());
        const uint64_t offset = value(part, "offset", 0);
        if (offset > total) throw std::runtime_error("offset behind the end: " + m_uri);
        const uint64_t size = value(part, "size", total - offset);
        if (size > total - offset) throw std::runtime_error("size behind the end: " + m_uri);
        buffer.resize(size);
        file.seekg(static_cast<std::streamoff>(offset));
        if (!file.read(buffer.data(), static_cast<std::streamsize>(size)))
            throw std::runtime_error("cannot read " + path);
    }

    std::string m_uri;
    std::vector<char> buffer;

  private:
    static int digit(char c)
    {
        if (c >= '0' && c <= '9') return c - '0';
        const char lower = static_cast<char>(c | 0x20);
        return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
    }

    static std::string decoded(const std::string &text)
    {
        std::string result;
        for (size_t i = 0; i < text.size(); ++i) {
            const int high = text[i] == '%' && i + 2 < text.size() ? digit(text[i + 1]) : -1;
            const int low = high >= 0 ? digit(text[i + 2]) : -1;
            result += low >= 0 ? static_cast<char>(high * 16 + low) : text[i];
            if (low >= 0) i += 2;
        }
        return result;
    }

    static uint64_t value(const std::string &part, const std::string &key, uint64_t otherwise)
    {
        for (size_t at = 0; at < part.size();) {
            const size_t end = std::min(part.find('&', at), part.size());
            if (part.compare(at, key.size() + 1, key + "=") == 0)
                return std::strtoull(part.substr(at + key.size() + 1).c_str(), nullptr, 0);
            at = end + 1;
        }
        return otherwise;
    }
};

/** An ELF image and comgr's disassembler for its architecture. One thread at a time. */
class DisassemblyInstance
{
  public:
    /** Copies the bytes. @throw std::exception comgr does not accept them */
    DisassemblyInstance(const char *codeobj_data, uint64_t codeobj_size)
        : buffer(codeobj_data, codeobj_data + codeobj_size)
    {
        read_segments();
        THROW_COMGR(amd_comgr_create_data(AMD_COMGR_DATA_KIND_EXECUTABLE, &data));
        try {
            THROW_COMGR(amd_comgr_set_data(data, buffer.size(), buffer.data()));
            size_t length = 0;
            THROW_COMGR(amd_comgr_get_data_isa_name(data, &length, nullptr));
            std::string isa(length, '\0');
            THROW_COMGR(amd_comgr_get_data_isa_name(data, &length, isa.data()));
            THROW_COMGR(amd_comgr_create_disassembly_info(
                isa.c_str(), &DisassemblyInstance::read_memory, &DisassemblyInstance::take_text,
                [](uint64_t, void *) {}, &info));
        } catch (...) {
            amd_comgr_release_data(data);
            throw;
        }
        amd_comgr_iterate_symbols(data, &DisassemblyInstance::take_symbol, this);
    }

    ~DisassemblyInstance()
    {
        amd_comgr_destroy_disassembly_info(info);
        amd_comgr_release_data(data);
    }

    DisassemblyInstance(const DisassemblyInstance &) = delete;
    DisassemblyInstance &operator=(const DisassemblyInstance &) = delete;

    /** Returns the text of the instruction at an offset in the file, and its number of bytes.
     * @throw std::exception there is none */
    std::pair<std::string, size_t> ReadInstruction(uint64_t faddr)
    {
        uint64_t size = 0;
        THROW_COMGR(amd_comgr_disassemble_instruction(info, faddr, this, &size));
        return {last_instruction, size};
    }

    /** Returns the functions by their virtual addresses. */
    std::map<uint64_t, SymbolInfo> &GetKernelMap() { return symbol_map; }

    /** Returns the offset in the file of a virtual address; nothing for an address that is not
     * loaded from the file. */
    std::optional<uint64_t> va2fo(uint64_t va) const
    {
        for (const auto &segment : segments) {
            if (va >= segment.p_vaddr && va - segment.p_vaddr < segment.p_filesz)
                return va - segment.p_vaddr + segment.p_offset;
        }
        return std::nullopt;
    }

    std::vector<char> buffer;
    std::string last_instruction = {};
    amd_comgr_disassembly_info_t info = {};
    amd_comgr_data_t data = {};
    std::map<uint64_t, SymbolInfo> symbol_map = {};

  private:
    void read_segments()
    {
        Elf64_Ehdr header;
        if (buffer.size() < sizeof(header)) throw std::invalid_argument("no ELF image");
        std::memcpy(&header, buffer.data(), sizeof(header));
        if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
            header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr))
            throw std::invalid_argument("no 64-bit ELF image");
        for (uint64_t i = 0; i < header.e_phnum; ++i) {
            Elf64_Phdr segment;
            const uint64_t at = header.e_phoff + i * sizeof(segment);
            if (at > buffer.size() || buffer.size() - at < sizeof(segment)) break;
            std::memcpy(&segment, buffer.data() + at, sizeof(segment));
            if (segment.p_type == PT_LOAD) segments.push_back(segment);
        }
    }

    static uint64_t read_memory(uint64_t from, char *to, uint64_t size, void *user_data)
    {
        const auto &bytes = static_cast<DisassemblyInstance *>(user_data)->buffer;
        if (from >= bytes.size()) return 0;
        const uint64_t length = std::min<uint64_t>(size, bytes.size() - from);
        std::memcpy(to, bytes.data() + from, length);
        return length;
    }

    static void take_text(const char *instruction, void *user_data)
    {
        const std::string text = instruction;
        const size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
        static_cast<DisassemblyInstance *>(user_data)->last_instruction = text.substr(begin);
    }

    static amd_comgr_status_t take_symbol(amd_comgr_symbol_t symbol, void *user_data)
    {
        auto &self = *static_cast<DisassemblyInstance *>(user_data);
        amd_comgr_symbol_type_t type = AMD_COMGR_SYMBOL_TYPE_UNKNOWN;
        RETURN_COMGR(amd_comgr_symbol_get_info(symbol, AMD_COMGR_SYMBOL_INFO_TYPE, &type));
        if (type != AMD_COMGR_SYMBOL_TYPE_FUNC) return AMD_COMGR_STATUS_SUCCESS;

        SymbolInfo found;
        uint64_t length = 0;
        RETURN_COMGR(amd_comgr_symbol_get_info(symbol, AMD_COMGR_SYMBOL_INFO_NAME_LENGTH, &length));
        /* comgr also writes the zero at the end of the text. */
        found.name.resize(length + 1);
        RETURN_COMGR(
            amd_comgr_symbol_get_info(symbol, AMD_COMGR_SYMBOL_INFO_NAME, found.name.data()));
        found.name.resize(length);
        RETURN_COMGR(amd_comgr_symbol_get_info(symbol, AMD_COMGR_SYMBOL_INFO_VALUE, &found.vaddr));
        RETURN_COMGR(
            amd_comgr_symbol_get_info(symbol, AMD_COMGR_SYMBOL_INFO_SIZE, &found.mem_size));
        const auto offset = self.va2fo(found.vaddr);
        if (offset) {
            found.faddr = *offset;
            self.symbol_map.emplace(found.vaddr, found);
        }
        return AMD_COMGR_STATUS_SUCCESS;
    }

    std::vector<Elf64_Phdr> segments = {};
};
} // namespace disassembly
} // namespace codeobj
} // namespace sdk
} // namespace rocprofiler
