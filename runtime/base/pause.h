#pragma once

namespace woa {

// Tells the processor that this is a wait, so that its sibling thread gets the execution units.
inline void pause_core() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace woa
