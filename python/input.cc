#include "python/input.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "python/block.h"
#include "python/errors.h"
#include "python/gil.h"

namespace woa::python {
namespace nb = nanobind;

namespace {

// "float64" of a buffer's format, with its byte order if that is not this machine's.
std::string name_of(const Py_buffer& view) {
  const std::string format = view.format == nullptr ? "B" : view.format;
  const bool has_order = format.find_first_of("@=<>!") == 0;
  const std::string type = format.substr(has_order ? 1 : 0);
  const std::string bits = std::to_string(view.itemsize * 8);
  std::string name = "elements of format '" + format + "'";
  if (type == "?") name = "bool";
  if (type.size() == 1 && std::string("efdg").find(type) != std::string::npos) name = "float" + bits;
  if (type.size() == 1 && std::string("bhilqn").find(type) != std::string::npos) name = "int" + bits;
  if (type.size() == 1 && std::string("BHILQNc").find(type) != std::string::npos) name = "uint" + bits;
  if (view.itemsize > 1 && (format[0] == '>' || format[0] == '!')) name = "big-endian " + name;
  return name;
}

// The name that NumPy has for the port's elements.
std::string name_of(const Port& port) {
  const char kind = port.type.front();
  return (kind == 'f' ? "float" : kind == 'i' ? "int" : "uint") + port.type.substr(1);
}

std::string shape_of(const Py_buffer& view) {
  std::string text = "[";
  for (int d = 0; d < view.ndim; ++d) text += (d == 0 ? "" : ", ") + std::to_string(view.shape[d]);
  return text + "]";
}

}  // namespace

Input::Input(const Port& port, nb::handle value) : port_(port) {
  if (PyUnicode_Check(value.ptr()) && port_.is_bytes) {
    Py_ssize_t bytes = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(value.ptr(), &bytes);  // which `value` keeps
    if (text == nullptr) throw nb::python_error();
    PyBuffer_FillInfo(&view_, value.ptr(), const_cast<char*>(text), bytes, 1, PyBUF_FULL_RO);
  } else if (PyObject_CheckBuffer(value.ptr()) != 0) {
    refuse_more_than_numbers(value);
    look_at(value);
  } else if (nb::hasattr(value, "__dlpack__")) {
    look_at(nb::module_::import_("numpy").attr("from_dlpack")(value));
  } else if (!port_.is_output && PyCallable_Check(value.ptr()) != 0) {
    function_ = nb::borrow(value);
    return;
  } else {
    refuse(nb::type_name(value.type()).c_str(),
           port_.is_bytes ? "give bytes, text or a buffer" : "numpy.asarray(x) makes an array");
  }
  try {
    check();
  } catch (...) {
    PyBuffer_Release(&view_);
    throw;
  }
  data_ = view_.buf;
  bytes_ = static_cast<std::uint64_t>(view_.len);
  for (std::size_t d = 0; d < port_.dims.size(); ++d) dims_[d] = static_cast<std::uint32_t>(view_.shape[d]);
}

Input::Input(Input&& other) noexcept
    : port_(other.port_),
      function_(std::move(other.function_)),
      view_(std::exchange(other.view_, {})),
      copy_(std::move(other.copy_)),
      data_(other.data_),
      bytes_(other.bytes_),
      dims_(other.dims_) {}

Input::~Input() { PyBuffer_Release(&view_); }  // does nothing if there is none

void Input::keep() {
  copy_.reset(new std::uint8_t[bytes_]);
  if (bytes_ != 0) std::memcpy(copy_.get(), data_, bytes_);
  data_ = copy_.get();
  PyBuffer_Release(&view_);
}

void Input::refuse(const std::string& found, const std::string& advice) const {
  raise(port_.is_output ? "refused_output" : "refused", port_.name.c_str(), port_.to_string().c_str(), found.c_str(),
        advice.c_str());
}

// NumPy's subclasses carry what a buffer does not show: a mask, a unit.
void Input::refuse_more_than_numbers(nb::handle value) const {
  PyTypeObject* const exact = Py_TYPE(value.ptr());
  if (std::string_view(exact->tp_name) == "numpy.ndarray" || exact == &PyBytes_Type || exact == &PyMemoryView_Type)
    return;
  if (!nb::hasattr(value.type(), "__array_finalize__")) return;
  if (std::string_view(nb::type_name(value.type()).c_str()) == "numpy.memmap") return;
  const bool has_mask = nb::hasattr(value, "filled");
  refuse(std::string(nb::type_name(value.type()).c_str()) +
             (has_mask ? ", which carries a mask" : ", which may carry more than numbers"),
         has_mask ? "x.filled(value) has a value for each masked element" : "numpy.asarray(x) has its numbers alone");
}

void Input::look_at(nb::handle value) {
  if (PyObject_GetBuffer(value.ptr(), &view_, PyBUF_FULL_RO) == 0) return;
  const nb::python_error failed;
  refuse(std::string(nb::type_name(value.type()).c_str()) + " without a buffer (" +
             nb::str(nb::handle(failed.value())).c_str() + ")",
         "give an array of numbers");
}

void Input::check() const {
  const std::string found = name_of(view_) + shape_of(view_);
  if (port_.is_bytes) {
    const bool has_bytes = found.find("format 'O'") == std::string::npos && found.find("w'") == std::string::npos;
    if (view_.itemsize != 1)
      refuse(found, has_bytes ? "x.view('uint8') has its bytes" : "encode its items: '\\n'.join(x).encode() for text");
  } else {
    check_dims(found);
  }
  if (static_cast<std::uint64_t>(view_.len) > port_.max_bytes)
    refuse(found + ", " + std::to_string(view_.len) + " bytes",
           (port_.is_bytes ? "" : "at most " + std::to_string(port_.max_bytes) + "; ") +
               "raise `max` of this input in the graph");
  if (PyBuffer_IsContiguous(&view_, 'C') == 0)
    refuse(found + ", not contiguous in C order", "numpy.ascontiguousarray(x) copies it");
}

void Input::check_dims(const std::string& found) const {
  const std::string expected = name_of(port_);
  if (name_of(view_) != expected) refuse(found, "x.astype('" + expected + "') converts it");
  if (static_cast<std::size_t>(view_.ndim) != port_.dims.size())
    refuse(found, "it has " + std::to_string(view_.ndim) + " dimensions, the input " +
                      std::to_string(port_.dims.size()) + "; x.reshape(...) changes that");
  for (std::size_t d = 0; d < port_.dims.size(); ++d) {
    const Port::Dim& dim = port_.dims[d];
    const auto size = static_cast<std::uint64_t>(view_.shape[d]);
    const bool fits = dim.size != 0 ? size == dim.size : dim.max == 0 || size <= dim.max;
    if (fits) continue;
    const std::string most = dim.size != 0 ? std::to_string(dim.size) : "at most " + std::to_string(dim.max);
    refuse(found, "dimension " + std::to_string(d) + " is " + std::to_string(size) + ", expected " + most);
  }
}

woa_status Input::write(woa_output& room, woa_error& error, const std::shared_ptr<const void>& owner,
                        nb::object& thrown) const {
  if (function_.is_valid()) return call(room, error, owner, thrown);
  if (bytes_ > room.capacity)
    return woa_fail(&error, WOA_TOO_LARGE, "%llu bytes given, but there is room for %llu",
                    static_cast<unsigned long long>(bytes_), static_cast<unsigned long long>(room.capacity));
  if (bytes_ != 0) std::memcpy(room.data, data_, bytes_);
  room.bytes = bytes_;
  std::copy_n(dims_.begin(), port_.dims.size(), room.dims);
  return WOA_OK;
}

// A token of fixed size is written whole. The function answers how many bytes, or the sizes of all dimensions, of one
// that varies.
void Input::set_size(woa_output& room, nb::handle answer) const {
  const auto refuse_answer = [&](const std::string& advice) {
    refuse("a function that returned " + std::string(nb::repr(answer).c_str()), advice);
  };
  if (port_.is_bytes) {
    if (!nb::try_cast(answer, room.bytes)) refuse_answer("return how many bytes it wrote");
    return;
  }
  const std::string advice = "return the sizes of all dimensions, a tuple of " + std::to_string(port_.dims.size());
  const bool is_tuple = nb::isinstance<nb::tuple>(answer) && nb::len(answer) == port_.dims.size();
  if (!port_.is_fixed() && !is_tuple) refuse_answer(advice);
  room.bytes = port_.element.bytes;
  for (std::size_t d = 0; d < port_.dims.size(); ++d) {
    room.dims[d] = port_.dims[d].size;
    if (!port_.is_fixed() && !nb::try_cast(answer[d], room.dims[d])) refuse_answer(advice);
    room.bytes *= room.dims[d];
  }
}

woa_status Input::call(woa_output& room, woa_error& error, const std::shared_ptr<const void>& owner,
                       nb::object& thrown) const {
  const GilTaken gil;
  if (!gil) return woa_fail(&error, WOA_CANCELLED, "%s", kExiting);
  try {
    std::array<std::uint64_t, WOA_MAX_RANK> shape{room.capacity / port_.element.bytes};
    std::size_t rank = 1;
    if (port_.is_fixed()) {
      rank = port_.dims.size();
      for (std::size_t d = 0; d < rank; ++d) shape[d] = port_.dims[d].size;
    }
    nb::object block = nb::cast(Block(port_, room.data, {shape.data(), rank}, true, owner));
    nb::object view = Block::view(block, port_.is_bytes);
    set_size(room, function_(view));
    view.reset();
    if (nb::inst_ptr<Block>(block)->views() != 0)
      throw nb::value_error("the function kept the array, whose memory is another instance's next");
    return WOA_OK;
  } catch (nb::python_error& failed) {
    thrown = nb::borrow(failed.value());
    return woa_fail(&error, WOA_INVALID, "%s: %s", nb::type_name(thrown.type()).c_str(), text_of(thrown).c_str());
  } catch (const std::exception& failed) {
    return woa_fail(&error, WOA_INVALID, "%s", failed.what());
  }
}

}  // namespace woa::python
