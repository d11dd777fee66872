// all-reduce over several GPUs, checked on the host: allreduce GPUS COUNT, one process for all of them; or with
// MPI (-DWITH_MPI) allreduce COUNT, one process for each, of which each takes the GPU of its rank.
//
// Rank r's element i is a small integer, so that sums are exact in every order of adding.
#include <hip/hip_runtime.h>
#include <rccl/rccl.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

#include <cstdio>
#include <cstdlib>
#include <vector>

#define HIP(call)                                                                                                      \
    do {                                                                                                               \
        hipError_t status_ = (call);                                                                                   \
        if (status_ != hipSuccess) fail(#call, hipGetErrorString(status_));                                            \
    } while (0)
#define NCCL(call)                                                                                                     \
    do {                                                                                                               \
        ncclResult_t status_ = (call);                                                                                 \
        if (status_ != ncclSuccess) fail(#call, ncclGetErrorString(status_));                                          \
    } while (0)

static void fail(const char *what, const char *why)
{
    std::fprintf(stderr, "allreduce: %s: %s\n", what, why);
    std::exit(1);
}

static float value(int rank, size_t i) { return static_cast<float>((i * 7 + static_cast<size_t>(rank) * 31) % 97); }

struct rank_t {
    int rank, gpu;
    ncclComm_t comm;
    hipStream_t stream;
    float *in, *out;
};

static void prepare(rank_t *r, size_t count)
{
    std::vector<float> host(count);
    for (size_t i = 0; i < count; i++) host[i] = value(r->rank, i);
    HIP(hipSetDevice(r->gpu));
    HIP(hipStreamCreate(&r->stream));
    HIP(hipMalloc(reinterpret_cast<void **>(&r->in), count * sizeof(float)));
    HIP(hipMalloc(reinterpret_cast<void **>(&r->out), count * sizeof(float)));
    HIP(hipMemcpy(r->in, host.data(), count * sizeof(float), hipMemcpyHostToDevice));
    HIP(hipMemset(r->out, 0xff, count * sizeof(float)));
    HIP(hipDeviceSynchronize());
}

// How many elements of the rank's result are not the sum of all ranks' values.
static size_t wrong(const rank_t *r, int ranks, size_t count)
{
    std::vector<float> host(count);
    HIP(hipSetDevice(r->gpu));
    HIP(hipStreamSynchronize(r->stream));
    HIP(hipMemcpy(host.data(), r->out, count * sizeof(float), hipMemcpyDeviceToHost));
    size_t bad = 0;
    for (size_t i = 0; i < count; i++) {
        float sum = 0;
        for (int k = 0; k < ranks; k++) sum += value(k, i);
        bad += host[i] != sum;
    }
    return bad;
}

#ifdef WITH_MPI
int main(int argc, char **argv)
{
    rank_t r{};
    int ranks, gpus;
    ncclUniqueId id;
    MPI_Init(&argc, &argv);
    if (argc != 2) return 2;
    size_t count = std::strtoull(argv[1], nullptr, 0);
    MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    HIP(hipGetDeviceCount(&gpus));
    r.gpu = r.rank % gpus;
    prepare(&r, count);
    if (r.rank == 0) NCCL(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    NCCL(ncclCommInitRank(&r.comm, ranks, id, r.rank));
    NCCL(ncclAllReduce(r.in, r.out, count, ncclFloat, ncclSum, r.comm, r.stream));
    size_t bad = wrong(&r, ranks, count);
    std::printf("rank %d of %d: %zu elements, %zu wrong\n", r.rank, ranks, count, bad);
    NCCL(ncclCommDestroy(r.comm));
    MPI_Finalize();
    return bad != 0;
}
#else
int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    int ranks = std::atoi(argv[1]), gpus;
    size_t count = std::strtoull(argv[2], nullptr, 0), bad = 0;
    HIP(hipGetDeviceCount(&gpus));
    if (ranks < 1 || ranks > gpus) fail("GPUs", "not as many");
    std::vector<rank_t> all(static_cast<size_t>(ranks));
    std::vector<ncclComm_t> comms(static_cast<size_t>(ranks));
    for (int k = 0; k < ranks; k++) {
        all[static_cast<size_t>(k)].rank = all[static_cast<size_t>(k)].gpu = k;
        prepare(&all[static_cast<size_t>(k)], count);
    }
    NCCL(ncclCommInitAll(comms.data(), ranks, nullptr));
    NCCL(ncclGroupStart());
    for (rank_t &r : all)
        NCCL(ncclAllReduce(r.in, r.out, count, ncclFloat, ncclSum, comms[static_cast<size_t>(r.rank)], r.stream));
    NCCL(ncclGroupEnd());
    for (rank_t &r : all) bad += wrong(&r, ranks, count);
    std::printf("%d GPUs: %zu elements, %zu wrong\n", ranks, count, bad);
    for (ncclComm_t comm : comms) NCCL(ncclCommDestroy(comm));
    return bad != 0;
}
#endif
