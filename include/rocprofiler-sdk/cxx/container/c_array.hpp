/* A view of an array that somebody else owns, as a C interface hands them out: base and count. */
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace rocprofiler
{
namespace sdk
{
namespace container
{
template <typename Tp> struct c_array {
    /** Forward, as far as a range-for needs it. */
    template <typename Up> struct iterator {
        explicit iterator(Tp *_ptr) : ptr{_ptr} {}

        void operator++() { ++ptr; }
        Up &operator*() const { return *ptr; }
        bool operator==(const iterator &rhs) const { return ptr == rhs.ptr; }
        bool operator!=(const iterator &rhs) const { return ptr != rhs.ptr; }

      private:
        Tp *ptr;
    };

    c_array(Tp *_base, size_t _size) : base{_base}, count{_size} {}

    size_t size() const { return count; }

    /** Not checked. */
    Tp &operator[](size_t i) { return base[i]; }
    const Tp &operator[](size_t i) const { return base[i]; }

    /** @throw std::out_of_range */
    Tp &at(size_t i) { return base[checked(i)]; }
    const Tp &at(size_t i) const { return base[checked(i)]; }

    /** The elements from start, before end; neither is checked. */
    c_array<Tp> slice(size_t start, size_t end) const
    {
        return c_array<Tp>(base + start, end - start);
    }

    /** One element fewer in view; nothing if there is none. */
    void pop_front()
    {
        if (count == 0) return;
        ++base;
        --count;
    }
    void pop_back()
    {
        if (count > 0) --count;
    }

    operator Tp *() const { return base; }

    iterator<Tp> begin() { return iterator<Tp>{base}; }
    iterator<Tp> end() { return iterator<Tp>{base + count}; }
    iterator<const Tp> begin() const { return iterator<const Tp>{base}; }
    iterator<const Tp> end() const { return iterator<const Tp>{base + count}; }

  private:
    size_t checked(size_t i) const
    {
        if (i >= count)
            throw std::out_of_range("c_array: index " + std::to_string(i) + " of " +
                                    std::to_string(count));
        return i;
    }

    Tp *base = nullptr;
    size_t count = 0;
};

template <typename Tp> c_array<Tp> make_c_array(Tp *base, size_t size)
{
    return c_array<Tp>(base, size);
}
} // namespace container
} // namespace sdk
} // namespace rocprofiler
