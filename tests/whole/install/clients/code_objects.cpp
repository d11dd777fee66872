/* Calls the inline functions of the C++ headers for code objects, and comgr, with no library but the SDK's. */
#include <rocprofiler-sdk/cxx/codeobj/code_printing.hpp>

#include <exception>
#include <iostream>

namespace
{
/* Every function is called; what is no code object is refused. */
bool refuses(const char *bytes, size_t size)
{
    rocprofiler::sdk::codeobj::disassembly::CodeobjAddressTranslate table;
    try {
        table.addDecoder(bytes, size, 1, 0x1000, size);
        std::cout << table.get(0x1000)->inst << table.get(1, 0)->inst << table.getSymbolName(0x1000)
                  << table.getSymbolMap().size() << table.removeDecoder(1, 0x1000);
    } catch (const std::exception &) {
        return true;
    }
    return false;
}
} // namespace

int main()
{
    size_t major = 0, minor = 0;
    amd_comgr_get_version(&major, &minor);
    return major > 0 && refuses("no ELF file", 11) ? 0 : 1;
}
