// A module of PTX, memory that its kernels may access, and launches.
#pragma once

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/doubles/cuda/ptx/interpreter.h"
#include "tests/support/catch.h"

namespace woa::ptx {

// Host memory at its own address, as registered memory is.
class HostMemory final : public Memory {
 public:
  void add(void* memory, std::size_t bytes, bool store = true) {
    auto* const at = static_cast<std::byte*>(memory);
    extents_.push_back({reinterpret_cast<std::uint64_t>(at), bytes, at, store});
  }
  template <class T>
  std::uint64_t add(std::vector<T>& values, bool store = true) {
    add(values.data(), values.size() * sizeof(T), store);
    return reinterpret_cast<std::uint64_t>(values.data());
  }
  Extent find(std::uint64_t address) noexcept override {
    for (const Extent& one : extents_)
      if (address - one.address < one.bytes) return one;
    return {};
  }

 private:
  std::vector<Extent> extents_;
};

inline std::string text_of(const std::string& path) {
  std::ifstream in(path);
  REQUIRE(in.good());
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Rig {
  explicit Rig(std::string_view text) {
    auto parsed = Module::parse(text);
    INFO(parsed.status().message());
    REQUIRE(parsed.ok());
    module = std::move(parsed).value();
    std::size_t at = 0;
    for (const Variable& one : module->variables()) at += one.initial.size() + 64;
    variables.resize(at + 64);
    at = 64 - reinterpret_cast<std::uintptr_t>(variables.data()) % 64;
    const std::size_t first = at;
    for (std::size_t k = 0; k < module->variables().size(); ++k) {
      module->place(k, reinterpret_cast<std::uint64_t>(variables.data()) + at);
      at += (module->variables()[k].initial.size() + 63) / 64 * 64;
    }
    at = first;
    for (const Variable& one : module->variables()) {
      std::copy(one.initial.begin(), one.initial.end(), variables.begin() + static_cast<std::ptrdiff_t>(at));
      at += (one.initial.size() + 63) / 64 * 64;
    }
    memory.add(variables);
  }

  // Parameters as words of 64 bits. Any thread.
  Outcome launch(const std::string& name, std::array<std::uint32_t, 3> grid, std::array<std::uint32_t, 3> block,
                 const std::vector<std::uint64_t>& words, std::unique_ptr<LateStores>* late = nullptr) {
    Launch one;
    one.entry = module->entry(name);
    if (one.entry == nullptr) return {End::kTrapped, 0, "no entry is named " + name};
    one.grid = grid;
    one.block = block;
    one.dynamic_shared = dynamic_shared;
    one.parameters.resize(words.size() * 8);
    std::copy_n(reinterpret_cast<const std::byte*>(words.data()), one.parameters.size(), one.parameters.begin());
    return run(one, memory, weather, stop, late);
  }

  std::unique_ptr<Module> module;
  std::vector<std::byte> variables;
  HostMemory memory;
  Weather weather;
  std::uint32_t dynamic_shared = 0;
  std::atomic<bool> stop{false};
};

}  // namespace woa::ptx
