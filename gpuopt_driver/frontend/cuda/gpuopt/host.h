// The C library as the host has it; each of its functions may be called from kernels.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <limits.h>
#include <float.h>
#include <time.h>
#include <initializer_list>
#include <cmath>
#include <cstdlib>
