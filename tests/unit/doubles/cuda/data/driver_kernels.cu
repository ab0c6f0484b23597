// Kernels of the double's tests. driver_kernels.ptx is made of it:
// clang-14 -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_75 -Xclang -target-feature \
//   -Xclang +ptx63 -std=c++17 -O2 -ffp-contract=off -S
typedef unsigned long long word;
struct words {
  word a, b, c;
};
#define ENTRY extern "C" __attribute__((global)) void
#define DEVICE __attribute__((device))
#define THREAD (__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x())

static DEVICE word load_acquire(word at) {
  word value;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
  return value;
}

extern "C" DEVICE word answer[2];
DEVICE word answer[2] = {42, 43};

// a[k] = c + k for all k below b.
ENTRY fill(const words w) {
  if (THREAD < w.b) ((word *)w.a)[THREAD] = w.c + THREAD;
}

// a[k] = b[k] for the first c words.
ENTRY copy(const words w) {
  if (THREAD < w.c) ((word *)w.a)[THREAD] = ((const word *)w.b)[THREAD];
}

ENTRY poke(const words w) { *(unsigned char *)w.a = 1; }

// Runs until the word at a is set.
ENTRY wait_resident(const words w) {
  while (load_acquire(w.a) == 0) asm volatile("nanosleep.u32 100;");
}

// Fills 16 words at a with c, sets the word at b to c behind a fence, and stays until the host has set b's neighbour.
ENTRY post_fence(const words w) {
  for (int k = 0; k < 16; ++k) ((word *)w.a)[k] = w.c;
  asm volatile("fence.acq_rel.sys;" : : : "memory");
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" : : "l"(w.b), "l"(w.c) : "memory");
  while (load_acquire(w.b + 8) != w.c) asm volatile("nanosleep.u32 100;");
}

// The same by a release.
ENTRY post_release(const words w) {
  for (int k = 0; k < 16; ++k) ((word *)w.a)[k] = w.c;
  asm volatile("st.release.sys.global.u64 [%0], %1;" : : "l"(w.b), "l"(w.c) : "memory");
  while (load_acquire(w.b + 8) != w.c) asm volatile("nanosleep.u32 100;");
}

// Reads the words at a; when the word at b is set reads them again, and gives c[0] = their sum.
// The reads before make the block know old values, which an acquire alone forgets.
ENTRY take(const words w) {
  word sum = 0;
  for (int k = 0; k < 16; ++k) sum += ((const word *)w.a)[k];
  *(word *)(w.c + 8) = sum;
  while (load_acquire(w.b) == 0) asm volatile("nanosleep.u32 100;");
  sum = 0;
  for (int k = 0; k < 16; ++k) sum += ((const word *)w.a)[k];
  *(word *)w.c = sum;
}

// Each thread of a block of b writes a[thread], and reads its neighbour's behind a barrier: c[thread].
ENTRY exchange(const words w) {
  ((word *)w.a)[THREAD] = THREAD + 1;
  __nvvm_bar_sync(0);
  ((word *)w.c)[THREAD] = ((const word *)w.a)[(THREAD + 1) % w.b];
}
