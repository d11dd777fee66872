/* Numbers as text. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace rocprofiler
{
namespace sdk
{
namespace utility
{
/** Returns "0x" and the hexadecimal digits, in lower case, of a pointer or an integer (of its
 * unsigned form if it is negative), with leading zeros if there are fewer digits than width. */
template <typename Tp> auto as_hex(Tp val, size_t width = 0)
{
    static_assert(std::is_integral_v<Tp> || std::is_pointer_v<Tp>, "an integer or a pointer");
    uint64_t rest = 0;
    if constexpr (std::is_pointer_v<Tp>)
        rest = reinterpret_cast<uintptr_t>(val);
    else if constexpr (std::is_same_v<std::remove_cv_t<Tp>, bool>)
        rest = val;
    else
        rest = static_cast<std::make_unsigned_t<Tp>>(val);

    std::string digits;
    do {
        digits.insert(digits.begin(), "0123456789abcdef"[rest % 16]);
        rest /= 16;
    } while (rest != 0);
    if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
    return "0x" + digits;
}
} // namespace utility
} // namespace sdk
} // namespace rocprofiler
