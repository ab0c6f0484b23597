#include "python/kernel.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "python/block.h"
#include "python/errors.h"
#include "python/gil.h"
#include "python/input.h"

namespace woa::python {
namespace nb = nanobind;

namespace {

using Named = std::vector<std::pair<std::string, std::string>>;

// Lives until the process ends, since plans may run it.
struct Kernel {
  std::vector<Port> inputs, outputs;
  nb::object call;        // of woa/_kernel.py: (params, inputs, rooms)
  nb::object send;        // what a worker process makes it of
  nb::object take_error;  // makes the exception of what a firing there attached
  nb::object pack_error;  // in a worker process: what is attached of an exception
  nb::bytes sent = {};    // what `send` gave last
};

// The use of a kernel by a stage of a run.
struct Stage {
  const Kernel& kernel;
  std::thread::id driver;  // of the run, whose thread creates it
  Named params;
};

// While a function runs.
struct Firing {
  explicit Firing(std::thread::id driver) { firing_driver = driver; }
  ~Firing() { firing_driver = {}; }
  Firing(const Firing&) = delete;
  Firing& operator=(const Firing&) = delete;
};

// An output of a firing, for the function to write once.
struct Room {
  const Port& port;
  woa_output& out;
  std::vector<nb::object>& blocks;  // of the firing

  // The memory of a token with these dimensions, to write in place.
  nb::object claim(const std::vector<std::uint64_t>& shape) {
    std::uint64_t bytes = port.element.bytes;
    for (const std::uint64_t size : shape) bytes *= size;
    reserve(bytes);
    for (std::size_t d = 0; !port.is_bytes && d < shape.size(); ++d) out.dims[d] = static_cast<std::uint32_t>(shape[d]);
    blocks.push_back(nb::cast(Block(port, out.data, shape, true, nullptr)));
    return Block::view(blocks.back(), port.is_bytes);
  }
  // Copies a value.
  void write(nb::handle value) {
    const Input from(port, value);
    reserve(from.bytes());
    woa_error error{};
    nb::object thrown;
    (void)from.write(out, error, nullptr, thrown);  // there is room
  }

