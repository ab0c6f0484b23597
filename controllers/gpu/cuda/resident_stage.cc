#include "controllers/gpu/cuda/resident_stage.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "controllers/gpu/cuda/firing_memory.h"
#include "runtime/base/clock.h"

namespace woa {
namespace {

constexpr std::uint32_t kMostFirings = 256;  // of a worker at a time

// The device has published it, or a later packet in the same place: the sequence is in the word's lower half.
bool is_out(const Publication& publication) noexcept {
  if (publication.word == nullptr) return true;
  const std::uint64_t found = publication.word->load(std::memory_order_acquire);
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(found) - static_cast<std::uint32_t>(publication.value)) >=
         0;
}

}  // namespace

Result<std::unique_ptr<ResidentStage>> ResidentStage::make(const CudaContext& context, const CudaStage& stage,
                                                           const MappedMemory& mapped, const Plan& plan,
                                                           std::uint32_t number) {
  const LoadedStage& loaded = stage.stage;
  std::uint32_t behind_header = 0;  // bytes of an input
  for (const EdgePlan& edge : plan.edges)
    if (edge.to_stage == loaded.id) behind_header = std::max(behind_header, edge.inline_bytes);
  const std::size_t inline_bytes = FiringMemory::whole_lines(behind_header);
  const WorkerShape shape{.words = stage.words,
                          .block = stage.block,
                          .shared_bytes = stage.shared_bytes,
                          .firings = std::min(plan.window, kMostFirings),
                          .memory_bytes = static_cast<std::uint32_t>(std::max<std::size_t>(
                              loaded.plan->inputs.size() * inline_bytes, FiringMemory::kAlignment))};
  auto worker = ResidentWorker::make(context, stage.resident, shape);
  if (!worker.ok()) return worker.status().with_context("stage '" + loaded.plan->name + "'");
  std::unique_ptr<ResidentStage> made(new ResidentStage(stage, mapped, number));
  made->worker_ = std::move(worker).value();
  made->under_way_.reserve(shape.firings, 0, 0);
  made->words_.resize(stage.words);
  made->ports_.reserve(loaded.plan->inputs.size() + loaded.plan->outputs.size());
  made->rings_.reserve(ResidentWorker::kMostPublications);
  made->publications_.reserve(ResidentWorker::kMostPublications);
  return made;
}

Status ResidentStage::start(Firing& firing, std::uint64_t order) noexcept {
  under_way_.begin(firing, order);
  firing.worker = number_;
  if (firing.timed) firing.started_ns = now_ns();
  return submit(firing);
}

Status ResidentStage::submit(Firing& firing) noexcept {
  FiringMemory own = worker_->slot_memory();
  const cuda::DevicePtr nothing = own.take(0).device;  // where payloads of no bytes are
  ports_.clear();
  for (std::size_t i = 0; i < firing.inputs.size(); ++i) {
    const woa_input& input = firing.inputs[i];
    ports_.push_back(input.bytes == 0 ? nothing : mapped_.find(input.data, input.bytes).device);
    if (ports_.back() != 0) continue;
    const FiringMemory::Part part = own.take(input.bytes);  // it came behind its header
    if (part.host == nullptr) return {Code::kBrokenContract, "an input lies in no mapping that the back-end was shown"};
    std::memcpy(part.host, input.data, input.bytes);
    firing.input_memory[i].copied_bytes = input.bytes;
    ports_.back() = part.device;
  }
  for (const woa_output& output : firing.outputs) {
    ports_.push_back(output.bytes == 0 ? nothing : mapped_.find(output.data, output.bytes).device);
    if (ports_.back() == 0) return {Code::kBrokenContract, "an output lies in no mapping that the back-end was shown"};
  }
  rings_.clear();
  publications_.clear();
  for (const Publication& publication : firing.publications) {
    if (publication.word == nullptr) continue;
    const MappedMemory::Place place = mapped_.find(publication.word, sizeof *publication.word);
    if (place.device == 0)
      return {Code::kBrokenContract, "a publication's word lies in no ring that the back-end was shown"};
    const bool behind = std::ranges::find(rings_, place.ring) != rings_.end();
    publications_.push_back({place.device, publication.value, behind});
    rings_.push_back(place.ring);
  }
  stage_.write_words(firing, ports_, words_);
  return worker_->submit(words_, publications_);
}

Firing* ResidentStage::finish() noexcept {
  if (under_way_.size() == 0 || !has_done()) return nullptr;
  if (!std::ranges::all_of(under_way_.oldest().firing->publications, is_out)) return nullptr;
  Firing& firing = under_way_.end_oldest();
  finished_.fetch_add(1, std::memory_order_relaxed);
  firing.code = Code::kOk;
  if (!firing.timed) return &firing;
  firing.started_ns = std::max(firing.started_ns, last_ended_ns_);
  firing.ended_ns = last_ended_ns_ = now_ns();
  return &firing;
}

}  // namespace woa
