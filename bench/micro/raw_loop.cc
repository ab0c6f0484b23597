#include "bench/micro/raw_loop.h"

#include <bit>
#include <cstring>

#include "runtime/base/clock.h"
#include "runtime/packet/activation_packet.h"

namespace woa::bench {
namespace {

using Broken = const char*;  // what is wrong; null: nothing

struct Edge {
  std::uint32_t to = 0;
  std::uint16_t port = 0;
  std::uint64_t keep = 0, step = 0;
  std::uint64_t counter = 0, shift = 0, most = 0;  // of the loop whose next turn it takes; most 0: it takes none
  std::uint32_t credits = 0;
};

// An output port with the blocks of its region.
struct Output {
  std::vector<Edge> edges;
  std::uint64_t capacity = 0;
  std::uint32_t units = 0;  // lines of a block
  std::vector<MemoryLine> memory;
  std::vector<std::uint32_t> free;     // offsets of blocks, the last one is claimed first
  std::vector<std::uint32_t> readers;  // by offset of a block: those that have not given it back

  [[nodiscard]] std::uint8_t* data(std::uint32_t offset) noexcept {
    return reinterpret_cast<std::uint8_t*>(memory.data() + offset);
  }
};

struct Stage {
  const woa_kernel* kernel = nullptr;
  void* self = nullptr;
  std::vector<MemoryLine> state;
  std::uint64_t needed = 0, held = 0, there = 0;  // ports, a bit each
  std::uint64_t tag = 0, next_tag = 0;            // of the tokens there; the least that may fire
  std::vector<ActivationPacket> tokens;           // by input
  std::vector<std::uint64_t> bounds;              // bytes, by input
  std::vector<woa_input> ins;
  std::vector<woa_output> outs;
  std::vector<std::uint32_t> claimed;  // offset, by output
  std::uint32_t first_output = 0, to_write = 0;
};

class RawLoop {
 public:
  RawLoop(const LoopJob& job, const KernelLibraries& kernels) : stages_(job.plan.stages.size()) {
    for (std::size_t s = 0; s < stages_.size(); ++s) add_stage(stages_[s], job.plan.stages[s], kernels[s]);
    std::uint32_t packets = 0;
    for (const EdgePlan& edge : job.plan.edges) add_edge(job.plan, edge), packets += edge.blocks;
    for (Output& output : outputs_) add_blocks(output);
    queue_.resize(std::bit_ceil(packets));
    for (std::uint32_t k = 0; k < job.inputs.size(); ++k) send_input(k, job.inputs[k]);
  }

  Result<std::uint64_t> run_ns() {
    const std::uint64_t start_ns = now_ns();
    for (Broken broken = nullptr; answer_ == nullptr;) {
      broken = head_ == tail_ ? "a stage waits for ever" : take(queue_[head_++ & (queue_.size() - 1)]);
      if (broken != nullptr)
        return Status(failed_ == WOA_OK ? Code::kBrokenContract : static_cast<Code>(failed_), broken);
    }
    return now_ns() - start_ns;
  }

  [[nodiscard]] std::span<const std::byte> answer() const { return {answer_, answer_bytes_}; }

 private:
  void add_stage(Stage& stage, const StagePlan& plan, const std::optional<KernelLibrary>& library);
  void add_edge(const Plan& plan, const EdgePlan& edge);
  static void add_blocks(Output& output);
  void send_input(std::uint32_t port, std::span<const std::byte> input);

  Broken take(const ActivationPacket& packet) noexcept;
  Broken fire(Stage& stage) noexcept;
  Broken claim(Stage& stage) noexcept;
  static std::uint32_t claim_block(Output& output) noexcept;
  void give_back(Output& output, std::uint32_t offset) noexcept;
  Broken send(const Stage& stage, std::size_t port) noexcept;
  Broken send(const ActivationPacket& token, Edge& edge) noexcept;
  void release_inputs(Stage& stage) noexcept;

