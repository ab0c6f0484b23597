#include "woa_cuda.h"

WOA_KERNEL(copy, WOA_IN(woa_u8, in), WOA_OUT(woa_u8, out)) { out[WOA_X] = in[WOA_X]; }
