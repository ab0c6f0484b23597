// The inputs and outputs of `woa run`: --in and --out.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/file.h"
#include "runtime/base/status.h"
#include "runtime/node/run.h"
#include "runtime/plan/plan.h"
#include "tools/frames/frame_rule.h"
#include "tools/frames/input_stream.h"
#include "tools/frames/output_stream.h"
#include "tools/woa/input_folder.h"
#include "tools/woa/kept_files.h"

namespace woa::tools {

// --in, which may be repeated.
void add_input_option(CLI::App& command, std::vector<std::string>& arguments);

// --frames, which may be repeated.
void add_frames_option(CLI::App& command, std::vector<std::string>& arguments);

inline constexpr std::uint64_t kEndless = ~std::uint64_t{0};  // instances, until a stream ends

// The data of the graph's inputs: for each a file or a literal that serves every instance, the files of a folder, or
// the frames of a stream.
class InputFiles {
 public:
  // NAME=FILE|DIR|LITERAL|- for each graph input of `plan`. `frames`: the rules of streams; null: none may be given.
  // kInvalid: an input without data, a name that is no input, a repeated name, a literal of another type, folders of
  // different sizes, a stream without a rule. kNotFound: no such file, an empty folder, a link that leads nowhere.
  // kUnavailable: a stream that cannot be read again for each instance, or what cannot be read at all.
  static Result<InputFiles> open(const Plan& plan, const std::vector<std::string>& arguments,
                                 FrameRules* frames = nullptr);
  // Notes on entries of folders that were left out, and on folders that go together by order. The caller prints them.
  [[nodiscard]] const std::vector<std::string>& warnings() const noexcept { return warnings_; }
  // The number of files in a folder, or else kEndless with a stream, or 1.
  [[nodiscard]] std::uint64_t default_instances() const noexcept { return default_instances_; }
  // Looks for the data of `instance`, the one after the last; reads what is there, and never blocks. kLater: a stream
  // has no frame for it, or an earlier instance has not read its own.
  InputStream::State look(std::uint64_t instance);
  // Blocks until a stream that lacks a frame has something to read, `most_ms` at most.
  void wait(int most_ms);
  // Reads the payload of `instance` straight into `room`. kTooLarge and kInvalid name the file and what was expected.
  Result<std::uint64_t> read(std::uint32_t input, std::uint64_t instance, std::span<std::byte> room);
  // The instance has ended, perhaps before it had read its frames.
  void drop(std::uint64_t instance);
  // The name of the input that reads this stream, or an empty text.
  [[nodiscard]] std::string reader_of(const StreamFile& file) const;
  // All files, with their options.
  [[nodiscard]] std::vector<ReadFile> files() const;
  // By input of the graph: its name, and the file, frame or literal that `instance` reads.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> of_instance(std::uint64_t instance) const;
  // The value of %n: the file's name without extension, of the first --in that is a folder, or else a file. Empty: none
  // is.
  [[nodiscard]] std::string name_of(std::uint64_t instance) const;

 private:
  struct Input {
    std::string name;
    PortType type;
    std::vector<std::filesystem::path> files;  // empty: a literal
    std::string literal;
    std::vector<std::byte> payload;  // value of the literal
    std::string pipe;                // "-", or the name of one; empty: no stream
    std::optional<StreamFile> pipe_file;
    std::optional<InputStream> stream;
    bool given = false;
    [[nodiscard]] const std::filesystem::path& file(std::uint64_t instance) const {
      return files[instance % files.size()];
    }
  };
  InputFiles() = default;
  Status add(const std::string& argument, FrameRules* frames);
  Status add_path(Input& input, const std::string& path);
  Status add_stream(Input& input, const std::string& path, FrameRules* frames);
  Status check_complete() const;
  [[nodiscard]] std::string names() const;

  std::vector<Input> inputs_;         // by input of the graph
  std::vector<FolderFiles> folders_;  // in the order of the command line
  std::size_t naming_ = kNoInput;     // the input that %n stands for
  std::vector<std::string> warnings_;
  std::uint64_t default_instances_ = 1;
  bool uneven_ = false;  // one stream has ended, another has not
  static constexpr std::size_t kNoInput = ~std::size_t{0};
};

// SHA-256 over the outputs of a run in instance order, and the files they go to.
class OutputFiles {
 public:
  struct Summary {
    std::string name;
    std::uint64_t bytes = 0;
    std::uint64_t absent = 0;  // instances that left it out
    std::string sha256;        // empty: not computed
    bool own_files = false;    // a file for each instance
    std::vector<std::string> files;
  };

