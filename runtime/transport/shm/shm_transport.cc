#include "runtime/transport/shm/shm_transport.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "runtime/base/status.h"
#include "runtime/memory/pages.h"

namespace woa {
namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
constexpr std::size_t kMaxLabel = 200;  // memfd_create takes 249 bytes

class File {
 public:
  explicit File(int descriptor) noexcept : descriptor_(descriptor) {}
  ~File() { close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

// All of a file, or a part.
class ShmSegment final : public Segment {
 public:
  ShmSegment(int descriptor, std::size_t bytes) : file_(std::make_shared<File>(descriptor)), bytes_(bytes) {}
  ShmSegment(const ShmSegment& of, std::size_t offset, std::size_t bytes) noexcept
      : file_(of.file_), offset_(of.offset_ + offset), bytes_(bytes) {}
  std::size_t bytes() const noexcept override { return bytes_; }
  int descriptor() const noexcept override { return file_->descriptor(); }
  std::string description() const override { return {}; }
  std::size_t offset() const noexcept { return offset_; }

 private:
  std::shared_ptr<const File> file_;
  std::size_t offset_ = 0, bytes_;
};

// Bytes of a sealed segment; kInvalid if `descriptor` is not one.
Result<std::size_t> sealed_bytes(int descriptor) {
  const int seals = fcntl(descriptor, F_GET_SEALS);
  if (seals < 0) return {Code::kInvalid, "shm: descriptor is no memfd: " + system_error("F_GET_SEALS")};
  if ((seals & kSeals) != kSeals)
    return {Code::kInvalid, "shm: segment is not sealed against resizing (seals " + std::to_string(seals) +
                                ", expected " + std::to_string(kSeals) +
                                "); the sender must allocate it by this transport"};
  struct stat info {};
  if (fstat(descriptor, &info) != 0) return {Code::kInvalid, "shm: " + system_error("fstat")};
  return static_cast<std::size_t>(info.st_size);
}

Result<const ShmSegment*> own_segment(const std::shared_ptr<Segment>& segment) {
  const auto* own = dynamic_cast<const ShmSegment*>(segment.get());
  if (own == nullptr) return {Code::kInvalid, "shm: a segment of another transport; allocate it here"};
  return own;
}

}  // namespace

Result<std::shared_ptr<Segment>> ShmTransport::allocate(std::string_view label, std::size_t bytes) {
  const std::string what = "shm: segment '" + std::string(label) + "' of " + std::to_string(bytes) + " bytes";
  if (bytes == 0) return {Code::kInvalid, what + "; it needs at least 1"};
  const std::string file = "woa:" + std::string(label.substr(0, kMaxLabel));
  const int descriptor = memfd_create(file.c_str(), MFD_ALLOW_SEALING | MFD_CLOEXEC);
  if (descriptor < 0) return limit_reached(what + ": memfd_create", errno);
  auto segment = std::make_shared<ShmSegment>(descriptor, bytes);
  if (ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) {
    const Status limit = limit_reached(what + ": ftruncate", errno);
    return {limit.code(), limit.message() + "; or lower the window or the ports' bounds"};
  }
  if (fcntl(descriptor, F_ADD_SEALS, kSeals) != 0) return {Code::kInternal, what + ": " + system_error("F_ADD_SEALS")};
  return std::shared_ptr<Segment>(std::move(segment));
}

Result<std::shared_ptr<Segment>> ShmTransport::open(int descriptor, std::size_t bytes) {
  if (descriptor < 0) return {Code::kInvalid, "shm: no descriptor came with the segment; the peer must send one"};
  auto segment = std::make_shared<ShmSegment>(descriptor, bytes);  // owns the descriptor whatever happens next
  const Result<std::size_t> found = sealed_bytes(descriptor);
  if (!found.ok()) return found.status();
  if (*found != bytes)
    return {Code::kInvalid, "shm: segment has " + std::to_string(*found) + " bytes, expected " + std::to_string(bytes) +
                                "; both processes must run the same plan"};
  return std::shared_ptr<Segment>(std::move(segment));
}

Result<std::shared_ptr<Segment>> ShmTransport::part(const std::shared_ptr<Segment>& segment, std::size_t offset,
                                                    std::size_t bytes) {
  const auto own = own_segment(segment);
  if (!own.ok()) return own.status();
  WOA_RETURN_IF_ERROR(check_part(name(), segment->bytes(), offset, bytes));
  return std::shared_ptr<Segment>(std::make_shared<ShmSegment>(**own, offset, bytes));
}

Result<std::unique_ptr<Mapping>> ShmTransport::map(const std::shared_ptr<Segment>& segment, Access access) {
  const auto own = own_segment(segment);
  if (!own.ok()) return own.status();
  return map_pages(segment->descriptor(), segment->bytes(), access, (*own)->offset());
}

}  // namespace woa
