/* Uses of the C++ headers with results that can be seen: name tables, comparison, hashes, labels,
 * arrays, versions, text. Prints one line for each; compared with program.txt. */
#include <rocprofiler-sdk/cxx/container/c_array.hpp>
#include <rocprofiler-sdk/cxx/details/join.hpp>
#include <rocprofiler-sdk/cxx/details/tokenize.hpp>
#include <rocprofiler-sdk/cxx/enum_string.hpp>
#include <rocprofiler-sdk/cxx/hash.hpp>
#include <rocprofiler-sdk/cxx/name_info.hpp>
#include <rocprofiler-sdk/cxx/operators.hpp>
#include <rocprofiler-sdk/cxx/perfetto.hpp>
#include <rocprofiler-sdk/cxx/utility.hpp>
#include <rocprofiler-sdk/cxx/version.hpp>
#include <rocprofiler-sdk/rocprofiler.h>

#include <cstdio>
#include <iostream>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

namespace sdk = rocprofiler::sdk;

static_assert(sdk::get_enum_label(ROCPROFILER_STATUS_SUCCESS) == "ROCPROFILER_STATUS_SUCCESS");
static_assert(sdk::version::compute_version_triplet(10203).minor == 2);

/* throws nothing else */
template <typename Fn> static const char *out_of_range(Fn &&fn)
{
    try {
        fn();
    } catch (const std::out_of_range &) {
        return "out of range";
    }
    return "nothing thrown";
}

static void names()
{
    const auto callbacks = sdk::get_callback_tracing_names();
    const sdk::buffer_name_info buffers = sdk::get_buffer_tracing_names();
    const auto texts = sdk::get_buffer_tracing_names<std::string>();
    const auto pointers = sdk::get_callback_tracing_names<const char *>();
    std::cout << "kinds " << callbacks.size() << ' ' << buffers.items().size() << '\n';
    std::cout << callbacks.at(ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API) << ' '
              << callbacks.at(ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API,
                              ROCPROFILER_HIP_RUNTIME_API_ID_hipMalloc)
              << ' ' << buffers[ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH].name << ' '
              << buffers[ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH]
                        [ROCPROFILER_KERNEL_DISPATCH_COMPLETE]
              << '\n';
    size_t same = 0;
    size_t operations = 0;
    for (const auto *kind : buffers.items()) {
        for (const auto &[number, name] : kind->items()) {
            same += *name == texts.at(kind->value, number);
            ++operations;
        }
    }
    std::cout << "operations alike " << (operations > 800 && same == operations) << '\n';
    const auto &hsa = pointers[ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API];
    std::cout << hsa() << ' ' << hsa(0) << ' ' << hsa[1] << '\n';
    std::cout << out_of_range([&] { callbacks.at(ROCPROFILER_CALLBACK_TRACING_LAST); }) << ", "
              << out_of_range([&] { hsa[hsa.operations.size()]; }) << '\n';

    sdk::callback_name_info_t<const char *> gaps;
    gaps.emplace(ROCPROFILER_CALLBACK_TRACING_OMPT, "OMPT");
    gaps.emplace(ROCPROFILER_CALLBACK_TRACING_OMPT, 2, "two");
    std::cout << gaps.size() << ' ' << (gaps[0].name == nullptr) << ' '
              << (gaps[ROCPROFILER_CALLBACK_TRACING_OMPT][1] == nullptr) << ' '
              << gaps.at(ROCPROFILER_CALLBACK_TRACING_OMPT, 2) << '\n';
    gaps.emplace(ROCPROFILER_CALLBACK_TRACING_NONE, "NONE");
    std::cout << "ends with the last " << gaps.size() << '\n';
}

template <typename Tp> static void order(const char *what, const Tp &small, const Tp &large)
{
    std::cout << what << ' ' << (small == small) << (small != large) << (small < large)
              << (large > small) << (small <= small) << (large >= small) << (small == large)
              << (large < small) << '\n';
}

