#include "tools/frames/frame_scanner.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tools/frames/npy_array.h"

namespace woa::tools {
namespace {

using Kind = FrameRule::Kind;
using Bytes = std::span<const std::byte>;

class Lines final : public FrameScanner {
 public:
  Result<std::size_t> take(Bytes bytes) override {
    if (bytes.empty()) return std::size_t{0};
    const void* const end = std::memchr(bytes.data(), '\n', bytes.size());
    ended_ = end != nullptr;
    return ended_ ? static_cast<std::size_t>(static_cast<const std::byte*>(end) - bytes.data()) + 1 : bytes.size();
  }
  bool complete(bool at_end) const override { return ended_ || at_end; }
  std::size_t after() const override { return ended_ ? 1 : 0; }
  void begin() override { ended_ = false; }

 private:
  bool ended_ = false;
};

// A header, which tells how many bytes follow it.
class Headed : public FrameScanner {
 public:
  Result<std::size_t> take(Bytes bytes) override {
    std::size_t taken = 0;
    while (!known_ && taken < bytes.size()) {
      const std::size_t wanted = std::min(header_bytes(header_) - header_.size(), bytes.size() - taken);
      header_.insert(header_.end(), bytes.begin() + taken, bytes.begin() + taken + wanted);
      taken += wanted;
      WOA_RETURN_IF_ERROR(look());
    }
    const std::uint64_t rest = known_ ? std::min<std::uint64_t>(left_, bytes.size() - taken) : 0;
    left_ -= rest;
    return taken + rest;
  }
  bool complete(bool /*at_end*/) const override { return known_ && left_ == 0; }
  std::size_t before() const override { return header_.size(); }
  void begin() override {
    header_.clear();
    known_ = false;
    left_ = 0;
  }

 protected:
  // How many bytes the header has, as far as its begin tells: more than it has until it is whole.
  [[nodiscard]] virtual std::size_t header_bytes(Bytes begin) const = 0;
  virtual Result<std::uint64_t> data_bytes(Bytes header) const = 0;

 private:
  Status look() {
    if (header_.size() < header_bytes(header_)) return {};
    WOA_ASSIGN_OR_RETURN(const auto bytes, data_bytes(header_));
    known_ = true;
    left_ = bytes;
    return {};
  }

  std::vector<std::byte> header_;
  bool known_ = false;
  std::uint64_t left_ = 0;
};

// The lowest byte first.
std::uint64_t number(Bytes bytes) {
  std::uint64_t value = 0;
  for (std::size_t k = bytes.size(); k-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[k]);
  return value;
}

class LengthFirst final : public Headed {
  std::size_t header_bytes(Bytes /*begin*/) const override { return 4; }
  Result<std::uint64_t> data_bytes(Bytes header) const override { return number(header); }
};

class Npy final : public Headed {
  static constexpr std::size_t kLengths = 12;  // of both versions: enough to know the header's length

  std::size_t header_bytes(Bytes begin) const override {
    if (begin.size() < kLengths || !is_npy(begin)) return kLengths;
    const bool first = begin[6] == std::byte{1};
    const std::uint64_t all = first ? 10 + number(begin.subspan(8, 2)) : 12 + number(begin.subspan(8, 4));
    return std::clamp<std::uint64_t>(all, kLengths, kMostNpyHeader);
  }
  Result<std::uint64_t> data_bytes(Bytes header) const override {
    WOA_ASSIGN_OR_RETURN(const auto array, parse_npy(header));
    return array.data_bytes;  // of one that is refused, too: its instance fails, and the next frame goes on
  }
};

class Fixed final : public FrameScanner {
 public:
  explicit Fixed(std::uint64_t bytes) : bytes_(bytes), left_(bytes) {}
  Result<std::size_t> take(Bytes bytes) override {
    const std::uint64_t taken = std::min<std::uint64_t>(left_, bytes.size());
    left_ -= taken;
    return taken;
  }
  bool complete(bool /*at_end*/) const override { return left_ == 0; }
  void begin() override { left_ = bytes_; }

