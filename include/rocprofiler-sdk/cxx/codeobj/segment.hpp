/* Which code object an address belongs to: ranges of addresses in order, and a table of them. */
#pragma once

/* Programs that include this header rely on more than it uses: the headers that AMD's includes. */
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

#include <rocprofiler-sdk/cxx/utility.hpp>

namespace rocprofiler
{
namespace sdk
{
namespace codeobj
{
namespace segment
{
/** Id of a loaded code object. */
using marker_id_t = size_t;

/** The addresses from addr, before addr + size. Ranges of which one begins inside the other are
 * equal, so that a container of disjoint ranges finds the one around an address. */
struct address_range_t {
    uint64_t addr = 0;
    uint64_t size = 0;
    marker_id_t id = 0;

    bool inrange(uint64_t address) const { return address >= addr && address - addr < size; }
    bool operator==(const address_range_t &other) const
    {
        return inrange(other.addr) || other.inrange(addr);
    }
    bool operator<(const address_range_t &other) const
    {
        return !(*this == other) && addr < other.addr;
    }
};

/** Loaded code objects by their addresses. Remembers the last one found: one thread at a time. */
class CodeobjTableTranslator : public std::set<address_range_t>
{
  public:
    /** @throw std::out_of_range no range has the address */
    address_range_t find_codeobj_in_range(uint64_t addr)
    {
        if (!cached.inrange(addr)) {
            const auto found = find(address_range_t{addr, 0, 0});
            if (found == end())
                throw std::out_of_range("no code object at " + utility::as_hex(addr));
            cached = *found;
        }
        return cached;
    }

    void clear_cache() { cached = {}; }

    /** Whether the range, or one that has the address, was there. */
    bool remove(const address_range_t &range)
    {
        clear_cache();
        return erase(range) != 0;
    }
    bool remove(uint64_t addr) { return remove(address_range_t{addr, 0, 0}); }

  private:
    address_range_t cached = {};
};
} // namespace segment
} // namespace codeobj
} // namespace sdk
} // namespace rocprofiler
