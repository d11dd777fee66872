/* Names of tracing kinds and their operations in a table that is indexed by their numbers. */
#pragma once

#define ROCPROFILER_SDK_CXX_NAME_INFO_HPP_ 1

#include <rocprofiler-sdk/fwd.h>

#include <rocprofiler-sdk/cxx/details/mpl.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace rocprofiler
{
namespace sdk
{
namespace utility
{
/** One kind: its number, its name, and the names of its operations by their numbers. */
template <typename EnumT, typename ValueT = std::string_view> struct name_info_impl {
    using support_type = mpl::string_support<ValueT>;
    static_assert(support_type::value, "names are const char *, std::string_view or std::string");

    using enum_type = EnumT;
    using value_type = typename support_type::type;
    using return_type = typename support_type::return_type;
    using item_type = std::pair<rocprofiler_tracing_operation_t, const value_type *>;
    using item_array_t = std::vector<item_type>;

    /** Returns the name of the kind. */
    return_type operator()() const { return name; }
    /** Returns the name of an operation. @throw std::out_of_range */
    return_type operator()(size_t idx) const { return operations.at(idx); }
    return_type operator[](size_t idx) const { return operations.at(idx); }

    /** Returns each operation with its number, in order. The pointers are valid until the table
     * changes. */
    item_array_t items() const
    {
        item_array_t all;
        all.reserve(operations.size());
        for (const auto &operation : operations)
            all.emplace_back(static_cast<rocprofiler_tracing_operation_t>(all.size()), &operation);
        return all;
    }

    EnumT value = static_cast<EnumT>(0);
    value_type name = support_type::default_value();
    std::vector<value_type> operations = {};
};

/** All kinds. Copies are independent; texts of type const char * and std::string_view belong to the
 * library and are valid as long as it is loaded. */
template <typename EnumT, typename ValueT = std::string_view> struct name_info {
    using value_type = name_info_impl<EnumT, ValueT>;
    using enum_type = EnumT;
    using support_type = typename value_type::support_type;
    using return_type = typename value_type::return_type;
    using item_type = const value_type *;
    using item_array_t = std::vector<item_type>;

    /** Sets the name of a kind. The table ends with this kind, so kinds are to be added in
     * ascending order. */
    void emplace(EnumT idx, const char *name)
    {
        value_type &entry = last(idx);
        entry.value = idx;
        entry.name = support_type{}(name);
    }

    /** Sets the name of an operation; the kind's operations end with it, so they are to be added in
     * ascending order. */
    void emplace(EnumT idx, rocprofiler_tracing_operation_t opidx, const char *name)
    {
        auto &operations = last(idx).operations;
        operations.resize(static_cast<size_t>(opidx) + 1, support_type::default_value());
        operations.back() = support_type{}(name);
    }

    /** Returns the name of a kind. @throw std::out_of_range */
    return_type at(EnumT idx) const { return impl.at(static_cast<size_t>(idx)).name; }

    /** Returns the name of an operation. @throw std::out_of_range */
    return_type at(EnumT idx, rocprofiler_tracing_operation_t opidx) const
    {
        return impl.at(static_cast<size_t>(idx)).operations.at(static_cast<size_t>(opidx));
    }

    /** Returns each kind, in order. The pointers are valid until the table changes. */
    item_array_t items() const
    {
        item_array_t all;
        all.reserve(impl.size());
        for (const auto &entry : impl)
            all.emplace_back(&entry);
        return all;
    }

    decltype(auto) size() const { return impl.size(); }
    decltype(auto) begin() { return impl.begin(); }
    decltype(auto) begin() const { return impl.begin(); }
    decltype(auto) end() { return impl.end(); }
    decltype(auto) end() const { return impl.end(); }

    /** Returns the entry of a kind. @throw std::out_of_range */
    value_type &operator[](size_t idx) { return impl.at(idx); }
    const value_type &operator[](size_t idx) const { return impl.at(idx); }

  private:
    value_type &last(EnumT idx)
    {
        impl.resize(static_cast<size_t>(idx) + 1);
        return impl.back();
    }

    std::vector<value_type> impl = {};
};
} // namespace utility

template <typename Tp = std::string_view>
using callback_name_info_t = utility::name_info<rocprofiler_callback_tracing_kind_t, Tp>;
template <typename Tp = std::string_view>
using buffer_name_info_t = utility::name_info<rocprofiler_buffer_tracing_kind_t, Tp>;

using callback_name_info = callback_name_info_t<std::string_view>;
using buffer_name_info = buffer_name_info_t<std::string_view>;

/** Queries every kind and operation from the library. Any thread, before and after configuration.
 * Kinds and operations without a name are gaps in the table. */
template <typename Tp = std::string_view> callback_name_info_t<Tp> get_callback_tracing_names();
template <typename Tp = std::string_view> buffer_name_info_t<Tp> get_buffer_tracing_names();
} // namespace sdk
} // namespace rocprofiler

#include <rocprofiler-sdk/cxx/details/name_info.hpp>
