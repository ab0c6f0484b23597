// A process with the double of libcuda.so.1, for tests of the double itself.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "controllers/gpu/cuda/cuda_api.h"
#include "runtime/base/sanitizers.h"
#include "tests/unit/doubles/double_process.h"

namespace woa::cuda {

using test::Ended;

struct Cuda {
#define WOA_MEMBER(member, symbol, name, version, parameters) Result(*member) parameters = nullptr;
  WOA_CUDA_FUNCTIONS(WOA_MEMBER)
  WOA_CUDA_OPTIONAL_FUNCTIONS(WOA_MEMBER)
#undef WOA_MEMBER
  Result (*get_proc_address)(const char*, void**, int, std::uint64_t) = nullptr;
  Result (*get_proc_address_v2)(const char*, void**, int, std::uint64_t, int*) = nullptr;

  Cuda() {
    void* const library = dlopen(WOA_BUILD_DIR "/tests/doubles/cuda/libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) std::fprintf(stderr, "%s\n", dlerror()), _exit(1);
#define WOA_LOAD(member, symbol, name, version, parameters) load(library, #symbol, member);
    WOA_CUDA_FUNCTIONS(WOA_LOAD)
    WOA_CUDA_OPTIONAL_FUNCTIONS(WOA_LOAD)
#undef WOA_LOAD
    load(library, "cuGetProcAddress", get_proc_address);
    load(library, "cuGetProcAddress_v2", get_proc_address_v2);
  }

  template <class Pointer>
  static void load(void* library, const char* symbol, Pointer& into) {
    into = reinterpret_cast<Pointer>(dlsym(library, symbol));
    NEED(into != nullptr);
  }
};

// A context with two streams, an event, 64 KiB of device memory and of pinned host memory.
struct Rig : Cuda {
  Context context = nullptr;
  Stream first = nullptr, second = nullptr;
  Event event = nullptr;
  DevicePtr device = 0;
  std::byte* host = nullptr;
  static constexpr std::size_t kBytes = 64 << 10;

  Rig() {
    NEED(init(0) == kSuccess);
    NEED(context_create(&context, 0, 0) == kSuccess);
    NEED(stream_create(&first, kStreamNonBlocking, 0) == kSuccess);
    NEED(stream_create(&second, kStreamNonBlocking, 0) == kSuccess);
    NEED(event_create(&event, kEventNoTiming) == kSuccess);
    NEED(memory_alloc(&device, kBytes) == kSuccess);
    void* at = nullptr;
    NEED(host_alloc(&at, kBytes, kHostAllocPortable) == kSuccess);
    host = static_cast<std::byte*>(at);
    std::fill(host, host + kBytes, std::byte{0});
  }

  // Gives all of it back; of a test that leaves the context healthy.
  void end() {
    NEED(stream_synchronize(first) == kSuccess && stream_synchronize(second) == kSuccess);
    NEED(module == nullptr || module_unload(module) == kSuccess);
    NEED(event_destroy(event) == kSuccess);
    NEED(stream_destroy(first) == kSuccess && stream_destroy(second) == kSuccess);
    NEED(memory_free(device) == kSuccess && host_free(host) == kSuccess);
    NEED(context_destroy(context) == kSuccess);
  }

  // Kernels of data/driver_kernels.cu.
  Module module = nullptr;
  void load_kernels() {
    std::ifstream in(WOA_SOURCE_DIR "/tests/unit/doubles/cuda/data/driver_kernels.ptx");
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    NEED(!text.empty() && module_load(&module, text.c_str(), 0, nullptr, nullptr) == kSuccess);
  }
  Function function(const char* name) const {
    Function found = nullptr;
    NEED(module_function(&found, module, name) == kSuccess);
    return found;
  }
  Result run(const char* name, Stream stream, std::array<std::uint64_t, 3> words, unsigned threads = 1,
             unsigned blocks = 1) const {
    std::size_t bytes = sizeof words;
    void* extra[] = {kLaunchBuffer, words.data(), kLaunchBufferBytes, &bytes, kLaunchEnd};
    return launch(function(name), blocks, 1, 1, threads, 1, 1, 0, stream, nullptr, extra);
  }

  std::uint64_t* word(std::size_t index = 0) const { return reinterpret_cast<std::uint64_t*>(host) + index; }
  std::uint64_t load(std::size_t index = 0) const { return __atomic_load_n(word(index), __ATOMIC_ACQUIRE); }
  DevicePtr device_of(const void* at) const { return reinterpret_cast<DevicePtr>(at); }  // pinned memory

  // False: it did not come within 5 s.
  bool await(std::uint64_t value, std::size_t index = 0) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (load(index) != value) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::yield();
    }
    return true;
  }

  void set(std::uint64_t value, std::size_t index = 0) const { __atomic_store_n(word(index), value, __ATOMIC_RELEASE); }

  // A sticky error as the stream's; kSuccess: it did not come within 5 s.
  Result await_error(Stream stream) const {
    for (int k = 0; k < 5000; ++k) {
      const Result result = stream_query(stream);
      if (result != kSuccess && result != kNotReady) return result;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return kSuccess;
  }
};

// Runs `body` in a process of its own, where WOA_CUDA_DOUBLE is `words`. Its result is the exit code.
template <class Body>
test::Ended run_with(const std::string& words, Body&& body) {
  return test::run_with("WOA_CUDA_DOUBLE", words, std::forward<Body>(body));
}

// The exit code of a process that is right, and that races on purpose: ThreadSanitizer sees that.
#ifdef WOA_THREAD_SANITIZER
inline constexpr int kRaces = 66;
#else
inline constexpr int kRaces = 0;
#endif

}  // namespace woa::cuda
