#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "runtime/base/text.h"
#include "runtime/base/unique_fd.h"
#include "runtime/controller/port_shape.h"
#include "tools/frames/npy_array.h"
#include "tools/woa/literal.h"
#include "tools/woa/run_files.h"

namespace woa::tools {
namespace {

namespace fs = std::filesystem;

struct OpenInput {
  UniqueFd fd;
  std::uint64_t bytes = 0;
};

Result<OpenInput> open_input(const fs::path& path) {
  OpenInput input{UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK))};
  struct stat status {};
  if (input.fd.get() < 0 || ::fstat(input.fd.get(), &status) != 0)
    return {Code::kUnavailable, std::string("cannot read it: ") + reason_of(errno)};
  input.bytes = static_cast<std::uint64_t>(status.st_size);
  return input;
}

// Reads all of `room` from `offset` on.
Status read_at(const OpenInput& input, std::uint64_t offset, std::span<std::byte> room) {
  while (!room.empty()) {
    const ssize_t got = ::pread(input.fd.get(), room.data(), room.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      return {Code::kUnavailable, std::string("cannot read it: ") + (got < 0 ? reason_of(errno) : "it became shorter")};
    offset += static_cast<std::uint64_t>(got);
    room = room.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

Result<std::uint64_t> read_npy(const OpenInput& input, const PortType& type, std::span<std::byte> room) {
  std::array<std::byte, kMostNpyHeader> begin;
  const auto most = std::span(begin).first(std::min<std::uint64_t>(input.bytes, begin.size()));
  WOA_RETURN_IF_ERROR(read_at(input, 0, most));
  WOA_ASSIGN_OR_RETURN(const auto array, parse_npy(most));
  if (!array.refused.ok()) return array.refused;
  WOA_ASSIGN_OR_RETURN(const auto prefix, write_prefix(type, array.element, array.dims, room));
  const std::uint64_t data = input.bytes - array.header_bytes;
  if (data > room.size() - prefix) return too_large(data, room.size() - prefix);
  WOA_RETURN_IF_ERROR(read_at(input, array.header_bytes, room.subspan(prefix, data)));
  return prefix + data;
}

Result<std::uint64_t> read_raw(const OpenInput& input, std::span<std::byte> room) {
  if (input.bytes > room.size()) return too_large(input.bytes, room.size());
  WOA_RETURN_IF_ERROR(read_at(input, 0, room.first(input.bytes)));
  return input.bytes;
}

Status advise_bound(const Status& status, const std::string& name) {
  if (status.code() != Code::kTooLarge) return status;
  return {status.code(), status.message() + "; raise `max` of input `" + name + "` in the graph"};
}

// Adds to `status` how to raise a bound, or how to give an array that no file holds yet.
Status advise(const Status& status, const std::string& name, const PortType& type, const fs::path& path) {
  if (status.code() == Code::kTooLarge) return advise_bound(status, name);
  if (status.code() != Code::kInvalid || type.dims.empty() || is_npy(path, type)) return status;
  return {status.code(), status.message() + "; give a literal such as --in " + name + "=" + literal_like(type) +
                             ", a .npy file, or the payload of docs/kernels.md"};
}

std::string frame_name(std::uint64_t instance, const std::string& pipe) {
  return "frame " + std::to_string(instance) + " of " + (pipe == "-" ? "stdin" : "'" + pipe + "'");
}

Result<std::uint64_t> read_file(const fs::path& path, const PortType& type, std::span<std::byte> room) {
  WOA_ASSIGN_OR_RETURN(const auto input, open_input(path));
  const bool has_header = is_npy(path, type) || (path.extension() == ".npz" && !type.dims.empty());
  auto bytes = has_header ? read_npy(input, type, room) : read_raw(input, room);
  if (!bytes.ok()) return bytes;
  if (const Status status = PortShape(type).check(room.first(*bytes)); !status.ok()) return status;
  return bytes;
}

}  // namespace

void add_input_option(CLI::App& command, std::vector<std::string>& arguments) {
  command
      .add_option("--in", arguments,
                  "Graph input: a file for every instance, a folder with one file per instance, or a literal such as "
                  "i64:3, f64:1,2,3 or bytes:text; .npy files for arrays")
      ->type_name("NAME=FILE|DIR|LITERAL")
      ->take_all()
      ->allow_extra_args(false);
}

void add_frames_option(CLI::App& command, std::vector<std::string>& arguments) {
  command
      .add_option("--frames", arguments,
                  "How pipes are cut into instances, all or one of them: lines, u32 (a length of 4 bytes, the lowest "
                  "first, before each), npy, jpeg, fixed:BYTES. --in NAME=- reads stdin, --out NAME=- writes stdout; "
                  "named pipes have their names")
      ->type_name("[NAME=]RULE")
      ->take_all()
      ->allow_extra_args(false);
}

std::string InputFiles::names() const { return list_of(inputs_, &Input::name); }

Result<InputFiles> InputFiles::open(const Plan& plan, const std::vector<std::string>& arguments, FrameRules* frames) {
  InputFiles out;
  for (const OutputPortPlan& port : plan.stages[kSourceStage].outputs) {
    Input& input = out.inputs_.emplace_back();
    input.name = port.name;
    input.type = port.type;
  }
  for (const std::string& argument : arguments)
    if (Status status = out.add(argument, frames); !status.ok()) return status;
  if (Status status = out.check_complete(); !status.ok()) return status;
  if (std::ranges::any_of(out.inputs_, [](const Input& input) { return input.stream.has_value(); }))
    out.default_instances_ = kEndless;
  for (const FolderFiles& folder : out.folders_) {
    if (!folder.left_out.empty()) out.warnings_.push_back(folder.left_out);
    WOA_ASSIGN_OR_RETURN(auto pairing, pair_files(out.folders_.front(), folder));
    if (!pairing.empty()) out.warnings_.push_back(std::move(pairing));
    out.default_instances_ = folder.files.size();
  }
  return out;
}

Status InputFiles::add(const std::string& argument, FrameRules* frames) {
  const std::size_t equals = argument.find('=');
  const std::string name = argument.substr(0, equals);
  const auto input = std::ranges::find(inputs_, name, &Input::name);
  if (equals == std::string::npos || input == inputs_.end())
    return {Code::kInvalid,
            "--in " + argument + ": expected NAME=FILE, NAME=FOLDER or NAME=LITERAL, where NAME is one of: " + names()};
  if (input->given) return {Code::kInvalid, "--in " + name + " was given twice"};
  input->given = true;
  const std::string value = argument.substr(equals + 1);
  if (InputStream::reads(value)) return add_stream(*input, value, frames).with_context("--in " + argument);
  if (!is_literal(value)) return add_path(*input, value);
  auto payload = parse_literal(input->type, value);
  if (!payload.ok()) return payload.status().with_context("--in " + argument);
  input->payload = std::move(*payload);
  input->literal = value;
  return {};
}

// Every instance reads its file anew, so the file must be readable more than once.
Status InputFiles::add_path(Input& input, const std::string& path) {
  const std::string option = "--in " + input.name;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::status_known(status))
    return {Code::kUnavailable, option + ": cannot read '" + path + "': " + error.message()};
  if (fs::is_symlink(fs::symlink_status(path, error)) && !fs::exists(status))
    return {Code::kNotFound, option + ": '" + path + "' is a link to '" + fs::read_symlink(path, error).string() +
                                 "', which is not there"};
  if (!fs::exists(status))
    return {Code::kNotFound, option + ": no such file or folder: '" + path + "'; check the path"};
  const auto position = static_cast<std::size_t>(&input - inputs_.data());
  if (fs::is_directory(status)) {
    auto folder = list_files(option, path);
    if (!folder.ok()) return folder.status().with_context(option);
    input.files = folder->files;
    if (folders_.empty()) naming_ = position;
    folders_.push_back(std::move(*folder));
    return {};
  }
  input.files = {path};
  if (naming_ == kNoInput) naming_ = position;
  return {};
}

Status InputFiles::add_stream(Input& input, const std::string& path, FrameRules* frames) {
  if (frames == nullptr)
    return {Code::kUnavailable, "a pipe or a device cannot be read for each instance: write it to a file"};
  input.pipe_file = stream_file(path, STDIN_FILENO);
  if (std::ranges::any_of(inputs_, [&](const Input& other) {
        return other.stream && (other.pipe == path || other.pipe_file == input.pipe_file);
      }))
    return {Code::kInvalid, "another input reads it; each needs a pipe of its own"};
  WOA_ASSIGN_OR_RETURN(const auto rule, frames->of(input.name, input.type));
  if (rule.kind == FrameRule::Kind::kRaw)
    return {Code::kInvalid,
            "nobody knows where an instance ends in a pipe: give --frames " + std::string(kFrameRuleNames)};
  WOA_ASSIGN_OR_RETURN(auto stream, InputStream::open(path, rule, input.type));
  input.stream.emplace(std::move(stream));
  input.pipe = path;
  return {};
}

Status InputFiles::check_complete() const {
  std::string names, options;
  for (const Input& input : inputs_) {
    if (input.given) continue;
    names += (names.empty() ? "'" : ", '") + input.name + "'";
    options += " --in " + input.name + "=FILE";
  }
  const auto missing = std::ranges::count_if(inputs_, [](const Input& input) { return !input.given; });
  if (missing == 0) return {};
  return {Code::kInvalid, (missing == 1 ? "graph input " + names + " has" : "graph inputs " + names + " have") +
                              " no data: give" + options};
}

InputStream::State InputFiles::look(std::uint64_t instance) {
  using State = InputStream::State;
  bool ended = uneven_, has_frame = false, later = false;
  for (Input& input : inputs_) {
    if (!input.stream) continue;
    if (input.stream->number() != instance) return State::kLater;
    const State state = input.stream->look();
    ended = ended || state == State::kEnd;
    later = later || state == State::kLater;
    has_frame = has_frame || state == State::kFrame;
  }
  if (later) return State::kLater;
  if (!ended) return State::kFrame;
  if (uneven_ || !has_frame) return State::kEnd;
  uneven_ = true;
  return State::kFrame;  // which fails in read(): one has no frame for it
}

void InputFiles::wait(int most_ms) {
  std::vector<pollfd> streams;
  for (Input& input : inputs_)
    if (input.stream && input.stream->look() == InputStream::State::kLater)
      streams.push_back({input.stream->descriptor(), POLLIN, 0});
  (void)::poll(streams.data(), streams.size(), most_ms);
}

Result<std::uint64_t> InputFiles::read(std::uint32_t input, std::uint64_t instance, std::span<std::byte> room) {
  Input& from = inputs_[input];
  if (from.stream) {
    const bool ended = from.stream->look() == InputStream::State::kEnd;
    if (ended) from.stream->skip();
    auto bytes = ended ? Result<std::uint64_t>(Status(Code::kInvalid, "the stream has ended, but another has more"))
                       : from.stream->read(room);
    if (bytes.ok()) return bytes;
    return advise_bound(bytes.status().with_context(frame_name(instance, from.pipe)), from.name);
  }
  if (from.files.empty()) {
    std::ranges::copy(from.payload, room.begin());  // parse_literal() has compared it with the bound
    return from.payload.size();
  }
  const fs::path& path = from.file(instance);
  auto bytes = read_file(path, from.type, room);
  if (bytes.ok()) return bytes;
  return advise(bytes.status().with_context("'" + path.string() + "'"), from.name, from.type, path);
}

void InputFiles::drop(std::uint64_t instance) {
  for (Input& input : inputs_)
    if (input.stream && input.stream->number() == instance) input.stream->skip();
}

std::string InputFiles::reader_of(const StreamFile& file) const {
  const auto reader = std::ranges::find_if(
      inputs_, [&](const Input& input) { return input.stream && !file.two_way && input.pipe_file == file; });
  return reader == inputs_.end() ? std::string() : reader->name;
}

std::vector<ReadFile> InputFiles::files() const {
  std::vector<ReadFile> all;
  for (const Input& input : inputs_) {
    for (const fs::path& file : input.files) all.push_back({"--in " + input.name, file});
    if (input.pipe == "-") all.push_back({"--in " + input.name, "/dev/stdin"});  // perhaps a file
  }
  return all;
}

std::vector<std::pair<std::string, std::string>> InputFiles::of_instance(std::uint64_t instance) const {
  std::vector<std::pair<std::string, std::string>> all;
  for (const Input& input : inputs_)
    all.emplace_back(input.name, input.stream          ? frame_name(instance, input.pipe)
                                 : input.files.empty() ? input.literal
                                                       : input.file(instance).string());
  return all;
}

std::string InputFiles::name_of(std::uint64_t instance) const {
  return naming_ == kNoInput ? std::string() : inputs_[naming_].file(instance).stem().string();
}

}  // namespace woa::tools
