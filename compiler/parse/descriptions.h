// The project's files as people and tools see them: kinds, a machine's calibration, a kernel.yaml's declarations
// (docs/kernels.md explains each word).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace woa {

// The kind of a file of this project; kOther: none of them, judging by its keys.
enum class FileKind : std::uint8_t { kOther, kGraph, kLibrary, kKernel, kMachine, kProfile };

// The results of `woa calibrate` on a machine, as a machine file keeps them (docs/machine.md).
struct Calibration {
  std::string processor;                              // that was calibrated, as the system names it
  std::map<std::string, std::uint32_t> inline_bytes;  // by transport: the limit of payloads behind headers
};

struct PortDescription {
  std::string name;
  std::string type;             // "u8[height,width,channels]"
  std::uint64_t max_bytes = 0;  // bound of the data; 0: an input without a bound of its own
  bool optional = false;
  bool gather = false;     // inputs
  std::uint32_t many = 0;  // outputs: up to so many elements; 0: one token
  std::string one_of;      // outputs: group in which a firing writes one; empty: none
  std::string in_place;    // outputs: name of the input that it may overwrite; empty: none
};

struct ParamDescription {
  std::string name;
  std::string type;                  // "int", "float", "string", "bool", "file"
  std::optional<std::string> value;  // the default; absent: the graph must give one, unless it is a secret
  std::optional<std::string> min, max;
  std::vector<std::string> choices;  // empty: any
  std::string env;                   // of a secret: the environment variable that holds it; empty: no secret
};

struct VariantDescription {
  std::string kind;  // "cpu", "opencl", "cuda", "rtl"
  bool has_size = false;
  std::string source, entry;        // opencl, cuda
  std::vector<std::string> global;  // opencl, cuda
  std::string core;                 // rtl
  std::uint32_t clock_mhz = 0;      // rtl
  // Its use of its controller, by family of fpgas; "" is for every controller; missing: unknown.
  std::map<std::string, std::map<std::string, std::uint64_t>, std::less<>> resources;
  std::vector<std::uint32_t> block;  // cuda
  std::uint32_t shared_bytes = 0;    // cuda
  bool resident = false;             // cuda
};

// A back-end that a kernel has a variant for.
struct PlaceDescription {
  std::string kind, backend;  // "gpu", "opencl"
  std::string beyond;         // why the back-end cannot run it, as the end of "the kernel ..."; empty: it can
};

struct KernelDescription {
  std::string library;   // of the cpu variant, relative to kernel.yaml
  std::string stateful;  // "no", "instance", "run"
  bool serial = false;
  bool isolate = false;
  std::uint64_t state_bytes = 0;  // 0: not declared
  std::uint64_t scratch_bytes = 0;
  std::map<std::string, std::uint64_t> dims;  // bounds of named dimensions, of those that have one
  std::vector<PortDescription> inputs, outputs;
  std::vector<ParamDescription> params;
  std::vector<std::string> needs;  // capabilities of its controller
  std::vector<VariantDescription> variants;
  std::vector<PlaceDescription> places;  // in the order in which a stage without a pin tries them
};

}  // namespace woa