  // NAME=FILE (all instances one after another), NAME=PATTERN (a file each: NamePattern), or a stream: NAME=- or
  // NAME=PIPE, with frames by its rule. Nothing is written yet. kInvalid: a name that is no output, a pattern with
  // another `%`, one that gives two instances one file, one file for several instances of a format that cannot be
  // joined. kNotFound: the folder to write to does not exist. kUnavailable: it cannot be written to. `digests`: also of
  // outputs with files of their own, which need no order otherwise.
  static Result<OutputFiles> open(const Plan& plan, const std::vector<std::string>& arguments, const InputFiles& inputs,
                                  std::uint64_t instances, FrameRules* frames = nullptr, bool digests = true);
  OutputFiles(OutputFiles&&) noexcept;
  ~OutputFiles();
  // The files that will be written.
  [[nodiscard]] std::vector<WrittenFile> files() const;
  // True if one of them takes this process's stdout.
  [[nodiscard]] bool takes_stdout() const;
  // Begins the files that take all instances, and waits for the readers of named pipes. Call once, when the run has
  // started. kUnavailable with the system's reason. kCancelled: interrupted.
  Status begin();
  // Adds the outputs of an instance that `run` has completed, in any order of instances; call it from the completion
  // callback. A failed instance has none; an absent output has neither bytes nor a file. Files of its own are written
  // at once. What belongs behind an earlier instance stays where it is: the run keeps it until then.
  void add(Run& run, std::uint64_t instance, std::span<const GraphOutput> outputs);
  // Bytes that wait for an earlier instance.
  [[nodiscard]] std::uint64_t waiting_bytes() const noexcept { return waiting_bytes_; }
  // Hands on what streams have collected. Call before waiting for anything.
  void flush();
  // Not ok: a file that takes all instances cannot be written any more, so going on is of no use.
  [[nodiscard]] const Status& status() const noexcept { return broken_; }
  // Call after the last instance. `complete`: the run went to its end. Otherwise what is complete and in order goes
  // beside the files that take all instances, which stay as they were, as they do if every instance failed. Without an
  // instance they become empty.
  std::vector<Summary> finish(bool complete);
  // "; the outputs of 929 instances, complete and in order, are in 'out.partial'" after such a run; else empty.
  [[nodiscard]] std::string kept() const;
  // Instances that ended before one that did not, and so are in no file or stream that takes all. After finish().
  [[nodiscard]] std::uint64_t out_of_order_count() const noexcept { return out_of_order_count_; }
  // Instances that succeeded but whose outputs could not be written: the first, with the reason, and how many. After
  // finish().
  [[nodiscard]] const std::map<std::uint64_t, Status>& unwritten() const noexcept { return unwritten_; }
  [[nodiscard]] std::uint64_t unwritten_count() const noexcept { return unwritten_count_; }

 private:
  struct Output;
  struct Early {                       // an instance that ended before an earlier one
    std::vector<GraphOutput> outputs;  // in the run's memory; none: it failed
    Status own_files;
  };
  OutputFiles();
  Status add_argument(const std::string& argument, const InputFiles& inputs, FrameRules* frames);
  Status add_stream(Output& output, const std::string& path, FrameRules* frames);
  Status check_streams(const InputFiles& inputs) const;
  Status connect();
  Status check_names(const std::string& option, const NamePattern& pattern, const InputFiles& inputs);
  void write_in_order(std::uint64_t instance, std::span<const GraphOutput> outputs, Status own_files);
  void take_early(Run& run);
  Status write_files(std::uint64_t instance, std::span<const GraphOutput> outputs);
  static Status write_payload(const Output& output, std::span<const std::byte> payload, PendingFile& file);
  Status frame(std::span<const GraphOutput> outputs);
  Status append(std::span<const GraphOutput> outputs);
  Status commit();
  Status commit_partly();
  void end_early();
  void drop_all();
  void note_success(std::uint64_t instance);
  void note_unwritten(std::uint64_t instance, const Status& status);
  [[nodiscard]] std::string path(const Output& output, std::uint64_t instance) const;

  std::vector<std::unique_ptr<Output>> outputs_;
  std::vector<std::string> names_;  // %n, by instance; empty: no output uses it
  std::uint64_t instances_ = 0, next_ = 0;
  FrameRules* frames_ = nullptr;  // while open() runs
  std::uint64_t succeeded_count_ = 0, unwritten_count_ = 0, out_of_order_count_ = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> succeeded_;  // the first ranges: the first, behind the last
  std::map<std::uint64_t, Early> early_;
  std::uint64_t waiting_bytes_ = 0;  // of early_
  bool own_files_ = false;           // some outputs have a file for each instance
  bool in_order_ = false;            // a file, a stream or a digest takes all instances
  std::map<std::uint64_t, Status> unwritten_;
  Status broken_;
};

}  // namespace woa::tools
