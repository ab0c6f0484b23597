// The plan: the compiler's output and the runtime's only input. A value; plan_file.h reads and writes it. The compiler
// keeps its reasons beside it (compiler/certificate/certificate.h).
//
// Semantics of every field follow docs/graph-language.md (rules 1 to 10). Stage, edge and controller ids are positions
// in the vectors below. Stage numbers are those of the packet's `stage` and `origin` fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/plan/backends.h"
#include "runtime/plan/call_models.h"

namespace woa {

// Version of the format: any change to the contents or meaning of a plan file raises it. A reader accepts its own
// version only (docs/adr/0039-a-plan-is-of-one-version.md).
inline constexpr std::uint32_t kPlanVersion = 16;
inline constexpr std::uint32_t kMaxWindow = 4096;
// Places in all header rings: blocks, and for each edge a place per instance.
inline constexpr std::uint64_t kMaxSlots = 1ULL << 20;
inline constexpr std::size_t kMaxOutputPorts = 65'535;  // of a plan: a region each, which packets name in 16 bits
inline constexpr std::uint32_t kHostController = 0;     // controllers[0] is always `host`
inline constexpr std::uint32_t kSourceStage = 0;        // stages[0] is the source
inline constexpr std::uint32_t kSinkStage = 1;          // stages[1] is the sink
inline constexpr std::uint32_t kMaxWorkers = 1024;
inline constexpr std::uint32_t kAllWorkers = 0;  // of a cpu controller: the node that runs it counts its processors
inline constexpr std::uint32_t kPayloadAlignment = 64;
constexpr std::uint64_t in_whole_lines(std::uint64_t bytes) noexcept {
  return (bytes + kPayloadAlignment - 1) / kPayloadAlignment * kPayloadAlignment;
}
inline constexpr std::uint32_t kDefaultInlineBytes = 64;  // without a measurement: one line behind the header's
// Stages in a row that pass one block on, in place or as relays: bounds every search for the block's region.
inline constexpr std::size_t kMaxPassed = 64;
inline constexpr std::size_t kMaxJoined = 8;  // stages of a chain on a card: chain_stages in controllers/fpga/wact.json
inline constexpr std::uint32_t kMaxInlineBytes = 1U << 16;  // slot: docs/adr/0017-the-plan-bounds-inline-payloads.md

inline constexpr std::size_t kMaxLaneBytes = 64;
inline constexpr std::uint32_t kMaxReplicas = 64;    // of a stage
inline constexpr std::uint32_t kMaxElements = 4096;  // that a firing may scatter
// Work of a GPU: its dimensions, and threads of a block.
inline constexpr std::size_t kMaxWorkDims = 3;
inline constexpr std::uint32_t kMaxBlockThreads = 1024;

struct ControllerPlan {
  std::string name;  // "host", "cpu:0", "gpu:0", "fpga:0"
  ControllerKind kind = ControllerKind::kCpu;
  std::string backend;  // "host", "cpu", "opencl", "cuda", "verilator", "xrt"
  // Firings of a cpu controller at once, or kAllWorkers; 1 for others (an OpenCL device opens two queues at least).
  std::uint32_t workers = 1;
  // Copied from the back-end's row in backends.h. Loading the controller fails if the device says otherwise.
  BackendTraits traits = {};
  // A node's processors count as several, even if it has one.
  [[nodiscard]] bool has_several_workers() const noexcept { return kind == ControllerKind::kCpu && workers != 1; }
  bool operator==(const ControllerPlan&) const = default;
};
ControllerPlan make_controller(std::string name, const KnownBackend& backend, std::uint32_t workers = 1);

// A dimension of a port: fixed to `size`, or variable (size 0) and carried in the payload.
struct Dimension {
  std::string name;        // empty if fixed
  std::uint32_t size = 0;  // fixed extent, or 0
  std::uint32_t max = 0;   // largest allowed extent, 0 = only the byte bound holds
  bool operator==(const Dimension&) const = default;
};

struct PortType {
  std::string element;          // "bytes", "u8", "f64", ...
  std::vector<Dimension> dims;  // empty for "bytes"
  std::uint64_t max_bytes = 0;  // bound of the data, without the dimension prefix

