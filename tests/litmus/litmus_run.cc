#include "tests/litmus/litmus_run.h"

#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <thread>

#include "runtime/base/clock.h"
#include "runtime/controller/layout.h"
#include "runtime/controller/port_shape.h"
#include "runtime/node/segments.h"
#include "runtime/transport/loopback/loopback_transport.h"
#include "tests/litmus/litmus_plan.h"

namespace woa {
namespace {

constexpr std::uint64_t kPatienceNs = 10'000'000'000;
constexpr std::size_t kParts = 10;  // of a course, for its rates

// Counts and flags by which the threads tell each other how far they are.
struct Progress {
  std::atomic<std::uint64_t> sent{0}, read{0};
  std::atomic<bool> all_sent{false}, stop{false};
  [[nodiscard]] bool ended() const noexcept { return stop || (all_sent && read == sent); }
};

// Blocks of one edge's region, of which its sender learns when they are free again.
class FreeBlocks {
 public:
  FreeBlocks(std::span<std::byte> region, std::uint64_t block_bytes, Sender& sender)
      : region_(region), sender_(sender) {
    for (std::uint32_t k = 0; k < kLitmusWindow; ++k)
      offsets_[count_++] = static_cast<std::uint32_t>(k * block_bytes / kOffsetUnitBytes);
  }
  [[nodiscard]] bool any() noexcept {
    std::array<BlockReturn, kLitmusWindow> back;
    for (std::size_t n = sender_.poll_returns(std::span(back).first(kLitmusWindow - count_)); n > 0; --n)
      offsets_[count_++] = back[n - 1].offset;
    return count_ != 0;
  }
  [[nodiscard]] std::uint32_t take() noexcept { return offsets_[--count_]; }
  [[nodiscard]] std::byte* at(std::uint32_t offset) const noexcept {
    return region_.data() + std::size_t{offset} * kOffsetUnitBytes;
  }

 private:
  std::span<std::byte> region_;
  Sender& sender_;
  std::array<std::uint32_t, kLitmusWindow> offsets_{};
  std::size_t count_ = 0;
};

ActivationPacket packet_for(std::uint64_t number, std::uint32_t stage, std::uint16_t region, std::uint32_t offset,
                            std::uint64_t bytes) {
  ActivationPacket packet;
  packet.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
  packet.device = static_cast<std::uint8_t>(MemoryKind::kCpu);
  packet.instance = number;
  packet.stage = stage;
  packet.region = region;
  packet.offset = offset;
  packet.payload_bytes = bytes;
  return packet;
}

// The graph's input: one thread.
void write_messages(const LitmusCase& what, std::uint64_t messages, double limit_s, Sender& sender, FreeBlocks blocks,
                    Progress& progress) {
  const std::uint64_t end = now_ns() + static_cast<std::uint64_t>(limit_s * 1e9);
  const std::uint64_t words = what.from_host ? what.bytes / 8 : 1;
  for (std::uint64_t n = 0; n < messages && !progress.stop && now_ns() < end;) {
    if (!blocks.any() || sender.reserve() != Push::kOk) {
      std::this_thread::yield();
      continue;
    }
    const std::uint32_t block = blocks.take();
    for (std::uint64_t w = 0; w < words; ++w) {
      const std::uint64_t word = what.from_host ? litmus_word(n, w) : n;
      std::memcpy(blocks.at(block) + 8 * w, &word, 8);
    }
    progress.sent = ++n;  // first: the reader may have read it when commit() returns
    sender.commit(packet_for(n - 1, kLitmusStage, kLitmusIn, block, 8 * words));
    sender.wake();
  }
  progress.all_sent = true;
}

// The graph's output: one thread.
class Reader final : public PacketSink {
 public:
  Reader(const LitmusCase& what, std::uint64_t messages, bool first, Receiver& receiver,
         std::span<const std::byte> region, Progress& progress)
      : what_(what),
        first_(first),
        part_(std::max<std::uint64_t>(messages / kParts, kLitmusWindow)),
        receiver_(receiver),
        region_(region),
        progress_(progress) {}

  void run() {
    const std::uint64_t began = part_began_ns_ = now_ns();
    while (!progress_.ended()) {
      if (receiver_.poll(*this, kLitmusWindow) == 0) std::this_thread::yield();
      receiver_.wake();
    }
    outcome.seconds = static_cast<double>(now_ns() - began) / 1e9;
    if (outcome.messages_per_s.empty() && outcome.messages != 0)  // the limit came first
      outcome.messages_per_s.push_back(static_cast<double>(outcome.messages) / outcome.seconds);
  }
  bool on_packet(const ActivationPacket& packet, std::span<const std::byte>) noexcept override {
    if (progress_.stop) return false;
    const std::uint64_t number = outcome.messages++;
    check(packet, number);
    receiver_.give_back({kLitmusOut, packet.offset, packet.region, static_cast<std::uint16_t>(packet.instance)});
    if (outcome.messages % part_ == 0) end_part();
    progress_.read = outcome.messages;
    return true;
  }

