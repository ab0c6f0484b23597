#include "runtime/plan/plan_file.h"

#include <bit>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

#include "runtime/base/file.h"
#include "runtime/packet/crc32c.h"
#include "runtime/plan/plan_message.h"

namespace woa {
namespace {

namespace fs = std::filesystem;
static_assert(std::endian::native == std::endian::little, "the header's numbers are stored as they lie in memory");

constexpr std::string_view kMagic = "WOAPLAN\n";

struct Header {
  std::uint32_t version = 0, body_bytes = 0, body_crc = 0;
};
constexpr std::size_t kHeaderBytes = kMagic.size() + sizeof(Header);
constexpr std::uint32_t kMaxPlanBytes = 1U << 30;

// The path and the system's reason for `error`.
Status system_failure(const fs::path& path, std::string_view doing, int error) {
  const Code code = error == ENOENT ? Code::kNotFound : Code::kUnavailable;
  return {code, path.string() + ": cannot " + std::string(doing) + ": " + reason_of(error)};
}

// Changes every path of the plan that may be relative to the plan file.
template <class Change>
void change_paths(Plan& plan, const Change& change) {
  for (StagePlan& stage : plan.stages) {
    if (!stage.kernel_file.empty()) stage.kernel_file = change(stage.kernel_file);
    for (ParamPlan& param : stage.params) {
      if (param.type == ParamType::kFile && !param.value.empty()) param.value = change(param.value);
    }
  }
}

// The folder of the plan file, without symbolic links, so that ".." in a path relative to it keeps its meaning.
Result<fs::path> folder_of(const fs::path& plan_path) {
  std::error_code error;
  const fs::path folder = fs::canonical(fs::absolute(plan_path, error).parent_path(), error);
  if (error == std::errc::no_such_file_or_directory) {
    const std::string missing = plan_path.parent_path().string();
    return {Code::kNotFound, plan_path.string() + ": folder '" + missing + "' does not exist: mkdir -p " + missing};
  }
  if (error) return system_failure(plan_path, "find the folder", error.value());
  return folder;
}

std::string relative_to(const std::string& path, const fs::path& folder) {
  if (fs::path(path).is_relative()) return path;
  std::error_code error;
  const fs::path parent = fs::weakly_canonical(fs::path(path).parent_path(), error);
  if (error) return path;
  const fs::path relative = (parent / fs::path(path).filename()).lexically_relative(folder);
  return relative.empty() ? path : relative.string();
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

Result<Header> parse_header(std::span<const std::byte> bytes) {
  if (!looks_like_plan(bytes))
    return {Code::kInvalid,
            "not a plan file: it does not begin with \"WOAPLAN\"; `woa compile GRAPH -o PLAN` writes one"};
  if (bytes.size() < kHeaderBytes)
    return {Code::kInvalid, "plan: the file ends inside its header; it was truncated: compile the graph again"};
  Header header;
  std::memcpy(&header, bytes.data() + kMagic.size(), sizeof header);
  if (header.version != kPlanVersion) {
    return {Code::kUnsupported, "plan: written in version " + std::to_string(header.version) +
                                    " of the format, this runtime reads version " + std::to_string(kPlanVersion) +
                                    " only; make it anew with this runtime: woa compile GRAPH -o PLAN"};
  }
  if (header.body_bytes > kMaxPlanBytes)
    return {Code::kInvalid, "plan: its header says that the body has " + std::to_string(header.body_bytes) +
                                " bytes, at most " + std::to_string(kMaxPlanBytes) +
                                " are read; the file is damaged: compile the graph again"};
  return header;
}

// Reads as much as the header says; of a file that is no plan, only the header.
Result<std::string> read_bytes(const fs::path& path) {
  Result<std::string> head = read_regular_file(path, kHeaderBytes);
  if (!head.ok()) return head.status().with_context("cannot read");
  const Result<Header> header = parse_header(bytes_of(*head));
  if (!header.ok()) return header.status();
  Result<std::string> all = read_regular_file(path, kHeaderBytes + std::uint64_t{header->body_bytes} + 1);
  return all.ok() ? std::move(all) : all.status().with_context("cannot read");
}

}  // namespace

std::string serialize(const Plan& plan, std::string_view proofs) {
  const std::string body = encode_plan_message(plan, proofs);
  const Header header{kPlanVersion, static_cast<std::uint32_t>(body.size()), crc32c(std::as_bytes(std::span(body)))};
  std::string bytes(kMagic);
  bytes.append(reinterpret_cast<const char*>(&header), sizeof header);
  return bytes + body;
}

bool looks_like_plan(std::span<const std::byte> bytes) noexcept {
  return bytes.size() >= kMagic.size() && std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

Result<Plan> parse_plan(std::span<const std::byte> bytes, std::string* proofs) {
  const Result<Header> header = parse_header(bytes);
  if (!header.ok()) return header.status();
  const auto body = bytes.subspan(kHeaderBytes);
  if (body.size() != header->body_bytes) {
    const char* what = body.size() > header->body_bytes ? "appended to" : "truncated";
    return {Code::kInvalid, "plan: its header says that the body has " + std::to_string(header->body_bytes) +
                                " bytes; the file was " + what + ": compile the graph again"};
  }
  if (crc32c(body) != header->body_crc)
    return {Code::kInvalid, "plan: the checksum does not match; the file is damaged: compile the graph again"};
  Result<Plan> plan = decode_plan_message({reinterpret_cast<const char*>(body.data()), body.size()}, proofs);
  if (!plan.ok()) return plan;
  WOA_RETURN_IF_ERROR(validate(*plan));
  return plan;
}

Result<Plan> read_plan(const fs::path& path, std::string* proofs) {
  const Result<std::string> bytes = read_bytes(path);
  if (!bytes.ok()) return bytes.status().with_context(path.string());
  Result<Plan> plan = parse_plan(bytes_of(*bytes), proofs);
  if (!plan.ok()) return plan.status().with_context(path.string());
  const Result<fs::path> folder = folder_of(path);
  if (!folder.ok()) return folder.status();
  change_paths(*plan, [&](const std::string& p) { return (*folder / p).lexically_normal().string(); });
  return plan;
}

Status write_plan(const Plan& plan, const fs::path& path, std::string_view proofs) {
  if (const Status movable = check_movable(plan); !movable.ok())
    return movable.with_context(path.string() + ": not written");
  const Result<fs::path> folder = folder_of(path);
  if (!folder.ok()) return folder.status();
  Plan stored = plan;
  change_paths(stored, [&](const std::string& p) { return relative_to(p, *folder); });
  return write_file(path, serialize(stored, proofs));
}

}  // namespace woa
