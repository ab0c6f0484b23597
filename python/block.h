// Memory of a port that Python looks at by the buffer protocol: numpy.asarray(block) and memoryview(block) copy
// nothing.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <memory>
#include <span>

#include "python/port.h"

namespace woa::python {

class Block {
 public:
  // `owner` keeps `data` as it is, as long as the block or a view of it lives.
  Block(const Port& port, void* data, std::span<const std::uint64_t> shape, bool writable,
        std::shared_ptr<const void> owner);
  void own(std::shared_ptr<const void> owner) { owner_ = std::move(owner); }
  // How many views there are.
  [[nodiscard]] Py_ssize_t views() const { return views_; }
  // An array, or for type `bytes` a memoryview, of the Python object that a block is.
  static nanobind::object view(nanobind::handle block, bool is_bytes);
  static void bind(nanobind::module_& module);

 private:
  static int get_buffer(PyObject* self, Py_buffer* view, int flags);
  static void release_buffer(PyObject* self, Py_buffer* view);

  void* data_;
  std::array<char, 2> format_{};
  Py_ssize_t item_bytes_, bytes_;
  int rank_;
  bool writable_;
  std::array<Py_ssize_t, WOA_MAX_RANK> shape_{}, strides_{};
  Py_ssize_t views_ = 0;
  std::shared_ptr<const void> owner_;
};

}  // namespace woa::python
