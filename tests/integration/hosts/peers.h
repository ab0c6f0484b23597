// Starts two ofi_peer processes, on this host or each in a network namespace of its own.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/base/clock.h"
#include "tests/support/catch.h"
#include "tests/support/child.h"

namespace woa::test {

inline constexpr int kLost = 3, kUnavailable = 4;  // exit codes of ofi_peer

// A folder that goes with its owner.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "woa-hosts-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// A program with its stdout in a pipe.
class Program {
 public:
  explicit Program(const std::vector<std::string>& command) : child_([&] { return start(command); }) {
    close(ends_[1]);
  }
  ~Program() { close(ends_[0]); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // True once it printed `line`; false if it ended before or took more than 20 s.
  bool says(const std::string& line) {
    const std::uint64_t begin = now_ns();
    while (output_.find(line + "\n") == std::string::npos) {
      pollfd ready{ends_[0], POLLIN, 0};
      std::array<char, 512> part{};
      if (now_ns() - begin > 20'000'000'000 || ::poll(&ready, 1, 1000) < 0) return false;
      if (ready.revents == 0) continue;
      const ssize_t count = read(ends_[0], part.data(), part.size());
      if (count <= 0) return false;
      output_.append(part.data(), static_cast<std::size_t>(count));
    }
    return true;
  }
  // Its exit code; what it printed is in output().
  int exit_code() {
    std::array<char, 512> part{};
    for (ssize_t count = 1; (count = read(ends_[0], part.data(), part.size())) > 0;)
      output_.append(part.data(), static_cast<std::size_t>(count));
    return child_.exit_code();
  }
  [[nodiscard]] const std::string& output() const { return output_; }
  void signal(int number) const { child_.signal(number); }

 private:
  int start(const std::vector<std::string>& command) const {
    std::vector<char*> arguments;
    for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    dup2(ends_[1], STDOUT_FILENO);
    execvp(arguments.front(), arguments.data());
    return 9;
  }
  static std::array<int, 2> make_pipe() {
    std::array<int, 2> ends{};
    REQUIRE(pipe2(ends.data(), O_CLOEXEC) == 0);
    return ends;
  }

  std::array<int, 2> ends_ = make_pipe();
  Child child_;
  std::string output_;
};

// `prefix` goes before the program's name: how to get into the namespace.
inline std::vector<std::string> peer_command(const std::vector<std::string>& prefix, const std::string& role,
                                             const Folder& folder, const std::string& interface, int packets) {
  std::vector<std::string> command = prefix;
  for (const std::string& argument :
       {std::string(WOA_OFI_PEER), role, folder.path(), interface, std::to_string(packets)})
    command.push_back(argument);
  return command;
}

// A peer's loss should show within 2 s: prints how long it took, and fails after ten times that.
inline void check_time_to_loss(std::uint64_t took_ns) {
  std::printf("lost after %.2f s\n", static_cast<double>(took_ns) / 1e9);
  REQUIRE(took_ns < 20'000'000'000);
}

}  // namespace woa::test
