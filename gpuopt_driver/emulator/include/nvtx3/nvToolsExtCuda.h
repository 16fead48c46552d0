#include "../nvToolsExt.h"
#define nvToolsExtCuda 1
