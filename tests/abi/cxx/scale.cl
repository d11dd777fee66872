/* Two kernels, one of them through two inlined functions: what decoded.cpp decodes. */
static inline int twice(int v)
{
    return v * 2 + 1;
}

static inline int outer(int v)
{
    return twice(v) * 3;
}

kernel void scale(global int *data)
{
    int i = __builtin_amdgcn_workitem_id_x();
    data[i] = outer(data[i]);
}

kernel void clear(global int *data)
{
    data[__builtin_amdgcn_workitem_id_x()] = 0;
}
