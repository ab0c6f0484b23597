#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "library/run_report.h"
#include "runtime/base/file.h"
#include "runtime/base/text.h"
#include "tools/frames/npy_array.h"
#include "tools/woa/interruption.h"
#include "tools/woa/progress.h"
#include "tools/woa/run_files.h"
#include "tools/woa/sha256.h"

namespace woa::tools {
namespace {

// Files in these formats break when another one follows, or readers stop after the first.
constexpr std::array<std::string_view, 22> kAlone{".png", ".jpg",  ".jpeg", ".gif", ".bmp",  ".webp", ".tif", ".tiff",
                                                  ".ico", ".heic", ".avif", ".pdf", ".svg",  ".npy",  ".npz", ".zip",
                                                  ".mp4", ".mov",  ".webm", ".wav", ".flac", ".json"};

bool stands_alone(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::find(kAlone, extension) != kAlone.end();
}

constexpr std::string_view kPartial = ".partial";

// "out.png" -> "out-%i.png"
std::string with_number(const std::filesystem::path& path) {
  return (path.parent_path() / (path.stem().string() + "-%i" + path.extension().string())).string();
}

Status check_one_file(const std::string& option, const std::string& path, std::uint64_t instances) {
  if (instances < 2) return {};
  if (const std::string found = foreign_placeholder(path); !found.empty())
    return {Code::kInvalid,
            option + "=" + path + ": '" + found + "' stands for nothing, so the file would take " +
                counted(instances, "instance") +
                " one after another: write %i for the instance's number, %n for the name of the input's "
                "file, or another name"};
  if (!stands_alone(path)) return {};
  const std::string extension = std::filesystem::path(path).extension().string();
  return {Code::kInvalid, option + "=" + path + ": it would take " + counted(instances, "instance") +
                              " one after another, and " + extension + " files cannot be joined: write a file each, " +
                              option + "=" + with_number(path) +
                              " (or %n in it, the name of the input's file), or give another extension"};
}

// Refuses a place that cannot take the output, before hours of work go into it.
Status check_output_place(const std::string& option, const std::string& value, const std::string& first_path) {
  const std::filesystem::path path(first_path), folder = path.parent_path();
  const std::string files = (std::filesystem::path(value) / "%i.EXT").string();
  std::error_code error;
  if (value.ends_with('/'))
    return {Code::kInvalid, option + "=" + value + ": it names a folder: say what its files are called, such as " +
                                option + "=" + value + "%i.EXT (%n in place of %i: the name of the input's file)"};
  if (std::filesystem::is_directory(path, error))
    return {Code::kUnavailable, option + "=" + value + ": cannot write to '" + path.string() +
                                    "', a folder: say what its files are called, such as " + option + "=" + files +
                                    " (%n in place of %i: the name of the input's file)"};
  if (!folder.empty() && !std::filesystem::is_directory(folder, error))
    return {Code::kNotFound,
            option + "=" + value + ": folder '" + folder.string() + "' does not exist: mkdir -p " + folder.string()};
  const Status status = check_writable(path);
  return status.ok() ? status : status.with_context(option + "=" + value);
}

}  // namespace

struct OutputFiles::Output {
  std::string name;
  PortType type;
  std::optional<NamePattern> pattern;  // absent: it is not written
  std::optional<PendingFile> whole;    // takes all instances
  std::optional<OutputStream> stream;  // or this one does
  FrameRule rule;                      // of the stream
  std::string remedy;                  // where an output does not fit it
  std::string pipe, before, after;     // its name; what stands around the frame at hand
  std::span<const std::byte> framed;
  std::vector<std::uint64_t> written;  // instances with files of their own
  std::string committed;               // where `whole` is; empty: nowhere
  Sha256 digest;
  bool own_files = false, digested = true;
  std::uint64_t bytes = 0, absent = 0;
};

OutputFiles::OutputFiles() = default;
OutputFiles::OutputFiles(OutputFiles&&) noexcept = default;
OutputFiles::~OutputFiles() = default;

Result<OutputFiles> OutputFiles::open(const Plan& plan, const std::vector<std::string>& arguments,
                                      const InputFiles& inputs, std::uint64_t instances, FrameRules* frames,
                                      bool digests) {
  OutputFiles out;
  out.instances_ = instances;
  for (const InputPortPlan& port : plan.stages[kSinkStage].inputs) {
    out.outputs_.push_back(std::make_unique<Output>());
    out.outputs_.back()->name = port.name;
    out.outputs_.back()->type = port.type;
  }
  for (const std::string& argument : arguments)
    if (Status status = out.add_argument(argument, inputs, frames); !status.ok()) return status;
  if (Status status = out.check_streams(inputs); !status.ok()) return status;
  for (const auto& output : out.outputs_) {
    output->own_files = output->pattern && output->pattern->varies();
    output->digested = digests || !output->own_files;
    out.own_files_ = out.own_files_ || output->own_files;
    out.in_order_ = out.in_order_ || output->digested;
  }
  return out;
}

Status OutputFiles::add_argument(const std::string& argument, const InputFiles& inputs, FrameRules* frames) {
  const std::size_t equals = argument.find('=');
  const std::string option = "--out " + argument.substr(0, equals);
  const auto output =
      std::ranges::find_if(outputs_, [&](const auto& entry) { return entry->name == argument.substr(0, equals); });
  if (equals >= argument.size() - 1 || output == outputs_.end()) {  // no `=`, nothing after it, or no such output
    return {Code::kInvalid, "--out " + argument +
                                ": expected NAME=FILE or NAME=FOLDER/%i.ext (a file per instance; %n: named after the "
                                "input's), where NAME is one of: " +
                                list_of(outputs_, [](const auto& entry) { return entry->name; })};
  }
  const std::string value = argument.substr(equals + 1);
  if (OutputStream::writes(value)) return add_stream(**output, value, frames).with_context("--out " + argument);
  auto pattern = NamePattern::parse(value);
  if (!pattern.ok()) return pattern.status().with_context(option + "=" + value);
  if (pattern->named()) WOA_RETURN_IF_ERROR(check_names(option, *pattern, inputs));
  (*output)->pattern = std::move(*pattern);
  if (!(*output)->pattern->varies()) WOA_RETURN_IF_ERROR(check_one_file(option, value, instances_));
  return check_output_place(option, value, path(**output, 0));
}

Status OutputFiles::add_stream(Output& output, const std::string& path, FrameRules* frames) {
  WOA_RETURN_IF_ERROR(OutputStream::check(path));
  WOA_ASSIGN_OR_RETURN(output.rule, frames == nullptr ? FrameRule() : frames->of(output.name, output.type));
  if (frames != nullptr) output.remedy = frames->remedy(output.name);
  output.pipe = path;
  output.stream.emplace(path, [] { return Interruption::exit_code() != 0; });
  return {};
}

// A pipe is recognised by whatever name: two writers would mix their frames, and a run that reads what it writes may
// never end.
Status OutputFiles::check_streams(const InputFiles& inputs) const {
  struct Place {
    const Output* output;
    std::string name;
    std::optional<StreamFile> file;
  };
  std::vector<Place> known;
  for (const auto& output : outputs_) {
    const bool whole = output->pattern && !output->pattern->varies();
    if (!output->stream && !whole) continue;
    const std::string name = whole ? output->pattern->text() : output->pipe;
    const auto file = stream_file(name, STDOUT_FILENO);
    const std::string reader = file ? inputs.reader_of(*file) : "";
    const auto other = std::ranges::find_if(known, [&](const Place& place) {
      const bool same = place.name == name || (file && !file->two_way && place.file == file);
      return same && (output->stream || place.output->stream);
    });
    const std::string user = !reader.empty()        ? "--in " + reader
                             : other != known.end() ? "--out " + other->output->name
                                                    : "";
    if (!user.empty())
      return {Code::kInvalid, "--out " + output->name + "=" + name + ": " + user +
                                  " has the same pipe or file; each needs one of its own"};
    known.push_back({output.get(), name, file});
  }
  return {};
}

bool OutputFiles::takes_stdout() const {
  return std::ranges::any_of(outputs_, [](const auto& output) { return output->pipe == "-"; });
}

// Looks up the names for %n, and checks that no two instances get one file.
Status OutputFiles::check_names(const std::string& option, const NamePattern& pattern, const InputFiles& inputs) {
  if (inputs.name_of(0).empty())
    return {Code::kInvalid, option + "=" + pattern.text() +
                                ": %n is the name of the input's file, and no input comes from a file: write %i"};
  if (instances_ == kEndless)
    return {Code::kInvalid, option + "=" + pattern.text() +
                                ": %n is the name of an instance's file, and instances come by a pipe: write %i"};
  std::map<std::string, std::uint64_t> taken;
  for (std::uint64_t instance = 0; instance < instances_; ++instance) {
    if (names_.size() <= instance) names_.push_back(inputs.name_of(instance));
    const auto [other, added] = taken.emplace(pattern.path(instance, names_[instance]), instance);
    if (added) continue;
    return {Code::kInvalid, option + "=" + pattern.text() + ": instances " + std::to_string(other->second) + " and " +
                                std::to_string(instance) + " would both be written to '" + other->first +
                                "': write %i beside %n"};
  }
  return {};
}

std::string OutputFiles::path(const Output& output, std::uint64_t instance) const {
  return output.pattern->path(instance, instance < names_.size() ? names_[instance] : std::string());
}

std::vector<WrittenFile> OutputFiles::files() const {
  std::vector<WrittenFile> all;
  for (const auto& output : outputs_) {
    if (!output->pattern) continue;
    const std::string option = "--out " + output->name;
    if (!output->pattern->named()) {
      all.push_back({option, *output->pattern});
      continue;
    }
    for (std::uint64_t instance = 0; instance < instances_; ++instance)
      all.push_back({option, NamePattern(path(*output, instance))});
  }
  return all;
}

Status OutputFiles::begin() {
  for (const auto& output : outputs_) {
    if (!output->pattern || output->pattern->varies()) continue;
    WOA_ASSIGN_OR_RETURN(auto file, PendingFile::open(output->pattern->text()));
    output->whole.emplace(std::move(file));
  }
  return connect();
}

// A program may open its ends of several pipes in any order, so none is waited for alone.
Status OutputFiles::connect() {
  std::optional<Waiting> waiting;
  for (;;) {
    std::string missing;
    for (const auto& output : outputs_) {
      const auto connected = output->stream ? output->stream->open() : Result<bool>(true);
      if (!connected.ok()) return connected.status().with_context("--out " + output->name);
      if (!*connected) missing = output->pipe;
    }
    if (missing.empty()) return {};
    if (Interruption::exit_code() != 0) return {Code::kCancelled, "interrupted: nobody reads '" + missing + "'"};
    if (!waiting) waiting.emplace("waiting for a reader of '" + missing + "'");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

void OutputFiles::add(Run& run, std::uint64_t instance, std::span<const GraphOutput> outputs) {
  Status own_files;
  if (own_files_ && broken_.ok() && !outputs.empty()) {
    own_files = frame(outputs);  // all that the instance has must fit
    if (own_files.ok()) own_files = write_files(instance, outputs);
  }
  if (!in_order_) return write_in_order(instance, outputs, std::move(own_files));
  if (instance == next_) {
    write_in_order(next_++, outputs, std::move(own_files));
    return take_early(run);
  }
  Early& early = early_[instance];
  early.own_files = std::move(own_files);
  early.outputs.assign(outputs.begin(), outputs.end());
  for (const GraphOutput& output : outputs) waiting_bytes_ += output.payload.size();
  if (!outputs.empty()) run.keep();
}

void OutputFiles::take_early(Run& run) {
  for (auto first = early_.begin(); first != early_.end() && first->first == next_; first = early_.erase(first)) {
    Early& early = first->second;
    write_in_order(next_++, early.outputs, std::move(early.own_files));
    for (const GraphOutput& output : early.outputs) waiting_bytes_ -= output.payload.size();
    if (!early.outputs.empty()) run.give_back(first->first);
  }
}

// An instance whose files cannot all be written contributes nothing to files that take all instances.
void OutputFiles::write_in_order(std::uint64_t instance, std::span<const GraphOutput> outputs, Status own_files) {
  if (outputs.empty()) return;
  if (!broken_.ok()) return note_success(instance);  // and is lost with the others
  if (Status status = own_files.ok() ? frame(outputs) : std::move(own_files); !status.ok())
    return note_unwritten(instance, status);
  note_success(instance);
  broken_ = append(outputs);
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    if (outputs_[k]->digested) outputs_[k]->digest.add(outputs[k].payload);
    outputs_[k]->bytes += outputs[k].payload.size();
    if (outputs[k].absent) ++outputs_[k]->absent;
  }
}

// Makes the frames of an instance: all, or none if an output does not fit its rule.
Status OutputFiles::frame(std::span<const GraphOutput> outputs) {
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    Output& output = *outputs_[k];
    if (!output.stream || outputs[k].absent) continue;
    output.before.clear();
    output.after.clear();
    const auto framed = output.rule.wrap(output.type, outputs[k].payload, output.before, output.after);
    if (!framed.ok())
      return {framed.status().code(), "--out " + output.name + ": " + framed.status().message() + "; " + output.remedy};
    output.framed = *framed;
  }
  return {};
}

// In the order of instances, if anything takes them all.
void OutputFiles::note_success(std::uint64_t instance) {
  ++succeeded_count_;
  const bool follows = !succeeded_.empty() && succeeded_.back().second == instance;
  if (follows)
    ++succeeded_.back().second;
  else if (succeeded_.size() < kKeptFailures)
    succeeded_.emplace_back(instance, instance + 1);
}

void OutputFiles::note_unwritten(std::uint64_t instance, const Status& status) {
  ++unwritten_count_;
  if (unwritten_.size() < kKeptFailures) unwritten_.emplace(instance, status);
}

// Writes the instance's own files: all of them, or none if one cannot be written.
Status OutputFiles::write_files(std::uint64_t instance, std::span<const GraphOutput> outputs) {
  std::vector<std::pair<Output*, PendingFile>> files;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    Output& output = *outputs_[k];
    if (outputs[k].absent || !output.pattern || !output.pattern->varies()) continue;
    WOA_ASSIGN_OR_RETURN(auto file, PendingFile::open(path(output, instance)));
    WOA_RETURN_IF_ERROR(write_payload(output, outputs[k].payload, file));
    files.emplace_back(&output, std::move(file));
  }
  for (auto& [output, file] : files) {
    WOA_RETURN_IF_ERROR(file.commit());
    output->written.push_back(instance);
  }
  return {};
}

