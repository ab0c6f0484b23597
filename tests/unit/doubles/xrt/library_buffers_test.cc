// Buffers: their two sides, parts, memory of the caller, and what fails.
#include <sys/mman.h>

#include "tests/unit/doubles/xrt/library_rig.h"

namespace woa::xrt {
namespace {

constexpr std::byte kHostPoison{0xa5}, kCardPoison{0x5a};

bool holds(const std::byte* bytes, std::size_t from, std::size_t to, std::byte value) {
  return std::all_of(bytes + from, bytes + to, [&](std::byte one) { return one == value; });
}

void* map_pages(int protection) {
  void* const at = mmap(nullptr, Rig::kPage, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  NEED(at != MAP_FAILED);
  return at;
}

}  // namespace

TEST_CASE("both sides of a buffer are poison, and a copy brings the bytes that it was asked for") {
  REQUIRE_PASSES("", [] {
    Rig rig;
    constexpr std::size_t kBytes = 5 << 20;
    BufferHandle buffer = rig.buffer_alloc(rig.device, kBytes, 0, 0);
    NEED(buffer != nullptr && rig.buffer_size(buffer) == kBytes);
    auto* const host = static_cast<std::byte*>(rig.buffer_map(buffer));
    NEED(holds(host, 0, kBytes, kHostPoison));
    NEED(rig.buffer_sync(buffer, kFromDevice, 100, 1000) == 0);
    NEED(holds(host, 0, 1000, kHostPoison) && holds(host, 1000, 1100, kCardPoison));
    NEED(holds(host, 1100, kBytes, kHostPoison));
    std::memset(host, 1, kBytes);
    NEED(rig.buffer_sync(buffer, kToDevice, kBytes - 300, 200) == 0);
    std::memset(host, 2, kBytes);
    NEED(rig.buffer_sync(buffer, kFromDevice, kBytes, 0) == 0);
    NEED(holds(host, 0, 200, kCardPoison) && holds(host, 200, kBytes - 100, std::byte{1}));
    NEED(holds(host, kBytes - 100, kBytes, kCardPoison));
    NEED(rig.buffer_free(buffer) == 0);
    rig.end();
    return 0;
  });
}

TEST_CASE("a part is memory of its parent") {
  REQUIRE_PASSES("", [] {
    Rig rig;
    NEED(rig.buffer_map(rig.whole) == rig.region && rig.buffer_map(rig.outputs[1]) == rig.output(1));
    NEED(rig.buffer_address(rig.outputs[1]) == rig.buffer_address(rig.whole) + 3 * Rig::kBlock);
    BufferHandle part = rig.buffer_part(rig.outputs[1], 64, 128);
    NEED(part != nullptr && rig.buffer_map(part) == rig.output(1) + 128 && rig.buffer_size(part) == 64);
    std::memset(rig.buffer_map(part), 3, 64);
    NEED(rig.buffer_sync(part, kToDevice, 64, 0) == 0);
    std::memset(rig.buffer_map(part), 4, 64);
    NEED(rig.buffer_sync(rig.whole, kFromDevice, Rig::kPage, 0) == 0);
    NEED(holds(rig.output(1), 0, 128, kCardPoison) && holds(rig.output(1), 128, 192, std::byte{3}));
    NEED(rig.buffer_free(part) == 0);
    rig.end();
    return 0;
  });
}

TEST_CASE("the host cannot touch the card's memory, nor a buffer that was freed") {
  const auto touch = [](bool card) {
    return run_with("", [card] {
      const Rig rig;
      BufferHandle buffer = rig.buffer_alloc(rig.device, 64, 0, 0);
      void* const host = rig.buffer_map(buffer);
      const std::uint64_t address = rig.buffer_address(buffer);
      NEED(rig.buffer_free(buffer) == 0);
      const volatile char byte = *static_cast<char*>(card ? reinterpret_cast<void*>(address) : host);
      (void)byte;
      return 0;
    });
  };
  REQUIRE(touch(true).crashed());
  REQUIRE(touch(false).crashed());
}

TEST_CASE("addresses are never given out twice") {
  REQUIRE_PASSES("", [] {
    Rig rig;
    BufferHandle first = rig.buffer_alloc(rig.device, 100, 0, 0);
    const std::uint64_t address = rig.buffer_address(first);
    NEED(rig.buffer_free(first) == 0);
    BufferHandle second = rig.buffer_alloc(rig.device, 100, 0, 0), other = rig.buffer_alloc(rig.device, 100, 0, 1);
    NEED(rig.buffer_address(second) != address && first != second);
    NEED(rig.buffer_address(other) - rig.buffer_address(second) > 1u << 30);  // another bank
    NEED(rig.buffer_free(second) == 0 && rig.buffer_free(other) == 0);
    rig.end();
    return 0;
  });
}

TEST_CASE("a bank runs out, and gets its memory back") {
  REQUIRE_PASSES("memory=1M", [] {
    Rig rig;
    NEED(rig.buffer_alloc(rig.device, 1 << 20, 0, 0) == nullptr && errno == ENOMEM);
    NEED(rig.buffer_alloc(rig.device, 64, 0, 2) == nullptr && errno == EINVAL);  // no such bank
    NEED(rig.buffer_alloc(rig.device, 0, 0, 0) == nullptr && errno == EINVAL);
    for (int k = 0; k < 2; ++k) {
      BufferHandle half = rig.buffer_alloc(rig.device, 1 << 19, 0, 0);
      NEED(half != nullptr && rig.buffer_alloc(rig.device, 1 << 19, 0, 0) == nullptr);
      NEED(rig.buffer_free(half) == 0);
    }
    rig.end();
    return 0;
  });
}

TEST_CASE("memory of the caller begins with a page, and may be written to") {
  REQUIRE_PASSES("", [] {
    Rig rig;
    const auto take = [&](void* at) { return rig.buffer_user(rig.device, at, Rig::kPage, 0, 0); };
    auto* const pages = static_cast<std::byte*>(map_pages(PROT_READ | PROT_WRITE));
    NEED(rig.buffer_user(rig.device, pages + 64, 64, 0, 0) == nullptr && errno == EINVAL);
    BufferHandle buffer = take(pages);
    NEED(buffer != nullptr && rig.buffer_map(buffer) == pages && rig.buffer_free(buffer) == 0);
    NEED(pages[0] == std::byte{0});  // the caller's, so no poison
    NEED(take(map_pages(PROT_READ)) == nullptr && errno == EFAULT);
    munmap(pages, Rig::kPage);
    NEED(take(pages) == nullptr && errno == EFAULT);
    rig.end();
    return 0;
  });
  REQUIRE_PASSES("no_user_pointer", [] {
    const Functions xrt;
    DeviceHandle device = xrt.device_open(0);
    NEED(xrt.load_xclbin(device, DOUBLES "xrt/woa.xclbin") == 0);
    NEED(xrt.buffer_user(device, map_pages(PROT_READ | PROT_WRITE), 64, 0, 0) == nullptr && errno == EOPNOTSUPP);
    return xrt.device_close(device);
  });
}

TEST_CASE("the n-th allocation or transfer fails, and nothing else") {
  REQUIRE_PASSES("fail=alloc@10,fail=sync@2", [] {
    Rig rig;  // has nine buffers
    NEED(rig.buffer_alloc(rig.device, 64, 0, 0) == nullptr && errno == ENOMEM);
    NEED(rig.buffer_sync(rig.whole, kToDevice, 64, 0) == 0);
    NEED(rig.buffer_sync(rig.whole, kFromDevice, 64, 0) != 0 && errno == EIO);
    NEED(rig.buffer_sync(rig.whole, kFromDevice, 64, 0) == 0);
    NEED(rig.buffer_sync(rig.whole, 2, 64, 0) != 0 && errno == EINVAL);
    rig.end();
    return 0;
  });
}

}  // namespace woa::xrt
