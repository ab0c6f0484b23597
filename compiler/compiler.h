// The compiler: YAML graph -> checked graph -> placement -> plan. Knows no controller: it reads kernel.yaml and machine
// files, so a graph for a GPU compiles on a laptop.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/certificate/certificate.h"
#include "compiler/kernel_description.h"
#include "runtime/base/status.h"
#include "runtime/plan/kernel_declaration.h"

namespace woa {

// Something said about a place in a file.
struct SourceMessage {
  std::string file;                    // or kCommandLine
  std::uint32_t line = 0, column = 0;  // from 1, the column in characters; 0: the file as a whole
  std::uint32_t length = 1;            // characters to underline
  std::string text;
  std::string source_line;  // the line, or the part around the place; empty if it cannot be quoted or holds a secret
  std::uint32_t caret = 0;  // characters of it before the place
};

// Stands for the file where an option is wrong.
inline constexpr std::string_view kCommandLine = "command line";

// One problem, with its place. Printed as `file:line:col: error[CODE]: text`, the line, a caret and a fix, and then
// each note in the same way (format()).
struct Diagnostic : SourceMessage {  // the text: what is wrong and what was expected
  std::string code;                  // "E0104": one number per kind of problem, never reused; pages.h explains it
  std::string fix;                   // what to do; may be empty
  std::vector<SourceMessage> notes;  // the other places that have to do with it
};
std::string format(const Diagnostic& diagnostic, bool color);

// What `woa calibrate` measured of a machine, as a machine file keeps it (docs/machine.md).
struct Calibration {
  std::string processor;                              // that it holds for, as the system names it
  std::map<std::string, std::uint32_t> inline_bytes;  // by transport: the limit of payloads behind headers
};

// Texts of files that an editor has open and has perhaps not saved, by file_identity().
using UnsavedTexts = std::map<std::filesystem::path, std::string>;
// One path for one file, whatever links lead to it.
std::filesystem::path file_identity(const std::filesystem::path& path);

struct CompileOptions {
  std::vector<std::filesystem::path> kernel_path;  // folders that hold <name>/kernel.yaml; first match wins
  // Machine file; absent: cpu:0 and cpu:1, and gpu:0 and fpga:0 where a stage asks for them.
  std::optional<std::filesystem::path> machine;
  std::string transport = "shm";                  // between controllers: the machine file may know its inline limit
  std::map<std::string, std::string> params;      // "stage.name" -> value, from the command line
  std::map<std::string, std::uint32_t> replicas;  // by stage, from the command line
  std::optional<std::uint32_t> window;
  std::optional<std::uint64_t> deadline_ns;
  std::optional<std::filesystem::path> profile;  // what `woa profile` measured of the graph (docs/profile.md)
  std::map<std::string, std::string> pins;       // stage -> kind or controller, in place of `on` and `needs`
  std::uint64_t max_stages = 200'000;            // of a graph with its sub-graphs, whose text does not bound them
  UnsavedTexts unsaved = {};                     // are read in place of what is on the disk
  bool only_check = false;  // ends before memory is dealt out and a plan is made; Compilation has none
  // With a profile, what stages are placed for, and how long the search for it may take.
  PlacementGoal goal;
  std::chrono::milliseconds placement_limit{10'000};
};

// What a graph is, whatever it is placed on.
struct GraphFacts {
  std::string hash;  // 16 digits, the same for graphs that compute the same by the same stages; a profile is of one
  std::map<std::string, std::vector<ControllerKind>> kinds;  // stage -> that its kernel has a variant for
};

struct Compilation {
  std::optional<CertifiedPlan> plan;    // absent if there is any diagnostic, and with only_check
  GraphFacts facts;                     // as far as the graph could be read
  std::vector<Diagnostic> diagnostics;  // all problems in one pass, in order of place, no cascades
  std::vector<std::string> files = {};  // that were looked at: graph, includes, kernels, machine file, profile;
                                        // and those that they name: libraries, sources, parameters
};

// Reads and compiles a graph file. Never throws; bounded in time and memory by the size of the file (fuzzed through
// compile_text). Paths in the plan are absolute.
Compilation compile_file(const std::filesystem::path& graph, const CompileOptions& options);
// The same for text; `name` stands in diagnostics, relative paths are relative to `folder`.
Compilation compile_text(const std::string& text, const std::string& name, const std::filesystem::path& folder,
                         const CompileOptions& options);

// What a file of this project is; kOther: none of them, as far as its keys show.
enum class FileKind : std::uint8_t { kOther, kGraph, kLibrary, kKernel, kMachine, kProfile };

// What check_text() finds.
struct CheckedText {
  FileKind kind = FileKind::kOther;
  std::vector<Diagnostic> diagnostics;
  std::vector<std::string> files;  // as Compilation::files
};
// Checks the text of any file of this project: a graph as compile_text() does; the form of a library (a file that
// graphs include), a kernel.yaml, a machine file or a profile. Nothing is wrong with other files.
CheckedText check_text(const std::string& text, const std::filesystem::path& path, const CompileOptions& options);

// A machine file by itself.
struct MachineFile {
  bool has_controllers = false;            // it says which controllers there are, or links between them
  std::optional<Calibration> calibration;  // absent, too, if there is any diagnostic
  std::vector<Diagnostic> diagnostics;
};
MachineFile read_machine_file(const std::filesystem::path& path);

// One kernel of the kernel path, as `woa devices` and `woa explain` show it.
struct KernelListing {
  std::string name, summary;
  std::vector<std::string> variants;  // "cpu", "opencl", "rtl"
  std::string reason;                 // why it cannot be used here (its library was absent at build); empty: it can
  std::optional<KernelDescription> description;  // absent where `kernel.yaml` has errors or is not built
};
// Every <folder>/<name>/kernel.yaml of the kernel path, by name; of two with one name the first folder's.
std::vector<KernelListing> list_kernels(const std::vector<std::filesystem::path>& kernel_path);

// What the kernel.yaml at `file` declares of itself and of one variant, for whoever loads the kernel (RunOptions). As
// ReadDeclaration says.
Result<KernelDeclaration> read_declaration(const std::filesystem::path& file, const std::string& variant);

// Whether a plan's certificate is true (docs/placement.md): everything is computed anew, without a solver. kNotFound:
// it has none. kInvalid: the message names what is not so.
Status verify_certificate(const CertifiedPlan& plan);

// Whether a plan's instances end, whatever branches they take and however long kernels and packets take, as long as
// kernels end (docs/liveness.md): its control flow is analysed anew, and every edge must have at least b(e) blocks for
// an instance, and tags that keep firings apart; b(e) is shown by the plan's invariants, too
// (compiler/certificate/live_blocks.h). `plan` has passed validate(), and is as in a file, without relays: that a call
// model's routes keep it live is how they are made (ADR 32). kInvalid: the message says what is not so.
Status verify_liveness(const CertifiedPlan& plan);

// Graphviz source of a plan: stages grouped by controller, edges labelled with port, type and blocks. With a
// certificate also what stages take, and what an instance sends over the edges. Whatever the names are, they are shown.
std::string to_dot(const CertifiedPlan& plan);

}  // namespace woa
