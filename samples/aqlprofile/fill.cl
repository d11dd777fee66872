/* What the sample runs: every work item stores its number in its workgroup. */
kernel void fill(global uint *out, uint group_size)
{
    uint item = __builtin_amdgcn_workitem_id_x();
    out[__builtin_amdgcn_workgroup_id_x() * group_size + item] = item;
}
