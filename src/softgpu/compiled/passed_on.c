/* passed_on.c - the functions of libamd_comgr that are passed on to it, whatever they are asked. */
#include "softgpu/compiled/objects.h"

#define DATA sg_give_up_data
#define SET  sg_give_up_set
#define INFO sg_give_up_info
#define FUNCTION(name, parameters, arguments)                                                      \
    int amd_comgr_##name parameters                                                                \
    {                                                                                              \
        return sg_comgr()->name arguments;                                                         \
    }
SG_COMGR_PASSED_ON(FUNCTION)
