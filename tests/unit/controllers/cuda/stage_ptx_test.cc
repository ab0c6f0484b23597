// Origins of a stage's PTX: the file beside the source, the cache, NVRTC.
#include "controllers/gpu/cuda/stage_ptx.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "controllers/gpu/cuda/nvrtc.h"
#include "tests/support/captured_stderr.h"
#include "tests/support/catch.h"
#include "tests/support/need.h"
#include "tests/support/require.h"
#include "tests/unit/controllers/cuda/ptx_folder.h"

namespace woa::cuda {
namespace {

namespace fs = std::filesystem;

constexpr int kNewest = 99999;  // a driver that loads all
constexpr const char* kPtx = "//\n.version 6.3\n.target sm_75\n.address_size 64\n";

struct Cached : test::PtxFolder {
  PtxOptions options{90, kNewest, path / "cache" / "ptx"};
  fs::path source = write("k.cu", test::kernel_source("in[WOA_X]"));

  // The one entry.
  [[nodiscard]] fs::path entry() const {
    const fs::directory_iterator first(options.cache);
    REQUIRE(std::distance(begin(first), end(first)) == 1);
    return fs::directory_iterator(options.cache)->path();
  }
};

void need_nvrtc() {
  if (!open_nvrtc().ok()) test::skip("nvrtc", open_nvrtc().status().message());
}

std::string need_text(Result<Ptx> ptx) { return test::need(std::move(ptx)).text; }

std::string text_of(const fs::path& path) { return test::need(read_regular_file(path, 1 << 20)); }

}  // namespace

TEST_CASE("PTX beside the source is taken, also without the source") {
  const test::PtxFolder folder;
  folder.write("k.ptx", kPtx);
  const PtxOptions options{75, 10000, folder.path / "cache"};
  CHECK(need_text(stage_ptx(folder.path / "k.cu", options)) == kPtx);
  CHECK(!fs::exists(options.cache));

  fs::create_directory(folder.path / "folder.ptx");
  const Result<Ptx> unreadable = stage_ptx(folder.path / "folder.cu", options);
  CHECK(unreadable.status().code() == Code::kUnavailable);
  CHECK(test::has(unreadable.status().message(), "folder.ptx"));
  CHECK(test::has(unreadable.status().message(), "it is a folder"));
  const Result<Ptx> neither = stage_ptx(folder.path / "none.cu", options);
  CHECK(neither.status().code() == Code::kNotFound);
  CHECK(test::has(neither.status().message(), "none.cu"));
  CHECK(test::has(neither.status().message(), "beside kernel.yaml"));
}

TEST_CASE("PTX that is newer than the driver or the device is refused with both versions") {
  const std::string newer = "\n.version 9.0\n.target sm_90a\n";
  CHECK(check_ptx({"k.ptx", newer}, {90, 13000, {}}).ok());
  CHECK(check_ptx({"k.ptx", kPtx}, {75, 10000, {}}).ok());
  const Status driver = check_ptx({"k.ptx", newer}, {90, 12040, {}});
  CHECK(driver.code() == Code::kUnavailable);
  CHECK(test::has(driver.message(), "k.ptx has version 9.0, which needs a driver for CUDA 13.0"));
  CHECK(test::has(driver.message(), "this one is for CUDA 12.4"));
  CHECK(test::has(driver.message(), "clang-14"));
  const Status device = check_ptx({"k.ptx", newer}, {86, 13000, {}});
  CHECK(device.code() == Code::kUnsupported);
  CHECK(test::has(device.message(), "from sm_90 on"));
  CHECK(test::has(device.message(), "this one is sm_86"));
  CHECK(check_ptx({"k.ptx", "ELF"}, {90, 13000, {}}).code() == Code::kInvalid);
  CHECK(check_ptx({"k.ptx", ".version 6\n.target sm_75\n"}, {90, 13000, {}}).code() == Code::kInvalid);
}

TEST_CASE("Each PTX version belongs to a CUDA version") {
  const std::vector<std::pair<int, int>> known{{63, 10000}, {65, 10020}, {70, 11000}, {75, 11050}, {78, 11080},
                                               {80, 12000}, {85, 12050}, {86, 12070}, {88, 12090}, {90, 13000}};
  for (const auto& [ptx, cuda] : known) CHECK(cuda_of_ptx(ptx) == cuda);
  for (const int unknown : {0, 62, 66, 79, 89, 100}) CHECK(!cuda_of_ptx(unknown));
}

TEST_CASE("The cache lies in XDG_CACHE_HOME or in .cache") {
  CHECK(ptx_cache_folder("/x", "/h") == "/x/woa/ptx");
  CHECK(ptx_cache_folder("", "/h") == "/h/.cache/woa/ptx");
  CHECK(ptx_cache_folder(nullptr, nullptr).empty());
}

TEST_CASE("What NVRTC made is kept, taken again, and made again if it is damaged") {
  need_nvrtc();
  const Cached made;
  const std::string ptx = need_text(stage_ptx(made.source, made.options));
  CHECK(test::has(ptx, ".entry k("));
  const std::string kept = text_of(made.entry());
  const std::size_t begin = kept.find('\n') + 1;
  CHECK(kept.substr(begin) == ptx);

  // Only a cache that is read can answer with the comment.
  const std::string other = test::kernel_source("0");
  const Cached second;
  REQUIRE(write_file(second.source, other).ok());
  CHECK(need_text(stage_ptx(second.source, second.options)) != ptx);
  fs::copy_file(second.entry(), made.entry(), fs::copy_options::overwrite_existing);
  CHECK(need_text(stage_ptx(made.source, made.options)) != ptx);

  for (const std::string& damaged : {std::string(), kept.substr(begin), kept.substr(0, kept.size() - 1),
                                     kept.substr(0, begin), std::string(kept).replace(begin + 100, 1, "#")}) {
    REQUIRE(write_file(made.entry(), damaged).ok());
    CHECK(need_text(stage_ptx(made.source, made.options)) == ptx);
    CHECK(text_of(made.entry()) == kept);
  }
}

TEST_CASE("Another source is another entry, and a compile error is none") {
  need_nvrtc();
  const Cached cached;
  const std::string first = need_text(stage_ptx(cached.source, cached.options));
  REQUIRE(write_file(cached.source, test::kernel_source("7")).ok());
  CHECK(need_text(stage_ptx(cached.source, cached.options)) != first);
  REQUIRE(write_file(cached.source, test::kernel_source("nothing")).ok());
  const Result<Ptx> wrong = stage_ptx(cached.source, cached.options);
  CHECK(wrong.status().code() == Code::kInvalid);
  CHECK(test::has(wrong.status().message(), cached.source.string() + "(3): error"));
  CHECK(std::distance(fs::directory_iterator(cached.options.cache), fs::directory_iterator()) == 2);
}

TEST_CASE("Threads that compile, keep and damage one entry all get the same PTX") {
  need_nvrtc();
  const Cached cached;
  const std::string ptx = need_text(stage_ptx(cached.source, cached.options));
  const fs::path entry = cached.entry();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&, thread] {
      for (int round = 0; round < 10; ++round) {
        if (thread == 0) fs::remove(entry);
        if (thread == 1) ::truncate(entry.c_str(), 200);
        const Result<Ptx> got = stage_ptx(cached.source, cached.options);
        if (!got.ok() || got->text != ptx) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("A cache that cannot be written is no error, and the log says so once") {
  need_nvrtc();
  Cached cached;
  const fs::path file = cached.write("file", "");
  const test::CapturedStderr log;
  cached.options.cache = file / "below";
  const std::string ptx = need_text(stage_ptx(cached.source, cached.options));
  CHECK(need_text(stage_ptx(cached.source, cached.options)) == ptx);
  cached.options.cache.clear();
  CHECK(need_text(stage_ptx(cached.source, cached.options)) == ptx);

  const fs::path locked = cached.path / "locked";
  REQUIRE(::mkdir(locked.c_str(), 0555) == 0);
  cached.options.cache = locked;
  const bool is_root = ::geteuid() == 0;  // who may write everywhere
  if (is_root) REQUIRE(::chmod(cached.path.c_str(), 0755) == 0);
  if (is_root) REQUIRE(::seteuid(65534) == 0);
  const Result<Ptx> got = stage_ptx(cached.source, cached.options);
  if (is_root) REQUIRE(::seteuid(0) == 0);
  CHECK(need_text(got) == ptx);
  CHECK(fs::is_empty(locked));

  const std::string text = log.text();
  const std::size_t said = text.find("compiled at each start");
  CHECK(said != std::string::npos);
  CHECK(text.find("compiled at each start", said + 1) == std::string::npos);
  CHECK(test::has(text, "XDG_CACHE_HOME"));
}

TEST_CASE("NVRTC that is newer than the driver is refused with both versions") {
  need_nvrtc();
  Cached cached;
  cached.options.driver_version = 10000;
  const Result<Ptx> refused = stage_ptx(cached.source, cached.options);
  CHECK(refused.status().code() == Code::kUnavailable);
  CHECK(test::has(refused.status().message(), open_nvrtc()->name() + "'s PTX of"));
  CHECK(test::has(refused.status().message(), "CUDA 10.0"));
}

}  // namespace woa::cuda
