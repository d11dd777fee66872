/* A view of an array that it does not own, given by base and count as in a C interface. */
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
    /** A forward iterator with the operations that a range-based for loop uses. */
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

    /** Does not check the index. */
    Tp &operator[](size_t i) { return base[i]; }
    const Tp &operator[](size_t i) const { return base[i]; }

    /** @throw std::out_of_range the index is not below the size */
    Tp &at(size_t i) { return base[checked(i)]; }
    const Tp &at(size_t i) const { return base[checked(i)]; }

    /** Returns a view of the elements in [start, end); the limits are not checked. */
    c_array<Tp> slice(size_t start, size_t end) const
    {
        return c_array<Tp>(base + start, end - start);
    }

    /** Remove the first or the last element from the view, if there is one. */
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
