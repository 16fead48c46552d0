#include "../../gpuopt_emu/cub_device.h"