static void comparison()
{
    order("context", rocprofiler_context_id_t{1}, rocprofiler_context_id_t{2});
    order("signal", hsa_signal_t{1}, hsa_signal_t{2});
    order("version", rocprofiler_version_triplet_t{1, 9, 9}, rocprofiler_version_triplet_t{2, 0, 0});
    order("volume", rocprofiler_dim3_t{9, 1, 1}, rocprofiler_dim3_t{2, 5, 1});
    order("extent", rocprofiler_dim3_t{2, 5, 1}, rocprofiler_dim3_t{5, 2, 1});
    rocprofiler_agent_v0_t first = {};
    rocprofiler_agent_v0_t second = {};
    second.id.handle = 7;
    order("agent", first, second);

    char name[] = "DIMENSION_XCC";
    using info_t = rocprofiler_counter_record_dimension_info_t;
    order("dimension", info_t{"DIMENSION_WGP", 4, 1}, info_t{name, 4, 1});
    std::cout << "text, not address "
              << (info_t{"DIMENSION_XCC", 4, 1} == info_t{name, 4, 1}) << '\n';
    using position_t = rocprofiler_counter_dimension_info_t;
    const position_t at1 = {sizeof(position_t), "X", 1};
    const position_t at2 = {sizeof(position_t), "X", 2};
    const position_t again = at1;
    order("position", at1, at2);
    const position_t *left[] = {&at1, nullptr};
    const position_t *right[] = {&again, nullptr};
    const position_t *other[] = {&at2, nullptr};
    using instance_t = rocprofiler_counter_record_dimension_instance_info_t;
    const auto instance = [](uint64_t id, const position_t **at) {
        return instance_t{sizeof(instance_t), id, 3, 2, at};
    };
    order("instance", instance(1, left), instance(2, left));
    std::cout << "positions " << (instance(1, left) == instance(1, right))
              << (instance(1, left) == instance(1, other)) << '\n';

    std::unordered_map<rocprofiler_agent_id_t, int> by_agent;
    by_agent[{5}] = 1;
    by_agent[{5}] += 1;
    by_agent[{6}] = 9;
    std::cout << "hash " << std::hash<rocprofiler_queue_id_t>{}({77}) << ' ' << by_agent.size()
              << ' ' << by_agent[{5}] << '\n';
    std::set<rocprofiler_address_t> addresses = {{9}, {4}, {9}};
    std::cout << "set " << addresses.size() << ' ' << addresses.begin()->handle << '\n';
}

static void labels()
{
    using sdk::get_enum_label;
    std::cout << get_enum_label(ROCPROFILER_HIP_RUNTIME_API_ID_hipMalloc) << '\n'
              << get_enum_label(ROCPROFILER_CALLBACK_PHASE_UNLOAD) << '\n'
              << get_enum_label(ROCPROFILER_ROCJPEG_LIBRARY) << '\n'
              << get_enum_label(ROCPROFILER_SCRATCH_ALLOC_FLAG_ALT) << '\n'
              << get_enum_label(ROCPROFILER_KFD_EVENT_QUEUE_NONE) << '\n'
              << get_enum_label(static_cast<rocprofiler_runtime_library_t>(6)) << '\n'
              << get_enum_label(ROCPROFILER_STATUS_LAST) << '\n';
    size_t unnamed = 0;
    for (int i = 0; i < ROCPROFILER_STATUS_LAST; ++i) {
        const auto status = static_cast<rocprofiler_status_t>(i);
        unnamed += get_enum_label(status) != rocprofiler_get_status_name(status);
    }
    std::cout << "statuses that the library names otherwise " << unnamed << '\n';
}

