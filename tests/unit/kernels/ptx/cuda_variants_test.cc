// Every cuda variant that ships, against its cpu variant, bit for bit. The committed PTX is interpreted: launched for a
// firing, and as a resident worker. Memory ends where its ports do, so an access beyond them ends the launch.
#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "kernels/woa_cuda.h"
#include "tests/support/kernel_under_test.h"
#include "tests/unit/doubles/cuda/ptx_rig.h"

namespace woa::test {
namespace {

using Words = std::vector<std::uint64_t>;

struct Variant {
  std::string folder, name;  // in the tree; of the build's library
  std::vector<Room> rooms;
  std::vector<std::size_t> global = {};  // dimensions of the first output; none: its bytes
  Params params = {};
  std::vector<int> ints = {};  // the same parameters, as a device gets them
  std::size_t scratch_bytes = 0;
};

std::array<std::uint32_t, 3> block_of(const Variant& variant) {
  if (variant.global.size() == 2) return {16, 16, 1};
  return {256, 1, 1};
}

// A firing as woa_cuda.h lays it out.
Words firing_of(const Variant& variant, ptx::HostMemory& memory, std::vector<Token>& ins, std::vector<Token>& outs) {
  Words words(WOA_CUDA_WORK_WORDS, 1);
  for (std::size_t k = 0; k < variant.global.size(); ++k) words[k] = outs[0].dims[variant.global[k]];
  if (variant.global.empty()) words[0] = outs[0].data.size();
  const auto add = [&](Token& token, bool store) {
    Dims dims = token.dims.empty() ? Dims{static_cast<std::uint32_t>(token.data.size())} : token.dims;
    dims.resize(4);
    words.insert(words.end(), {memory.add(token.data, store), token.data.size(), dims[0] | std::uint64_t{dims[1]} << 32,
                               dims[2] | std::uint64_t{dims[3]} << 32});
  };
  for (Token& token : ins) add(token, false);
  for (Token& token : outs) add(token, true);
  for (const int value : variant.ints) words.push_back(static_cast<std::uint64_t>(std::int64_t{value}));
  return words;
}

void launch(const Variant& variant, ptx::Rig& rig, const Words& firing) {
  const auto block = block_of(variant);
  std::array<std::uint32_t, 3> grid{};
  for (std::size_t k = 0; k < 3; ++k) grid[k] = static_cast<std::uint32_t>((firing[k] + block[k] - 1) / block[k]);
  const ptx::Outcome outcome = rig.launch(variant.name, grid, block, firing);
  INFO(outcome.what);
  REQUIRE(outcome.end == ptx::End::kDone);
}

// One firing in the ring, and the order to leave behind it.
void launch_resident(const Variant& variant, ptx::Rig& rig, const Words& firing) {
  constexpr std::uint64_t kSlots = 2, kValue = 77;
  const std::size_t slot_words = 2 + firing.size() + 2 * std::size_t{WOA_CUDA_MOST_PUBLICATIONS};
  Words ring(kSlots * slot_words), control(sizeof(woa_worker_control) / 8), published(1);
  control[offsetof(woa_worker_control, stop) / 8] = 1;
  ring[0] = 1, ring[1] = 1;
  std::copy(firing.begin(), firing.end(), ring.begin() + 2);
  ring[2 + firing.size()] = rig.memory.add(published);
  ring[3 + firing.size()] = kValue;
  const Words worker{rig.memory.add(ring), kSlots, slot_words * 8, rig.memory.add(control), 1, 1'000'000'000};
  const ptx::Outcome outcome = rig.launch(variant.name + "_resident", {1, 1, 1}, block_of(variant), worker);
  INFO(outcome.what);
  REQUIRE(outcome.end == ptx::End::kDone);
  CHECK(published[0] == kValue);
  CHECK(control[offsetof(woa_worker_control, done) / 8] == 1);
  CHECK(control[offsetof(woa_worker_control, parked) / 8] == 1);
}

void compare(const Variant& variant, std::vector<Token> ins) {
  const std::string library = std::string(WOA_BUILD_DIR) + (contains(variant.folder, "mibench") ? "/mibench" : "") +
                              "/kernels/" + variant.name + "/lib" + variant.name + ".so";
  const KernelUnderTest cpu(library, variant.params, variant.rooms, variant.scratch_bytes);
  INFO(cpu.created().message);
  const Answer expected = cpu.run(ins);
  INFO(variant.name << ": " << expected.message);
  REQUIRE(expected.status == WOA_OK);
  const std::string ptx = ptx::text_of(WOA_SOURCE_DIR "/" + variant.folder + "/" + variant.name + ".ptx");
  for (const auto run : {launch, launch_resident}) {
    std::vector<Token> outs;
    for (const auto& out : cpu.size(ins).outs) outs.push_back(*out);
    ptx::Rig rig(ptx);
    run(variant, rig, firing_of(variant, rig.memory, ins, outs));
    for (std::size_t k = 0; k < outs.size(); ++k) CHECK((outs[k] == expected.outs[k]));
  }
}

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

}  // namespace

TEST_CASE("cuda variant: copy and invert") {
  for (const std::uint32_t bytes : {1U, 255U, 256U, 257U, 1000U})
    for (const std::string name : {"copy", "invert"})
      compare({"kernels/" + name, name, {{bytes, 0}}}, {bytes_of(bytes, bytes)});
}

TEST_CASE("cuda variant: sharpen3x3") {
  std::uint32_t seed = 0;
  for (const auto& [height, width] :
       std::vector<std::pair<std::uint32_t, std::uint32_t>>{{1, 1}, {1, 2}, {2, 1}, {3, 3}, {17, 31}, {1, 100}})
    for (const std::uint32_t channels : {1U, 3U, 4U})
      compare({"kernels/sharpen3x3", "sharpen3x3", {{10'000, 3}}, {1, 0}},
              {noise({height, width, channels}, 1, ++seed)});
}

TEST_CASE("cuda variant: resize_bilinear") {
  const std::array<std::string, 3> fits{"stretch", "contain", "cover"};
  std::uint32_t seed = 0;
  for (int fit = 0; fit < 3; ++fit) {
    for (const auto& [width, height] : std::vector<std::pair<int, int>>{{1, 1}, {2, 3}, {40, 12}, {7, 33}}) {
      const Variant variant{"kernels/resize_bilinear",
                            "resize_bilinear",
                            {{20'000, 3}},
                            {1, 0},
                            {{"width", std::to_string(width)},
                             {"height", std::to_string(height)},
                             {"fit", fits[static_cast<std::size_t>(fit)]}},
                            {width, height, fit},
                            1408 << 10};
      for (const auto& [rows, columns] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{{1, 1}, {9, 21}, {30, 5}})
        compare(variant, {noise({rows, columns, 1 + seed % 4}, 1, seed + 1)}), ++seed;
    }
  }
}

TEST_CASE("cuda variant: dijkstra_relax_row") {
  const Variant variant{"bench/mibench/dijkstra/dijkstra_relax_row", "dijkstra_relax_row", {{400, 0}}};
  std::vector<std::int32_t> weights(10'000);
  for (std::size_t k = 0; k < weights.size(); ++k) weights[k] = static_cast<std::int32_t>(k * 7919 % 1000);
  for (const std::int32_t node : {0, 42, 99}) {
    Token at = array(std::vector<std::int32_t>{node, 1000 + node, 3});
    at.dims.clear();
    compare(variant, {at, typed(weights, {100, 100})});
  }
}

TEST_CASE("cuda variant: susan_response") {
  std::uint32_t seed = 0;
  for (const auto& [height, width] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{{7, 7}, {7, 40}, {20, 33}})
    compare({"bench/mibench/susan/susan_response", "susan_response", {{10'000, 2}}, {1, 0}},
            {noise({height, width}, 1, ++seed)});
}

TEST_CASE("cuda variant: jpeg_ycc") {
  std::uint32_t seed = 0;
  for (const auto& [height, width] :
       std::vector<std::pair<std::uint32_t, std::uint32_t>>{{1, 1}, {8, 8}, {17, 31}, {16, 33}})
    compare({"bench/mibench/jpeg/jpeg_ycc", "jpeg_ycc", {{10'000, 2}, {10'000, 2}, {10'000, 2}}, {1, 0}},
            {noise({height, width, 3}, 1, ++seed)});
}

TEST_CASE("cuda variant: jpeg_fdct") {
  std::uint32_t seed = 0;
  for (const int table : {0, 1})
    for (const int quality : {1, 49, 75, 100})
      compare({"bench/mibench/jpeg/jpeg_fdct",
               "jpeg_fdct",
               {{10'000, 3}},
               {1, 0},
               {{"table", table == 0 ? "luminance" : "chrominance"}, {"quality", std::to_string(quality)}},
               {table, quality}},
              {noise({16, 24}, 1, ++seed)});
}

TEST_CASE("cuda variant: sha_block") {
  for (const int sha1 : {0, 1})
    for (const std::size_t blocks : {0U, 1U, 3U})
      compare({"bench/mibench/sha/sha_block",
               "sha_block",
               {{20, 0}},
               {},
               {{"algorithm", sha1 == 0 ? "sha0" : "sha1"}},
               {sha1}},
              {bytes_of(20 + 64 * blocks, static_cast<std::uint32_t>(blocks) + 1)});
}

TEST_CASE("cuda variant: fft_butterflies") {
  std::minstd_rand random(5);
  for (const int inverse : {0, 1}) {
    for (const std::uint32_t size : {1U, 2U, 16U, 128U}) {
      std::vector<float> samples(std::size_t{4} * 2 * size);
      for (float& sample : samples) sample = static_cast<float>(random()) / 1e6F - 1000;
      compare({"bench/mibench/fft/fft_butterflies",
               "fft_butterflies",
               {{10'000, 3}},
               {2, 0},
               {{"direction", inverse == 0 ? "forward" : "inverse"}},
               {inverse},
               512 << 10},
              {typed(samples, {4, 2, size})});
    }
  }
}

TEST_CASE("WOA_BLOCK_KERNEL: threads of a block share memory, launched and resident") {
  constexpr std::size_t kBlock = 256;
  const Variant variant{{}, "reverse_blocks", {}};
  const std::string ptx = ptx::text_of(WOA_SOURCE_DIR "/tests/unit/kernels/ptx/reverse_blocks.ptx");
  for (const std::size_t bytes : {std::size_t{1}, kBlock, 2 * kBlock + 10}) {
    for (const auto run : {launch, launch_resident}) {
      std::vector<Token> ins{bytes_of(bytes, 9)}, outs{Token{Bytes(bytes)}};
      ptx::Rig rig(ptx);
      rig.dynamic_shared = kBlock;
      run(variant, rig, firing_of(variant, rig.memory, ins, outs));
      Bytes expected = ins[0].data;
      for (std::size_t at = 0; at < bytes; at += kBlock)
        std::reverse(expected.data() + at, expected.data() + std::min(at + kBlock, bytes));
      CHECK((outs[0].data == expected));
    }
  }
}

}  // namespace woa::test
