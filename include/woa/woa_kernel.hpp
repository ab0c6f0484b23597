// A C++ function as a kernel of the program, over woa_kernel_register() in headers alone. The rules of
// woa.h for threads, names and plans hold here, too.
//
//     woa::register_kernel("scale", {{"x", "n"}, {"y", "n", 4096}},
//                          [](std::span<const float> x, std::span<float> y) {
//                            for (std::size_t k = 0; k < x.size(); ++k) y[k] = 2 * x[k];
//                          });
//
// The function has a parameter for each port, whose elements are the port's:
//   std::span<const T>  an input; woa::In<T> also has its dimensions.
//   std::span<T>        an output. Each of its dimensions is fixed, or one that an input has under the same name.
//   woa::Out<T>         an output whose size the function says.
// T is std::byte or char for a port of `bytes`, else a number. Several threads may call the function at once.
// An exception fails the instance with its message: as WOA_KERNEL_FAILED, or with the status of a woa::Error if kernels
// may answer that.
// Parameters, state and ports that are optional, many or gathered need functions in C (woa_kernel.h).
#ifndef WOA_WOA_KERNEL_HPP
#define WOA_WOA_KERNEL_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "woa.hpp"

namespace woa {

// A port of a kernel. `dims` are names and numbers such as "height,width,3", empty for bytes. `max_bytes` bounds a
// token: 0 for an input whose writer does, and for an output with fixed dimensions alone.
struct KernelPort {
  std::string name, dims = {};
  std::uint64_t max_bytes = 0;
};

// An input with its dimensions, fixed ones included.
template <class T>
struct In : std::span<const T> {
  std::span<const std::uint32_t> dims;
};

namespace detail {

// Announces an output with these dimensions. Throws Error.
inline void claim(const std::string& port, woa_output& out, std::span<const std::uint64_t> dims,
                  std::size_t element_bytes) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  constexpr std::uint32_t kMostOfDim = std::numeric_limits<std::uint32_t>::max();
  for (const std::uint64_t size : dims)
    if (size > kMostOfDim)
      throw Error(WOA_TOO_LARGE, "output '" + port + "': found a dimension of " + std::to_string(size) +
                                     ", expected at most " + std::to_string(kMostOfDim));
  std::uint64_t bytes = element_bytes;
  for (const std::uint64_t size : dims) bytes = size != 0 && bytes > kMost / size ? kMost : bytes * size;
  woa_error error{};
  if (woa_claim(&out, port.c_str(), bytes, &error) != WOA_OK) throw Error(WOA_TOO_LARGE, error.message);
  std::ranges::transform(dims, out.dims, [](std::uint64_t size) { return static_cast<std::uint32_t>(size); });
}

}  // namespace detail

// An output whose size the function says. It has to, even if there is nothing to write: by resize(0).
template <class T>
class Out {
 public:
  Out(const std::string& port, woa_output& out) : port_(port), out_(out) {}
  // The whole memory, for a function that writes first, and then says by resize() how much.
  [[nodiscard]] std::span<T> room() const { return {reinterpret_cast<T*>(out_.data), out_.capacity / sizeof(T)}; }
  // The elements of an output with these dimensions, all of them. Throws Error if less is reserved.
  template <class... Sizes>
  std::span<T> resize(Sizes... sizes) const {
    static_assert(sizeof...(Sizes) >= 1 && sizeof...(Sizes) <= WOA_MAX_RANK, "a port has 1 to 4 dimensions");
    const std::array<std::uint64_t, sizeof...(Sizes)> dims{static_cast<std::uint64_t>(sizes)...};
    detail::claim(port_, out_, dims, sizeof(T));
    return room().first(out_.bytes / sizeof(T));
  }

 private:
  const std::string& port_;
  woa_output& out_;
};

namespace detail {

// The name of an element in kernel.yaml.
template <class T>
std::string element() {
  if constexpr (std::is_same_v<T, std::byte> || std::is_same_v<T, char>) {
    return "bytes";
  } else {
    static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8,
                  "elements of a port are std::byte or char, integers of 8 to 64 bits, float or double");
    return (std::is_floating_point_v<T> ? "f" : std::is_signed_v<T> ? "i" : "u") + std::to_string(8 * sizeof(T));
  }
}

// A port as the function has it.
struct DeclaredPort {
  struct Dim {
    std::string name;        // empty: fixed
    std::uint64_t size = 0;  // of a fixed one; else of the input's dimension of that name:
    std::size_t input = 0, at = 0;
  };
  std::string name, element;
  bool is_input = false, is_sized = false;  // sized: by its dimensions
  std::size_t number = 0;                   // among the inputs or the outputs
  std::vector<Dim> dims = {};
};

