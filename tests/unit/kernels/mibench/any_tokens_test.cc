// The kernels of MiBench's programs with tokens that no stage of theirs would send: each firing ends, with an error or
// with outputs that fit. The sanitizers see what is read and written beside a token.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <random>

#include "compiler/compiler.h"
#include "tests/support/catch.h"
#include "woa/woa_kernel.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kMostRoom = 256 << 10;  // of an output; a kernel asks before it writes more
constexpr int kStates = 40, kFirings = 12;      // firings with one state
constexpr int kSettings = 4;                    // states with the same parameters

struct FreeMemory {
  void operator()(std::uint8_t* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<std::uint8_t, FreeMemory>;

// Exactly so many bytes: the sanitizers guard those behind them.
Memory memory_of(std::uint64_t bytes) {
  return Memory(static_cast<std::uint8_t*>(std::malloc(std::max<std::uint64_t>(bytes, 1))));
}

// "u8[height,width,3]": the size of an element, and the dimensions; 0 where they vary. `bytes`: 1 and none.
struct Shape {
  std::uint32_t element = 1;
  std::vector<std::uint32_t> dims;
};
Shape shape_of(const std::string& type) {
  Shape shape;
  const std::size_t bracket = type.find('[');
  if (bracket == std::string::npos) return shape;
  shape.element = element_bytes(type.substr(0, bracket));
  for (std::size_t at = bracket; type[at] != ']';) {
    const std::size_t end = type.find_first_of(",]", at + 1);
    const std::string dim = type.substr(at + 1, end - at - 1);
    shape.dims.push_back(
        std::isdigit(static_cast<unsigned char>(dim[0])) != 0 ? static_cast<std::uint32_t>(std::stoul(dim)) : 0);
    at = end;
  }
  return shape;
}

class Kernel {
 public:
  Kernel(KernelListing listing, std::filesystem::path folder) : listing_(std::move(listing)), random_(20261127) {
    const std::string file = folder / listing_.name / ("lib" + listing_.name + ".so");
    library_.reset(::dlopen(file.c_str(), RTLD_NOW));
    INFO(file);
    REQUIRE(library_ != nullptr);
    const auto entry = reinterpret_cast<woa_kernel_entry_fn>(::dlsym(library_.get(), WOA_KERNEL_ENTRY));
    REQUIRE(entry != nullptr);
    table_ = entry();
    scratch_ = memory_of(about().scratch_bytes);
  }
  ~Kernel() { destroy(); }
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  void fire_with_many_states() {
    for (int s = 0; s < kStates; ++s) {
      if (s % kSettings == 0) create();
      Memory state = memory_of(table_->state_bytes);
      std::memset(state.get(), 0, std::max<std::uint64_t>(table_->state_bytes, 1));
      for (int f = 0; f < kFirings; ++f) fire(state.get());
      if (table_->retire != nullptr) table_->retire(self_, state.get());
    }
  }

 private:
  struct CloseLibrary {
    void operator()(void* library) const { ::dlclose(library); }
  };
  [[nodiscard]] const KernelDescription& about() const { return *listing_.description; }
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  // Another value each time: a choice, a bound or the default.
  std::string value_of(const ParamDescription& param) {
    if (param.type == "file") return file_for(param.name);
    if (!param.choices.empty()) return param.choices[below(static_cast<std::uint32_t>(param.choices.size()))];
    const std::string usual = param.value.value_or(param.min.value_or(""));
    const std::uint32_t which = below(3);
    return which == 0 ? param.min.value_or(usual) : which == 1 ? param.max.value_or(usual) : usual;
  }

  void create() {
    std::vector<std::string> values;
    for (const ParamDescription& param : about().params) values.push_back(value_of(param));
    std::vector<woa_param> params;
    for (std::size_t k = 0; k < values.size(); ++k)
      params.push_back({about().params[k].name.c_str(), values[k].c_str()});
    woa_error error{};
    destroy();
    if (table_->create == nullptr) return;
    const woa_status status = table_->create(params.data(), params.size(), &self_, &error);
    INFO(error.message);
    REQUIRE(status == WOA_OK);
  }
  void destroy() {
    if (self_ != nullptr && table_->destroy != nullptr) table_->destroy(self_);
    self_ = nullptr;
  }
  static std::string file_for(const std::string& name) {
    return std::string(WOA_SOURCE_DIR "/bench/mibench/ispell/small.") + (name == "affixes" ? "aff" : "words");
  }

  // Tokens of a size that kernels take are likely; bytes are of a few kinds, so that checks let some through.
  woa_input token(const PortDescription& port) {
    const Shape shape = shape_of(port.type);
    woa_input input{};
    input.rank = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(shape.dims.size()));
    std::uint64_t count = 1;
    for (std::size_t d = 0; d < shape.dims.size(); ++d)
      count *= input.dims[d] = shape.dims[d] != 0 ? shape.dims[d] : below(24) * (below(3) == 0 ? 8 : 1);
    if (shape.dims.empty()) count = input.dims[0] = any_size(port.max_bytes);
    input.bytes = count * shape.element;
    if (input.bytes == 0) return input;  // its data may be null
    tokens_.push_back(memory_of(input.bytes));
    input.data = tokens_.back().get();
    fill(tokens_.back().get(), input.bytes);
    return input;
  }
  static woa_input absent() {
    woa_input input{};
    input.absent = 1;
    return input;
  }
  std::uint32_t any_size(std::uint64_t most) {
    static constexpr std::array<std::uint32_t, 10> kLikely{0, 1, 2, 4, 12, 20, 84, 400, 1200, 8212};
    const std::uint32_t bytes = below(3) == 0 ? below(300) : kLikely[below(kLikely.size())];
    return most == 0 ? bytes : static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, most));
  }
  void fill(std::uint8_t* data, std::uint64_t bytes) {
    const std::uint32_t kind = below(5);
    for (std::uint64_t k = 0; k < bytes; ++k)
      data[k] = static_cast<std::uint8_t>(kind == 0   ? random_()
                                          : kind == 1 ? below(14)
                                          : kind == 2 ? "wcg&?#*a"[below(8)]
                                                      : 0);
    if (kind == 3)  // small numbers
      for (std::uint64_t k = 0; k + 4 <= bytes; k += 4) data[k] = static_cast<std::uint8_t>(below(110));
    if (kind == 2 && bytes > 1)
      for (std::uint64_t k = 1; k < bytes; ++k) data[k] = static_cast<std::uint8_t>(random_() % (k < 4 ? 4 : 256));
  }

  woa_output room(const PortDescription& port) {
    const Shape shape = shape_of(port.type);
    std::uint64_t fixed = shape.element;
    for (const std::uint32_t dim : shape.dims) fixed *= dim;
    woa_output output{};
    output.capacity = std::min(port.max_bytes != 0 ? port.max_bytes : std::max<std::uint64_t>(fixed, 64), kMostRoom);
    if (port.max_bytes != 0 && below(4) == 0)  // a stage may set a smaller bound
      output.capacity = below(static_cast<std::uint32_t>(std::min<std::uint64_t>(port.max_bytes, 1500)));
    tokens_.push_back(memory_of(output.capacity));
    output.data = tokens_.back().get();
    return output;
  }

  void fire(std::uint8_t* state) {
    tokens_.clear();
    std::vector<woa_input> ins;
    std::vector<std::vector<woa_input>> elements(about().inputs.size());
    for (std::size_t p = 0; p < about().inputs.size(); ++p) {
      const PortDescription& port = about().inputs[p];
      if (!port.gather) {
        ins.push_back(token(port));
        continue;
      }
      for (std::uint32_t e = below(5); e > 0; --e) elements[p].push_back(below(8) == 0 ? absent() : token(port));
      ins.push_back({});
      ins.back().count = static_cast<std::uint32_t>(elements[p].size());
      ins.back().elements = elements[p].data();
    }
    std::vector<woa_output> outs;
    std::vector<std::vector<woa_output>> scattered(about().outputs.size());
    for (std::size_t p = 0; p < about().outputs.size(); ++p) {
      const PortDescription& port = about().outputs[p];
      outs.push_back(port.many == 0 ? room(port) : woa_output{});
      for (std::uint32_t e = 0; e < port.many; ++e) scattered[p].push_back(room(port));
      if (port.many != 0) outs.back().elements = scattered[p].data();
    }
    run(state, ins, outs);
  }

  void run(std::uint8_t* state, const std::vector<woa_input>& ins, std::vector<woa_output>& outs) {
    woa_error error{};
    std::vector<woa_output> sizes = outs;
    if (table_->size != nullptr) (void)table_->size(self_, ins.data(), sizes.data(), &error);
    const woa_firing firing{0, 0, table_->state_bytes != 0 ? state : nullptr, scratch_.get(), about().scratch_bytes};
    const woa_status status = table_->run(self_, &firing, ins.data(), outs.data(), &error);
    if (status != WOA_OK) {
      REQUIRE(error.message[0] != '\0');
      return;
    }
    for (std::size_t p = 0; p < outs.size(); ++p) {
      REQUIRE(outs[p].bytes <= outs[p].capacity);
      REQUIRE(outs[p].count <= about().outputs[p].many);
      for (std::uint32_t e = 0; e < outs[p].count; ++e)
        REQUIRE(outs[p].elements[e].bytes <= outs[p].elements[e].capacity);
    }
  }

  KernelListing listing_;
  std::unique_ptr<void, CloseLibrary> library_;
  const woa_kernel* table_ = nullptr;
  void* self_ = nullptr;
  Memory scratch_;
  std::vector<Memory> tokens_;
  std::mt19937 random_;
};

}  // namespace

TEST_CASE("kernels of MiBench take any tokens: an error, or outputs that fit") {
  const std::filesystem::path folder = WOA_BUILD_DIR "/mibench/kernels";
  int tried = 0;
  for (KernelListing& listing : list_kernels({folder})) {
    INFO(listing.name << ": " << listing.reason);
    if (!listing.reason.empty()) continue;  // libjpeg is not here
    REQUIRE(listing.description.has_value());
    Kernel(std::move(listing), folder).fire_with_many_states();
    ++tried;
  }
  CHECK(tried >= 30);
}

}  // namespace woa::test
