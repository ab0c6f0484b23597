// One input of an instance: a Python object's buffer, or a function that writes the input in place. Also an output of a
// kernel in Python, which is a buffer.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "python/port.h"

namespace woa::python {

// Made, moved and destroyed with the GIL.
class Input {
 public:
  // Looks at `value` without a copy. Throws woa.InputError if it is not what the port takes.
  Input(const Port& port, nanobind::handle value);
  Input(Input&& other) noexcept;
  Input& operator=(Input&&) = delete;
  ~Input();

  // 0 of a function, which says it later.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] bool is_function() const { return function_.is_valid(); }
  // Takes a copy of the buffer, which its owner may change from then on.
  void keep();
  // Without the GIL, unless it is a function. A Python exception of the function is left in `thrown`.
  woa_status write(woa_output& room, woa_error& error, const std::shared_ptr<const void>& owner,
                   nanobind::object& thrown) const;

 private:
  [[noreturn]] void refuse(const std::string& found, const std::string& advice) const;
  void refuse_more_than_numbers(nanobind::handle value) const;
  void look_at(nanobind::handle value);
  void check() const;
  void check_dims(const std::string& found) const;
  woa_status call(woa_output& room, woa_error& error, const std::shared_ptr<const void>& owner,
                  nanobind::object& thrown) const;
  void set_size(woa_output& room, nanobind::handle answer) const;

  const Port& port_;  // of the run
  nanobind::object function_;
  Py_buffer view_{};
  std::unique_ptr<std::uint8_t[]> copy_;
  const void* data_ = nullptr;  // of the view, or the copy
  std::uint64_t bytes_ = 0;
  std::array<std::uint32_t, WOA_MAX_RANK> dims_{};
};

}  // namespace woa::python