Status OutputFiles::write_payload(const Output& output, std::span<const std::byte> payload, PendingFile& file) {
  if (is_npy(output.pattern->text(), output.type)) {
    WOA_RETURN_IF_ERROR(file.write(npy_header(output.type, payload)));
    payload = payload.subspan(output.type.prefix_bytes());
  }
  return file.write(payload);
}

// Appends to the files and streams that take all instances.
Status OutputFiles::append(std::span<const GraphOutput> outputs) {
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    Output& output = *outputs_[k];
    if (outputs[k].absent) continue;
    if (output.whole) WOA_RETURN_IF_ERROR(write_payload(output, outputs[k].payload, *output.whole));
    if (!output.stream) continue;
    WOA_RETURN_IF_ERROR(output.stream->write(output.before));
    WOA_RETURN_IF_ERROR(output.stream->write(output.framed));
    WOA_RETURN_IF_ERROR(output.stream->write(output.after));
  }
  return {};
}

void OutputFiles::flush() {
  for (const auto& output : outputs_)
    if (output->stream && broken_.ok()) broken_ = output->stream->flush();
}

Status OutputFiles::commit() {
  for (const auto& output : outputs_) {
    if (!output->whole) continue;
    WOA_RETURN_IF_ERROR(output->whole->commit());
    output->committed = output->pattern->text();
  }
  return {};
}

