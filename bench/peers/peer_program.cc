#include "bench/peers/peer_program.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string_view>

namespace woa::bench {
namespace {

// Until both sides have taken their pages, and the library its own.
std::uint64_t warm_up_of(std::size_t bytes) {
  constexpr std::uint64_t kBytes = 8 << 20, kFewest = 4, kMost = 1024;
  return std::clamp<std::uint64_t>(kBytes / bytes, kFewest, kMost);
}

template <class Number>
bool read(std::string_view text, Number least, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= least;
}

bool is_one_of(const std::string& name, const std::string& names) {
  return name.find('|') == std::string::npos && ("|" + names + "|").find("|" + name + "|") != std::string::npos;
}

}  // namespace

Result<PeerArguments> read_arguments(std::span<char*> arguments, const std::string& ways) {
  constexpr std::size_t kZero = 0, kOne = 1;
  const std::string shapes = "hop|stream";
  PeerArguments all;
  if (arguments.size() == 7 && is_one_of(arguments[1], ways) && is_one_of(arguments[2], shapes) &&
      read(arguments[3], kOne, all.bytes) && read(arguments[4], kOne, all.sides.messages) &&
      read(arguments[5], kZero, all.sides.processors[0]) && read(arguments[6], kZero, all.sides.processors[1])) {
    all.way = arguments[1];
    all.shape = std::string_view(arguments[2]) == "hop" ? PeerArguments::Shape::kHop : PeerArguments::Shape::kStream;
    all.sides.warm_up = warm_up_of(all.bytes);
    return all;
  }
  return {Code::kInvalid,
          "usage: " + std::string(arguments[0]) + " " + ways + " " + shapes + " BYTES COUNT PROCESSOR PROCESSOR"};
}

int say(const Result<double>& ns) {
  if (ns.ok()) {
    std::printf("%.0f\n", *ns);
    return 0;
  }
  std::fprintf(stderr, "%s\n", ns.status().message().c_str());
  return ns.status().code() == Code::kInvalid ? 2 : 1;
}

int run_peer(std::span<char*> arguments, const std::string& ways, const OpenPeer& open) {
  const auto all = read_arguments(arguments, ways);
  if (!all.ok()) return say(all.status());
  return say(run_two_sides(all->sides, [&](const Talk& talk, bool first) { return open(*all, talk, first); }));
}

}  // namespace woa::bench