  LitmusOutcome outcome;

 private:
  void check(const ActivationPacket& packet, std::uint64_t number) noexcept {
    bool right = packet.instance == number && packet.payload_bytes == what_.bytes;
    if (!right) note(number, "the packet is of message " + std::to_string(packet.instance));
    for (std::uint64_t w = 0; right && w < what_.bytes / 8; ++w) {
      std::uint64_t word = 0;
      std::memcpy(&word, region_.data() + std::size_t{packet.offset} * kOffsetUnitBytes + 8 * w, 8);
      right = word == litmus_word(number, w);
      if (!right)
        note(number, "word " + std::to_string(w) + " is " + std::to_string(word) + ", expected " +
                         std::to_string(litmus_word(number, w)));
    }
    if (right) return;
    ++outcome.wrong;
    if (first_) progress_.stop = true;
  }
  void note(std::uint64_t number, const std::string& what) noexcept {
    if (outcome.first_wrong.empty()) outcome.first_wrong = "message " + std::to_string(number) + ": " + what;
  }
  void end_part() noexcept {
    const std::uint64_t now = now_ns();
    outcome.messages_per_s.push_back(static_cast<double>(part_) * 1e9 / static_cast<double>(now - part_began_ns_));
    part_began_ns_ = now;
  }

  const LitmusCase what_;
  const bool first_;
  const std::uint64_t part_;
  Receiver& receiver_;
  std::span<const std::byte> region_;
  Progress& progress_;
  std::uint64_t part_began_ns_ = 0;
};

// One message in the GPU.
struct LitmusFiring : Firing {
  ActivationPacket header;
  woa_input input{};
  woa_output output{};
  std::array<PortMemory, 2> memory{};
  Publication publication;
};

// The GPU's controller, as far as messages need one: this thread.
class Gpu final : public PacketSink {
 public:
  Gpu(const Plan& plan, Backend& backend, Receiver& receiver, PreparingSender& sender, std::span<const std::byte> in,
      FreeBlocks out)
      : in_shape_(plan.stages[kLitmusStage].inputs[0].type),
        out_shape_(plan.stages[kLitmusStage].outputs[0].type),
        payload_bytes_(plan.stages[kLitmusStage].outputs[0].type.max_bytes),
        resident_(plan.stages[kLitmusStage].variant.resident),
        backend_(backend),
        receiver_(receiver),
        sender_(sender),
        in_(in),
        out_(out) {
    for (std::size_t k = 0; k < firings_.size(); ++k) {
      firings_[k].message.reserve(256);
      free_[k] = &firings_[k];
    }
  }

  Status run(Progress& progress) {
    std::uint64_t last_read = 0, moved_ns = now_ns();
    while (!progress.ended() && status_.ok()) {
      start_waiting();
      if (receiver_.poll(*this, kLitmusWindow) + finish() == 0) std::this_thread::yield();
      receiver_.wake();
      if (const std::uint64_t read = progress.read; read != last_read) {
        last_read = read;
        moved_ns = now_ns();
      } else if (now_ns() - moved_ns > kPatienceNs) {
        status_ = {Code::kDeadlineExceeded, "nothing arrived for 10 s behind message " + std::to_string(read)};
      }
    }
    while (status_.ok() && free_count_ != firings_.size()) finish();
    return status_;
  }
  bool on_packet(const ActivationPacket& packet, std::span<const std::byte>) noexcept override {
    if (waiting_ != nullptr || free_count_ == 0 || !out_.any() || sender_.reserve() != Push::kOk) return false;
    LitmusFiring& firing = *free_[--free_count_];
    firing.header = packet;
    firing.packet = &firing.header;
    firing.stage = kLitmusStage;
    firing.instance = packet.instance;
    firing.timed = false;
    const auto* const payload = in_.data() + std::size_t{packet.offset} * kOffsetUnitBytes;
    (void)in_shape_.show({payload, packet.payload_bytes}, firing.input);
    const std::uint32_t block = out_.take();
    out_shape_.reserve(out_.at(block), firing.output);
    firing.inputs = {&firing.input, 1};
    firing.outputs = {&firing.output, 1};
    firing.input_memory = {&firing.memory[0], 1};
    firing.output_memory = {&firing.memory[1], 1};
    firing.publication = sender_.prepare(packet_for(packet.instance, kSinkStage, kLitmusOut, block, payload_bytes_));
    firing.publications = {&firing.publication, 1};
    waiting_ = &firing;
    start_waiting();
    return true;
  }

