#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include "runtime/base/file.h"
#include "tests/support/catch.h"

namespace woa {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "woa-pending-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path file(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }
  std::ptrdiff_t entries() const { return std::distance(fs::directory_iterator(path_), {}); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string text_of(const fs::path& path) {
  auto text = read_regular_file(path, 1 << 20);
  return text.ok() ? *text : text.status().message();
}

TEST_CASE("a pending file takes its place at commit() and not before") {
  const Folder folder;
  const fs::path path = folder.file("out", "old");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  auto file = PendingFile::open(path);
  REQUIRE(file.ok());
  REQUIRE(file->write("new ").ok());
  REQUIRE(file->write("text").ok());
  CHECK(text_of(path) == "old");
  REQUIRE(file->commit().ok());
  CHECK(text_of(path) == "new text");
  CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(folder.entries() == 1);
}

TEST_CASE("a pending file that is given up leaves the place as it was") {
  const Folder folder;
  const fs::path path = folder.file("out", "old");
  {
    auto kept = PendingFile::open(path), absent = PendingFile::open(folder.path() / "absent");
    REQUIRE((kept.ok() && absent.ok()));
    REQUIRE(kept->write("new").ok());
    REQUIRE(absent->write("new").ok());
    const PendingFile moved = std::move(*kept);
  }
  CHECK(text_of(path) == "old");
  CHECK(folder.entries() == 1);
}

TEST_CASE("a pending file is written behind links, which stay") {
  const Folder folder;
  const fs::path path = folder.file("out", "old");
  fs::create_symlink("out", folder.path() / "link");
  fs::create_symlink("later", folder.path() / "dangling");
  REQUIRE(write_file(folder.path() / "link", "new").ok());
  REQUIRE(write_file(folder.path() / "dangling", "first").ok());
  CHECK(fs::is_symlink(folder.path() / "link"));
  CHECK(text_of(path) == "new");
  CHECK(text_of(folder.path() / "later") == "first");
}

TEST_CASE("a pipe is written directly") {
  const Folder folder;
  const fs::path pipe = folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::string read;
  std::thread reader([&] { read.assign(std::istreambuf_iterator<char>(std::ifstream(pipe).rdbuf()), {}); });
  CHECK(write_file(pipe, "through").ok());
  reader.join();
  CHECK(read == "through");
  CHECK(fs::is_fifo(pipe));
}

TEST_CASE("a pipe that nobody reads is an error") {
  const Folder folder;
  const fs::path pipe = folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(write_file(pipe, "text").message() == "nobody reads the pipe '" + pipe.string() + "'; start its reader first");
}

TEST_CASE("a pipe whose reader is slow takes all") {
  const Folder folder;
  const fs::path pipe = folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const std::string text(1 << 20, 'x');  // more than a pipe holds
  std::string read;
  std::thread reader([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::ifstream from(pipe);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    read.assign(std::istreambuf_iterator<char>(from.rdbuf()), {});
  });
  CHECK(write_file(pipe, text).ok());
  reader.join();
  CHECK(read == text);
}

TEST_CASE("a place that cannot be written is refused before anything is written") {
  const Folder folder;
  const auto refusal = [](const fs::path& path, Code code) {
    const Status status = PendingFile::open(path).status();
    CHECK(status.code() == code);
    CHECK(check_writable(path).message() == status.message());
    return status.message();
  };
  CHECK(refusal(folder.path() / "none" / "out", Code::kNotFound).find("mkdir -p") != std::string::npos);
  CHECK(refusal(folder.path(), Code::kUnavailable).find("Is a directory") != std::string::npos);
  CHECK(refusal("", Code::kNotFound).starts_with("cannot write ''"));
  CHECK(folder.entries() == 0);
}

TEST_CASE("a full disk is named") {
  CHECK(write_file("/dev/full", "text").message() == "cannot write '/dev/full': No space left on device");
}

}  // namespace
}  // namespace woa