// A run that was cut short: what is complete and in order stands beside the place, where an earlier file may be.
Status OutputFiles::commit_partly() {
  for (const auto& output : outputs_) {
    if (!output->whole) continue;
    WOA_ASSIGN_OR_RETURN(const auto path, output->whole->commit_beside(kPartial));
    output->committed = path.string();
  }
  return {};
}

// Instances that ended before an earlier one, which will not end any more.
void OutputFiles::end_early() {
  const bool takes_all =
      std::ranges::any_of(outputs_, [](const auto& output) { return output->whole || output->stream; });
  for (auto& [instance, early] : std::exchange(early_, {})) {
    if (!takes_all)
      write_in_order(instance, early.outputs, std::move(early.own_files));
    else if (!early.outputs.empty())
      ++out_of_order_count_;
  }
}

std::string OutputFiles::kept() const {
  std::string names;
  for (const auto& output : outputs_)
    if (output->committed.ends_with(kPartial)) names += (names.empty() ? "'" : " and '") + output->committed + "'";
  if (names.empty()) return names;
  return "; the outputs of " + counted(succeeded_count_, "instance") + ", complete and in order, are in " + names;
}

// A file that takes all instances is lost, and with it what each instance contributed. Streams have had theirs.
void OutputFiles::drop_all() {
  if (std::ranges::none_of(outputs_, [](const auto& output) { return output->whole.has_value(); })) return;
  unwritten_count_ += succeeded_count_;
  std::size_t left = kKeptFailures;
  for (const auto& [first, end] : succeeded_)
    for (std::uint64_t instance = first; instance < end && left > 0; ++instance, --left)
      unwritten_.emplace(instance, broken_);
  for (const auto& output : outputs_) {
    output->digest = Sha256();
    output->bytes = output->absent = 0;
  }
}

std::vector<OutputFiles::Summary> OutputFiles::finish(bool complete) {
  end_early();
  flush();
  if (broken_.ok() && complete && (!succeeded_.empty() || next_ == 0)) broken_ = commit();
  if (broken_.ok() && !complete && !succeeded_.empty()) broken_ = commit_partly();
  if (!broken_.ok()) drop_all();
  std::vector<Summary> summaries;
  for (const auto& output : outputs_) {
    Summary& summary =
        summaries.emplace_back(Summary{output->name, output->bytes, output->absent, {}, output->own_files, {}});
    if (output->digested) summary.sha256 = output->digest.hex();
    std::ranges::sort(output->written);
    for (const std::uint64_t instance : output->written) summary.files.push_back(path(*output, instance));
    if (!output->committed.empty()) summary.files.push_back(output->committed);
    if (output->stream) summary.files.push_back(output->pipe);
    output->whole.reset();
  }
  return summaries;
}

}  // namespace woa::tools