// Parameters of the function: what ports they are, and how they are made of the kernel ABI's views.
template <class Type>
struct Parameter {
  static_assert(sizeof(Type) == 0, "a parameter is std::span<const T>, woa::In<T>, std::span<T> or woa::Out<T>");
};
template <class T>
struct Parameter<std::span<const T>> {
  static DeclaredPort declare() { return {.name = {}, .element = element<T>(), .is_input = true}; }
  static std::span<const T> make(const DeclaredPort& port, const woa_input* ins, woa_output*) {
    const woa_input& in = ins[port.number];
    return {reinterpret_cast<const T*>(in.data), in.bytes / sizeof(T)};
  }
};
template <class T>
struct Parameter<In<T>> : Parameter<std::span<const T>> {
  static In<T> make(const DeclaredPort& port, const woa_input* ins, woa_output* outs) {
    return {Parameter<std::span<const T>>::make(port, ins, outs), {ins[port.number].dims, ins[port.number].rank}};
  }
};
template <class T>
struct Parameter<Out<T>> {
  static DeclaredPort declare() { return {.name = {}, .element = element<T>()}; }
  static Out<T> make(const DeclaredPort& port, const woa_input*, woa_output* outs) {
    return {port.name, outs[port.number]};
  }
};
template <class T>
struct Parameter<std::span<T>> {
  static_assert(!std::is_same_v<T, std::byte> && !std::is_same_v<T, char>,
                "the size of an output of bytes varies: let the function take a woa::Out");
  static DeclaredPort declare() { return {.name = {}, .element = element<T>(), .is_sized = true}; }
  static std::span<T> make(const DeclaredPort& port, const woa_input* ins, woa_output* outs) {
    std::array<std::uint64_t, WOA_MAX_RANK> sizes{};
    for (std::size_t d = 0; d < port.dims.size(); ++d) {
      const DeclaredPort::Dim& dim = port.dims[d];
      sizes[d] = dim.name.empty() ? dim.size : ins[dim.input].dims[dim.at];
    }
    woa_output& out = outs[port.number];
    claim(port.name, out, std::span(sizes).first(port.dims.size()), sizeof(T));
    return {reinterpret_cast<T*>(out.data), out.bytes / sizeof(T)};
  }
};

// Dimensions as kernel.yaml has them, whose form the library checks. Those of a sized output are looked up.
inline std::vector<DeclaredPort::Dim> read_dims(const std::string& text) {
  std::vector<DeclaredPort::Dim> dims;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    std::erase(word, ' ');
    const std::uint64_t size = std::strtoull(word.c_str(), nullptr, 10);  // 0: a name
    dims.push_back({size == 0 ? word : std::string(), size});
  }
  return dims;
}
inline void find_sizes(DeclaredPort& output, const std::vector<DeclaredPort>& ports) {
  for (DeclaredPort::Dim& dim : output.dims) {
    bool found = dim.name.empty();
    for (const DeclaredPort& port : ports)
      for (std::size_t d = 0; port.is_input && !found && d < port.dims.size(); ++d)
        if (port.dims[d].name == dim.name) {
          dim.input = port.number;
          dim.at = d;
          found = true;
        }
    if (!found)
      throw Error(WOA_INVALID, "output '" + output.name + "' has dimension '" + dim.name +
                                   "', which no input has: let the function take a woa::Out, and say the size");
  }
}

template <class... Types>
class CallableKernel {
 public:
  CallableKernel(std::span<const KernelPort> given, std::function<void(Types...)> body)
      : body_(std::move(body)), ports_{Parameter<std::remove_cvref_t<Types>>::declare()...} {
    for (std::size_t k = 0; k < ports_.size(); ++k) {
      DeclaredPort& port = ports_[k];
      Side& side = port.is_input ? in_ : out_;
      port.name = given[k].name;
      port.number = side.count++;
      port.dims = read_dims(given[k].dims);
      const std::string dims = given[k].dims.empty() ? "" : "[" + given[k].dims + "]";
      const std::string max = given[k].max_bytes == 0 ? "" : ", max: " + std::to_string(given[k].max_bytes);
      side.ports += port.name + ": {type: \"" + port.element + dims + "\"" + max + "}, ";
    }
    for (DeclaredPort& port : ports_)
      if (port.is_sized) find_sizes(port, ports_);
  }
  [[nodiscard]] std::string description(const std::string& name) const {
    return "woa_kernel: 1\nname: " + name + "\nin: {" + in_.ports + "}\nout: {" + out_.ports +
           "}\nvariants: {cpu: {}}\n";
  }
  static const woa_kernel* functions() {
    static const woa_kernel table{WOA_KERNEL_ABI, sizeof(woa_kernel), nullptr, nullptr, nullptr, run, nullptr, 0};
    return &table;
  }

 private:
  struct Side {
    std::string ports;  // as kernel.yaml has them
    std::size_t count = 0;
  };
  static woa_status run(void* self, const woa_firing*, const woa_input* ins, woa_output* outs, woa_error* error) {
    try {
      static_cast<const CallableKernel*>(self)->call(ins, outs, std::index_sequence_for<Types...>());
      return WOA_OK;
    } catch (const Error& thrown) {
      return woa_fail(error, answer(thrown.status(), WOA_KERNEL_FAILED), "%s", thrown.what());
    } catch (const std::exception& thrown) {
      return woa_fail(error, WOA_KERNEL_FAILED, "%s", thrown.what());
    } catch (...) {
      return woa_fail(error, WOA_KERNEL_FAILED, "the function threw something that is no std::exception");
    }
  }
  template <std::size_t... Number>
  void call(const woa_input* ins, woa_output* outs, std::index_sequence<Number...>) const {
    body_(Parameter<std::remove_cvref_t<Types>>::make(ports_[Number], ins, outs)...);
    if (out_.count == 0) outs[0].written = 1;  // the port `done`, which such a kernel has
  }

  std::function<void(Types...)> body_;
  std::vector<DeclaredPort> ports_;  // by parameter
  Side in_, out_;
};

template <std::size_t count, class... Types>
void register_function(const std::string& name, const KernelPort (&ports)[count], std::function<void(Types...)> body) {
  static_assert(count == sizeof...(Types), "a kernel has a port for each parameter of its function");
  auto kernel = std::make_unique<CallableKernel<Types...>>(ports, std::move(body));
  check(woa_kernel_register(kernel->description(name).c_str(), kernel->functions(), kernel.get()));
  (void)kernel.release();  // plans may run it until the process ends
}

}  // namespace detail

// Registers `body` as kernel `name`, with a port for each of its parameters. Throws Error.
template <std::size_t count, class Body>
void register_kernel(const std::string& name, const KernelPort (&ports)[count], Body body) {
  detail::register_function(name, ports, std::function(std::move(body)));
}

}  // namespace woa

#endif
