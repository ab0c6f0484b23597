// The extension module: woa.h for Python, as thin as it can be. The package's Python files make it comfortable.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <pthread.h>

#include <memory>
#include <string>

#include "python/block.h"
#include "python/errors.h"
#include "python/kernel.h"
#include "python/run.h"
#include "python/waiting.h"

namespace woa::python {
namespace nb = nanobind;

namespace {

// The text that `call` gives.
template <class Call>
std::string take(Call call) {
  char* text = nullptr;
  const woa_status status = call(&text);
  if (status != WOA_OK) raise_status(status, woa_message());
  const std::unique_ptr<char, void (*)(char*)> owned(text, woa_text_free);
  return owned.get();
}

std::string options(const std::string& of) {
  return take([&](char** json) { return woa_options(of.c_str(), json); });
}

std::string page(const std::string& code) {
  return take([&](char** markdown) { return woa_page(code.c_str(), markdown); });
}

// ---- Plans ----

struct Diagnostic {
  bool is_error;
  std::string code, file, text, fix, shown;
  std::uint32_t line, column, length;
};

struct Compiled {
  woa_status status = WOA_OK;
  std::string message;
  std::vector<Diagnostic> diagnostics;
  PlanHandle plan;
};

void note(void* user, const woa_diagnostic* told) {
  static_cast<Compiled*>(user)->diagnostics.push_back({told->severity == WOA_ERROR, told->code, told->file, told->text,
                                                       told->fix, told->shown, told->line, told->column, told->length});
}

struct Plan {
  PlanHandle plan;
};

// The plan, and the diagnostics as woa._errors has them.
nb::tuple compile(const std::string& file, const nb::object& text, Options options) {
  const bool has_text = !text.is_none();
  const std::string graph = has_text ? nb::cast<std::string>(text) : "";
  const auto made = interruptibly<Compiled>([=, options = std::move(options)] {
    std::vector<woa_option> given;
    for (const auto& [name, value] : options) given.push_back({name.c_str(), value.c_str()});
    Compiled compiled;
    woa_plan* plan = nullptr;
    compiled.status = woa_compile(file.c_str(), has_text ? graph.c_str() : nullptr, given.data(), given.size(), note,
                                  &compiled, &plan);
    if (compiled.status != WOA_OK) compiled.message = woa_message();
    compiled.plan.reset(plan, woa_plan_free);
    return compiled;
  });
  const nb::object diagnostic = nb::module_::import_("woa._errors").attr("Diagnostic");
  nb::list diagnostics;
  for (const Diagnostic& each : made.diagnostics)
    diagnostics.append(diagnostic(each.is_error ? "error" : "warning", each.code, each.file, each.line, each.column,
                                  each.length, each.text, each.fix, each.shown));
  if (made.status != WOA_OK) raise("graph_error", woa_status_name(made.status), made.message, diagnostics);
  return nb::make_tuple(Plan{made.plan}, diagnostics);
}

nb::list ports(const Plan& plan, bool is_input) {
  nb::list all;
  for (const Port& port : ports_of(plan.plan.get(), is_input ? WOA_IN : WOA_OUT)) {
    nb::list dims;
    for (const Port::Dim& dim : port.dims) dims.append(nb::make_tuple(dim.name, dim.size, dim.max));
    all.append(nb::make_tuple(port.name, port.type, nb::tuple(dims), port.max_bytes));
  }
  return all;
}

std::string plan_text(const Plan& plan, const std::string& form) {
  return take([&](char** text) { return woa_plan_text(plan.plan.get(), form.c_str(), text); });
}

void write(const Plan& plan, const std::string& file) {
  const woa_status status = woa_plan_write(plan.plan.get(), file.c_str());
  if (status != WOA_OK) raise_status(status, woa_message());
}

void bind_runs(nb::module_& module) {
  nb::class_<Instance>(module, "Instance", "A submission, and later its result.")
      .def("done", &Instance::done)
      .def("result", &Instance::result, nb::arg("seconds"))
      .def("exception", &Instance::exception, nb::arg("seconds"))
      .def("cancel", &Instance::cancel, nb::arg("why"))
      .def("call_when_done", &Instance::call_when_done, nb::arg("function"))
      .def_prop_ro("number", &Instance::number)
      .def_prop_ro("latency_ns", &Instance::latency_ns);
  nb::class_<Run>(module, "Run", "A run that a thread of the library drives.")
      .def_static(
          "start",
          [](const Plan& plan, Options options, std::uint64_t overlap, nb::object on_message) {
            return Run::start(plan.plan, std::move(options), overlap, std::move(on_message));
          },
          nb::arg("plan"), nb::arg("options"), nb::arg("overlap"), nb::arg("on_message").none())
      .def("submit", &Run::submit, nb::arg("values"), nb::arg("deadline_ns"), nb::arg("views"))
      .def("call", &Run::call, nb::arg("values"), nb::arg("deadline_ns"), nb::arg("views"))
      .def("statistics", &Run::statistics)
      .def("cancel", nb::overload_cast<const std::string&>(&Run::cancel), nb::arg("why"))
      .def_prop_ro("is_ended", &Run::is_ended)
      .def_prop_ro("waiting_bytes", &Run::waiting_bytes)
      .def("finish", &Run::finish)
      .def("close", &Run::close, nb::arg("why"));
}

}  // namespace

NB_MODULE(_woa, module) {
  pthread_atfork(nullptr, nullptr, forget_threads);
  nb::set_leak_warnings(false);  // a program may end with runs and arrays of theirs
  module.doc() = "The library's C interface (woa/woa.h); use the package woa.";
  module.def("version", woa_version, "The library's version.");
  module.def("options", options, nb::arg("of"), "The options of 'compile' or 'run', as JSON.");
  module.def("page", page, nb::arg("code"), "The page of a diagnostic's code, in Markdown.");
  module.def("compile", compile, nb::arg("file"), nb::arg("text").none(), nb::arg("options"),
             "The plan, and a list of warnings.");
  module.def("begin_exit", begin_exit,
             "Stops the other threads where they would come back from a call of this module.");
  nb::class_<Plan>(module, "Plan", "A compiled graph.")
      .def("ports", ports, nb::arg("is_input"), "By port: name, element, dimensions (name, size, max), most bytes.")
      .def("text", plan_text, nb::arg("form"))
      .def("write", write, nb::arg("file"));
  Block::bind(module);
  bind_runs(module);
  bind_kernels(module);
}

}  // namespace woa::python
