/* All that a cuda variant needs (docs/kernels.md, CUDA), for clang without a CUDA installation, nvcc and NVRTC.
 *
 *     #include "woa_cuda.h"
 *     WOA_KERNEL(invert, WOA_IN(woa_u8, in), WOA_OUT(woa_u8, out)) {
 *       out[WOA_X] = (woa_u8)~in[WOA_X];
 *     }
 *
 * An input of type T is `in`, of type const T *, with in_bytes and WOA_DIM(in, 0) to WOA_DIM(in, 3); an output
 * likewise. Parameters follow as int. An opencl variant may name the same file: pointers to memory of ports are
 * WOA_GLOBAL there. Such a source is C, too. woa_size counts bytes and items: 64 bits in CUDA, 32 in OpenCL. woa_offset
 * has a sign.
 *
 * The body runs once for each work item of `global`. The header makes two entries of it: `invert`, which is launched
 * for each firing, and `invert_resident`, which stays on one multiprocessor and takes firings from a ring.
 *
 * WOA_BLOCK_KERNEL is for bodies with a WOA_BARRIER. All threads of a block run it, those beyond `global`, too:
 * WOA_INSIDE is false for them. WOA_SHARED(type) is the block's memory of `shared` bytes, empty of meaning at first.
 *
 * The first part of this file, the structures, is also what the controller includes. */
#ifndef WOA_CUDA_H
#define WOA_CUDA_H

#ifdef __OPENCL_VERSION__ /* an opencl variant: its back-end puts this file in the place of the include */

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF

typedef uchar woa_u8;
typedef ushort woa_u16;
typedef uint woa_u32, woa_size;
typedef ulong woa_u64;
typedef int woa_offset;

#define WOA_KERNEL(name, ...) kernel void name(__VA_ARGS__)
#define WOA_IN(type, port) global const type *port, uint port##_bytes, uint4 port##_dims
#define WOA_OUT(type, port) global type *port, uint port##_bytes, uint4 port##_dims
#define WOA_DIM(port, number) (port##_dims.s##number)
#define WOA_GLOBAL global
#define WOA_FUNCTION static
#define WOA_TABLE constant
#define WOA_X ((woa_size)get_global_id(0))
#define WOA_Y ((woa_size)get_global_id(1))
#define WOA_Z ((woa_size)get_global_id(2))

#else

typedef unsigned char woa_u8;
typedef unsigned short woa_u16;
typedef unsigned int woa_u32;
typedef unsigned long long woa_u64, woa_size;
typedef long long woa_offset;

struct woa_dims {
  woa_u32 d[4];
};

/* Entries and controller compare this number: they agree on all structures below. The variable NAME_abi has it, and the
 * words of the function's firings. */
#define WOA_CUDA_ABI 1u

/* A firing as words of 64 bits: the extents of the work in x, y and z, then the function's arguments. A pointer, a size
 * and an int take a word each, dims two. The launched entry gets this block as its one parameter. */
#define WOA_CUDA_WORK_WORDS 3u

/* Publications of one firing of a worker. All words up to the payloads are read at once, so the room is fixed. */
#define WOA_CUDA_MOST_PUBLICATIONS 16u

/* The resident entry's parameter. Addresses are the device's; ring and control lie in pinned host memory.
 *
 * Slot of the ring, in words: [0] the turn: firing n (from 0) is there when it is n + 1. [1] the number of
 * publications. [2 ...] the firing. Then room for WOA_CUDA_MOST_PUBLICATIONS of two words: the address of the packet's
 * word, with bit 0 set if the publication before it must be visible first, and the value. What follows is for the host:
 * payloads that came behind headers. The slot is the host's again when `done` is past its firing. */
struct woa_worker {
  woa_u64 ring, slots, slot_bytes; /* slots: a power of two */
  woa_u64 control;                 /* woa_worker_control */
  woa_u64 epoch;                   /* of this launch, from 1 */
  woa_u64 idle_ns;                 /* without a firing, after which the worker parks */
};

/* A cache line for each writer and reader. */
struct woa_worker_control {
  woa_u64 stop, to_line_1[7];   /* by the host: workers of this and all earlier epochs leave when no firing is there */
  woa_u64 done, to_line_2[7];   /* by the worker: firings whose results are out; where the next worker begins */
  woa_u64 parked, to_line_3[7]; /* by the worker: its epoch, before it leaves for want of firings or by `stop` */
};

#if defined(__CUDA__) || defined(__CUDACC__) /* device code */

