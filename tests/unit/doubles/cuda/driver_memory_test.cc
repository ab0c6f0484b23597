// Device memory, pinned memory, registration.
#include <sys/mman.h>

#include <vector>

#include "tests/unit/doubles/cuda/driver_rig.h"

namespace woa::cuda {
namespace {

constexpr std::size_t kPages = 16 << 10;

std::byte* map_pages(int protection) {
  void* const at = mmap(nullptr, kPages, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  NEED(at != MAP_FAILED);
  return static_cast<std::byte*>(at);
}

}  // namespace

TEST_CASE("the host cannot touch device memory") {
  const Ended ended = run_with("", [] {
    const Rig rig;
    return static_cast<int>(*reinterpret_cast<volatile char*>(rig.device));
  });
  REQUIRE(ended.crashed());
}

TEST_CASE("device memory runs out") {
  REQUIRE_PASSES("memory=1M", [] {
    Rig rig;  // has 64 KiB of it
    std::size_t free = 0, total = 0;
    DevicePtr at = 0;
    NEED(rig.memory_info(&free, &total) == kSuccess && total == 1 << 20 && free == total - Rig::kBytes);
    NEED(rig.memory_alloc(&at, free + 1) == kOutOfMemory);
    NEED(rig.memory_alloc(&at, free) == kSuccess && rig.memory_free(at) == kSuccess);
    NEED(rig.memory_info(&free, &total) == kSuccess && free == total - Rig::kBytes);
    rig.end();
    return 0;
  });
}

TEST_CASE("an allocation fails by its number") {
  REQUIRE_PASSES("fail=no_memory@4", [] {
    Rig rig;  // makes two
    DevicePtr at = 0;
    void* host = nullptr;
    NEED(rig.memory_alloc(&at, 16) == kSuccess);
    NEED(rig.host_alloc(&host, 16, 0) == kOutOfMemory);
    NEED(rig.memory_free(at) == kSuccess);
    rig.end();
    return 0;
  });
}

TEST_CASE("copies know the ends of memory") {
  REQUIRE_PASSES("", [] {
    Rig rig;
    NEED(rig.copy_to_device_async(rig.device + 1, rig.host, Rig::kBytes, rig.first) == kInvalidValue);
    NEED(rig.copy_to_host_async(rig.host, rig.device + 1, Rig::kBytes, rig.first) == kInvalidValue);
    NEED(rig.stream_write_value(rig.first, rig.device + Rig::kBytes, 1, 0) == kInvalidValue);
    NEED(rig.stream_write_value(rig.first, rig.device + 4, 1, 0) == kInvalidValue);
    std::vector<std::byte> to(Rig::kBytes);
    NEED(rig.copy_to_host(to.data(), rig.device, to.size()) == kSuccess && to[0] == std::byte{0xa5});
    NEED(rig.copy_to_host(to.data(), rig.device + 1, to.size()) == kInvalidValue);
    rig.end();
    return 0;
  });
}

TEST_CASE("host memory is registered as a whole, once") {
  REQUIRE_PASSES("", [] {
    Rig rig;
    std::byte* const at = map_pages(PROT_READ | PROT_WRITE);
    DevicePtr device = 0;
    NEED(rig.host_device_pointer(&device, at, 0) == kInvalidValue);
    NEED(rig.host_register(at, 8192, kRegisterMapped) == kSuccess);
    NEED(rig.host_register(at, 8192, kRegisterMapped) == kHostMemoryAlreadyRegistered);
    NEED(rig.host_register(at + 4096, 8192, kRegisterMapped) == kHostMemoryAlreadyRegistered);
    NEED(rig.host_register(rig.host, 4096, kRegisterMapped) == kHostMemoryAlreadyRegistered);
    NEED(rig.host_device_pointer(&device, at + 8, 0) == kSuccess);
    NEED(device != rig.device_of(at + 8) && device % 4096 == 8);
    NEED(rig.stream_write_value(rig.first, device, 7, 0) == kSuccess);
    NEED(rig.stream_write_value(rig.first, rig.device_of(at + 8), 7, 0) == kInvalidValue);
    NEED(rig.stream_synchronize(rig.first) == kSuccess && at[8] == std::byte{7});
    NEED(rig.host_unregister(at + 4096) == kHostMemoryNotRegistered);
    NEED(rig.host_unregister(at) == kSuccess && rig.host_unregister(at) == kHostMemoryNotRegistered);
    NEED(rig.host_register(at + 4096, 8192, 0) == kSuccess && rig.host_unregister(at + 4096) == kSuccess);
    munmap(at, kPages);
    NEED(rig.host_register(at, kPages, 0) == kInvalidValue);
    rig.end();
    return 0;
  });
}

TEST_CASE("pages that are mapped read-only need the flag, and the flag the attribute") {
  const auto body = [](Result expected) {
    Rig rig;
    std::byte* const at = map_pages(PROT_READ);
    NEED(rig.host_register(at, kPages, 0) == kInvalidValue);
    NEED(rig.host_register(at, kPages, kRegisterReadOnly) == expected);
    DevicePtr device = 0;
    if (expected == kSuccess) {
      NEED(rig.host_device_pointer(&device, at, 0) == kSuccess);
      NEED(rig.stream_write_value(rig.first, device, 7, 0) == kInvalidValue);
      NEED(rig.copy_to_host_async(at, rig.device, 8, rig.first) == kInvalidValue);
      NEED(rig.copy_to_device_async(rig.device, at, 8, rig.first) == kSuccess);
      NEED(rig.stream_synchronize(rig.first) == kSuccess && rig.host_unregister(at) == kSuccess);
    }
    rig.end();
    return 0;
  };
  REQUIRE_PASSES("", [&] { return body(kSuccess); });
  REQUIRE_PASSES("no_read_only", [&] { return body(kNotSupported); });
}

TEST_CASE("memory of one context is another's only if it is portable") {
  REQUIRE_PASSES("", [] {
    Rig rig;
    Context other = nullptr;
    Stream stream = nullptr;
    NEED(rig.context_create(&other, 0, 0) == kSuccess);
    NEED(rig.stream_create(&stream, kStreamNonBlocking, 0) == kSuccess);
    NEED(rig.stream_write_value(stream, rig.device, 1, 0) == kInvalidValue);
    NEED(rig.stream_write_value(stream, rig.device_of(rig.host), 1, 0) == kSuccess);
    NEED(rig.stream_synchronize(stream) == kSuccess && rig.load() == 1);
    NEED(rig.stream_destroy(stream) == kSuccess && rig.context_destroy(other) == kSuccess);
    NEED(rig.context_set_current(rig.context) == kSuccess);
    rig.end();
    return 0;
  });
}

}  // namespace woa::cuda
