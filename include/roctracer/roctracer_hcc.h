/* roctracer_hcc.h - the name that roctracer_hip.h had before. */
#ifndef ROCTRACER_HCC_H_
#define ROCTRACER_HCC_H_

#include "roctracer_hip.h"

#endif