  std::vector<Stage> stages_;
  std::vector<Output> outputs_;  // of all stages: the regions
  std::vector<ActivationPacket> queue_;
  std::uint64_t head_ = 0, tail_ = 0;
  woa_status failed_ = WOA_OK;
  woa_error error_{};
  const std::byte* answer_ = nullptr;
  std::uint64_t answer_bytes_ = 0;
};

void RawLoop::add_stage(Stage& stage, const StagePlan& plan, const std::optional<KernelLibrary>& library) {
  if (library) {
    stage.kernel = library->kernel();
    stage.self = library->self();
    stage.state = lines(stage.kernel->state_bytes);
  }
  for (const InputPortPlan& port : plan.inputs) {
    const std::uint64_t bit = std::uint64_t{1} << stage.bounds.size();
    stage.needed |= bit;
    if (port.hold) stage.held |= bit;
    stage.bounds.push_back(port.type.max_bytes);
  }
  stage.ins.resize(plan.inputs.size());
  stage.tokens.resize(plan.inputs.size());
  stage.outs.resize(plan.outputs.size());
  stage.claimed.resize(plan.outputs.size());
  stage.first_output = static_cast<std::uint32_t>(outputs_.size());
  bool one_of = false;  // these plans have one group at most
  for (const OutputPortPlan& port : plan.outputs) {
    Output& output = outputs_.emplace_back();
    output.capacity = port.type.max_bytes;
    output.units = static_cast<std::uint32_t>(port.type.block_bytes() / kOffsetUnitBytes);
    if (port.one_of < 0 || !one_of) ++stage.to_write;
    one_of = one_of || port.one_of >= 0;
  }
}

void RawLoop::add_edge(const Plan& plan, const EdgePlan& from) {
  Edge edge{from.to_stage, static_cast<std::uint16_t>(from.to_port), from.keep, from.step};
  edge.credits = from.blocks;
  if (from.loop >= 0) {
    const LoopPlan& loop = plan.loops[static_cast<std::size_t>(from.loop)];
    edge.counter = (std::uint64_t{1} << loop.bits) - 1;
    edge.shift = loop.shift;
    edge.most = loop.max;
  }
  outputs_[stages_[from.from_stage].first_output + from.from_port].edges.push_back(edge);
}

void RawLoop::add_blocks(Output& output) {
  std::uint32_t blocks = 0;
  for (const Edge& edge : output.edges) blocks = std::max(blocks, edge.credits);
  output.memory.resize(std::size_t{blocks} * output.units);
  output.readers.resize(output.memory.size());
  for (std::uint32_t block = blocks; block > 0; --block) output.free.push_back((block - 1) * output.units);
}

void RawLoop::send_input(std::uint32_t port, std::span<const std::byte> input) {
  Output& output = outputs_[stages_[kSourceStage].first_output + port];
  ActivationPacket packet;
  packet.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
  packet.origin = kSourceStage;
  packet.region = static_cast<std::uint16_t>(stages_[kSourceStage].first_output + port);
  packet.offset = claim_block(output);
  packet.payload_bytes = input.size();
  std::memcpy(output.data(packet.offset), input.data(), input.size());
  for (Edge& edge : output.edges) (void)send(packet, edge);
}

// What came for a stage: the last token that it needs starts the kernel.
Broken RawLoop::take(const ActivationPacket& packet) noexcept {
  Stage& stage = stages_[packet.stage];
  const std::uint64_t bit = std::uint64_t{1} << packet.port;
  if ((stage.needed & bit) == 0 || packet.payload_bytes > stage.bounds[packet.port]) return "a token without a place";
  if ((stage.there & bit) != 0) return "two tokens for one port";
  if ((stage.held & bit) == 0) {
    if ((stage.there & ~stage.held) != 0 && packet.tag != stage.tag) return "tokens of two turns";
    stage.tag = packet.tag;
  }
  stage.there |= bit;
  stage.tokens[packet.port] = packet;
  show_token(stage.ins[packet.port], outputs_[packet.region].data(packet.offset), packet.payload_bytes);
  return stage.there == stage.needed ? fire(stage) : nullptr;
}

Broken RawLoop::fire(Stage& stage) noexcept {
  if (stage.tag < stage.next_tag) return "a turn came twice";
  stage.next_tag = stage.tag + 1;
  if (const Broken broken = claim(stage); broken != nullptr) return broken;
  const woa_firing firing{
      .instance = 0, .tag = stage.tag, .state = stage.state.data(), .scratch = nullptr, .scratch_bytes = 0};
  error_.message[0] = '\0';
  failed_ = stage.kernel->run(stage.self, &firing, stage.ins.data(), stage.outs.data(), &error_);
  if (failed_ != WOA_OK) return error_.message;
  std::uint32_t written = 0;
  for (std::size_t k = 0; k < stage.outs.size(); ++k) {
    const woa_output& out = stage.outs[k];
    if (out.written > 1 || out.bytes > out.capacity) return "an output that its kernel may not write";
    written += out.written;
  }
  if (written != stage.to_write) return "too many or too few outputs";
  for (std::size_t k = 0; k < stage.outs.size(); ++k) {
    if (const Broken broken = send(stage, k); broken != nullptr) return broken;
  }
  release_inputs(stage);
  return nullptr;
}

// Room for every output, written or not.
Broken RawLoop::claim(Stage& stage) noexcept {
  for (std::size_t k = 0; k < stage.outs.size(); ++k) {
    Output& output = outputs_[stage.first_output + k];
    for (const Edge& edge : output.edges) {
      if (edge.credits == 0) return "an edge without credits";
    }
    if (output.free.empty()) return "an output without blocks";
    stage.claimed[k] = claim_block(output);
    woa_output& out = stage.outs[k];
    out.data = output.data(stage.claimed[k]);
    out.capacity = output.capacity;
    out.bytes = 0;
    out.written = 0;
    out.count = 0;
  }
  return nullptr;
}

std::uint32_t RawLoop::claim_block(Output& output) noexcept {
  const std::uint32_t offset = output.free.back();
  output.free.pop_back();
  output.readers[offset] = static_cast<std::uint32_t>(output.edges.size());
  for (Edge& edge : output.edges) --edge.credits;
  return offset;
}

void RawLoop::give_back(Output& output, std::uint32_t offset) noexcept {
  output.free.push_back(offset);
  for (Edge& edge : output.edges) ++edge.credits;
}

Broken RawLoop::send(const Stage& stage, std::size_t port) noexcept {
  const auto region = static_cast<std::uint32_t>(stage.first_output + port);
  Output& output = outputs_[region];
  if (stage.outs[port].written == 0) {
    give_back(output, stage.claimed[port]);
    return nullptr;
  }
  ActivationPacket packet;
  packet.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
  packet.tag = stage.tag;
  packet.origin = static_cast<std::uint32_t>(&stage - stages_.data());
  packet.region = static_cast<std::uint16_t>(region);
  packet.offset = stage.claimed[port];
  packet.payload_bytes = stage.outs[port].bytes;
  for (Edge& edge : output.edges) {
    if (const Broken broken = send(packet, edge); broken != nullptr) return broken;
  }
  return nullptr;
}

// `token` has the tag of the firing that sends it.
Broken RawLoop::send(const ActivationPacket& token, Edge& edge) noexcept {
  if (edge.most != 0 && ((token.tag >> edge.shift) & edge.counter) >= edge.most) return "a loop beyond its bound";
  if (edge.to == kSinkStage) {
    answer_ = reinterpret_cast<const std::byte*>(outputs_[token.region].data(token.offset));
    answer_bytes_ = token.payload_bytes;
    return nullptr;
  }
  ActivationPacket& packet = queue_[tail_++ & (queue_.size() - 1)];
  packet = token;
  packet.tag = (token.tag & edge.keep) + edge.step;
  packet.stage = edge.to;
  packet.port = edge.port;
  return nullptr;
}

// A held token stays.
void RawLoop::release_inputs(Stage& stage) noexcept {
  for (std::uint64_t left = stage.needed & ~stage.held; left != 0; left &= left - 1) {
    const ActivationPacket& token = stage.tokens[static_cast<std::size_t>(std::countr_zero(left))];
    Output& output = outputs_[token.region];
    if (--output.readers[token.offset] == 0) give_back(output, token.offset);
  }
  stage.there = stage.held;
}

}  // namespace

Result<std::uint64_t> raw_loop_ns(const LoopJob& job, const KernelLibraries& kernels) {
  RawLoop loop(job, kernels);
  auto ns = loop.run_ns();
  if (ns.ok()) WOA_RETURN_IF_ERROR(check_answer(job, loop.answer()));
  return ns;
}

}  // namespace woa::bench
