#include "bench/micro/kernels.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/base/free_memory.h"
#include "runtime/measure/contest.h"

namespace woa::bench {
namespace {

// Values that a kernel gets besides bytes or a picture.
struct Recipe {
  std::string kernel;
  KernelParams params;
  std::string suffix = {};    // of the contender's name
  std::string input_of = {};  // the kernel whose output it reads
};

std::vector<Recipe> recipes(const PayloadSizes& sizes) {
  const std::string key(64, '1');  // hexadecimal digits
  const auto resize = [](std::uint32_t width, std::uint32_t height) {
    const std::string columns = std::to_string(width), rows = std::to_string(height);
    return Recipe{"resize_bilinear", {{"width", columns}, {"height", rows}}, " to " + columns + " x " + rows};
  };
  std::vector<Recipe> all{{"aes_gcm_encrypt", {{"key", key}}},
                          {"aes_gcm_decrypt", {{"key", key}}, "", "aes_gcm_encrypt"},
                          {"find_line", {{"text", "no such line"}}},
                          {"jpeg_decode", {}, "", "jpeg_encode"},
                          resize(320, 240)};
  const std::uint32_t width = std::max(1U, sizes.width / 2), height = std::max(1U, sizes.height / 2);
  if (width != 320 || height != 240) all.push_back(resize(width, height));
  return all;
}

// Those of a kernel: with parameters of the user, the first alone.
std::vector<Recipe> recipes_of(const std::string& kernel, const PayloadSizes& sizes, const KernelsOptions& chosen) {
  std::vector<Recipe> found = recipes(sizes);
  std::erase_if(found, [&](const Recipe& recipe) { return recipe.kernel != kernel; });
  if (found.empty()) found.push_back({kernel, {}});
  const auto given = chosen.params.find(kernel);
  if (given == chosen.params.end()) return found;
  found.resize(1);
  found.front().suffix.clear();
  for (const auto& [name, value] : given->second) found.front().params[name] = value;
  return found;
}

// Nanoseconds of one of `count` calls; with 0, of as many as take 20 ms.
Result<double> time_calls(const std::function<Status()>& call, std::uint64_t count) {
  constexpr std::uint64_t kEnough_ns = 20'000'000;
  std::uint64_t done = 0, ns = 0;
  for (const std::uint64_t begin = now_ns(); count != 0 ? done < count : ns < kEnough_ns; ns = now_ns() - begin) {
    WOA_RETURN_IF_ERROR(call());
    ++done;
  }
  return static_cast<double>(ns) / static_cast<double>(done);
}

// Kernels that get the same payloads, beside one memcpy.
class Group {
 public:
  Group(const PayloadSizes& sizes, PayloadKind kind, const std::vector<std::filesystem::path>& folders,
        const KernelsOptions& chosen)
      : payloads_(sizes), kind_(kind), folders_(folders), chosen_(chosen), copy_(lines(size())) {
    contest_ = {"GB/s", chosen.repetitions, "memcpy", {}};
    add("memcpy", "limit", [this] {
      std::memcpy(copy_.data(), source(), size());
      asm volatile("" ::"r"(copy_.data()) : "memory");  // somebody may read it
      return Status();
    });
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  // `all`: where kernels that make inputs for others are found.
  Status add_kernel(const KernelListing& kernel, const std::vector<KernelListing>& all) {
    for (const Recipe& recipe : recipes_of(kernel.name, payloads_.sizes(), chosen_)) {
      std::span<const std::uint8_t> first;
      if (!recipe.input_of.empty()) {
        const auto maker = std::ranges::find(all, recipe.input_of, &KernelListing::name);
        if (maker == all.end())
          return {Code::kNotFound, "there is no kernel '" + recipe.input_of + "' to make its input"};
        WOA_ASSIGN_OR_RETURN(KernelJob* const made, load(*maker, recipe.params, {}));
        WOA_RETURN_IF_ERROR(made->call());
        first = made->output();
      }
      WOA_ASSIGN_OR_RETURN(KernelJob* const job, load(kernel, recipe.params, first));
      WOA_RETURN_IF_ERROR(job->call());  // touches the outputs
      add(kernel.name + recipe.suffix, "ours", [job] { return job->call(); });
    }
    return {};
  }

  Status run(Report& report) {
    WOA_ASSIGN_OR_RETURN(auto rows, run_contest(contest_, [] { return Status(); }));
    std::ranges::move(rows, std::back_inserter(report.rows));
    return {};
  }

 private:
  [[nodiscard]] const std::uint8_t* source() const {
    return kind_ == PayloadKind::kPicture ? payloads_.picture().data() : payloads_.text().data();
  }
  [[nodiscard]] std::uint64_t size() const {
    return kind_ == PayloadKind::kPicture ? payloads_.sizes().picture_bytes() : payloads_.sizes().bytes;
  }

  void add(const std::string& name, const std::string& role, const std::function<Status()>& call) {
    contest_.contenders.push_back({name, role, size(), [this, call] {
                                     return per_ns(static_cast<double>(size()), time_calls(call, chosen_.count));
                                   }});
  }

  Result<KernelJob*> load(const KernelListing& kernel, const KernelParams& params,
                          std::span<const std::uint8_t> first) {
    auto job = KernelJob::load(kernel, params, payloads_, folders_, first);
    if (!job.ok()) return job.status();
    jobs_.push_back(std::move(*job));
    return jobs_.back().get();
  }

  const KernelPayloads payloads_;
  const PayloadKind kind_;
  const std::vector<std::filesystem::path>& folders_;
  const KernelsOptions& chosen_;
  std::vector<MemoryLine> copy_;
  std::vector<std::unique_ptr<KernelJob>> jobs_;
  Contest contest_;
};

// Payload, memcpy's target and the kernels' outputs must fit, with as much left for others.
Status check_memory(std::uint64_t bytes, std::size_t kernels) {
  const std::uint64_t payloads = kernels + 2, available = available_bytes();
  if (available == 0 || bytes <= available / 2 / payloads) return {};
  return {Code::kExhausted, std::to_string(payloads) + " payloads of " + std::to_string(bytes) +
                                " bytes need more than half of the " + std::to_string(available) +
                                " bytes of memory that are available; lower --size, or choose by --kernel"};
}

// A kernel that was asked for by name must be measured, or the benchmark fails; of the others those that can be.
Result<std::vector<KernelListing>> choose(const std::vector<KernelListing>& all, const KernelsOptions& chosen,
                                          Report& report) {
  for (const std::string& name : chosen.kernels)
    if (std::ranges::find(all, name, &KernelListing::name) == all.end())
      return {Code::kNotFound,
              "there is no kernel '" + name + "'; woa devices lists them, WOA_KERNEL_PATH adds folders"};
  std::vector<KernelListing> measured;
  for (const KernelListing& kernel : all) {
    const bool named = std::ranges::find(chosen.kernels, kernel.name) != chosen.kernels.end();
    if (!chosen.kernels.empty() && !named) continue;
    if (!kernel.reason.empty()) {
      report.absent.push_back({kernel.name, kernel.reason});
    } else if (const auto kind = payload_kind(kernel); kind.ok()) {
      measured.push_back(kernel);
    } else if (named) {
      return kind.status();
    }
  }
  return measured;
}

Status check_params(const std::vector<KernelListing>& measured, const KernelsOptions& chosen) {
  for (const auto& [name, params] : chosen.params) {
    const auto kernel = std::ranges::find(measured, name, &KernelListing::name);
    if (kernel == measured.end()) return {Code::kInvalid, "--param " + name + ": no kernel of this name is measured"};
    for (const auto& [param, value] : params)
      if (std::ranges::find(kernel->description->params, param, &ParamDescription::name) ==
          kernel->description->params.end())
        return {Code::kInvalid, "--param " + name + "." + param + ": the kernel has no such parameter; woa explain " +
                                    name + " lists them"};
  }
  return {};
}

}  // namespace

Result<Report> bench_kernels(const std::vector<std::filesystem::path>& kernel_path, const KernelsOptions& chosen) {
  Report report{"kernels", "memory", Better::kMore};
  const std::vector<KernelListing> all = list_kernels(kernel_path);
  WOA_ASSIGN_OR_RETURN(const auto measured, choose(all, chosen, report));
  WOA_RETURN_IF_ERROR(check_params(measured, chosen));
  const auto run = [&](const PayloadSizes& sizes, PayloadKind kind) -> Status {
    std::vector<KernelListing> kernels = measured;
    std::erase_if(kernels, [kind](const KernelListing& kernel) { return *payload_kind(kernel) != kind; });
    if (kernels.empty()) return {};
    WOA_RETURN_IF_ERROR(check_memory(std::max(sizes.bytes, sizes.picture_bytes()), kernels.size()));
    Group group(sizes, kind, kernel_path, chosen);
    for (const KernelListing& kernel : kernels)
      if (const Status added = group.add_kernel(kernel, all); !added.ok()) return added.with_context(kernel.name);
    return group.run(report);
  };
  for (const std::uint64_t bytes : chosen.sizes) WOA_RETURN_IF_ERROR(run({bytes, 0, 0}, PayloadKind::kBytes));
  WOA_RETURN_IF_ERROR(run({chosen.sizes.front(), chosen.width, chosen.height}, PayloadKind::kPicture));
  return report;
}

}  // namespace woa::bench
