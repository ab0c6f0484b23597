// NVRTC takes woa_cuda.h and every source that ships, and says what is wrong with others.
#include "controllers/gpu/cuda/nvrtc.h"

#include <filesystem>

#include "tests/support/catch.h"
#include "tests/support/need.h"
#include "tests/support/require.h"
#include "tests/unit/controllers/cuda/ptx_folder.h"

namespace woa::cuda {
namespace {

namespace fs = std::filesystem;

const Nvrtc& here() {
  const Result<Nvrtc>& library = open_nvrtc();
  if (!library.ok()) test::skip("nvrtc", library.status().message());
  return *library;
}

std::vector<fs::path> shipped_sources() {
  std::vector<fs::path> found;
  for (const char* const folder : {"kernels", "bench"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(WOA_SOURCE_DIR) / folder))
      if (entry.path().extension() == ".cu") found.push_back(entry.path());
  return found;
}

}  // namespace

TEST_CASE("NVRTC compiles every cuda variant that ships, with both entries") {
  const Nvrtc& nvrtc = here();
  const std::vector<fs::path> sources = shipped_sources();
  REQUIRE(sources.size() >= 10);
  for (const fs::path& source : sources) {
    const std::string text = test::need(read_regular_file(source, 1 << 20));
    const std::string ptx = test::need(nvrtc.compile(source.string(), text));
    const std::string entry = source.stem().string();
    CHECK(test::has(ptx, ".target sm_75"));
    CHECK(test::has(ptx, ".entry " + entry + "("));
    CHECK(test::has(ptx, ".entry " + entry + "_resident("));
    CHECK(test::has(ptx, entry + "_abi[8]"));
    CHECK(!test::has(ptx, "fma."));  // a joined product and sum
  }
}

TEST_CASE("A compile error has file, line and text; another folder's headers are not found") {
  const Nvrtc& nvrtc = here();
  const Result<std::string> wrong = nvrtc.compile("/some/where/k.cu", test::kernel_source("nothing[WOA_X]"));
  CHECK(wrong.status().code() == Code::kInvalid);
  CHECK(test::has(wrong.status().message(), "/some/where/k.cu(3): error: identifier \"nothing\" is undefined"));
  CHECK(test::has(wrong.status().message(), "does not compile with " + nvrtc.name()));

  const test::PtxFolder folder;
  folder.write("helper.h", "\n");
  const Result<std::string> other =
      nvrtc.compile((folder.path / "k.cu").string(), "#include \"helper.h\"\n" + test::kernel_source("0"));
  CHECK(other.status().code() == Code::kInvalid);
  CHECK(test::has(other.status().message(), "k.cu(1)"));
  CHECK(test::has(other.status().message(), "helper.h"));
}

TEST_CASE("Without NVRTC the message has both ways out; a library that is not NVRTC is named") {
  const std::array<const char*, 2> absent{"libwoa-absent.so.1", "libwoa-absent.so.2"};
  const Result<Nvrtc> none = Nvrtc::load(absent);
  CHECK(none.status().code() == Code::kUnavailable);
  CHECK(test::has(none.status().message(), "libwoa-absent.so.1, libwoa-absent.so.2"));
  CHECK(test::has(none.status().message(), "install NVRTC"));
  CHECK(test::has(none.status().message(), "build the PTX beside the source"));

  const std::array<const char*, 1> other{"libm.so.6"};
  const Result<Nvrtc> wrong = Nvrtc::load(other);
  CHECK(wrong.status().code() == Code::kUnavailable);
  CHECK(test::has(wrong.status().message(), "libm.so.6 has no nvrtc"));
}

}  // namespace woa::cuda