static void arrays()
{
    int values[] = {1, 2, 3, 4, 5};
    auto view = sdk::container::make_c_array(values, 5);
    view.pop_front();
    view.pop_back();
    int sum = 0;
    for (int value : view)
        sum += value;
    const auto part = view.slice(1, 3);
    std::cout << "array " << view.size() << ' ' << sum << ' ' << part.size() << ' ' << part[0]
              << ' ' << part.at(1) << ' ' << *static_cast<int *>(part) << ' '
              << out_of_range([&] { part.at(2); }) << '\n';
    auto empty = sdk::container::c_array<int>(values, 0);
    empty.pop_back();
    empty.pop_front();
    std::cout << "empty " << empty.size() << (empty.begin() == empty.end()) << '\n';
}

static void text()
{
    using namespace sdk::parse;
    std::cout << sdk::utility::as_hex(255, 4) << ' ' << sdk::utility::as_hex(int8_t{-1}) << ' '
              << sdk::utility::as_hex(reinterpret_cast<void *>(0xbeef)) << ' '
              << sdk::utility::as_hex(0) << '\n';
    const auto version = sdk::version::compute_version_triplet<1000>(3002001);
    std::cout << version.major << '.' << version.minor << '.' << version.patch << '\n';
    const auto lines = [](const auto &parts) {
        std::string all;
        for (const auto &part : parts)
            all += '[' + std::string{part} + ']';
        return all;
    };
    std::cout << lines(tokenize(" a,b;;c:'d' ")) << lines(tokenize("")) << '\n'
              << lines(tokenize("a<>b--<>c", std::vector<std::string>{"<>", "--"})) << '\n'
              << lines(tokenize<std::set<std::string>>("y x y", " ")) << '\n'
              << lines(tokenize("a b", " ", [](std::string &&part) { return part + "!"; })) << '\n'
              << from_string<int>("42") + 1 << ' ' << from_string<double>(std::string{"0.5"}) << ' '
              << from_string<std::string>("a b") << '\n'
              << '[' << strip("--x-y-", "-") << "][" << strip("--", "-") << "]\n"
              << str_transform("run %pid% of %host%, %x", "%", "%",
                               [](const std::string &part) { return '<' + part.substr(1); })
              << '\n';
    using namespace sdk::join;
    const std::map<std::string, int> map = {{"a", 1}, {"b", 2}};
    std::cout << join(config{" | ", "(", ")"}, 1, "two", 3.5) << ' ' << join(',', 1, 2) << ' '
              << join("; ", std::vector<int>{1, 2}, map) << '\n'
              << join<QuoteStrings>(std::array<std::string_view, 3>{"<", ",", ">"}, "x", 1) << ' '
              << quoted("q") << " [" << join(", ") << "]\n";
}

static void perfetto_categories()
{
    std::cout << "registered " << std::size(defined_categories);
    for (const auto &category : defined_categories)
        std::cout << ' ' << category.name;
    std::cout << '\n'
              << sdk::get_perfetto_category(ROCPROFILER_BUFFER_TRACING_KFD_QUEUE) << ' '
              << sdk::get_perfetto_category(ROCPROFILER_CALLBACK_TRACING_MEMORY_COPY) << ' '
              << (sdk::get_perfetto_category(ROCPROFILER_CALLBACK_TRACING_LAST) == nullptr) << '\n';
    perfetto::EventContext context;
    sdk::add_perfetto_annotation(context, "text", std::string{"t"});
    sdk::add_perfetto_annotation(context, "bool", true);
    sdk::add_perfetto_annotation(context, std::string{"enum"}, ROCPROFILER_STATUS_ERROR);
    sdk::add_perfetto_annotation(context, "float", 0.5f);
    sdk::add_perfetto_annotation(context, "unsigned", uint32_t{4000000000});
    sdk::add_perfetto_annotation(context, "signed", -4);
    sdk::add_perfetto_annotation(context, "pointer", reinterpret_cast<void *>(16));
    for (const auto &annotation : context.event()->annotations)
        std::cout << annotation.line << '\n';
}

int main()
{
    names();
    comparison();
    labels();
    arrays();
    text();
    perfetto_categories();
}
