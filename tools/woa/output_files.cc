#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>

#include "tools/woa/run_files.h"
#ifdef WOA_HAVE_OPENSSL
#include <openssl/evp.h>
#endif

namespace woa::tools {
#ifdef WOA_HAVE_OPENSSL
class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) { EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr); }
  void add(std::span<const std::byte> bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }
  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    EVP_DigestFinal_ex(context_.get(), digest.data(), &length);
    std::string text;
    for (unsigned k = 0; k < length; ++k) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      text += {kDigits[digest[k] >> 4], kDigits[digest[k] & 15]};
    }
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};
#else
class Sha256 {  // this build has no library that computes it
 public:
  void add(std::span<const std::byte>) {}
  std::string hex() { return {}; }
};
#endif

namespace {

constexpr std::string_view kNumber = "%i";  // in a pattern: the instance

// Where `pattern` writes to must be there before hours of work are put into it.
Status check_folder(const std::string& pattern) {
  const std::filesystem::path folder = std::filesystem::path(pattern).parent_path();
  std::error_code error;
  if (folder.empty() || folder.string().find(kNumber) != std::string::npos ||
      std::filesystem::is_directory(folder, error))
    return {};
  return {Code::kNotFound, "there is no folder '" + folder.string() + "': make it first"};
}

}  // namespace

struct OutputFiles::Output {
  std::string name, pattern;  // pattern: empty if it is not written
  std::ofstream whole;        // open if all instances go to one file
  Sha256 digest;
  std::uint64_t bytes = 0, absent = 0;
};

OutputFiles::OutputFiles() = default;
OutputFiles::OutputFiles(OutputFiles&&) noexcept = default;
OutputFiles::~OutputFiles() = default;

std::vector<WrittenFile> named_outputs(const std::vector<std::string>& arguments) {
  std::vector<WrittenFile> files;
  for (const std::string& argument : arguments)
    if (const std::size_t equals = argument.find('='); equals < argument.size() - 1)
      files.push_back({"--out " + argument.substr(0, equals), argument.substr(equals + 1), true});
  return files;
}

Result<OutputFiles> OutputFiles::open(const Plan& plan, const std::vector<std::string>& arguments) {
  OutputFiles out;
  std::string names;
  for (const InputPortPlan& port : plan.stages[kSinkStage].inputs) {
    out.outputs_.push_back(std::make_unique<Output>());
    out.outputs_.back()->name = port.name;
    names += (names.empty() ? "" : ", ") + port.name;
  }
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.find('=');
    const auto output = std::find_if(out.outputs_.begin(), out.outputs_.end(),
                                     [&](const auto& entry) { return entry->name == argument.substr(0, equals); });
    if (equals >= argument.size() - 1 || output == out.outputs_.end()) {  // no file, or none after the `=`
      return {Code::kInvalid,
              "--out " + argument + ": expected NAME=FILE or NAME=FOLDER/%i.ext, where NAME is one of: " + names};
    }
    const std::string& pattern = (*output)->pattern = argument.substr(equals + 1);
    if (Status status = check_folder(pattern); !status.ok()) return status.with_context("--out " + argument);
  }
  return out;
}

Status OutputFiles::begin() {
  for (const auto& output : outputs_) {
    if (output->pattern.empty() || output->pattern.find(kNumber) != std::string::npos) continue;
    output->whole.open(output->pattern, std::ios::binary | std::ios::trunc);
    if (!output->whole) return {Code::kUnavailable, "cannot write " + output->pattern + ": " + std::strerror(errno)};
  }
  return {};
}

Status OutputFiles::add(std::uint64_t instance, std::span<const GraphOutput> outputs) {
  if (instance != next_) {
    auto& copy = early_[instance];
    for (const GraphOutput& output : outputs)
      copy.push_back({{output.payload.begin(), output.payload.end()}, output.absent});
    return {};
  }
  Status status = write(next_++, outputs);
  for (auto first = early_.begin(); first != early_.end() && first->first == next_; first = early_.erase(first)) {
    std::vector<GraphOutput> views;
    for (const Early& output : first->second) views.push_back({output.payload, output.absent});
    Status more = write(next_++, views);
    if (status.ok()) status = std::move(more);
  }
  return status;
}

Status OutputFiles::write(std::uint64_t instance, std::span<const GraphOutput> outputs) {
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    Output& output = *outputs_[k];
    const std::span<const std::byte> payload = outputs[k].payload;
    output.digest.add(payload);
    output.bytes += payload.size();
    if (outputs[k].absent) ++output.absent;
    if (outputs[k].absent || output.pattern.empty()) continue;
    std::ofstream single;
    std::ofstream& file = output.whole.is_open() ? output.whole : single;
    std::string path = output.pattern;
    if (!output.whole.is_open()) {
      path.replace(path.find(kNumber), kNumber.size(), std::to_string(instance));
      single.open(path, std::ios::binary | std::ios::trunc);
    }
    file.write(reinterpret_cast<const char*>(payload.data()), static_cast<std::streamsize>(payload.size()));
    if (!file.flush()) return {Code::kUnavailable, "cannot write " + path + ": " + std::strerror(errno)};
  }
  return {};
}

std::vector<OutputFiles::Summary> OutputFiles::finish() {
  std::vector<Summary> summaries;
  for (auto& output : outputs_)
    summaries.push_back({output->name, output->bytes, output->absent, output->digest.hex()});
  return summaries;
}

}  // namespace woa::tools
