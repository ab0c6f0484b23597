// As transpose.cl, from a source that CUDA takes, too.
#include "woa_cuda.h"

WOA_KERNEL(transpose, WOA_IN(woa_u8, in), WOA_OUT(woa_u8, out), int add) {
  out[WOA_Y * WOA_DIM(out, 1) + WOA_X] = (woa_u8)(in[WOA_X * WOA_DIM(in, 1) + WOA_Y] + add);
}
