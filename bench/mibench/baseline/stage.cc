#include "bench/mibench/baseline/stage.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <span>

namespace woa::mibench {
namespace {

std::unique_ptr<KernelLibrary> load(const std::filesystem::path& folder, const std::string& name,
                                    const Params& params) {
  StagePlan plan;
  plan.name = plan.kernel = name;
  plan.library = "lib" + name + ".so";
  for (const auto& [key, value] : params) {
    ParamPlan& param = plan.params.emplace_back();
    param.name = key;
    param.value = value;
  }
  auto library = KernelLibrary::load(plan, std::span(&folder, 1));
  if (!library.ok()) fail(library.status().message());
  return std::make_unique<KernelLibrary>(std::move(*library));
}

}  // namespace

void fail(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

Stage::Stage(const std::filesystem::path& folder, const std::string& name, std::size_t inputs,
             const std::vector<std::uint64_t>& rooms, const Params& params, std::uint64_t scratch_bytes)
    : name_(name),
      library_(load(folder, name, params)),
      kernel_(library_->kernel()),
      state_(bench::lines(kernel_->state_bytes)),
      scratch_(bench::lines(scratch_bytes)),
      ins_(inputs),
      outs_(rooms.size()) {
  firing_.state = state_.data();
  firing_.scratch = reinterpret_cast<std::uint8_t*>(scratch_.data());
  firing_.scratch_bytes = scratch_bytes;
  for (std::size_t k = 0; k < rooms.size(); ++k) {
    memory_.push_back(bench::lines(rooms[k]));
    outs_[k].data = reinterpret_cast<std::uint8_t*>(memory_[k].data());
    outs_[k].capacity = rooms[k];
  }
}

void Stage::begin() { std::ranges::fill(state_, bench::MemoryLine{}); }

void Stage::give(std::size_t port, const woa_output& out, std::uint32_t rank) {
  give(port, out.data, out.bytes);
  ins_[port].rank = rank;
  std::copy_n(out.dims, rank, ins_[port].dims);
}

void Stage::failed() const { fail(name_ + ": " + error_.message); }

}  // namespace woa::mibench