#if defined(__clang__) && !defined(__CUDACC__)
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define __forceinline__ inline __attribute__((always_inline))
#define WOA_SREG(name, axis) ((woa_u32)__nvvm_read_ptx_sreg_##name##_##axis())
#define WOA_THREAD(axis) WOA_SREG(tid, axis)
#define WOA_BLOCK(axis) WOA_SREG(ctaid, axis)
#define WOA_BLOCK_SIZE(axis) WOA_SREG(ntid, axis)
#define WOA_BARRIER() __nvvm_bar_sync(0)
#else
#define WOA_THREAD(axis) (threadIdx.axis)
#define WOA_BLOCK(axis) (blockIdx.axis)
#define WOA_BLOCK_SIZE(axis) (blockDim.axis)
#define WOA_BARRIER() __syncthreads()
#endif

#define WOA_IN(type, port) const type *port, woa_u64 port##_bytes, woa_dims port##_dims
#define WOA_OUT(type, port) type *port, woa_u64 port##_bytes, woa_dims port##_dims
#define WOA_DIM(port, number) (port##_dims.d[number])
#define WOA_GLOBAL

/* Before functions and tables that a body uses. */
#define WOA_FUNCTION static __device__ __forceinline__
#define WOA_TABLE static __constant__ const

struct woa_item {
  woa_u64 x, y, z;
  bool inside;
};
#define WOA_X (woa_at.x)
#define WOA_Y (woa_at.y)
#define WOA_Z (woa_at.z)
#define WOA_INSIDE (woa_at.inside)

extern __shared__ woa_u64 woa_shared[];
#define WOA_SHARED(type) ((type *)woa_shared)

template <class T>
struct woa_argument {
  static constexpr woa_u32 words = 1;
  static __device__ __forceinline__ T read(const woa_u64 *at) { return (T)*at; }
};
template <>
struct woa_argument<woa_dims> {
  static constexpr woa_u32 words = 2;
  static __device__ __forceinline__ woa_dims read(const woa_u64 *at) {
    return {{(woa_u32)at[0], (woa_u32)(at[0] >> 32), (woa_u32)at[1], (woa_u32)(at[1] >> 32)}};
  }
};

template <class... A>
struct woa_types {};

/* Calls the body with arguments read from words, one after the other. */
template <auto body, class... Read>
WOA_FUNCTION void woa_call(woa_item at, const woa_u64 *, woa_types<>, Read... read) {
  body(at, read...);
}
template <auto body, class A, class... More, class... Read>
WOA_FUNCTION void woa_call(woa_item at, const woa_u64 *words, woa_types<A, More...>, Read... read) {
  woa_call<body>(at, words + woa_argument<A>::words, woa_types<More...>{}, read..., woa_argument<A>::read(words));
}

template <class Body>
struct woa_body;
template <class... A>
struct woa_body<void (*)(woa_item, A...)> {
  static constexpr woa_u32 words = WOA_CUDA_WORK_WORDS + (woa_argument<A>::words + ... + 0u);
  struct firing {
    woa_u64 words[woa_body::words];
  };
  /* This thread's item of the block that begins at (x, y, z). */
  template <auto body, bool whole_blocks>
  static __device__ __forceinline__ void run(woa_u64 x, woa_u64 y, woa_u64 z, const woa_u64 *firing) {
    woa_item at = {x + WOA_THREAD(x), y + WOA_THREAD(y), z + WOA_THREAD(z), true};
    at.inside = at.x < firing[0] && at.y < firing[1] && at.z < firing[2];
    if (whole_blocks || at.inside) woa_call<body>(at, firing + WOA_CUDA_WORK_WORDS, woa_types<A...>{});
  }
};

