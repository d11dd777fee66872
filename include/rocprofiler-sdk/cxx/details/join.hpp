/* Joins values to one text, with a delimiter, and with brackets around containers, pairs and
 * tuples. */
#pragma once

#include <rocprofiler-sdk/cxx/details/mpl.hpp>

#include <array>
#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace rocprofiler
{
namespace sdk
{
namespace join
{
/** Whether texts among the values are put in double quotes. */
enum { NoQuoteStrings = 0x0, QuoteStrings = 0x1 };

/** The texts between the values, and before and after all of them. */
struct config {
    std::string_view delimiter = ", ";
    std::string_view prefix = {};
    std::string_view suffix = {};
};

/** Returns the text in double quotes. */
template <typename ArgT> auto quoted(ArgT &&_arg)
{
    auto text = std::stringstream{};
    text << '"' << _arg << '"';
    return text.str();
}

namespace details
{
template <typename Tp, typename = void> struct is_range : std::false_type {
};
template <typename Tp>
struct is_range<Tp, std::void_t<decltype(std::declval<const Tp &>().begin()),
                                decltype(std::declval<const Tp &>().end())>> : std::true_type {
};

template <typename Tp, typename = void> struct is_tuple : std::false_type {
};
template <typename Tp>
struct is_tuple<Tp, std::void_t<decltype(std::tuple_size<Tp>::value)>>
    : std::negation<is_range<Tp>> {
};

template <int TraitT, typename Tp>
void put(std::ostream &out, std::string_view delimiter, const Tp &value);

template <int TraitT, typename... Args>
void put_all([[maybe_unused]] std::ostream &out, [[maybe_unused]] std::string_view delimiter,
             const Args &...values)
{
    [[maybe_unused]] size_t count = 0;
    ((out << (count++ ? delimiter : std::string_view{}), put<TraitT>(out, delimiter, values)), ...);
}

/* A container becomes {a, b}, a pair or a tuple (a, b). */
template <int TraitT, typename Tp>
void put(std::ostream &out, std::string_view delimiter, const Tp &value)
{
    if constexpr (mpl::is_string_type<Tp>::value) {
        if constexpr (TraitT == QuoteStrings)
            out << quoted(value);
        else
            out << value;
    } else if constexpr (is_range<Tp>::value) {
        out << '{';
        std::string_view between = {};
        for (const auto &element : value) {
            out << between;
            put<TraitT>(out, delimiter, element);
            between = delimiter;
        }
        out << '}';
    } else if constexpr (is_tuple<Tp>::value) {
        out << '(';
        std::apply([&](const auto &...each) { put_all<TraitT>(out, delimiter, each...); }, value);
        out << ')';
    } else {
        static_assert(mpl::can_stringify<Tp>::value, "a stream does not take this value");
        out << value;
    }
}
} // namespace details

/** Returns the values as one text. */
template <int TraitT = NoQuoteStrings, typename... Args> auto join(config _cfg, Args &&..._args)
{
    auto text = std::stringstream{};
    text << _cfg.prefix;
    details::put_all<TraitT>(text, _cfg.delimiter, _args...);
    text << _cfg.suffix;
    return text.str();
}

/** The same, with {prefix, delimiter, suffix}. */
template <int TraitT = NoQuoteStrings, typename... Args>
auto join(std::array<std::string_view, 3> &&_cfg, Args &&..._args)
{
    return join<TraitT>(config{_cfg[1], _cfg[0], _cfg[2]}, std::forward<Args>(_args)...);
}

/** The same, with a delimiter alone: text or a character. */
template <int TraitT = NoQuoteStrings, typename DelimT, typename... Args,
          typename = std::enable_if_t<!std::is_same_v<std::decay_t<DelimT>, config>>>
auto join(DelimT &&_delim, Args &&..._args)
{
    if constexpr (std::is_same_v<std::decay_t<DelimT>, char>)
        return join<TraitT>(config{std::string_view{&_delim, 1}, {}, {}},
                            std::forward<Args>(_args)...);
    else
        return join<TraitT>(config{std::string_view{_delim}, {}, {}}, std::forward<Args>(_args)...);
}
} // namespace join
} // namespace sdk
} // namespace rocprofiler
