// The functions of OpenCL, counted by tests/support/own_calls.h.
#pragma once

#include "controllers/gpu/opencl/symbols.h"
#include "tests/support/own_calls.h"

namespace woa::test {

// Our callback, on a thread of the library. At most as many are under way as there are places here.
struct CountedCallback {
  using Call = void(CL_CALLBACK*)(cl_event, cl_int, void*);
  Call call = nullptr;
  void* data = nullptr;

  static void run(cl_event event, cl_int status, void* place) {
    const CountedCallback counted = *static_cast<CountedCallback*>(place);
    const std::uint64_t before = own_allocations();
    counted.call(event, status, counted.data);
    own_calls().callback_allocations += own_allocations() - before;
  }
  static cl_int set(cl_event event, cl_int type, Call call, void* data) {
    static CountedCallback places[1024];
    static std::size_t next = 0;
    const Elsewhere elsewhere;
    CountedCallback& place = places[next++ % std::size(places)] = {call, data};
    return open_cl().value().clSetEventCallback(event, type, &CountedCallback::run, &place);
  }
};

inline const OpenCl& counted_cl() {
  static const OpenCl table = [] {
    OpenCl made;
#define WOA_COUNTED(name) made.name = &Counted<&open_cl, &OpenCl::name>::call;
    WOA_OPENCL_SYMBOLS(WOA_COUNTED)
#undef WOA_COUNTED
    made.clSetEventCallback = &CountedCallback::set;
    return made;
  }();
  return table;
}

}  // namespace woa::test
