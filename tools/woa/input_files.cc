#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/node/control_socket.h"
#include "tools/woa/run_files.h"

namespace woa::tools {
namespace {

namespace fs = std::filesystem;

Result<std::vector<fs::path>> files_of(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code unreadable;
    if (entry->is_regular_file(unreadable)) files.push_back(entry->path());
  }
  if (error) return {Code::kUnavailable, "cannot read folder '" + folder.string() + "': " + error.message()};
  if (files.empty()) return {Code::kNotFound, "folder '" + folder.string() + "' holds no files"};
  std::sort(files.begin(), files.end());
  return files;
}

// Every instance reads its file anew, so it must be one that can be read again.
Result<std::vector<fs::path>> expand(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::status_known(status)) {
    return {Code::kUnavailable, "cannot read '" + path.string() + "': " + error.message()};
  }
  if (!fs::exists(status)) return {Code::kNotFound, "no such file or folder: '" + path.string() + "'"};
  if (fs::is_directory(status)) return files_of(path);
  if (fs::is_regular_file(status)) return std::vector{path};
  return {Code::kUnavailable,
          "'" + path.string() + "' is a pipe or a device, which cannot be read for each instance: write it to a file"};
}

std::string input_names(const Plan& plan) {
  std::string names;
  for (const OutputPortPlan& input : plan.stages[kSourceStage].outputs)
    names += (names.empty() ? "" : ", ") + input.name;
  return names;
}

}  // namespace

Result<InputFiles> InputFiles::open(const Plan& plan, const std::vector<std::string>& arguments) {
  const auto& inputs = plan.stages[kSourceStage].outputs;
  InputFiles out;
  out.files_.resize(inputs.size());
  for (const OutputPortPlan& input : inputs) out.names_.push_back(input.name);
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const auto input = std::find_if(inputs.begin(), inputs.end(), [&](const auto& port) { return port.name == name; });
    if (equals == std::string::npos || input == inputs.end()) {
      return {Code::kInvalid,
              "--in " + argument + ": expected NAME=FILE or NAME=FOLDER, where NAME is one of: " + input_names(plan)};
    }
    auto& files = out.files_[static_cast<std::size_t>(input - inputs.begin())];
    if (!files.empty()) return {Code::kInvalid, "--in " + name + " was given twice"};
    auto expanded = expand(argument.substr(equals + 1));
    if (!expanded.ok()) return expanded.status().with_context("--in " + name);
    files = std::move(*expanded);
    if (files.size() > 1 && out.default_instances_ > 1 && files.size() != out.default_instances_) {
      return {Code::kInvalid, "--in " + name + ": its folder holds " + std::to_string(files.size()) +
                                  " files, another input's " + std::to_string(out.default_instances_)};
    }
    out.default_instances_ = std::max<std::uint64_t>(out.default_instances_, files.size());
  }
  const auto missing = std::ranges::count_if(out.files_, [](const auto& files) { return files.empty(); });
  std::string names, options;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (!out.files_[k].empty()) continue;
    names += (names.empty() ? "'" : ", '") + inputs[k].name + "'";
    options += " --in " + inputs[k].name + "=FILE";
  }
  if (missing == 0) return out;
  return {Code::kInvalid, (missing == 1 ? "graph input " + names + " has" : "graph inputs " + names + " have") +
                              " no data: give" + options};
}

Result<std::uint64_t> InputFiles::read(std::uint32_t input, std::uint64_t instance, std::span<std::byte> room) const {
  const fs::path& path = files_[input][instance % files_[input].size()];
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (fd.get() < 0 || ::fstat(fd.get(), &status) != 0) {
    return {Code::kUnavailable, "cannot read " + path.string() + ": " + std::strerror(errno)};
  }
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  if (bytes > room.size()) {
    return {Code::kTooLarge, path.string() + " has " + std::to_string(bytes) +
                                 " bytes, but the input's declared max is " + std::to_string(room.size())};
  }
  for (std::uint64_t done = 0; done < bytes;) {
    const ssize_t got = ::pread(fd.get(), room.data() + done, bytes - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      return {Code::kUnavailable,
              "cannot read " + path.string() + ": " + (got < 0 ? std::strerror(errno) : "it became shorter")};
    done += static_cast<std::uint64_t>(got);
  }
  return bytes;
}

std::vector<ReadFile> InputFiles::files() const {
  std::vector<ReadFile> all;
  for (std::size_t k = 0; k < files_.size(); ++k)
    for (const fs::path& file : files_[k]) all.push_back({"--in " + names_[k], file});
  return all;
}

}  // namespace woa::tools
