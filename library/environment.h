// The surroundings of a program that uses this library: its own file, kernels and back-ends.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "runtime/base/children.h"
#include "runtime/controller/backend.h"

namespace woa {

// Takes what a person should know: warnings, and what a long start waits for.
using OnMessage = std::function<void(const std::string&)>;

// A program of this project ("woa"), and a folder of files that belong to it ("kernels"): found from the file that
// holds this code (libwoa.so, or the program), in a build folder and below any prefix; then from the `woa` in PATH. A
// place that does not exist, if it is nowhere.
std::filesystem::path program(const std::string& name);
std::filesystem::path data_folder(const std::string& name);
// The folder with woa/woa_kernel.h, of the prefix or the source tree: `include` in a folder above the own file or the
// `woa` in PATH. Empty: there is none.
std::filesystem::path include_folder();
// Folders searched for kernels: WOA_KERNEL_PATH (colon-separated) first, and last those of this project.
std::vector<std::filesystem::path> kernel_path();
// The command of `woa` that serves one worker of a cpu controller, for stages that are isolated.
inline constexpr const char* kWorkerCommand = "worker";
// --guard, of commands that run kernels.
inline constexpr const char* kGuardOption = "--guard";
// Every back-end that this program was built with. `guarded`: kernels of cpu controllers are watched
// (CpuOptions::guarded).
// `worker`: in place of `woa worker`, for isolated stages.
BackendRegistry all_backends(bool guarded = false, Children::Program worker = {});

}  // namespace woa
