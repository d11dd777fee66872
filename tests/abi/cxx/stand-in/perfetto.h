/* The little of Perfetto's C++ SDK that rocprofiler-sdk/cxx/perfetto.hpp uses, for testing that
 * header where Perfetto is not: categories are kept in an array, annotations as one line of text
 * each. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace perfetto
{
struct Category {
    constexpr explicit Category(const char *name_) : name(name_) {}
    constexpr Category SetDescription(const char *text) const
    {
        Category copy = *this;
        copy.description = text;
        return copy;
    }
    const char *name;
    const char *description = nullptr;
};

struct DebugAnnotation {
    std::string line;

    void set_name(const std::string &name) { line = name; }
    void set_string_value(const std::string &v) { line += " text " + v; }
    void set_bool_value(bool v) { line += v ? " bool 1" : " bool 0"; }
    void set_int_value(int64_t v) { line += " int " + std::to_string(v); }
    void set_uint_value(uint64_t v) { line += " uint " + std::to_string(v); }
    void set_double_value(double v) { line += " double " + std::to_string(v); }
    void set_pointer_value(uint64_t v) { line += " pointer " + std::to_string(v); }
};

struct TrackEvent {
    std::vector<DebugAnnotation> annotations;
    DebugAnnotation *add_debug_annotations() { return &annotations.emplace_back(); }
};

struct EventContext {
    TrackEvent track_event;
    TrackEvent *event() { return &track_event; }
};
} // namespace perfetto

#define PERFETTO_DEFINE_CATEGORIES(...)                                                            \
    inline constexpr perfetto::Category defined_categories[] = {__VA_ARGS__}