/* Loads and stores of words that the host and the device share. Source: PTX ISA, Memory Consistency Model. */
WOA_FUNCTION woa_u64 woa_load_acquire(woa_u64 at) {
  woa_u64 value;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
  return value;
}
WOA_FUNCTION woa_u64 woa_load_relaxed(woa_u64 at) {
  woa_u64 value;
  asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
  return value;
}
WOA_FUNCTION void woa_store_relaxed(woa_u64 at, woa_u64 value) {
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" : : "l"(at), "l"(value) : "memory");
}
WOA_FUNCTION void woa_fence() { asm volatile("fence.acq_rel.sys;" : : : "memory"); }
WOA_FUNCTION void woa_fence_sc() { asm volatile("fence.sc.sys;" : : : "memory"); }
WOA_FUNCTION woa_u64 woa_now_ns() {
  woa_u64 now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

#define WOA_CONTROL(worker, word) ((woa_u64) & ((woa_worker_control *)(worker).control)->word)

/* By the block's first thread. False: leave. A worker that leaves looks once more: the host, which publishes a firing
 * and then looks whether the worker parked, sees that, or this sees the firing. `stop` is loaded first, so that both
 * loads are under way at once; the fence orders it before the last look. */
WOA_FUNCTION bool woa_await(const woa_worker &worker, woa_u64 slot, woa_u64 turn) {
  const woa_u64 since = woa_now_ns();
  for (;;) {
    const woa_u64 stop = woa_load_relaxed(WOA_CONTROL(worker, stop));
    if (woa_load_acquire(slot) == turn) return true;
    if (stop >= worker.epoch || woa_now_ns() - since > worker.idle_ns) {
      woa_store_relaxed(WOA_CONTROL(worker, parked), worker.epoch);
      woa_fence_sc();
      return woa_load_acquire(slot) == turn;
    }
    asm volatile("nanosleep.u32 100;");
  }
}

/* By the block's first thread, behind a barrier: one fence makes what all threads wrote visible before what it stores
 * now. */
WOA_FUNCTION void woa_publish(const woa_worker &worker, const woa_u64 *publication, woa_u64 count, woa_u64 done) {
  woa_fence();
  for (; count > 0; --count, publication += 2) {
    if (publication[0] & 1) woa_fence();
    woa_store_relaxed(publication[0] & ~1ull, publication[1]);
  }
  woa_store_relaxed(WOA_CONTROL(worker, done), done);
}

/* Words of a slot that the threads copy to shared memory at once: a load from the host's memory takes a microsecond. */
template <class Body>
constexpr woa_u32 woa_slot_words = 1 + Body::words + 2 * WOA_CUDA_MOST_PUBLICATIONS;

template <auto body, bool whole_blocks>
WOA_FUNCTION void woa_stay(const woa_worker &worker, woa_u64 *words, woa_u64 *go) {
  using Body = woa_body<decltype(body)>;
  const woa_u64 *const firing = words + 1;
  const woa_u32 threads = WOA_BLOCK_SIZE(x) * WOA_BLOCK_SIZE(y) * WOA_BLOCK_SIZE(z);
  const woa_u32 thread = (WOA_THREAD(z) * WOA_BLOCK_SIZE(y) + WOA_THREAD(y)) * WOA_BLOCK_SIZE(x) + WOA_THREAD(x);
  for (woa_u64 n = woa_load_relaxed(WOA_CONTROL(worker, done));; ++n) {
    const woa_u64 slot = worker.ring + (n & (worker.slots - 1)) * worker.slot_bytes;
    if (thread == 0) *go = woa_await(worker, slot, n + 1);
    WOA_BARRIER();
    if (!*go) return;
    for (woa_u32 k = thread; k < woa_slot_words<Body>; k += threads) words[k] = ((const woa_u64 *)slot)[1 + k];
    WOA_BARRIER();
    for (woa_u64 z = 0; z < firing[2]; z += WOA_BLOCK_SIZE(z))
      for (woa_u64 y = 0; y < firing[1]; y += WOA_BLOCK_SIZE(y))
        for (woa_u64 x = 0; x < firing[0]; x += WOA_BLOCK_SIZE(x)) {
          Body::template run<body, whole_blocks>(x, y, z, firing);
          if (whole_blocks) WOA_BARRIER();  // before the next block takes the shared memory
        }
    WOA_BARRIER();
    if (thread == 0) woa_publish(worker, firing + Body::words, words[0], n + 1);
  }
}

#define WOA_ENTRIES(name, whole_blocks, ...)                                                  \
  WOA_FUNCTION void name##_item(woa_item woa_at, __VA_ARGS__);                                \
  extern "C" {                                                                                \
  __device__ woa_u32 name##_abi[2] = {WOA_CUDA_ABI, woa_body<decltype(&name##_item)>::words}; \
  }                                                                                           \
  extern "C" __global__ void name(const woa_body<decltype(&name##_item)>::firing firing) {    \
    woa_body<decltype(&name##_item)>::run<&name##_item, whole_blocks>(                        \
        (woa_u64)WOA_BLOCK(x) * WOA_BLOCK_SIZE(x), (woa_u64)WOA_BLOCK(y) * WOA_BLOCK_SIZE(y), \
        (woa_u64)WOA_BLOCK(z) * WOA_BLOCK_SIZE(z), firing.words);                             \
  }                                                                                           \
  extern "C" __global__ void name##_resident(const woa_worker worker) {                       \
    __shared__ woa_u64 words[woa_slot_words<woa_body<decltype(&name##_item)>>], go;           \
    woa_stay<&name##_item, whole_blocks>(worker, words, &go);                                 \
  }                                                                                           \
  WOA_FUNCTION void name##_item(woa_item woa_at, __VA_ARGS__)

#define WOA_KERNEL(name, ...) WOA_ENTRIES(name, false, __VA_ARGS__)
#define WOA_BLOCK_KERNEL(name, ...) WOA_ENTRIES(name, true, __VA_ARGS__)

#endif /* device code */
#endif /* OpenCL */
#endif
