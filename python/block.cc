#include "python/block.h"

#include <utility>

namespace woa::python {
namespace nb = nanobind;

Block::Block(const Port& port, void* data, std::span<const std::uint64_t> shape, bool writable,
             std::shared_ptr<const void> owner)
    : data_(data),
      item_bytes_(port.element.bytes),
      bytes_(port.element.bytes),
      rank_(static_cast<int>(shape.size())),
      writable_(writable),
      owner_(std::move(owner)) {
  static char nothing = 0;
  if (data_ == nullptr) data_ = &nothing;
  format_[0] = port.element.format;
  for (std::size_t d = shape.size(); d-- > 0;) {
    shape_[d] = static_cast<Py_ssize_t>(shape[d]);
    strides_[d] = bytes_;
    bytes_ *= shape_[d];
  }
}

int Block::get_buffer(PyObject* self, Py_buffer* view, int flags) {
  Block* const block = nb::inst_ptr<Block>(self);
  if ((flags & PyBUF_WRITABLE) != 0 && !block->writable_) {
    PyErr_SetString(PyExc_BufferError, "an output's block is read-only; copy it to change it");
    return -1;
  }
  *view = {};
  view->obj = Py_NewRef(self);
  view->buf = block->data_;
  view->len = block->bytes_;
  view->itemsize = block->item_bytes_;
  view->readonly = block->writable_ ? 0 : 1;
  view->ndim = block->rank_;
  view->format = (flags & PyBUF_FORMAT) != 0 ? block->format_.data() : nullptr;
  view->shape = (flags & PyBUF_ND) != 0 ? block->shape_.data() : nullptr;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? block->strides_.data() : nullptr;
  ++block->views_;
  return 0;
}

void Block::release_buffer(PyObject* self, Py_buffer* /*view*/) { --nb::inst_ptr<Block>(self)->views_; }

nb::object Block::view(nb::handle block, bool is_bytes) {
  if (is_bytes) return nb::steal(PyMemoryView_FromObject(block.ptr()));
  return nb::module_::import_("numpy").attr("asarray")(block);
}

void Block::bind(nb::module_& module) {
  static PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
                                {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
                                {0, nullptr}};
  nb::class_<Block>(module, "Block", nb::type_slots(slots), "Memory of a port, by the buffer protocol.");
}

}  // namespace woa::python