  [[nodiscard]] std::uint32_t variable_dims() const noexcept;
  // Every payload has max_bytes.
  [[nodiscard]] bool is_fixed() const noexcept { return !dims.empty() && variable_dims() == 0; }
  // 0, or kPayloadAlignment when variable dimensions precede the data.
  [[nodiscard]] std::uint64_t prefix_bytes() const noexcept;
  // Bytes of a block that holds any payload of this type: prefix + max_bytes rounded up to kPayloadAlignment, never 0.
  [[nodiscard]] std::uint64_t block_bytes() const noexcept;
  // Bytes of the largest payload: prefix + max_bytes.
  [[nodiscard]] std::uint64_t payload_bytes() const noexcept { return prefix_bytes() + max_bytes; }
  bool operator==(const PortType&) const = default;
};
// Bytes of one element ("f32" -> 4, "bytes" -> 1); 0 for an unknown name.
std::uint32_t element_bytes(std::string_view element) noexcept;
std::string to_string(const PortType& type);  // "u8[height,width,3]"
// True if payloads of both types are laid out alike. A dimension fixed at one end only adds or drops the prefix.
bool same_layout(const PortType& a, const PortType& b);

struct InputPortPlan {
  std::string name;
  PortType type;
  bool hold = false;
  std::uint64_t hold_mask = 0;  // counters that both ends of a held token share
  bool optional = false;        // takes absent tokens, too
  // Takes all elements of a scatter together, at most so many, by their numbers in the tag; 0: one token.
  std::uint32_t gather = 0;
  std::uint32_t index_shift = 0, index_bits = 0;  // of the element's number
  // A held token is free once one of a later turn has come: by then all that read it has ended. Else it stays until its
  // instance retires.
  bool renewed = false;
  bool operator==(const InputPortPlan&) const = default;
};

struct OutputPortPlan {
  std::string name;
  PortType type;
  std::int32_t one_of = -1;    // group number within the stage, -1: always written
  std::int32_t in_place = -1;  // input whose block it overwrites and passes on, -1: it has blocks of its own
  bool optional = false;       // a firing that does not write it sends an absent token
  std::uint32_t many = 0;      // starts a scatter: a firing writes up to so many elements; 0: one token
  std::uint32_t index_shift = 0, index_bits = 0;  // of the element's number in the tag
  bool operator==(const OutputPortPlan&) const = default;
};

// Types of parameters, as kernel.yaml declares them.
enum class ParamType : std::uint8_t { kInt, kFloat, kString, kBool, kFile };
std::string_view to_string(ParamType type) noexcept;
// The spelling of a value in plans and for kernels: an int in digits after an optional minus, a float as short as a
// double's value allows, `true` or `false`, everything else as written. Nothing: the text is not of the type.
std::optional<std::string> normal_value(ParamType type, std::string_view text);

struct ParamPlan {
  std::string name;
  std::string value;  // in its normal spelling
  // The value of a kFile is a path: absolute, or relative to the plan file; empty: none.
  ParamType type = ParamType::kString;
  std::string secret_env;    // not empty: the environment variable that has the value, on the kernel's host
  std::int32_t choice = -1;  // of a string with choices: the value's position among them, for devices; -1: none
  bool operator==(const ParamPlan&) const = default;
};

enum class StageRole : std::uint8_t { kKernel = 0, kSource = 1, kSink = 2, kRelay = 3 };
enum class Stateful : std::uint8_t { kNo = 0, kInstance = 1, kRun = 2 };

// In place of a variant: the stage's time there is modelled, so that it has a place and no program.
inline constexpr std::string_view kModelled = "modelled";

// Launch of an OpenCL, CUDA or RTL variant, from kernel.yaml.
struct VariantPlan {
  std::string kind;                 // "cpu", "opencl", "cuda", "rtl", kModelled; empty for source, sink and relay
  std::string source, entry;        // opencl, cuda: source file (beside kernel.yaml) and kernel function
  std::vector<std::string> global;  // opencl, cuda: work size by dimension name
  std::string core;                 // rtl: kernel core
  std::uint32_t clock_mhz = 0;      // rtl: clock at which cycles are reported as time
  bool has_size = false;
  std::vector<std::uint32_t> block = {};  // cuda: threads of a block, along `global`; 1 along dimensions that it omits
  std::uint32_t shared_bytes = 0;         // cuda: shared memory of a block that the launch adds to the function's own
  bool resident = false;                  // cuda: one block stays on the device and takes all firings of the stage
  bool operator==(const VariantPlan&) const = default;
};

struct StagePlan {
  std::string name;
  StageRole role = StageRole::kKernel;
  std::string kernel;  // name of the kernel, empty unless kKernel
  // Path of kernel.yaml: absolute, or relative to the plan file; empty: shipped with the runtime.
  std::string kernel_file;
  std::string library;  // the kernel's shared library, relative to kernel.yaml
  // Number of a kernel that the program registered, in place of both (RunOptions::program_kernels); 0: another. Means
  // nothing to other processes, and files do not have it.
  std::uint32_t program_kernel = 0;
  // Digest of kernel.yaml's declarations when the plan was made (kernel_declaration.h). Empty: a plan made by hand,
  // whose kernel is accepted as it is.
  std::string declaration;
  VariantPlan variant;
  std::uint32_t controller = 0;
  std::vector<ParamPlan> params;  // every parameter of kernel.yaml, defaults filled in
  std::vector<InputPortPlan> inputs;
  std::vector<OutputPortPlan> outputs;
  Stateful stateful = Stateful::kNo;
  bool serial = false;  // of all stages of this kernel on a controller, one firing at a time
  std::uint64_t scratch_bytes = 0;
  bool isolated = false;          // its kernel runs in worker processes (isolation.h)
  std::uint64_t limit_ns = 0;     // of one firing in such a process, which is then killed; 0: none
  std::uint64_t state_bytes = 0;  // of one state that holds no pointers, as kernel.yaml says; 0: it does not say
  HeaderWriter headers = HeaderWriter::kHost;  // of a kernel as its controller's traits say, else the host
  Publisher publishes = Publisher::kHost;      // up to the one that the controller's traits name
  bool operator==(const StagePlan&) const = default;
};
// The features that the kernel with these ports and this state asks of its back-end.
KernelFeatures features_of(std::span<const InputPortPlan> inputs, std::span<const OutputPortPlan> outputs,
                           Stateful stateful) noexcept;
// Whether a device can publish the stage's packets, whose headers are written before the kernel runs: each firing
// writes every output, one token of a fixed size in memory of its own.
bool may_publish(const StagePlan& stage) noexcept;

// A named loop: one counter in the tag, `bits` wide at bit `shift`. It may reach `max`.
struct LoopPlan {
  std::string name;
  std::uint32_t shift = 0, bits = 0;
  std::uint32_t max = 0;
  bool operator==(const LoopPlan&) const = default;
};

// A stage with replicas is several stages of the plan. Its writers have an edge to each, which takes only tokens whose
// chooser modulo `replicas` is `replica`. The chooser is a counter of the sent tag (an element's number); with 0 bits,
// the instance.
struct ReplicaChoice {
  std::uint32_t replicas = 1, replica = 0;  // 1 and 0: all
  std::uint32_t shift = 0, bits = 0;
  [[nodiscard]] bool takes(std::uint64_t instance, std::uint64_t tag) const noexcept {
    if (replicas == 1) return true;
    const std::uint64_t chooser = bits == 0 ? instance : (tag >> shift) & ((std::uint64_t{1} << bits) - 1);
    return chooser % replicas == replica;
  }
  // True if it takes every token that `other` takes.
  [[nodiscard]] bool takes_all_of(const ReplicaChoice& other) const noexcept {
    if (replicas == 1) return true;
    const bool same_chooser = shift == other.shift && bits == other.bits;
    return same_chooser && other.replicas % replicas == 0 && other.replica % replicas == replica;
  }
  // True if it may take some token of the instance.
  [[nodiscard]] bool may_take(std::uint64_t instance) const noexcept { return bits != 0 || takes(instance, 0); }
  bool operator==(const ReplicaChoice&) const = default;
};

// For edges that take one output's payloads to one place: true if no other edge brings all that number `k` brings,
// except later ones that bring just the same. So payloads that cross once count once, in any order of the edges. But
// payloads that two edges share count twice if neither takes all that the other does (replicas of two readers, of
// numbers that do not divide each other).
bool counts_payload(std::span<const ReplicaChoice> edges, std::size_t k) noexcept;

struct EdgePlan {
  std::uint32_t from_stage = 0, from_port = 0;
  std::uint32_t to_stage = 0, to_port = 0;
  std::uint64_t keep = 0, step = 0;  // sent tag = (firing's tag & keep) + step
  std::int32_t loop = -1;            // index into `loops` of the loop whose next turn this edge takes, or -1
  // b(e), rule 8: `live` in docs and outputs. Blocks reserved for the oldest instance.
  std::uint32_t min_blocks = 1;
  std::uint32_t blocks = 1;  // of this edge, >= min_blocks: `used`
  // Payloads of up to so many bytes (dimensions included) travel behind their headers if the edge's ends allow it; 0 to
  // kMaxInlineBytes. runtime/controller/transfer_method.h decides.
  std::uint32_t inline_bytes = kDefaultInlineBytes;
  // The lane of an edge between two controllers: edges with the same controllers and lane share one channel, in order,
  // and wait for no other. Empty: the lane without a name. At most kMaxLaneBytes.
  std::string lane = {};
  ReplicaChoice choice = {};
  // From a scatter's output to the input that gathers its elements: carries no elements but, after each firing, their
  // number; `blocks` is then a bound, without memory. From any other output to a relay's input that gathers 1: carries
  // a signal, a count of nothing, for each token that is written (docs/adr/0033-signals-make-calls-return.md). A
  // relay's input with such edges alone waits for the count and for no element.
  bool count = false;
  // The compiler claims that min_blocks are enough; the plan holds no proof of it.
  bool claimed = false;
  // The device of both ends passes the payload on by itself (BackendTraits::joins): no packet, no memory, no credit.
  // Blocks and inline_bytes then stand for nothing. The stages of a chain of such edges are joined: the controller
  // fires the first with the claims of the last (docs/adr/0062-on-card-chains.md). Call models other than woa
  // join none: rewrite() leaves the chains out.
  bool on_card = false;
  bool operator==(const EdgePlan&) const = default;
};

// Places that an edge needs in its channel's ring: one for each token that may be unread, and for each instance one for
// poison. An instance occupies at most b(e) blocks; those beyond are of tokens that were read.
constexpr std::uint32_t ring_places(const EdgePlan& edge, std::uint32_t window) noexcept {
  const std::uint64_t unread = std::uint64_t{edge.min_blocks} * window;
  return static_cast<std::uint32_t>(unread < edge.blocks ? unread : edge.blocks) + window;
}

struct Plan {
  std::string graph;         // name of the graph
  std::string model{kWoa};   // call model to run under, or of its relays
  std::uint32_t window = 1;  // instances in flight at most, 1 to kMaxWindow
  // A run may raise the window and the blocks of edges when it knows the workers of its nodes (room.h).
  bool raises_window = false, raises_blocks = false;
  std::uint64_t timeout_ns = 0;  // per instance, 0 = none
  std::vector<ControllerPlan> controllers;
  // [0] source: its outputs are the graph's inputs; [1] sink: its inputs are the outputs.
  std::vector<StagePlan> stages;
  std::vector<EdgePlan> edges;
  std::vector<LoopPlan> loops;
  bool operator==(const Plan&) const = default;
};

// Who acts between a kernel's end and the packets that leave the controller: "device" if it writes headers of some
// stage or publishes its packets, else "host".
std::string_view forwards(const Plan& plan, std::uint32_t controller) noexcept;

// Checks everything that the runtime relies on: ids in range, types of both ends agree, at least one block per edge,
// texts that a terminal may show, bounded window, relays with as many outputs as inputs, source and sink in place, no
// port unconnected, ... kInvalid names the first broken rule and its place. A plan that passes can be run without
// further checks of its structure.
Status validate(const Plan& plan);
// Names of the stages whose times are modelled, in the plan's order. Such a plan predicts, and does not run.
std::vector<std::string> modelled_stages(const Plan& plan);
// kUnsupported: the plan has stages with modelled times; the message names the first, and what to do.
Status check_runnable(const Plan& plan);
// kUnsupported: the plan has stages with kernels of this program, which other processes do not have; the message names
// the first, and what to do.
Status check_movable(const Plan& plan);

}  // namespace woa
