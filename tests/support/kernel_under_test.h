// A kernel's library, loaded and called as a backend does, with every rule of the interface checked on the way: inputs
// stay as they are, nothing is read behind them, nothing is written beyond what is reserved, failures have a message,
// predictions hold.
#pragma once

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/catch.h"
#include "woa/woa_kernel.h"

namespace woa::test {

using Bytes = std::vector<std::uint8_t>;
using Dims = std::vector<std::uint32_t>;
using Params = std::vector<std::pair<std::string, std::string>>;

// A value on an edge, or none. Without dims it is of type `bytes`.
struct Token {
  Bytes data;
  Dims dims = {};
  bool absent = false;
  bool operator==(const Token&) const = default;
};

inline Token text(std::string_view characters) { return {Bytes(characters.begin(), characters.end())}; }

template <class Element>
Token array(const std::vector<Element>& values) {
  Token token{Bytes(values.size() * sizeof(Element)), {static_cast<std::uint32_t>(values.size())}};
  if (!values.empty()) std::memcpy(token.data.data(), values.data(), token.data.size());
  return token;
}

template <class Element>
std::vector<Element> elements(const Token& token) {
  std::vector<Element> values(token.data.size() / sizeof(Element));
  if (!values.empty()) std::memcpy(values.data(), token.data.data(), token.data.size());
  return values;
}

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// Memory reserved for an output port: bytes, and the number of dimensions of its type (0: `bytes`).
struct Room {
  std::uint64_t capacity = 0;
  std::uint32_t rank = 0;
};

// The answer of a call. `outs` has the written ports; `memory` is all that was reserved, written or not.
struct Answer {
  woa_status status = WOA_OK;
  std::string message;
  std::vector<std::optional<Token>> outs;
  std::vector<Bytes> memory;
};

// Memory as the runtime hands it out, filled with `pattern`, with a guard behind it.
class Reserved {
 public:
  static constexpr std::size_t kGuard = 64;
  Reserved(std::size_t bytes, std::uint8_t pattern)
      : bytes_(bytes), data_(static_cast<std::uint8_t*>(::operator new(bytes + kGuard, kAlignment))) {
    std::fill_n(data_.get(), bytes, pattern);
    std::fill_n(data_.get() + bytes, kGuard, std::uint8_t{0x5a});
  }
  std::uint8_t* data() const { return data_.get(); }
  Bytes contents() const { return {data(), data() + bytes_}; }
  bool guard_holds() const {
    return std::all_of(data() + bytes_, data() + bytes_ + kGuard, [](std::uint8_t byte) { return byte == 0x5a; });
  }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(std::uint8_t* memory) const { ::operator delete(memory, kAlignment); }
  };
  std::size_t bytes_;
  std::unique_ptr<std::uint8_t, Free> data_;
};

// A copy of an input that ends where memory without access begins, or up to 7 bytes before, so that its elements are
// aligned: reading behind that ends the process.
class BeforeGuard {
 public:
  explicit BeforeGuard(const Bytes& bytes) : bytes_(bytes.size()), pages_((bytes_ + kPage - 1) / kPage * kPage) {
    void* at = ::mmap(nullptr, pages_ + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(at != MAP_FAILED);
    at_ = static_cast<std::uint8_t*>(at);
    REQUIRE(::mprotect(at_ + pages_, kPage, PROT_NONE) == 0);
    std::copy(bytes.begin(), bytes.end(), data());
  }
  BeforeGuard(BeforeGuard&& other) noexcept
      : bytes_(other.bytes_), pages_(other.pages_), at_(std::exchange(other.at_, nullptr)) {}
  BeforeGuard& operator=(BeforeGuard&&) = delete;
  ~BeforeGuard() {
    if (at_ != nullptr) ::munmap(at_, pages_ + kPage);
  }
  std::uint8_t* data() const { return at_ + pages_ - (bytes_ + kElement - 1) / kElement * kElement; }
  bool holds(const Bytes& bytes) const { return std::equal(bytes.begin(), bytes.end(), data()); }

 private:
  static constexpr std::size_t kPage = 4096, kElement = 8;
  std::size_t bytes_, pages_;
  std::uint8_t* at_ = nullptr;
};

class KernelUnderTest {
 public:
  // `library` is a path, or the name of a kernel of this build. `rooms`: one per output port.
  KernelUnderTest(const std::string& library, const Params& params, std::vector<Room> rooms,
                  std::size_t scratch_bytes = 0)
      : rooms_(std::move(rooms)), scratch_(scratch_bytes, 0xc3), scratch_bytes_(scratch_bytes) {
    open(library);
    create(params);
  }
  KernelUnderTest(const KernelUnderTest&) = delete;
  KernelUnderTest& operator=(const KernelUnderTest&) = delete;
  ~KernelUnderTest() {
    if (created_.status == WOA_OK && kernel_->destroy != nullptr) kernel_->destroy(self_);
  }

  const woa_kernel& table() const { return *kernel_; }
  void* self() const { return self_; }
  // The answer of create(). After a failure nothing else may be called.
  const Answer& created() const { return created_; }

  // One firing. `state` is what a stateful kernel gets.
  Answer run(const std::vector<Token>& ins, void* state = nullptr) const { return run(ins, rooms_, state); }
  Answer run(const std::vector<Token>& ins, const std::vector<Room>& rooms, void* state = nullptr) const;
  // The prediction of the size function; tokens in `outs` have the predicted bytes, but no content.
  Answer size(const std::vector<Token>& ins) const;

