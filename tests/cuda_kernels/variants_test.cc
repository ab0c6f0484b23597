// Every cuda variant that ships or that a benchmark has, on a device: launched and resident, against its cpu variant,
// bit for bit. Small sizes suit the interpreter of the test double; a real device gets larger ones, too.
#include <algorithm>
#include <array>
#include <random>

#include "tests/cuda_kernels/kernel_rig.h"

namespace woa::test {
namespace {

using Sizes = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // height, width

constexpr std::uint64_t kMostBytes = 4 << 20;  // of a port

Token noise(Dims dims, std::size_t element_bytes, std::uint32_t seed) {
  std::minstd_rand random(seed);
  std::size_t bytes = element_bytes;
  for (const std::uint32_t dim : dims) bytes *= dim;
  Token token{Bytes(bytes), std::move(dims)};
  for (std::uint8_t& byte : token.data) {
    const auto value = random() >> 7;
    byte = static_cast<std::uint8_t>(value % 5 == 0 ? 255 : value % 5 == 1 ? 0 : value >> 3);
  }
  return token;
}

Token bytes_of(std::size_t bytes, std::uint32_t seed) {
  Token token = noise({static_cast<std::uint32_t>(bytes)}, 1, seed);
  token.dims.clear();
  return token;
}

template <class Element>
Token typed(const std::vector<Element>& values, Dims dims) {
  Token token = array(values);
  token.dims = std::move(dims);
  return token;
}

// One kernel without parameters.
KernelRig rig_of(const std::string& kernel) { return KernelRig(kernel, {{}}, kMostBytes); }

// `sizes`, and one that is large if the device is no double.
Sizes with_large(const KernelRig& rig, Sizes sizes, std::uint32_t height, std::uint32_t width) {
  if (!rig.is_simulated()) sizes.emplace_back(height, width);
  return sizes;
}

}  // namespace

TEST_CASE("cuda variant: copy and invert") {
  for (const std::string kernel : {"kernels/copy", "kernels/invert"}) {
    KernelRig rig = rig_of(kernel);
    for (const auto& [rows, columns] :
         with_large(rig, {{0, 0}, {1, 1}, {1, 255}, {1, 256}, {1, 257}, {1, 1000}, {1, 16'385}}, 1001, 3001))
      rig.compare(0, {bytes_of(std::size_t{rows} * columns, columns)});
  }
}

TEST_CASE("cuda variant: sharpen3x3") {
  KernelRig rig = rig_of("kernels/sharpen3x3");
  std::uint32_t seed = 0;
  for (const auto& [height, width] : with_large(rig, {{1, 1}, {1, 2}, {2, 1}, {3, 3}, {17, 31}, {1, 100}}, 601, 803))
    for (const std::uint32_t channels : {1U, 3U, 4U}) rig.compare(0, {noise({height, width, channels}, 1, ++seed)});
}

TEST_CASE("cuda variant: resize_bilinear") {
  const Sizes targets{{1, 1}, {3, 2}, {12, 40}, {33, 7}, {481, 643}};  // the last for a real device alone
  std::uint32_t seed = 0;
  for (const std::string fit : {"stretch", "contain", "cover"}) {
    std::vector<Params> params;
    for (const auto& [height, width] : targets)
      params.push_back({{"width", std::to_string(width)}, {"height", std::to_string(height)}, {"fit", fit}});
    KernelRig rig("kernels/resize_bilinear", params, kMostBytes);
    for (std::size_t k = 0; k < targets.size() - (rig.is_simulated() ? 1 : 0); ++k)
      for (const auto& [height, width] : with_large(rig, {{1, 1}, {9, 21}, {30, 5}}, 601, 803))
        rig.compare(k, {noise({height, width, 1 + seed % 4}, 1, seed + 1)}), ++seed;
  }
}

TEST_CASE("cuda variant: dijkstra_relax_row") {
  KernelRig rig = rig_of("mibench/kernels/dijkstra_relax_row");
  std::vector<std::int32_t> weights(10'000);
  for (std::size_t k = 0; k < weights.size(); ++k) weights[k] = static_cast<std::int32_t>(k * 7919 % 1000);
  for (const std::int32_t node : {0, 42, 99}) {
    Token at = array(std::vector<std::int32_t>{node, 1000 + node, 3});
    at.dims.clear();
    rig.compare(0, {at, typed(weights, {100, 100})});
  }
}

TEST_CASE("cuda variant: susan_response") {
  KernelRig rig = rig_of("mibench/kernels/susan_response");
  std::uint32_t seed = 0;
  for (const auto& [height, width] : with_large(rig, {{7, 7}, {7, 40}, {20, 33}}, 511, 601))
    rig.compare(0, {noise({height, width}, 1, ++seed)});
}

TEST_CASE("cuda variant: jpeg_ycc") {
  KernelRig rig = rig_of("mibench/kernels/jpeg_ycc");
  std::uint32_t seed = 0;
  for (const auto& [height, width] : with_large(rig, {{1, 1}, {8, 8}, {17, 31}, {16, 33}}, 701, 901))
    rig.compare(0, {noise({height, width, 3}, 1, ++seed)});
}

TEST_CASE("cuda variant: jpeg_fdct") {
  std::vector<Params> params;
  for (const std::string table : {"luminance", "chrominance"})
    for (const std::string quality : {"1", "49", "75", "100"})
      params.push_back({{"table", table}, {"quality", quality}});
  KernelRig rig("mibench/kernels/jpeg_fdct", params, kMostBytes);
  for (std::size_t k = 0; k < params.size(); ++k)
    for (const auto& [height, width] : with_large(rig, {{16, 24}}, 1024, 1032))
      rig.compare(k, {noise({height, width}, 1, static_cast<std::uint32_t>(k) + 1)});
}

TEST_CASE("cuda variant: sha_block") {
  KernelRig rig("mibench/kernels/sha_block", {{{"algorithm", "sha0"}}, {{"algorithm", "sha1"}}}, kMostBytes);
  for (const std::size_t sha : {0U, 1U})
    for (const auto& [blocks, bytes] : with_large(rig, {{0, 64}, {1, 64}, {3, 64}}, 501, 64))
      rig.compare(sha, {bytes_of(20 + std::size_t{blocks} * bytes, blocks + 1)});
}

TEST_CASE("cuda variant: fft_butterflies") {
  std::minstd_rand random(5);
  KernelRig rig("mibench/kernels/fft_butterflies", {{{"direction", "forward"}}, {{"direction", "inverse"}}}, 512 << 10);
  for (const std::size_t direction : {0U, 1U}) {
    for (const auto& [blocks, size] : with_large(rig, {{4, 1}, {4, 2}, {4, 16}, {4, 128}}, 4, 8192)) {
      std::vector<float> samples(std::size_t{blocks} * 2 * size);
      for (float& sample : samples) sample = static_cast<float>(random()) / 1e6F - 1000;
      rig.compare(direction, {typed(samples, {blocks, 2, size})});
    }
  }
}

TEST_CASE("WOA_BLOCK_KERNEL: threads of a block share memory") {
  KernelRig rig = rig_of("tests/cuda_kernels/reverse_blocks");
  for (const auto& [rows, columns] : with_large(rig, {{1, 1}, {1, 256}, {1, 522}}, 1001, 3001))
    rig.compare(0, {bytes_of(std::size_t{rows} * columns, 9)});
}

}  // namespace woa::test
