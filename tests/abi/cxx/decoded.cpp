/* Prints the functions of a code object and each of their instructions by the C++ headers for code
 * objects: name, virtual address, size, text and source reference; decoded.py compares. The second
 * argument is where the object is said to be loaded. */
#include <rocprofiler-sdk/cxx/codeobj/code_printing.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>

namespace disassembly = rocprofiler::sdk::codeobj::disassembly;
namespace segment = rocprofiler::sdk::codeobj::segment;

static int wrong;

static void expect(bool holds, const char *what)
{
    if (holds) return;
    std::cerr << "not so: " << what << '\n';
    wrong = 1;
}

template <typename Fn> static bool throws(Fn &&fn)
{
    try {
        fn();
    } catch (const std::exception &) {
        return true;
    }
    return false;
}

static std::vector<char> bytes_of(const char *path)
{
    std::ifstream file{path, std::ios::binary};
    return std::vector<char>{std::istreambuf_iterator<char>{file}, {}};
}

/* three ways to the same instructions: absolute address, id and offset, and one decoder alone */
static void print_all(disassembly::CodeobjAddressTranslate &all, const char *path, uint64_t load,
                      uint64_t size)
{
    disassembly::LoadedCodeobjDecoder alone{path, load, size};
    for (const auto &[address, symbol] : all.getSymbolMap()) {
        std::cout << "function " << symbol.name << ' ' << symbol.vaddr << ' ' << symbol.mem_size
                  << '\n';
        expect(address == symbol.vaddr + load, "symbols are at their load address");
        expect(all.getSymbolName(address) == symbol.name, "a function has its name");
        expect(all.getSymbolName(address + 4) == nullptr, "a function's name is at its start");
        for (uint64_t at = address; at < address + symbol.mem_size;) {
            const auto it = all.get(at);
            if (!it) {
                expect(false, "an instruction can be decoded");
                break;
            }
            const auto again = all.get(1, at - load);
            const auto third = alone.get(at);
            expect(again && again->inst == it->inst && again->codeobj_id == 1, "by id and offset");
            expect(third && third->inst == it->inst && third->codeobj_id == 0, "by one decoder");
            expect(it->ld_addr == at && it->vaddr == at - load && it->codeobj_id == 1, "addresses");
            std::cout << "at " << it->vaddr << ' ' << it->size << " |" << it->inst << '|'
                      << it->comment << '\n';
            at += it->size;
        }
    }
}

static void edges(const char *path, uint64_t load, uint64_t size, const std::vector<char> &bytes)
{
    disassembly::CodeobjAddressTranslate two;
    const std::string uri = "file://" + std::string{path} + "#offset=0&size=" +
                            std::to_string(bytes.size());
    two.addDecoder(uri.c_str(), 1, load, size);
    two.addDecoder(bytes.data(), bytes.size(), 2, load + size, size);
    expect(two.getSymbolMap().size() == 2 * two.getSymbolMap(1).size(), "both have symbols");
    expect(two.getSymbolMap(3).empty() && two.get(3, 0) == nullptr, "an unknown id");
    expect(throws([&] { two.get(load + 2 * size); }) && throws([&] { two.get(0, load - 1); }),
           "an address without code object");
    const uint64_t start = two.getSymbolMap(2).begin()->first;
    expect(two.get(load + size + start)->codeobj_id == 2, "the second by its address");
    expect(two.removeDecoder(1, load) && !two.removeDecoder(1), "removed once");
    expect(throws([&] { two.get(load + start); }), "nothing where one was removed");
    two.addDecoder(bytes.data(), bytes.size(), 9, load + size, size);
    expect(two.get(load + size + start)->codeobj_id == 9, "the newest at an address");
    expect(two.get(9, ~uint64_t{0} / 2) == nullptr, "an offset behind the end");

    expect(throws([&] { two.addDecoder("memory://1#offset=1&size=2", 4, 0, 1); }), "memory URI");
    expect(throws([&] { two.addDecoder("/nowhere/it.out", 4, 0, 1); }), "no such file");
    expect(throws([&] { two.addDecoder("text", size_t{4}, 4, 0, 1); }), "no ELF image");
    const std::string behind = uri + "9";
    expect(throws([&] { disassembly::CodeObjectBinary{behind}; }), "more than the file");

    segment::CodeobjTableTranslator table;
    table.insert({100, 50, 1});
    table.insert({150, 50, 2});
    expect(table.find_codeobj_in_range(149).id == 1 && table.find_codeobj_in_range(150).id == 2 &&
               throws([&] { table.find_codeobj_in_range(200); }),
           "ranges are half open");
    expect(table.remove(120) && !table.remove({100, 50, 1}) &&
               throws([&] { table.find_codeobj_in_range(149); }),
           "a removed range");
}

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    const uint64_t load = std::strtoull(argv[2], nullptr, 0);
    const auto bytes = bytes_of(argv[1]);
    const uint64_t size = 0x100000;
    disassembly::CodeobjAddressTranslate all;
    all.addDecoder(argv[1], 1, load, size);
    print_all(all, argv[1], load, size);
    edges(argv[1], load, size, bytes);
    return wrong;
}
