#include "runtime/transport/ofi/registration.h"

#include <rdma/fi_errno.h>
#include <sys/random.h>

#include <atomic>

#include "runtime/memory/pages.h"
#include "runtime/transport/ofi/library.h"

namespace woa::ofi {
namespace {

constexpr int kKeyAttempts = 16;  // a random key is taken by chance only where keys are very short
constexpr std::size_t kPageBytes = 4096;

// Changes nothing: others may have mapped the same memory, and use it.
void touch_pages(std::span<std::byte> memory) noexcept {
  const auto touch = [](std::byte& at) {
    std::atomic_ref(reinterpret_cast<unsigned char&>(at)).fetch_or(0, std::memory_order_relaxed);
  };
  for (std::size_t at = 0; at < memory.size(); at += kPageBytes) touch(memory[at]);
  if (!memory.empty()) touch(memory.back());  // it need not begin with a page
}

std::uint64_t right_of(RemoteAccess access) {
  if (access == RemoteAccess::kNone) return 0;
  return access == RemoteAccess::kWrite ? FI_REMOTE_WRITE : FI_RECV;
}

Result<std::uint64_t> random_key(std::size_t key_bytes) {
  std::uint64_t key = 0;
  if (getrandom(&key, sizeof key, 0) != sizeof key)
    return {Code::kUnavailable, "ofi: no random key for registered memory: " + system_error("getrandom")};
  return key_bytes >= sizeof key ? key : key & ((std::uint64_t{1} << (8 * key_bytes)) - 1);
}

}  // namespace

Result<Registration> Registration::make(const FabricObjects& objects, std::span<std::byte> memory,
                                        RemoteAccess access) {
  const bool changes = access != RemoteAccess::kNone;
  if (changes && objects.granted(FI_MR_ALLOCATED)) touch_pages(memory);
  fid_mr* region = nullptr;
  int code = -FI_ENOKEY;
  for (int attempt = 0; code == -FI_ENOKEY && attempt < kKeyAttempts; ++attempt) {
    const Result<std::uint64_t> key = random_key(objects.info->domain_attr->mr_key_size);
    if (!key.ok()) return key.status();
    code = fi_mr_reg(objects.domain.get(), memory.data(), memory.size(), FI_WRITE | right_of(access), 0, *key, 0,
                     &region, nullptr);
  }
  if (code != 0)
    return fabric_failure(Code::kExhausted, "ofi: registering " + std::to_string(memory.size()) + " bytes: fi_mr_reg",
                          -code, "raise the limit of locked memory, or lower the window");
  Owned<fid_mr> owned(region);
  if (objects.granted(FI_MR_ENDPOINT)) {
    code = fi_mr_bind(region, &objects.endpoint->fid, 0);
    if (code == 0) code = fi_mr_enable(region);
    if (code != 0)
      return fabric_failure(Code::kExhausted, "ofi: enabling registered memory", -code,
                            "raise the limit of locked memory, or lower the window");
  }
  const bool virtual_addresses = objects.granted(FI_MR_VIRT_ADDR);
  return Registration(std::move(owned), memory.data(),
                      virtual_addresses ? reinterpret_cast<std::uint64_t>(memory.data()) : 0);
}

}  // namespace woa::ofi
