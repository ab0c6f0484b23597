// Any payloads go through a pipe, by any rule, in any pieces, as they were.
#include <fcntl.h>
#include <rapidcheck.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tools/frames/frame_rule.h"
#include "tools/frames/input_stream.h"

namespace woa::tools {
namespace {

using Bytes = std::vector<std::byte>;
using State = InputStream::State;

constexpr std::uint64_t kMost = 200;

Bytes bytes_of(const std::string& text) {
  const auto* const data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

PortType type_of(const FrameRule& rule) {
  PortType type;
  type.element = "bytes";
  type.max_bytes = kMost;
  if (rule.kind == FrameRule::Kind::kNpy) {
    type.element = "u16";
    type.dims = {{"rows", 0, 10}, {"columns", 3, 0}};
    type.max_bytes = type.prefix_bytes() + 60;
  }
  return type;
}

// Markers in segments and behind 0xFF 0 in the coded data end nothing.
std::string any_jpeg() {
  const auto noise = *rc::gen::resize(20, rc::gen::arbitrary<std::string>());
  std::string file = "\xFF\xD8\xFF\xE1";
  const std::string segment = noise + "\xFF\xD9";
  file += '\0';
  file += static_cast<char>(segment.size() + 2);
  file += segment + std::string("\xFF\xDA\0\x02", 4);
  for (const char c : noise) file += c == '\xFF' ? std::string("\xFF\0", 2) : std::string(1, c);
  return file + "\xFF\xD0\xFF\xD9";
}

std::string any_array(const PortType& type) {
  const auto rows = *rc::gen::inRange<std::uint32_t>(0, 11);
  std::string payload(type.prefix_bytes(), '\0');
  payload[0] = static_cast<char>(rows);
  for (std::uint32_t k = 0; k < rows * 6; ++k) payload += static_cast<char>(*rc::gen::arbitrary<char>());
  return payload;
}

std::string any_payload(const FrameRule& rule, const PortType& type) {
  switch (rule.kind) {
    case FrameRule::Kind::kJpeg: return any_jpeg();
    case FrameRule::Kind::kNpy: return any_array(type);
    case FrameRule::Kind::kFixed: return *rc::gen::container<std::string>(rule.bytes, rc::gen::arbitrary<char>());
    default: break;
  }
  auto text = *rc::gen::resize(static_cast<int>(kMost), rc::gen::arbitrary<std::string>());
  text.resize(std::min<std::size_t>(text.size(), kMost));
  if (rule.kind == FrameRule::Kind::kLines) std::erase(text, '\n');
  return text;
}

struct Pipe {
  std::array<int, 2> ends{};
  Pipe() { REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0); }
  [[nodiscard]] std::string reader() const { return "/dev/fd/" + std::to_string(ends[0]); }
  void write(const std::string& bytes) const {
    RC_ASSERT(::write(ends[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  void close_writer() { ::close(std::exchange(ends[1], -1)); }
  ~Pipe() {
    ::close(ends[0]);
    if (ends[1] >= 0) ::close(ends[1]);
  }
};

// The frames that are there.
void receive(InputStream& stream, std::vector<Bytes>& received) {
  Bytes room(kMost + 64);
  while (stream.look() == State::kFrame) {
    const auto bytes = stream.read(room);
    INFO(bytes.status().message());
    RC_ASSERT(bytes.ok());
    received.emplace_back(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(*bytes));
  }
}

TEST_CASE("frames come out of a pipe as they went in, in whatever pieces") {
  const std::string text = GENERATE("lines", "u32", "npy", "jpeg", "fixed:7");
  const auto rule = FrameRule::parse(text);
  REQUIRE(rule.ok());
  CHECK(rc::check(text, [&] {
    const PortType type = type_of(*rule);
    std::string sent;
    std::vector<Bytes> payloads, received;
    const auto count = *rc::gen::inRange(0, 8);
    for (int k = 0; k < count; ++k) {
      payloads.push_back(bytes_of(any_payload(*rule, type)));
      std::string before, after;
      const auto between = rule->wrap(type, payloads.back(), before, after);
      RC_ASSERT(between.ok());
      sent += before + std::string(reinterpret_cast<const char*>(between->data()), between->size()) + after;
    }
    Pipe pipe;
    auto stream = InputStream::open(pipe.reader(), *rule, type);
    RC_ASSERT(stream.ok());
    while (!sent.empty()) {
      const auto piece = std::min<std::size_t>(sent.size(), *rc::gen::inRange<std::size_t>(1, 100));
      pipe.write(sent.substr(0, piece));
      sent.erase(0, piece);
      receive(*stream, received);
      RC_ASSERT(stream->look() == State::kLater);
    }
    pipe.close_writer();
    receive(*stream, received);
    RC_ASSERT(stream->look() == State::kEnd);
    RC_ASSERT(received == payloads);
  }));
}

// Why the frames of `sent` cannot be read, or "ok" for those that can.
std::vector<std::string> answers(const std::string& rule_text, const std::string& sent) {
  const auto rule = FrameRule::parse(rule_text);
  const PortType type = type_of(*rule);
  Pipe pipe;
  auto stream = InputStream::open(pipe.reader(), *rule, type);
  REQUIRE(stream.ok());
  REQUIRE(::write(pipe.ends[1], sent.data(), sent.size()) == static_cast<ssize_t>(sent.size()));
  pipe.close_writer();
  std::vector<std::string> all;
  Bytes room(kMost);
  while (stream->look() == State::kFrame) {
    const auto bytes = stream->read(room);
    all.push_back(bytes.ok() ? "ok" : bytes.status().message());
  }
  return all;
}

using Answers = std::vector<std::string>;

TEST_CASE("a frame that is too long fails alone") {
  const std::string large(1000, 'x');
  CHECK(answers("lines", "a\n" + large + "\nb\n") == Answers{"ok", "1000 bytes, expected at most 200", "ok"});
  CHECK(answers("u32", std::string("\xE8\x03\0\0", 4) + large + std::string("\x01\0\0\0b", 5)) ==
        Answers{"1000 bytes, expected at most 200", "ok"});
  const std::string far_larger(50'000, 'x');
  CHECK(answers("lines", far_larger + "\nb\n") == Answers{"50000 bytes, expected at most 200", "ok"});
  CHECK(answers("lines", "a\n" + far_larger) == Answers{"ok", "50000 bytes, expected at most 200"});
  CHECK(answers("lines", "a\n" + std::string(201, 'x')) == Answers{"ok", "201 bytes, expected at most 200"});
}

TEST_CASE("a stream that ends inside a frame says so") {
  CHECK(answers("fixed:7", "1234567123") == Answers{"ok", "the stream ended inside it, after 3 bytes"});
  CHECK(answers("u32", std::string("\x05\0\0", 3)) == Answers{"the stream ended inside it, after 3 bytes"});
  CHECK(answers("u32", std::string("\x05\0\0\0abc", 7)) == Answers{"the stream ended inside it, after 7 bytes"});
  CHECK(answers("jpeg", "\xFF\xD8\xFF") == Answers{"the stream ended inside it, after 3 bytes"});
  CHECK(answers("lines", "a\nb") == Answers{"ok", "ok"});
  CHECK(answers("lines", "").empty());
}

TEST_CASE("what is no frame ends the stream") {
  CHECK(answers("jpeg", "no picture").size() == 1);
  CHECK(answers("npy", std::string(64, 'x')) ==
        Answers{"it is no array of NumPy: save it with numpy.save(); nothing behind it was read"});
}

}  // namespace
}  // namespace woa::tools
