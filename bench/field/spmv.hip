// spmv - sparse matrix times vector in CSR form, doubles, eight lanes for each row: rows are of
// different length, columns are scattered.
#include "field.h"

enum { ROWS = 32768, LANES_EACH = 8, GROUP = 256, LONGEST = 64 };

extern "C" __global__ void __launch_bounds__(GROUP)
    field_spmv_csr(double *y, const int *start, const int *column, const double *value,
                   const double *x)
{
    const int row = (int)(blockIdx.x * GROUP + threadIdx.x) / LANES_EACH;
    const int lane = (int)threadIdx.x % LANES_EACH;
    double sum = 0;
    for (int k = start[row] + lane; k < start[row + 1]; k += LANES_EACH)
        sum += value[k] * x[column[k]];
    for (int d = LANES_EACH / 2; d; d /= 2)
        sum += __shfl_down(sum, d, LANES_EACH);
    if (lane == 0) y[row] = sum;
}

static std::vector<int> start, column;
static std::vector<double> value, x, y;
static int *device_start, *device_column;
static double *device_value, *device_x, *device_y;

static void prepare()
{
    field_random random(5);
    start.push_back(0);
    for (unsigned r = 0; r < ROWS; r++) {
        const unsigned n = 1 + random.below(r % 16 ? 24 : LONGEST);
        for (unsigned k = 0; k < n; k++) {
            column.push_back((int)random.below(ROWS));
            value.push_back(random.unit() - 0.5);
        }
        start.push_back((int)column.size());
        x.push_back(random.unit());
    }
    y.resize(ROWS);
    device_start = field_upload(start);
    device_column = field_upload(column);
    device_value = field_upload(value);
    device_x = field_upload(x);
    device_y = field_room<double>(ROWS);
}

static void launch()
{
    for (int k = 0; k < 8; k++)
        field_spmv_csr<<<ROWS * LANES_EACH / GROUP, GROUP>>>(device_y, device_start, device_column,
                                                             device_value, device_x);
}

static void host()
{
    for (int k = 0; k < 8; k++)
        for (unsigned r = 0; r < ROWS; r++) {
            double sum = 0;
            for (int k = start[r]; k < start[r + 1]; k++)
                sum += value[k] * x[column[k]];
            y[r] = sum;
        }
}

static double error()
{
    return field_distance(field_download(device_y, ROWS), y);
}

field_case field_spmv = {
    "SpMV", "CSR, f64, 8 lanes a row, rows of 1 to 64", prepare, launch, host, error, 1e-13, 0};
