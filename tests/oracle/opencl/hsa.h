// hsa.h - launches a kernel of a code object by an AQL packet of its own, for what HIP cannot ask
// for: offsets of global ids, and fewer than three dimensions.
// What may be changed: nothing here knows the kernels; keep it so.
#pragma once
#include "../programs/twin.h"

#include <cstddef>
#include <fstream>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <iterator>

#define HSA(call)                                                                                  \
    do {                                                                                           \
        hsa_status_t status_ = (call);                                                             \
        if (status_ != HSA_STATUS_SUCCESS && status_ != HSA_STATUS_INFO_BREAK) {                   \
            const char *text_ = "";                                                                \
            (void)hsa_status_string(status_, &text_);                                              \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, text_);                      \
            std::exit(2);                                                                          \
        }                                                                                          \
    } while (0)

struct own_queue {
    hsa_agent_t gpu{};
    hsa_region_t kernarg{};
    hsa_queue_t *queue = nullptr;
    hsa_executable_t executable{};
    hsa_code_object_reader_t reader{};
    std::vector<char> code;

    explicit own_queue(const char *path)
    {
        HSA(hsa_init());
        HSA(hsa_iterate_agents(
            [](hsa_agent_t agent, void *self) {
                hsa_device_type_t type;
                HSA(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
                if (type == HSA_DEVICE_TYPE_GPU)
                    ((own_queue *)self)->gpu = agent;
                else
                    HSA(hsa_agent_iterate_regions(agent, take_kernarg, self));
                return HSA_STATUS_SUCCESS;
            },
            this));
        HSA(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_SINGLE, nullptr, nullptr, UINT32_MAX,
                             UINT32_MAX, &queue));
        std::ifstream file(path, std::ios::binary);
        code.assign(std::istreambuf_iterator<char>(file), {});
        HSA(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT,
                                      nullptr, &executable));
        HSA(hsa_code_object_reader_create_from_memory(code.data(), code.size(), &reader));
        HSA(hsa_executable_load_agent_code_object(executable, gpu, reader, nullptr, nullptr));
        HSA(hsa_executable_freeze(executable, nullptr));
    }
    own_queue(const own_queue &) = delete;
    ~own_queue()
    {
        (void)hsa_queue_destroy(queue);
        (void)hsa_executable_destroy(executable);
        (void)hsa_code_object_reader_destroy(reader);
        (void)hsa_shut_down();
    }

    static hsa_status_t take_kernarg(hsa_region_t region, void *self)
    {
        uint32_t flags = 0;
        hsa_region_segment_t segment;
        HSA(hsa_region_get_info(region, HSA_REGION_INFO_SEGMENT, &segment));
        if (segment != HSA_REGION_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
        HSA(hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags));
        if (flags & HSA_REGION_GLOBAL_FLAG_KERNARG) ((own_queue *)self)->kernarg = region;
        return HSA_STATUS_SUCCESS;
    }

    // What follows the visible arguments at a multiple of 8. Code objects up to V4 begin it with the
    // offsets; V5 and later with the counts and sizes of the groups, and take them from there alone.
    std::vector<char> hidden(const uint64_t (&offsets)[3], unsigned dimensions,
                             const uint32_t (&global)[3], const uint32_t (&local)[3]) const
    {
        const int ABI_VERSION = 8, V5 = 3; // a byte of the ELF header, and its value
        if (code[ABI_VERSION] < V5)
            return {(const char *)offsets, (const char *)(offsets + 3)};
        struct {
            uint32_t whole_groups[3];
            uint16_t group_size[3], remainder[3];
            uint64_t reserved[2], offset[3];
            uint16_t dimensions;
        } block = {};
        static_assert(offsetof(decltype(block), offset) == 40, "as LLVM's AMDGPU ABI has it");
        for (int i = 0; i < 3; i++) {
            block.whole_groups[i] = global[i] / local[i];
            block.group_size[i] = (uint16_t)local[i];
            block.remainder[i] = (uint16_t)(global[i] % local[i]);
            block.offset[i] = offsets[i];
        }
        block.dimensions = (uint16_t)dimensions;
        return {(const char *)&block, (const char *)(&block + 1)};
    }

    // `visible` are the arguments that the kernel's source names.
    void launch(const char *kernel, std::vector<char> visible, const uint64_t (&offsets)[3],
                unsigned dimensions, const uint32_t (&global)[3], const uint32_t (&local)[3])
    {
        hsa_executable_symbol_t symbol;
        uint32_t size = 0, fixed = 0, scratch = 0;
        uint64_t object = 0;
        HSA(hsa_executable_get_symbol_by_name(executable, (std::string(kernel) + ".kd").c_str(),
                                              &gpu, &symbol));
        HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT,
                                           &object));
        HSA(hsa_executable_symbol_get_info(
            symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &size));
        HSA(hsa_executable_symbol_get_info(
            symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &fixed));
        HSA(hsa_executable_symbol_get_info(
            symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, &scratch));
        visible.resize((visible.size() + 7) / 8 * 8);
        const auto rest = hidden(offsets, dimensions, global, local);
        visible.insert(visible.end(), rest.begin(), rest.end());
        visible.resize(size); // drops what the kernel does not take
        void *block = nullptr;
        hsa_signal_t done;
        HSA(hsa_memory_allocate(kernarg, size ? size : 8, &block));
        std::memcpy(block, visible.data(), size);
        HSA(hsa_signal_create(1, 0, nullptr, &done));

        const uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
        auto *packet = (hsa_kernel_dispatch_packet_t *)queue->base_address + index % queue->size;
        std::memset((char *)packet + 4, 0, sizeof *packet - 4);
        packet->workgroup_size_x = (uint16_t)local[0];
        packet->workgroup_size_y = (uint16_t)local[1];
        packet->workgroup_size_z = (uint16_t)local[2];
        packet->grid_size_x = global[0];
        packet->grid_size_y = global[1];
        packet->grid_size_z = global[2];
        packet->private_segment_size = scratch;
        packet->group_segment_size = fixed;
        packet->kernel_object = object;
        packet->kernarg_address = block;
        packet->completion_signal = done;
        const unsigned header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
                                HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                                HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
        __atomic_store_n((uint32_t *)packet, header | dimensions << 16, __ATOMIC_RELEASE);
        hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);
        while (hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
                                         HSA_WAIT_STATE_BLOCKED) >= 1) {
        }
        HSA(hsa_signal_destroy(done));
        HSA(hsa_memory_free(block));
    }
};
