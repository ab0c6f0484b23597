// Exceptions of the package, which woa/_errors.py defines.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "woa/woa.h"

namespace woa::python {

constexpr const char* kForked = "this process was forked after the run had started; start a run of its own here";
constexpr const char* kClosed = "the run has ended; start another";
constexpr const char* kExiting = "the program ends";
constexpr const char* kInKernel =
    "a kernel cannot submit to its own run, nor wait for it: the run waits for the kernel";

// Throws the exception that `woa._errors.NAME(arguments...)` makes.
template <class... Arguments>
[[noreturn]] void raise(const char* name, Arguments&&... arguments) {
  const nanobind::object error =
      nanobind::module_::import_("woa._errors").attr(name)(std::forward<Arguments>(arguments)...);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw nanobind::python_error();
}

[[noreturn]] inline void raise_status(woa_status status, const std::string& message) {
  raise("Error", woa_status_name(status), message.c_str());
}

// Its str(), or nothing if that throws.
inline std::string text_of(nanobind::handle object) {
  const nanobind::object text = nanobind::steal(PyObject_Str(object.ptr()));
  Py_ssize_t bytes = 0;
  const char* const utf8 = text.is_valid() ? PyUnicode_AsUTF8AndSize(text.ptr(), &bytes) : nullptr;
  if (utf8 == nullptr) PyErr_Clear();
  return utf8 == nullptr ? "" : std::string(utf8, static_cast<std::size_t>(bytes));
}

}  // namespace woa::python
