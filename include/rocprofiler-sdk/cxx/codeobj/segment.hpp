/* Finds the code object to which an address belongs: ranges of addresses in order, and a table of
 * them. */
#pragma once

/* AMD's header includes these, too, and programs rely on that. */
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

/** The addresses in [addr, addr + size). Two ranges are equal if one begins inside the other, so
 * that a container of disjoint ranges finds the one around an address. */
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

/** Loaded code objects by their addresses. It keeps the range that was found last, so it may be
 * used by one thread at a time. */
class CodeobjTableTranslator : public std::set<address_range_t>
{
  public:
    /** @throw std::out_of_range no range contains the address */
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

    /** Removes the range that contains the address. Returns whether there was one. */
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
