#include "bench/peers/peer_program.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string_view>

#include "runtime/base/scalar.h"

namespace woa::bench {
namespace {

using Shape = PeerArguments::Shape;

struct NamedShape {
  std::string_view name;
  Shape shape;
  std::size_t least_bytes, most_sides;
};
constexpr std::size_t kFewestSides = 2, kMostSides = 1024;
constexpr NamedShape kShapes[] = {{"hop", Shape::kHop, 1, kFewestSides},
                                  {"stream", Shape::kStream, 1, kFewestSides},
                                  {"pipeline", Shape::kPipeline, 2, kMostSides},
                                  {"fanout", Shape::kFanout, 1, kMostSides}};

template <class Number>
bool read(std::string_view text, Number least, Number& number) {
  const auto value = parse_digits(text);
  number = value.value_or(0);
  return value && number >= least;
}

bool is_one_of(const std::string& name, const std::string& names) {
  return name.find('|') == std::string::npos && ("|" + names + "|").find("|" + name + "|") != std::string::npos;
}

// Reads the arguments behind the shape into `all`.
bool read_numbers(std::span<char*> arguments, const NamedShape& named, PeerArguments& all) {
  constexpr std::size_t kZero = 0, kOne = 1, kBefore = 3;
  const auto processors = arguments.subspan(std::min(kBefore, arguments.size()));
  if (processors.size() < kFewestSides || processors.size() > named.most_sides) return false;
  all.sides.processors.resize(processors.size());
  for (std::size_t k = 0; k < processors.size(); ++k)
    if (!read(processors[k], kZero, all.sides.processors[k])) return false;
  return read(arguments[0], named.least_bytes, all.bytes) && read(arguments[1], kOne, all.window) &&
         read(arguments[2], std::uint64_t{1}, all.sides.messages);
}

}  // namespace

std::uint64_t warm_up_of(std::size_t bytes, std::size_t window) {
  constexpr std::uint64_t kBytes = 8 << 20, kFewest = 4, kMost = 1024;
  return std::max<std::uint64_t>(std::clamp<std::uint64_t>(kBytes / bytes, kFewest, kMost), window + 2);
}

Result<PeerArguments> read_arguments(std::span<char*> arguments, const std::string& ways) {
  constexpr std::size_t kBefore = 3;
  PeerArguments all;
  const NamedShape* named = std::end(kShapes);
  if (arguments.size() > kBefore && is_one_of(arguments[1], ways))
    named = std::ranges::find(kShapes, std::string_view(arguments[2]), &NamedShape::name);
  if (named != std::end(kShapes) && read_numbers(arguments.subspan(kBefore), *named, all)) {
    all.way = arguments[1];
    all.shape = named->shape;
    all.sides.warm_up = warm_up_of(all.bytes, all.window);
    return all;
  }
  return {Code::kInvalid, "usage: " + std::string(arguments[0]) + " " + ways +
                              " hop|stream|pipeline|fanout BYTES WINDOW COUNT PROCESSOR PROCESSOR..."};
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
  return say(run_sides(all->sides, [&](const Talk& talk) { return open(*all, talk); }));
}

}  // namespace woa::bench
