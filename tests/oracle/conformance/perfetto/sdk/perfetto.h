/* A stand-in for Perfetto's C++ SDK, for the JSON tool of AMD's tests where the checkout has no submodule
 * external/perfetto. It has the names that the tool and <rocprofiler-sdk/cxx/perfetto.hpp> use, and keeps nothing: the
 * tool's trace is one empty packet. No test reads that trace. Names of Perfetto's interface may be added. */
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#define PERFETTO_DEFINE_CATEGORIES(...)                                                                                \
    static_assert(sizeof(::perfetto::Category) > 0, "categories are not kept")
#define PERFETTO_TRACK_EVENT_STATIC_STORAGE() static_assert(true, "nothing is kept")
#define TRACE_EVENT_BEGIN(...)                static_cast<void>(0)
#define TRACE_EVENT_END(...)                  static_cast<void>(0)
#define TRACE_EVENT_INSTANT(...)              static_cast<void>(0)
#define TRACE_COUNTER(...)                    static_cast<void>(0)

namespace perfetto
{
enum : uint32_t { kInProcessBackend = 1, kSystemBackend = 2 };

struct Category {
    const char *name;
};

struct Annotation {
    template <typename T> void set_name(T &&) {}
    template <typename T> void set_string_value(T &&) {}
    template <typename T> void set_bool_value(T) {}
    template <typename T> void set_int_value(T) {}
    template <typename T> void set_uint_value(T) {}
    template <typename T> void set_double_value(T) {}
    template <typename T> void set_pointer_value(T) {}
};

struct Event {
    Annotation *add_debug_annotations() { return &annotation; }
    Annotation annotation;
};

struct EventContext {
    Event *event() { return &content; }
    Event content;
};

struct TrackDescription {
    void set_name(const std::string &) {}
};

struct Track {
    Track() = default;
    explicit Track(uint64_t number) : uuid{number} {}
    TrackDescription Serialize() const { return {}; }
    uint64_t uuid = 0;
};

struct ThreadTrack : Track {
    static ThreadTrack Current() { return {}; }
};

struct TrackEvent {
    static bool Register() { return true; }
    static void Flush() {}
    static void SetTrackDescriptor(const Track &, const TrackDescription &) {}
};

namespace protos
{
namespace gen
{
enum FillPolicy { TraceConfig_BufferConfig_FillPolicy_RING_BUFFER = 1, TraceConfig_BufferConfig_FillPolicy_DISCARD = 2 };
struct TrackEventConfig {
    std::string SerializeAsString() const { return {}; }
};
} // namespace gen
} // namespace protos

struct TraceConfig {
    struct Buffer {
        void set_size_kb(size_t) {}
        void set_fill_policy(protos::gen::FillPolicy) {}
    };
    struct Source {
        Source *mutable_config() { return this; }
        void set_name(const char *) {}
        void set_track_event_config_raw(const std::string &) {}
    };
    Buffer *add_buffers() { return &buffer; }
    Source *add_data_sources() { return &source; }
    Buffer buffer;
    Source source;
};

struct TracingInitArgs {
    uint32_t backends = 0;
    size_t shmem_size_hint_kb = 0;
};

struct Session {
    void Setup(const TraceConfig &) {}
    void StartBlocking() {}
    void FlushBlocking() {}
    void StopBlocking() {}
    std::vector<char> ReadTraceBlocking() { return {0x0a, 0x00}; } /* a packet without fields */
};

struct Tracing {
    static void Initialize(const TracingInitArgs &) {}
    static std::unique_ptr<Session> NewTrace() { return std::make_unique<Session>(); }
};
} // namespace perfetto