 private:
  void start_waiting() noexcept {
    if (waiting_ == nullptr) return;
    const Start start = backend_.start(*waiting_);
    if (start == Start::kBusy) return;
    if (start == Start::kCompleted) complete(*waiting_);
    waiting_ = nullptr;
  }
  std::size_t finish() noexcept {
    std::array<Firing*, kLitmusWindow> done{};
    const std::size_t count = backend_.poll(done);
    for (std::size_t k = 0; k < count; ++k) complete(static_cast<LitmusFiring&>(*done[k]));
    return count;
  }
  void complete(LitmusFiring& firing) noexcept {
    if (firing.code != Code::kOk && status_.ok()) status_ = {firing.code, firing.message};
    if (resident_ != (firing.worker >= kLitmusQueues) && status_.ok())
      status_ = {Code::kInternal, resident_ ? "no resident worker ran it" : "a resident worker ran it"};
    if (firing.publication.word == nullptr) sender_.publish(firing.publication);
    sender_.flush();
    sender_.wake();
    const ActivationPacket& packet = firing.header;
    receiver_.give_back({kLitmusIn, packet.offset, packet.region, static_cast<std::uint16_t>(packet.instance)});
    free_[free_count_++] = &firing;
  }

  const PortShape in_shape_, out_shape_;
  const std::uint64_t payload_bytes_;
  const bool resident_;
  Backend& backend_;
  Receiver& receiver_;
  PreparingSender& sender_;
  std::span<const std::byte> in_;
  FreeBlocks out_;
  Status status_;
  LitmusFiring* waiting_ = nullptr;  // prepared, and the back-end was busy
  std::array<LitmusFiring, kLitmusWindow> firings_;
  std::array<LitmusFiring*, kLitmusWindow> free_{};
  std::size_t free_count_ = kLitmusWindow;
};

// The library's side of the kernels: outputs have a fixed size.
woa_status size_output(void*, const woa_input*, woa_output* outputs, woa_error*) {
  outputs[0].bytes = outputs[0].capacity;
  outputs[0].dims[0] = static_cast<std::uint32_t>(outputs[0].capacity / 8);
  return WOA_OK;
}
const woa_kernel kKernel{WOA_KERNEL_HEAD, .create = nullptr, .destroy = nullptr, .size = size_output,
                         .run = nullptr,  .retire = nullptr, .state_bytes = 0};

// The one channel between two controllers that carries an edge.
std::size_t channel_of(const Layout& layout, std::uint32_t edge) { return layout.edges[edge].channel; }

}  // namespace

Result<LitmusOutcome> run_litmus(const BackendFactory& factory, const LitmusCase& what, std::uint64_t messages,
                                 double limit_s, bool first, const std::string& folder) {
  const Plan plan = litmus_plan(what);
  WOA_RETURN_IF_ERROR(validate(plan));
  auto backend = factory.make(0, plan.controllers[kLitmusGpu]);
  if (!backend.ok()) return backend.status();
  const Layout layout = make_layout(plan);
  LoopbackTransport memory;
  const Transports transports{&memory};
  auto segments = allocate_segments(layout, 0, memory);
  if (!segments.ok()) return segments.status();
  auto host = open_wiring(layout, kLitmusHost, *segments, transports);
  if (!host.ok()) return host.status();
  auto gpu = open_wiring(layout, kLitmusGpu, *segments, transports);
  if (!gpu.ok()) return gpu.status();
  std::unique_ptr<Backend> device = std::move(*backend);  // gone before its mappings
  const LoadedStage stage{kLitmusStage, &plan.stages[kLitmusStage], &kKernel, nullptr, folder};
  WOA_RETURN_IF_ERROR(device->load(plan, {&stage, 1}, gpu->doorbell));
  WOA_RETURN_IF_ERROR(device->map(backend_mappings(plan, layout, kLitmusGpu, *segments, gpu->wiring)).status());

  const auto blocks = [&](const ControllerWiring& wired, std::uint32_t edge) {
    const std::uint16_t region = layout.edges[edge].regions.front();
    return FreeBlocks(wired.wiring.regions[region], layout.regions[region].block_bytes,
                      *wired.wiring.senders[channel_of(layout, edge)]);
  };
  Progress progress;
  Reader reader(what, messages, first, *host->wiring.receivers[channel_of(layout, kLitmusOut)],
                host->wiring.regions[kLitmusOut], progress);
  Gpu controller(plan, *device, *gpu->wiring.receivers[channel_of(layout, kLitmusIn)],
                 dynamic_cast<PreparingSender&>(*gpu->wiring.senders[channel_of(layout, kLitmusOut)]),
                 gpu->wiring.regions[kLitmusIn], blocks(*gpu, kLitmusOut));
  std::jthread writing([&] {
    write_messages(what, messages, limit_s, *host->wiring.senders[channel_of(layout, kLitmusIn)],
                   blocks(*host, kLitmusIn), progress);
  });
  std::jthread reading([&] { reader.run(); });
  const Status status = controller.run(progress);
  progress.stop = true;
  writing.join();
  reading.join();
  device.reset();  // before the firings
  if (!status.ok()) return status;
  return std::move(reader.outcome);
}

}  // namespace woa
