// woa devices: what can run here, and what is missing for the rest.
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "compiler/compiler.h"
#include "controllers/gpu/cuda/devices.h"
#include "library/environment.h"
#include "tools/woa/commands.h"
#include "tools/woa/failure.h"
#include "tools/woa/kernel_page.h"
#include "tools/woa/process.h"

namespace woa::tools {
namespace {

using nlohmann::json;

json device_rows(const BackendRegistry& backends) {
  json rows = json::array();
  for (const BackendFactory& factory : backends.all()) {
    const std::string kind(to_string(factory.kind));
    const auto add_unavailable = [&](const std::string& controller, const std::string& reason) {
      rows.push_back({{"controller", controller},
                      {"kind", kind},
                      {"backend", factory.name},
                      {"available", false},
                      {"reason", reason}});
    };
    const auto devices = factory.probe();
    if (!devices.ok()) {
      add_unavailable(kind, devices.status().message());
      continue;
    }
    const std::vector<bool> taken = factory.name == "cuda" ? probe_taken_cuda_devices() : std::vector<bool>();
    for (std::size_t ordinal = 0; ordinal < devices->size(); ++ordinal) {
      const DeviceDescription& device = (*devices)[ordinal];
      // Processor cores are shared by as many cpu controllers as a graph names; a device belongs to one controller.
      const std::string name = kind + ":" + (factory.kind == ControllerKind::kCpu ? "N" : std::to_string(ordinal));
      if (ordinal < taken.size() && taken[ordinal]) {
        add_unavailable(name, "'" + device.device + "' " + kTaken);
        continue;
      }
      rows.push_back({{"controller", name},
                      {"kind", kind},
                      {"backend", factory.name},
                      {"available", true},
                      {"device", device.device},
                      {"simulated", device.simulated},
                      {"forwards", device.forwards},
                      {"matches", device.matches}});
    }
  }
  return rows;
}

void print_devices(const json& rows) {
  std::printf("%-10s %-10s %s\n", "CONTROLLER", "BACK-END", "DEVICE");
  for (const json& row : rows) {
    const bool available = row["available"].get<bool>();
    const std::string text =
        available ? row["device"].get<std::string>() + (row["simulated"].get<bool>() ? "  (simulated)" : "")
                  : "unavailable: " + row["reason"].get<std::string>();
    std::printf("%-10s %-10s %s\n", row["controller"].get<std::string>().c_str(),
                row["backend"].get<std::string>().c_str(), text.c_str());
  }
  std::printf(
      "a gpu controller's back-end is %s and an fpga controller's %s, unless `backend` of a machine file names another "
      "(docs/machine.md); each back-end counts its own devices\n",
      std::string(default_backend(ControllerKind::kGpu).name).c_str(),
      std::string(default_backend(ControllerKind::kFpga).name).c_str());
}

void print_kernels(const std::vector<KernelListing>& kernels) {
  std::printf("\n%-18s %-22s %s\n", "KERNEL", "VARIANTS", "WHAT IT DOES");
  for (const KernelListing& kernel : kernels) {
    std::string variants;
    for (const std::string& variant : kernel.variants) variants += (variants.empty() ? "" : " ") + variant;
    const std::string text = kernel.reason.empty() ? kernel.summary : "unavailable: " + kernel.reason;
    std::printf("%-18s %-22s %s\n", kernel.name.c_str(), variants.c_str(), text.c_str());
  }
  std::printf("\n`woa explain KERNEL` shows its ports, parameters and variants\n");
}

int devices(bool as_json) {
  const BackendRegistry backends = all_backends();
  const json device_list = [&] {
    const ForeignOutput foreign;  // drivers print what they like
    return device_rows(backends);
  }();
  const std::vector<KernelListing> kernels = list_kernels(kernel_path());
  if (as_json) {
    json kernel_list = json::array();
    for (const KernelListing& kernel : kernels) kernel_list.push_back(to_json(kernel));
    print_json({{"devices", device_list}, {"kernels", std::move(kernel_list)}});
  } else {
    print_devices(device_list);
    print_kernels(kernels);
  }
  if (kernels.empty()) {
    std::string folders;
    for (const auto& folder : kernel_path()) folders += (folders.empty() ? "'" : " or '") + folder.string() + "'";
    print_warning("no kernel was found at all in " + folders +
                  ": set WOA_KERNEL_PATH to the folder that theirs are in");
  }
  return kDone;
}

}  // namespace

void add_devices(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("devices", "List devices and kernels; what is absent, with the reason");
  auto as_json = std::make_shared<bool>(false);
  command.add_flag("--json", *as_json, "Print one JSON object on stdout");
  command.callback([as_json, &action] { action = [as_json] { return devices(*as_json); }; });
}

}  // namespace woa::tools
