/* Properties of types for the other headers: which are text, which a stream can print, and how a
 * table of names stores its texts. */
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace rocprofiler
{
namespace sdk
{
namespace mpl
{
/** The type without reference, const and volatile; an array type becomes a pointer to its
 * elements. */
template <typename Tp> using unqualified_identity_t = std::decay_t<Tp>;

/** `value` is true if Tp is text in one of the forms that C++ programs use. */
template <typename Tp>
struct is_string_type : std::disjunction<std::is_same<unqualified_identity_t<Tp>, std::string>,
                                         std::is_same<unqualified_identity_t<Tp>, std::string_view>,
                                         std::is_same<unqualified_identity_t<Tp>, char *>,
                                         std::is_same<unqualified_identity_t<Tp>, const char *>> {
};

/** `value` is true if a stream can print Tp. */
template <typename Tp, typename = void> struct supports_ostream : std::false_type {
};

template <typename Tp>
struct supports_ostream<
    Tp, std::void_t<decltype(std::declval<std::ostream &>() << std::declval<const Tp &>())>>
    : std::true_type {
};

template <typename Tp> struct can_stringify : supports_ostream<Tp> {
};

/** Always false, but evaluated only when Tp is known: for static_assert in templates. */
template <typename Tp> struct assert_false {
    static constexpr bool value = false;
};

/** How a table stores texts of type Tp: const char *, std::string_view or std::string. `value` is
 * true for these types. */
template <typename Tp> struct string_support {
    static constexpr bool value = false;
};

template <> struct string_support<const char *> {
    using type = const char *;
    using return_type = const char *;

    static constexpr bool value = true;
    static constexpr type default_value() { return nullptr; }
    constexpr type operator()(const char *text) const { return text; }
};

template <> struct string_support<std::string_view> {
    using type = std::string_view;
    using return_type = std::string_view;

    static constexpr bool value = true;
    static constexpr type default_value() { return {}; }
    constexpr type operator()(const char *text) const { return text ? type{text} : type{}; }
};

template <> struct string_support<std::string> {
    using type = std::string;
    using return_type = std::string;

    static constexpr bool value = true;
    static type default_value() { return {}; }
    type operator()(const char *text) const { return text ? type{text} : type{}; }
};
} // namespace mpl
} // namespace sdk
} // namespace rocprofiler
