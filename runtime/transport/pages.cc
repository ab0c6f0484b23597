#include "runtime/transport/pages.h"

#include <sys/mman.h>

#include <cerrno>
#include <system_error>

namespace woa {
namespace {

class Pages final : public Mapping {
 public:
  explicit Pages(std::span<std::byte> bytes) noexcept : bytes_(bytes) {}
  ~Pages() override { munmap(bytes_.data(), bytes_.size()); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  std::span<std::byte> bytes() const noexcept override { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

}  // namespace

std::string system_error(const char* call) { return std::string(call) + ": " + std::generic_category().message(errno); }

Result<std::unique_ptr<Mapping>> map_pages(int descriptor, std::size_t bytes, Access access) {
  const int protection = access == Access::kRead ? PROT_READ : PROT_READ | PROT_WRITE;
  const int flags = descriptor < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
  void* at = mmap(nullptr, bytes, protection, flags, descriptor, 0);
  if (at == MAP_FAILED)
    return {Code::kExhausted, "mapping " + std::to_string(bytes) + " bytes: " + system_error("mmap") +
                                  "; lower the window or the ports' bounds, or raise the memory limit"};
  return std::unique_ptr<Mapping>(std::make_unique<Pages>(std::span(static_cast<std::byte*>(at), bytes)));
}

}  // namespace woa
