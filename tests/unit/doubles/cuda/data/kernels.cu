/* clang-14 and nvcc 13 make kernels_clang.ptx and kernels_nvcc.ptx from it: the commands stand in make.sh. */
#include "woa_cuda.h"
#if defined(__clang__) && !defined(__CUDACC__)
#define __noinline__ __attribute__((noinline))
#define __constant__ __attribute__((constant))
#endif
#define WOA_DEVICE static __device__ __forceinline__
#define WOA_CALLED static __device__ __noinline__
#define WOA_TABLE __constant__ const
#include "bodies.h"

extern "C" __global__ void sharpen(const woa_u8 *in, woa_u8 *out, woa_u64 width, woa_u64 height) {
  sharpen_at(WOA_BLOCK(x) * WOA_BLOCK_SIZE(x) + WOA_THREAD(x), WOA_BLOCK(y) * WOA_BLOCK_SIZE(y) + WOA_THREAD(y),
             (woa_u32)width, (woa_u32)height, in, out);
}
extern "C" __global__ void resize(const woa_u8 *in, woa_u8 *out, woa_u64 width, woa_u64 new_width, woa_u64 new_height) {
  resize_at(WOA_BLOCK(x) * WOA_BLOCK_SIZE(x) + WOA_THREAD(x), WOA_BLOCK(y) * WOA_BLOCK_SIZE(y) + WOA_THREAD(y),
            (woa_u32)width, (woa_u32)new_width, (woa_u32)new_height, in, out);
}
/* One block does all passes; shared memory holds the data. */
extern "C" __global__ void fft(const double *turns, double *data, woa_u64 points) {
  __shared__ double part[2 * 256];
  for (woa_u64 k = WOA_THREAD(x); k < 2 * points; k += WOA_BLOCK_SIZE(x)) part[k] = data[k];
  for (woa_u64 half = 1; half < points; half *= 2) {
    WOA_BARRIER();
    for (woa_u64 i = WOA_THREAD(x); i < points / 2; i += WOA_BLOCK_SIZE(x))
      butterfly_at(i, half, turns + 2 * half, part);
  }
  WOA_BARRIER();
  for (woa_u64 k = WOA_THREAD(x); k < 2 * points; k += WOA_BLOCK_SIZE(x)) data[k] = part[k];
}
extern "C" __global__ void sha(const woa_u8 *blocks, woa_u32 *states, woa_u64 count) {
  const woa_u64 i = WOA_BLOCK(x) * WOA_BLOCK_SIZE(x) + WOA_THREAD(x);
  if (i < count) sha_at(blocks + 64 * i, states + 5 * i);
}
extern "C" __global__ void mixture(const woa_u8 *in, double *out) {
  mixture_at(WOA_BLOCK(x) * WOA_BLOCK_SIZE(x) + WOA_THREAD(x), in, out);
}