 private:
  void reserve(std::uint64_t bytes) {
    woa_error error{};
    if (woa_claim(&out, port.name.c_str(), bytes, &error) != WOA_OK) raise_status(WOA_TOO_LARGE, error.message);
  }
};

Port port_of(const std::string& name, const std::string& type) {
  Port port;
  port.name = name;
  port.is_output = true;
  port.type = type.substr(0, type.find('['));
  port.is_bytes = port.type == "bytes";
  port.element = Element::of(port.type);
  port.max_bytes = ~std::uint64_t{0};
  for (std::size_t at = type.find('['); at != std::string::npos && type[at] != ']'; at = type.find_first_of(",]", at)) {
    const std::size_t begin = type.find_first_not_of(" ", ++at);
    const std::string word = type.substr(begin, type.find_first_of(" ,]", begin) - begin);
    const auto size = static_cast<std::uint32_t>(std::strtoul(word.c_str(), nullptr, 10));  // 0: a name
    port.dims.push_back({size == 0 ? word : "", size, 0});
  }
  return port;
}

woa_status create(const woa_param* params, std::size_t count, void** self, woa_error* /*error*/) {
  auto stage = std::make_unique<Stage>(Stage{*static_cast<const Kernel*>(*self), std::this_thread::get_id(), {}});
  for (std::size_t k = 0; k < count; ++k) stage->params.emplace_back(params[k].name, params[k].value);
  *self = stage.release();
  return WOA_OK;
}

void destroy(void* self) { delete static_cast<Stage*>(self); }

nb::object input_block(const Port& port, const woa_input& in) {
  std::vector<std::uint64_t> shape(in.dims, in.dims + in.rank);
  if (port.is_bytes) shape = {in.bytes};
  return nb::cast(Block(port, const_cast<std::uint8_t*>(in.data), shape, false, nullptr));
}

bool are_viewed(const std::vector<nb::object>& blocks) {
  return std::any_of(blocks.begin(), blocks.end(),
                     [](const nb::object& block) { return nb::inst_ptr<Block>(block)->views() != 0; });
}

// `blocks`: receives the memory of all arrays that the function is given.
void call(const Stage& stage, const woa_input* ins, woa_output* outs, std::vector<nb::object>& blocks) {
  const Kernel& kernel = stage.kernel;
  nb::list inputs, rooms;
  for (std::size_t k = 0; k < kernel.inputs.size(); ++k) {
    blocks.push_back(input_block(kernel.inputs[k], ins[k]));
    inputs.append(Block::view(blocks.back(), kernel.inputs[k].is_bytes));
  }
  for (std::size_t k = 0; k < kernel.outputs.size(); ++k)
    rooms.append(nb::cast(Room{kernel.outputs[k], outs[k], blocks}, nb::rv_policy::move));
  nb::dict params;
  for (const auto& [name, value] : stage.params) params[name.c_str()] = value;
  kernel.call(params, nb::tuple(inputs), nb::tuple(rooms));
  inputs.clear();
  rooms.clear();
  if (are_viewed(blocks))
    throw nb::value_error("the kernel kept an array, whose memory is another firing's next: copy it");
}

// Exceptions that functions threw, by driver and instance. Under the GIL; never destroyed, since Python is gone then.
std::map<std::pair<std::thread::id, std::uint64_t>, nb::object>& thrown() {
  static auto& all = *new std::map<std::pair<std::thread::id, std::uint64_t>, nb::object>;
  return all;
}

// An instance whose end nobody asks for leaves its exception behind.
constexpr std::size_t kMostThrown = 4096;

void keep(std::thread::id driver, std::uint64_t instance, nb::object exception) {
  if (thrown().size() == kMostThrown) thrown().erase(thrown().begin());
  thrown().emplace(std::pair(driver, instance), std::move(exception));
}

// The memory of arrays that functions kept, by driver. Under the GIL; never destroyed either.
std::map<std::thread::id, std::vector<nb::object>>& held() {
  static auto& all = *new std::map<std::thread::id, std::vector<nb::object>>;
  return all;
}

void drop_unviewed(std::vector<nb::object>& blocks) {
  std::erase_if(blocks, [](const nb::object& block) { return nb::inst_ptr<Block>(block)->views() == 0; });
}

// Some of `blocks` are viewed.
void hold(std::thread::id driver, std::vector<nb::object>& blocks) {
  auto& all = held()[driver];
  drop_unviewed(all);
  drop_unviewed(blocks);
  std::move(blocks.begin(), blocks.end(), std::back_inserter(all));
}

// In a worker process: an exception that cannot be packed is left out, and its text remains.
void attach(const Kernel& kernel, const nb::object& exception) {
  try {
    const auto bytes = nb::cast<nb::bytes>(kernel.pack_error(exception));
    woa_worker_attach(bytes.data(), bytes.size());
  } catch (const nb::python_error&) {
  }
}

// In the program: what a firing in a worker process attached.
void take_attached(void* self, std::uint64_t instance, const void* bytes, std::size_t size) {
  const GilTaken gil;
  if (!gil) return;
  const Stage& stage = *static_cast<const Stage*>(self);
  try {
    keep(stage.driver, instance, stage.kernel.take_error(nb::bytes(bytes, size)));
  } catch (const nb::python_error&) {  // its class is not here: the text of the failure remains
  }
}

woa_status send(void* user, const void** bytes, std::size_t* size, woa_error* error) {
  const GilTaken gil;
  if (!gil) return woa_fail(error, WOA_CANCELLED, "%s", kExiting);
  Kernel& kernel = *static_cast<Kernel*>(user);
  try {
    const nb::object sent = kernel.send();
    if (sent.is_none()) return WOA_OK;  // it has side effects that the program sees
    kernel.sent = nb::cast<nb::bytes>(sent);
  } catch (nb::python_error& failed) {
    return woa_fail(error, WOA_UNSUPPORTED, "%s", text_of(failed.value()).c_str());
  }
  *bytes = kernel.sent.data();
  *size = kernel.sent.size();
  return WOA_OK;
}

woa_status run(void* self, const woa_firing* firing, const woa_input* ins, woa_output* outs, woa_error* error) {
  const GilTaken gil;
  if (!gil) return woa_fail(error, WOA_CANCELLED, "%s", kExiting);
  const Stage& stage = *static_cast<const Stage*>(self);
  std::vector<nb::object> blocks;
  nb::object cause;
  woa_status status = WOA_OK;
  try {
    const Firing here(stage.driver);
    call(stage, ins, outs, blocks);
    if (stage.kernel.outputs.empty()) outs[0].written = 1;  // the port `done`
  } catch (nb::python_error& failed) {
    status = woa_fail(error, WOA_KERNEL_FAILED, "%s", text_of(failed.value()).c_str());
    cause = failed.value().attr("__cause__");
  } catch (const std::exception& failed) {
    status = woa_fail(error, WOA_KERNEL_FAILED, "%s", failed.what());
  }
  if (cause.is_valid() && !cause.is_none()) {
    if (stage.kernel.pack_error.is_valid())
      attach(stage.kernel, cause);
    else if (!are_viewed(blocks))
      keep(stage.driver, firing->instance, std::move(cause));
    cause.reset();
  }
  if (are_viewed(blocks)) hold(stage.driver, blocks);
  return status;
}

constexpr woa_kernel kFunctions{WOA_KERNEL_ABI, sizeof(woa_kernel), create, destroy, nullptr, run, nullptr, 0};

std::unique_ptr<Kernel> make_kernel(const Named& inputs, const Named& outputs, nb::object call) {
  auto kernel = std::make_unique<Kernel>();
  for (const auto& [name, type] : inputs) kernel->inputs.push_back(port_of(name, type));
  for (const auto& [name, type] : outputs) kernel->outputs.push_back(port_of(name, type));
  kernel->call = std::move(call);
  return kernel;
}

void register_kernel(const std::string& description, const Named& inputs, const Named& outputs, nb::object function,
                     nb::object sender, nb::object take_error) {
  auto kernel = make_kernel(inputs, outputs, std::move(function));
  kernel->send = std::move(sender);
  kernel->take_error = std::move(take_error);
  const woa_sending sending{send, take_attached};
  const woa_status status = woa_kernel_register_sent(description.c_str(), &kFunctions, kernel.get(), &sending);
  if (status != WOA_OK) raise_status(status, woa_message());
  (void)kernel.release();
}

// In a worker process: makes a kernel of what send() gave. `context`: woa/_kernel.py's receive().
woa_status receive(void* context, const void* bytes, std::size_t size, const woa_kernel** functions, void** user,
                   woa_error* error) {
  const GilTaken gil;
  try {
    const nb::tuple made = nb::cast<nb::tuple>((*static_cast<nb::object*>(context))(nb::bytes(bytes, size)));
    auto kernel = make_kernel(nb::cast<Named>(made[0]), nb::cast<Named>(made[1]), made[2]);
    kernel->pack_error = made[3];
    *functions = &kFunctions;
    *user = kernel.release();
  } catch (nb::python_error& failed) {
    return woa_fail(error, WOA_KERNEL_FAILED, "%s", text_of(failed.value()).c_str());
  }
  return WOA_OK;
}

int serve_worker(nb::object receiver) {
  const nb::gil_scoped_release released;
  return woa_worker_serve(receive, &receiver);
}

}  // namespace

nb::object take_exception(std::uint64_t instance) {
  const GilTaken gil;
  if (!gil) return {};
  auto found = thrown().extract({std::this_thread::get_id(), instance});
  return found.empty() ? nb::object() : std::move(found.mapped());
}

void forget_firings(std::thread::id driver, const std::shared_ptr<const void>& memory) {
  const GilTaken gil;
  if (!gil) return;
  std::erase_if(thrown(), [driver](const auto& each) { return each.first.first == driver; });
  const auto arrays = held().extract(driver);
  if (arrays.empty()) return;
  for (const nb::object& block : arrays.mapped()) nb::inst_ptr<Block>(block)->own(memory);
}

void bind_kernels(nb::module_& module) {
  nb::class_<Room>(module, "Room", "An output of a firing, to be written once.")
      .def("claim", &Room::claim, nb::arg("shape"), "The memory of a token with these dimensions.")
      .def("write", &Room::write, nb::arg("value").none(), "Copies a value.");
  module.def("register_kernel", register_kernel, nb::arg("description"), nb::arg("inputs"), nb::arg("outputs"),
             nb::arg("function"), nb::arg("sender"), nb::arg("take_error"),
             "Registers a kernel: kernel.yaml's text, names and types of ports, its function, and for worker processes "
             "what gives its code and what takes its errors.");
  module.def("serve_worker", serve_worker, nb::arg("receiver"), "Runs firings as a worker process; the exit code.");
}

}  // namespace woa::python
