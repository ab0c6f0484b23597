#include "woa_cuda.h"

// The next line is the fourth.
WOA_KERNEL(broken, WOA_IN(woa_u8, in), WOA_OUT(woa_u8, out)) { this is not C; }
