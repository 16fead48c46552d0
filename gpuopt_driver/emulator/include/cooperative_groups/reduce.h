#ifndef GPUOPT_COOPERATIVE_GROUPS_REDUCE_H
#define GPUOPT_COOPERATIVE_GROUPS_REDUCE_H
#include "../cooperative_groups.h"
#endif
