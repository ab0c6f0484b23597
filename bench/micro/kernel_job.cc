#include "bench/micro/kernel_job.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "runtime/controller/kernel_call.h"

namespace woa::bench {
namespace {

constexpr std::uint64_t kRoomForMore = 4096;  // what a kernel without a prediction may add to its input

StagePlan stage_of(const KernelListing& kernel) {
  StagePlan stage;
  stage.name = stage.kernel = kernel.name;
  stage.library = kernel.description->library;
  stage.variant.kind = "cpu";
  return stage;
}

Result<std::vector<ParamPlan>> params_of(const KernelListing& kernel, const KernelParams& given) {
  std::vector<ParamPlan> params;
  for (const ParamDescription& param : kernel.description->params) {
    ParamPlan plan;
    plan.name = param.name;
    if (const auto found = given.find(param.name); found != given.end()) {
      plan.value = found->second;
    } else if (!param.env.empty()) {
      plan.secret_env = param.env;
    } else if (param.value) {
      plan.value = *param.value;
    } else {
      return {Code::kInvalid, "parameter '" + param.name + "' has no default: give it by --param " + kernel.name + "." +
                                  param.name + "=VALUE"};
    }
    params.push_back(std::move(plan));
  }
  return params;
}

std::uint64_t product(const std::vector<std::uint32_t>& dims) {
  return std::accumulate(dims.begin(), dims.end(), std::uint64_t{1}, std::multiplies<>());
}

woa_input token_of(std::span<const std::uint8_t> bytes, const std::vector<std::uint32_t>& dims) {
  woa_input in{};
  in.data = bytes.data();
  in.bytes = bytes.size();
  in.rank = static_cast<std::uint32_t>(dims.size());
  std::ranges::copy(dims, in.dims);
  return in;
}

// The lines of a text, as the elements of a scatter.
std::vector<woa_input> pieces_of(std::span<const std::uint8_t> text) {
  std::vector<woa_input> pieces;
  for (const std::uint64_t each = piece_bytes(text.size()); !text.empty();) {
    const auto piece = text.first(std::min<std::uint64_t>(each, text.size()));
    pieces.push_back(token_of(piece, {static_cast<std::uint32_t>(piece.size())}));
    text = text.subspan(piece.size());
  }
  return pieces;
}

std::vector<const PortDescription*> ports_of(const KernelDescription& kernel) {
  std::vector<const PortDescription*> ports;
  for (const auto* list : {&kernel.inputs, &kernel.outputs})
    for (const PortDescription& port : *list) ports.push_back(&port);
  return ports;
}

}  // namespace

Result<PayloadKind> payload_kind(const KernelListing& kernel) {
  constexpr std::uint64_t kTokenBytes = 64;
  if (std::ranges::find(kernel.variants, "cpu") == kernel.variants.end())
    return {Code::kUnsupported, "kernel '" + kernel.name + "' has no cpu variant"};
  PayloadKind kind = PayloadKind::kBytes;
  for (const PortDescription* port : ports_of(*kernel.description)) {
    const auto dims = dims_of(port->type, {1, 1, 1});
    if (!dims || (port->max_bytes != 0 && port->max_bytes <= kTokenBytes))
      return {Code::kUnsupported, "port '" + port->name + "' of kernel '" + kernel.name + "' has type " + port->type +
                                      ", max " + std::to_string(port->max_bytes) +
                                      "; expected bytes or u8[...] of more than 64 bytes"};
    if (dims->size() > 1) kind = PayloadKind::kPicture;
  }
  return kind;
}

Result<std::unique_ptr<KernelJob>> KernelJob::load(const KernelListing& kernel, const KernelParams& params,
                                                   const KernelPayloads& payloads,
                                                   std::span<const std::filesystem::path> folders,
                                                   std::span<const std::uint8_t> first) {
  StagePlan stage = stage_of(kernel);
  WOA_ASSIGN_OR_RETURN(stage.params, params_of(kernel, params));
  WOA_ASSIGN_OR_RETURN(auto library, KernelLibrary::load(stage, folders));
  std::unique_ptr<KernelJob> job(new KernelJob(std::move(library)));
  job->state_ = lines(job->library_.kernel()->state_bytes);
  job->scratch_ = lines(kernel.description->scratch_bytes);
  job->firing_.state = job->state_.empty() ? nullptr : job->state_.data();
  job->firing_.scratch = job->scratch_.empty() ? nullptr : reinterpret_cast<std::uint8_t*>(job->scratch_.data());
  job->firing_.scratch_bytes = kernel.description->scratch_bytes;
  WOA_RETURN_IF_ERROR(job->show_inputs(*kernel.description, payloads, first));
  WOA_RETURN_IF_ERROR(job->reserve_outputs(*kernel.description, payloads.sizes()));
  return job;
}

KernelJob::~KernelJob() {
  const woa_kernel& kernel = *library_.kernel();
  if (kernel.retire != nullptr && !state_.empty()) kernel.retire(library_.self(), state_.data());
}

Status KernelJob::show_inputs(const KernelDescription& kernel, const KernelPayloads& payloads,
                              std::span<const std::uint8_t> first) {
  PayloadSizes sizes = payloads.sizes();
  sizes.bytes = std::max<std::uint64_t>(1, sizes.bytes / std::max<std::size_t>(1, kernel.inputs.size()));
  for (const PortDescription& port : kernel.inputs) {
    const std::vector<std::uint32_t> dims = *dims_of(port.type, sizes);
    const auto content = dims.size() > 1 ? payloads.picture() : payloads.text();
    const std::uint64_t bytes = product(dims);
    if (bytes > content.size())
      return {Code::kUnsupported, "input '" + port.name + "' takes " + std::to_string(bytes) +
                                      " bytes, more than the " + std::to_string(content.size()) +
                                      " that were asked for"};
    ins_.push_back(token_of(content.first(bytes), dims));
    if (!port.gather) continue;
    pieces_ = pieces_of(payloads.text());
    ins_.back() = {};
    ins_.back().count = static_cast<std::uint32_t>(pieces_.size());
    ins_.back().elements = pieces_.data();
  }
  if (!first.empty()) ins_[0] = token_of(first, {static_cast<std::uint32_t>(first.size())});
  return {};
}

std::uint8_t* KernelJob::reserve(std::uint64_t bytes) {
  const std::uint64_t count = (bytes + sizeof(MemoryLine) - 1) / sizeof(MemoryLine);
  rooms_.push_back(std::make_unique_for_overwrite<MemoryLine[]>(count));  // touched where the kernel writes
  return reinterpret_cast<std::uint8_t*>(rooms_.back().get());
}

Status KernelJob::reserve_outputs(const KernelDescription& kernel, const PayloadSizes& sizes) {
  const std::uint64_t most = std::max(sizes.bytes, sizes.picture_bytes()) + kRoomForMore;
  outs_.resize(std::max<std::size_t>(1, kernel.outputs.size()));  // one that a kernel without outputs has by itself
  elements_.resize(outs_.size());
  const woa_kernel& table = *library_.kernel();
  if (table.size != nullptr)
    WOA_RETURN_IF_ERROR(call_kernel(
        "size", [&](woa_error& error) { return table.size(library_.self(), ins_.data(), outs_.data(), &error); }));
  for (std::size_t k = 0; k < kernel.outputs.size(); ++k) {
    const PortDescription& port = kernel.outputs[k];
    outs_[k].capacity = table.size != nullptr ? outs_[k].bytes : std::max(port.max_bytes, most);
    if (port.many == 0) {
      outs_[k].data = reserve(outs_[k].capacity);
      continue;
    }
    for (std::uint32_t e = 0; e < port.many; ++e) {
      woa_output& element = elements_[k].emplace_back();
      element.capacity = std::max(port.max_bytes, piece_bytes(sizes.bytes));
      element.data = reserve(element.capacity);
    }
    outs_[k].elements = elements_[k].data();
  }
  return {};
}

Status KernelJob::call() noexcept {
  for (woa_output& out : outs_) out.written = out.count = 0;
  for (std::vector<woa_output>& elements : elements_)
    for (woa_output& element : elements) element.written = 0;
  return call_kernel("run", [this](woa_error& error) {
    return library_.kernel()->run(library_.self(), &firing_, ins_.data(), outs_.data(), &error);
  });
}

}  // namespace woa::bench
