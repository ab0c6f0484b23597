// Firings of devices that publish their packets (docs/adr/0046-prepared-publications.md). Their packets are prepared
// before they start, and cannot be taken back.
#include "runtime/base/text.h"
#include "runtime/controller/firings.h"
#include "runtime/controller/output_check.h"

namespace woa {
namespace {

// NOLINTNEXTLINE(cert-err58-cpp): made when the library is loaded
const Status controller_ended(Code::kUnavailable, "the controller ended before the firing had completed");

}  // namespace

// Every output is written, one token of a fixed size. The last step before the start: nothing may fail after it.
void Firings::prepare_packets(ActiveFiring& firing) noexcept {
  StageProgram& stage = *firing.program;
  firing.prepared.clear();
  for (std::size_t p = 0; p < stage.outputs.size(); ++p) {
    OutPort& port = stage.outputs[p];
    const Outgoing token{firing.activation(), port.plan->type.payload_bytes(), false};
    if (!port.prepared.empty()) parts_.publications.prepare(port, firing.claims[p], token, firing.prepared);
  }
  firing.publications = firing.prepared.publications;
}

// A worker may be free again for the firing whose packets are prepared.
void Firings::start_waiting() noexcept {
  ActiveFiring& firing = *waiting_;
  firing.activity->begin(firing.stage, firing.instance);
  const Start start = parts_.backend.start(firing);
  if (start == Start::kBusy) return firing.activity->end();
  waiting_ = nullptr;
  parts_.matching.look_again();  // others waited for it
  if (start == Start::kOrdered) deliver_early(firing);
  if (start == Start::kCompleted) complete(firing);
}

// The firing has completed: the device publishes no more of it. What is out stays out, whether the instance lives or
// not.
void Firings::complete_prepared(ActiveFiring& firing) noexcept {
  const bool ran = firing.code == Code::kOk;
  if (ran && outputs_fit(*firing.program, firing.inputs, firing.outputs, firing.tag)) {
    parts_.publications.complete(firing.prepared);
  } else {
    const Status why = ran ? why_unfit(*firing.program, firing.inputs, firing.outputs, firing.tag)
                           : Status(firing.code, firing.message);
    // A reader has the result of a firing that failed. An ordered one loses the device anyhow.
    if (!complete_prepared_as_poison(firing, why) && firing.order == 0) parts_.failure.set(why_lost(firing, why));
  }
  firing.prepared.clear();
}

// False: some of what was prepared is out already.
bool Firings::complete_prepared_as_poison(ActiveFiring& firing, const Status& why) noexcept {
  const std::string text = if_memory([&] { return shortened(why.message(), kPoisonMessageBytes); }, std::string());
  return parts_.publications.complete_as_poison(
      firing.prepared, poison_header(firing.stage, firing.instance, why.code(), firing.stage, text),
      std::as_bytes(std::span(text)));
}

// The back-end has gone, so the device stores no more. A sender that closed before all is out would report a loss.
Firings::~Firings() {
  each([&](ActiveFiring& firing) {
    if (!firing.prepared.empty())
      (void)complete_prepared_as_poison(firing, parts_.failure.any() ? parts_.failure.status() : controller_ended);
  });
}

}  // namespace woa