 private:
  void open(const std::string& library) {
    const std::string path =
        contains(library, "/") ? library : std::string(WOA_BUILD_DIR "/kernels/") + library + "/lib" + library + ".so";
    library_.reset(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
    if (library_ == nullptr) FAIL(::dlerror());
    const auto entry = reinterpret_cast<woa_kernel_entry_fn>(::dlsym(library_.get(), WOA_KERNEL_ENTRY));
    REQUIRE(entry != nullptr);
    kernel_ = entry();
    REQUIRE(kernel_ != nullptr);
    REQUIRE(kernel_->abi == WOA_KERNEL_ABI);
  }

  void create(const Params& params) {
    std::vector<woa_param> values;
    for (const auto& [name, value] : params) values.push_back({name.c_str(), value.c_str()});
    if (kernel_->create == nullptr) return;
    woa_error error = unset();
    created_.status = kernel_->create(values.data(), values.size(), &self_, &error);
    created_.message = message_of(created_.status, error);
  }

  // Filled in beforehand, so that a message that the kernel did not write is noticed.
  static woa_error unset() {
    woa_error error;
    std::memset(error.message, '?', sizeof error.message);
    return error;
  }
  static std::string message_of(woa_status status, const woa_error& error) {
    if (status == WOA_OK) return {};
    const auto end = std::find(std::begin(error.message), std::end(error.message), '\0');
    REQUIRE(end != std::end(error.message));
    REQUIRE(end != std::begin(error.message));
    return {std::begin(error.message), end};
  }

  // Views of `tokens` whose data lie in `memory`.
  static std::vector<woa_input> inputs(const std::vector<Token>& tokens, std::vector<BeforeGuard>& memory) {
    std::vector<woa_input> ins;
    for (const Token& token : tokens) {
      woa_input in{};
      in.data = memory.emplace_back(token.data).data();
      in.bytes = token.data.size();
      in.rank = 1;
      in.dims[0] = static_cast<std::uint32_t>(token.data.size());
      if (token.absent) {
        in = {};
        in.absent = 1;
      } else if (!token.dims.empty()) {
        in.rank = static_cast<std::uint32_t>(token.dims.size());
        std::copy(token.dims.begin(), token.dims.end(), in.dims);
      }
      ins.push_back(in);
    }
    return ins;
  }

  struct Close {
    void operator()(void* library) const { ::dlclose(library); }
  };
  std::vector<Room> rooms_;
  Reserved scratch_;
  std::size_t scratch_bytes_;
  std::unique_ptr<void, Close> library_;
  const woa_kernel* kernel_ = nullptr;
  void* self_ = nullptr;
  Answer created_;
};

inline Answer KernelUnderTest::size(const std::vector<Token>& tokens) const {
  REQUIRE(kernel_->size != nullptr);
  std::vector<BeforeGuard> memory;
  const std::vector<woa_input> ins = inputs(tokens, memory);
  std::vector<woa_output> outs(rooms_.size());
  woa_error error = unset();
  Answer answer;
  answer.status = kernel_->size(self_, ins.data(), outs.data(), &error);
  answer.message = message_of(answer.status, error);
  if (answer.status != WOA_OK) return answer;
  for (std::size_t i = 0; i < outs.size(); ++i) {
    answer.outs.push_back(Token{Bytes(outs[i].bytes), Dims(outs[i].dims, outs[i].dims + rooms_[i].rank)});
  }
  return answer;
}

inline Answer KernelUnderTest::run(const std::vector<Token>& tokens, const std::vector<Room>& rooms,
                                   void* state) const {
  REQUIRE(created_.status == WOA_OK);
  std::vector<BeforeGuard> given;
  const std::vector<woa_input> ins = inputs(tokens, given);
  std::vector<Reserved> memory;
  std::vector<woa_output> outs(rooms.size());
  for (std::size_t i = 0; i < rooms.size(); ++i) {
    memory.emplace_back(rooms[i].capacity, std::uint8_t{0xa5});
    outs[i].data = memory[i].data();
    outs[i].capacity = rooms[i].capacity;
  }
  const woa_firing firing{3, 7, state, scratch_bytes_ == 0 ? nullptr : scratch_.data(), scratch_bytes_};
  woa_error error = unset();
  Answer answer;
  answer.status = kernel_->run(self_, &firing, ins.data(), outs.data(), &error);
  answer.message = message_of(answer.status, error);
  for (std::size_t i = 0; i < tokens.size(); ++i) REQUIRE(given[i].holds(tokens[i].data));
  REQUIRE(scratch_.guard_holds());
  for (std::size_t i = 0; i < outs.size(); ++i) {
    REQUIRE(memory[i].guard_holds());
    answer.memory.push_back(memory[i].contents());
    auto& out = answer.outs.emplace_back();
    if (answer.status != WOA_OK || outs[i].written == 0) continue;
    REQUIRE(outs[i].bytes <= outs[i].capacity);
    out = Token{Bytes(outs[i].data, outs[i].data + outs[i].bytes), Dims(outs[i].dims, outs[i].dims + rooms[i].rank)};
  }
  if (answer.status != WOA_OK || kernel_->size == nullptr) return answer;
  const Answer predicted = size(tokens);
  REQUIRE(predicted.status == WOA_OK);
  for (std::size_t i = 0; i < outs.size(); ++i) {
    if (!answer.outs[i]) continue;
    REQUIRE(predicted.outs[i]->data.size() >= answer.outs[i]->data.size());
    REQUIRE(predicted.outs[i]->dims == answer.outs[i]->dims);
  }
  return answer;
}

// The state of one instance of a stateful kernel, zeroed as the runtime does; its end retires it.
class State {
 public:
  explicit State(const KernelUnderTest& kernel)
      : kernel_(kernel.table()), memory_((kernel_.state_bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (kernel_.retire != nullptr) kernel_.retire(nullptr, memory_.data());
  }
  void* get() { return memory_.data(); }

 private:
  const woa_kernel& kernel_;
  std::vector<std::uint64_t> memory_;
};

}  // namespace woa::test
