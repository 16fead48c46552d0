#ifndef GPUOPT_COOPERATIVE_GROUPS_SCAN_H
#define GPUOPT_COOPERATIVE_GROUPS_SCAN_H
#include "../cooperative_groups.h"
#endif