 private:
  std::uint64_t bytes_, left_;
};

// ITU-T T.81, annex B: segments of a marker and, but for some, a length and that many bytes; behind SOS the coded data,
// in which 0xFF is followed by 0 or by the number of a restart.
class Jpeg final : public FrameScanner {
 public:
  Result<std::size_t> take(Bytes bytes) override {
    std::size_t taken = 0;
    while (taken < bytes.size() && at_ != At::kEnd) {
      if (at_ == At::kSegment || at_ == At::kData) {
        taken += pass(bytes.subspan(taken));
        continue;
      }
      WOA_RETURN_IF_ERROR(step(std::to_integer<std::uint8_t>(bytes[taken])));
      ++taken;
    }
    return taken;
  }
  bool complete(bool /*at_end*/) const override { return at_ == At::kEnd; }
  void begin() override { *this = Jpeg(); }

 private:
  enum class At : std::uint8_t {
    kStart,
    kStartCode,
    kMarker,
    kCode,
    kLength,
    kLengthEnd,
    kSegment,
    kData,
    kInData,
    kEnd
  };
  static constexpr std::uint8_t kSoi = 0xD8, kEoi = 0xD9, kSos = 0xDA, kFirstRestart = 0xD0, kTem = 0x01;

  // Bytes that mean nothing here: the rest of a segment, or coded data.
  std::size_t pass(Bytes bytes) {
    if (at_ == At::kSegment) {
      const std::size_t count = std::min(left_, bytes.size());
      left_ -= count;
      if (left_ == 0) at_ = code_ == kSos ? At::kData : At::kMarker;
      return count;
    }
    const void* const marker = std::memchr(bytes.data(), 0xFF, bytes.size());
    if (marker == nullptr) return bytes.size();
    at_ = At::kInData;
    return static_cast<std::size_t>(static_cast<const std::byte*>(marker) - bytes.data()) + 1;
  }
  Status step(std::uint8_t byte) {
    switch (at_) {
      case At::kStart: return expect(byte == 0xFF, At::kStartCode);
      case At::kStartCode: return expect(byte == kSoi, At::kMarker);
      case At::kMarker: return expect(byte == 0xFF, At::kCode);
      case At::kCode: return code(byte);
      case At::kLength:
        left_ = static_cast<std::size_t>(byte) << 8;
        at_ = At::kLengthEnd;
        return {};
      case At::kLengthEnd:
        left_ += byte;
        if (left_ < 2) return broken();
        left_ -= 2;
        at_ = left_ > 0 ? At::kSegment : code_ == kSos ? At::kData : At::kMarker;
        return {};
      case At::kInData:
        if (byte == 0xFF) return {};  // fills
        if (byte == 0 || (byte >= kFirstRestart && byte < kSoi)) {
          at_ = At::kData;
          return {};
        }
        return code(byte);
      case At::kSegment:
      case At::kData:
      case At::kEnd: break;
    }
    return {};
  }
  Status code(std::uint8_t byte) {
    code_ = byte;
    if (byte == 0xFF) {  // fills in front of a marker
      at_ = At::kCode;
    } else if (byte == kEoi) {
      at_ = At::kEnd;
    } else if (byte == kTem || (byte >= kFirstRestart && byte < kSoi)) {
      at_ = At::kMarker;
    } else if (byte == 0 || byte == kSoi) {
      return broken();
    } else {
      at_ = At::kLength;
    }
    return {};
  }
  Status expect(bool met, At next) {
    if (!met) return broken();
    at_ = next;
    return {};
  }
  static Status broken() {
    return {Code::kInvalid,
            "it is no JPEG file, or one ends before its last marker: nothing else may stand between them"};
  }

  At at_ = At::kStart;
  std::uint8_t code_ = 0;
  std::size_t left_ = 0;  // of the segment
};

}  // namespace

std::unique_ptr<FrameScanner> FrameScanner::make(const FrameRule& rule) {
  switch (rule.kind) {
    case Kind::kLines: return std::make_unique<Lines>();
    case Kind::kU32: return std::make_unique<LengthFirst>();
    case Kind::kNpy: return std::make_unique<Npy>();
    case Kind::kJpeg: return std::make_unique<Jpeg>();
    case Kind::kFixed: return std::make_unique<Fixed>(rule.bytes);
    case Kind::kRaw: break;
  }
  return nullptr;
}

}  // namespace woa::tools
