// Tokens that kernels of MiBench refuse, though each has a size that its port takes.
#include <filesystem>

#include "tests/support/kernel_under_test.h"
#include "tests/support/require.h"

namespace woa::test {
namespace {

std::string library(const std::string& name) {
  return std::string(WOA_BUILD_DIR "/mibench/kernels/") + name + "/lib" + name + ".so";
}

Token numbers(const std::vector<std::int32_t>& values) { return {array(values).data}; }

}  // namespace

TEST_CASE("an output with a smaller bound than a kernel of dijkstra needs is refused, and nothing is written") {
  const Token source = numbers({3, 0, -1}), matrix{Bytes(40000), {100, 100}};
  for (const std::uint64_t room : {0U, 4U, 11U}) {
    const KernelUnderTest fifo(library("dijkstra_fifo"), {}, {{room}});
    State queue(fifo);
    const Answer found = fifo.run({source}, queue.get());
    CHECK(found.status == WOA_TOO_LARGE);
    CHECK(contains(found.message, "output 'node' needs 12 bytes"));
    const KernelUnderTest keep(library("dijkstra_keep"), {}, {{room}, {room}});
    State kept(keep);
    CHECK(keep.run({source}, kept.get()).status == WOA_TOO_LARGE);
    const KernelUnderTest next(library("dijkstra_next"), {}, {{room}, {room}});
    State progress(next);
    CHECK(next.run({numbers({1})}, progress.get()).status == WOA_TOO_LARGE);
    const KernelUnderTest paths(library("dijkstra_paths"), {}, {{room}, {room}});
    State known(paths);
    CHECK(contains(paths.run({source, matrix}, known.get()).message, "output 'candidates' needs 1200 bytes"));
  }
}

TEST_CASE("sha's cursor refuses data that are shorter than what it has read") {
  const KernelUnderTest read(library("sha_read"), {{"chunk", "64"}}, {{8212}, {20}});
  State cursor(read);
  const Token state{Bytes(20)};
  for (int turn = 0; turn < 3; ++turn) REQUIRE(read.run({state, {Bytes(200)}}, cursor.get()).status == WOA_OK);
  const Answer found = read.run({state, {Bytes(10)}}, cursor.get());
  CHECK(found.status == WOA_INVALID);
  CHECK(contains(found.message, "the data have 10 bytes"));
  CHECK(contains(found.message, "`hold: true`"));
}

TEST_CASE("JPEG's entropy coding refuses coefficients that no picture has") {
  if (!std::filesystem::exists(library("jpeg_entropy"))) skip("jpeg", "libjpeg was not found when this was built");
  const KernelUnderTest entropy(library("jpeg_entropy"), {{"quality", "100"}, {"coding", "baseline"}}, {{1 << 16}});
  std::vector<std::int16_t> y(4 * 64), c(64);
  const Token frame{array(std::vector<std::uint32_t>{16, 16})}, chroma{array(c).data, {1, 1, 64}};
  const auto encoded = [&] { return entropy.run({{array(y).data, {2, 2, 64}}, chroma, chroma, frame}); };
  y[64] = -1024;
  y[65] = -1023;
  CHECK(encoded().status == WOA_OK);
  y[66] = 1024;
  const Answer found = encoded();
  CHECK(found.status == WOA_INVALID);
  CHECK(contains(found.message, "block 1 of 'y' has a coefficient beyond 1023"));
}

}  // namespace woa::test
