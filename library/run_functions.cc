// The functions of woa.h for runs.
#include <algorithm>
#include <string>
#include <utility>

#include "library/answer.h"
#include "library/run_object.h"

using woa::Code;
using woa::Status;

namespace {

// The answer of `body` if the run is there: given, and of this process. `any_thread`: any may call, whoever drives.
template <class Body>
woa_status with(woa_run* run, Body&& body, bool any_thread = false) noexcept {
  woa_status number = WOA_OK;
  const woa_status failed = woa::guarded([&]() -> Status {
    WOA_RETURN_IF_ERROR(woa::need(run, "run"));
    WOA_RETURN_IF_ERROR(run->run->check_process());
    if (!any_thread) WOA_RETURN_IF_ERROR(run->run->check_thread());
    number = body(*run->run);
    return {};
  });
  return failed != WOA_OK ? failed : number;
}

}  // namespace

woa_status woa_run_start(const woa_plan* plan, const woa_run_setup* setup, woa_run** run) {
  return woa::guarded([&]() -> Status {
    WOA_RETURN_IF_ERROR(woa::need(run, "place for the run"));
    *run = nullptr;
    WOA_RETURN_IF_ERROR(woa::need(plan, "plan"));
    WOA_RETURN_IF_ERROR(woa::need(setup, "setup"));
    if (setup->size != sizeof *setup)
      return {Code::kUnsupported, "the setup has " + std::to_string(setup->size) + " bytes, expected " +
                                      std::to_string(sizeof *setup) +
                                      ": compile the program with this library's woa.h"};
    WOA_ASSIGN_OR_RETURN(auto object, woa::RunObject::start(*plan, *setup));
    *run = new woa_run{std::move(object)};
    return {};
  });
}

woa_status woa_fill_from(void* user, uint64_t /*instance*/, uint32_t input, woa_output* room, woa_error* error) {
  if (user == nullptr) return woa_fail(error, WOA_INVALID, "woa_fill_from() needs an array of inputs as `user`");
  const woa_input& given = static_cast<const woa_input*>(user)[input];
  if (given.bytes <= room->capacity) std::copy_n(given.data, given.bytes, room->data);
  std::copy_n(given.dims, std::min<uint32_t>(given.rank, WOA_MAX_RANK), room->dims);
  room->bytes = given.bytes;  // whoever called compares it with the room, and dimensions with the type
  return WOA_OK;
}

woa_status woa_run_submit(woa_run* run, woa_fill fill, void* user, uint64_t timeout_ns, uint64_t* instance) {
  return woa_run_submit_within(run, fill, user, timeout_ns, 0, instance);
}

woa_status woa_run_submit_within(woa_run* run, woa_fill fill, void* user, uint64_t timeout_ns, uint64_t patience_ns,
                                 uint64_t* instance) {
  return with(run,
              [&](woa::RunObject& object) { return object.submit(fill, user, timeout_ns, patience_ns, instance); });
}

woa_status woa_run_wait(woa_run* run, uint64_t instance, uint64_t timeout_ns) {
  return with(run, [&](woa::RunObject& object) { return object.wait(instance, timeout_ns); });
}

woa_status woa_run_work(woa_run* run, uint64_t timeout_ns) {
  return with(run, [&](woa::RunObject& object) { return object.work(timeout_ns); });
}

woa_status woa_run_give_back(woa_run* run, uint64_t instance) {
  return with(run, [&](woa::RunObject& object) { return woa::answer(object.give_back(instance)); });
}

woa_status woa_run_cancel(woa_run* run, uint64_t instance, const char* why) {
  return with(
      run,
      [&](woa::RunObject& object) {
        return woa::answer(object.cancel(instance, why == nullptr ? "the program cancelled it" : why));
      },
      true);
}

woa_status woa_run_statistics(woa_run* run, woa_statistics* statistics) {
  return with(
      run,
      [&](woa::RunObject& object) {
        if (const Status given = woa::need(statistics, "place for statistics"); !given.ok()) return woa::answer(given);
        if (statistics->size != sizeof *statistics)
          return woa::answer(
              {Code::kUnsupported, "the statistics have another size than this library's: compile the program again"});
        object.count(*statistics);
        return WOA_OK;
      },
      true);
}

woa_status woa_run_drain(woa_run* run, uint64_t timeout_ns) {
  return with(run, [&](woa::RunObject& object) { return object.drain(timeout_ns); });
}

woa_status woa_run_finish(woa_run* run, char** json) {
  return with(run, [&](woa::RunObject& object) {
    const auto report = object.finish();
    return woa::answer(report.ok() ? woa::give(*report, json) : report.status());
  });
}

void woa_run_free(woa_run* run) {
  if (run == nullptr || !run->run->check_process().ok()) return;  // a forked child has nothing of it
  if (run->run->calls_back()) {
    (void)woa::guarded(
        [] { return Status(Code::kInvalid, "a callback cannot free the run that calls it: nothing was freed"); });
    return;
  }
  delete run;
}
