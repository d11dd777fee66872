/* Splits text into parts, for command lines, lists in environment variables and the like. */
#pragma once

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace rocprofiler
{
namespace sdk
{
namespace parse
{
namespace details
{
struct identity {
    std::string operator()(std::string &&part) const { return std::move(part); }
};

template <typename ContainerT> void append(ContainerT &to, std::string &&part)
{
    to.insert(to.end(), typename ContainerT::value_type(std::move(part)));
}
} // namespace details

/** Returns the value that a stream reads from the text; for std::string, the text itself. */
template <typename Tp> Tp from_string(const std::string &str)
{
    if constexpr (std::is_same_v<Tp, std::string>) return str;
    auto in = std::istringstream{str};
    Tp value = {};
    in >> value;
    return value;
}

template <typename Tp> Tp from_string(const char *str)
{
    return from_string<Tp>(std::string{str});
}

/** Returns the parts of a line between any of the delimiter characters, each as converted by the
 * predicate; empty parts are left out. */
template <typename ContainerT = std::vector<std::string>, typename PredicateT = details::identity>
ContainerT tokenize(std::string_view line,
                    std::string_view delimiters = "\"',;: ", PredicateT &&predicate = PredicateT{})
{
    ContainerT parts = {};
    for (size_t at = line.find_first_not_of(delimiters); at != std::string_view::npos;) {
        const size_t end = std::min(line.find_first_of(delimiters, at), line.size());
        details::append(parts, predicate(std::string{line.substr(at, end - at)}));
        at = line.find_first_not_of(delimiters, end);
    }
    return parts;
}

/** Returns the parts between whole delimiters. Where several delimiters match, the first in the
 * list is used. Empty parts are kept. */
template <typename ContainerT = std::vector<std::string>, typename DelimT = std::string,
          typename PredicateT = details::identity>
ContainerT tokenize(std::string_view line, const std::vector<DelimT> &delimiters,
                    PredicateT &&predicate = PredicateT{})
{
    ContainerT parts = {};
    size_t begin = 0;
    while (true) {
        size_t end = std::string_view::npos;
        size_t length = 0;
        for (const auto &delimiter : delimiters) {
            const auto text = std::string_view{delimiter};
            const size_t found = text.empty() ? std::string_view::npos : line.find(text, begin);
            if (found >= end) continue;
            end = found;
            length = text.size();
        }
        details::append(parts, predicate(std::string{line.substr(begin, end - begin)}));
        if (end == std::string_view::npos) return parts;
        begin = end + length;
    }
}

/** Returns the text without any of the characters at its beginning and end. */
inline std::string strip(std::string &&str, std::string_view characters)
{
    const size_t begin = str.find_first_not_of(characters);
    if (begin == std::string::npos) return {};
    return str.substr(begin, str.find_last_not_of(characters) - begin + 1);
}

/** Replaces each part that begins with _begin and ends before the next _end, or at the end of the
 * text, by what the predicate returns for it. */
template <typename PredicateT>
std::string str_transform(std::string_view input, std::string_view _begin, std::string_view _end,
                          PredicateT &&predicate)
{
    std::string result;
    size_t done = 0;
    while (!_begin.empty()) {
        const size_t begin = input.find(_begin, done);
        if (begin == std::string_view::npos) break;
        const size_t end = std::min(input.find(_end, begin + _begin.size()), input.size());
        result += input.substr(done, begin - done);
        result += predicate(std::string{input.substr(begin, end - begin)});
        done = end;
    }
    result += input.substr(std::min(done, input.size()));
    return result;
}
} // namespace parse
} // namespace sdk
} // namespace rocprofiler
