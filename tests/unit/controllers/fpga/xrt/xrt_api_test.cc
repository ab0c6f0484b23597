// Compares xrt_api.h with XRT's headers: values of constants and types of functions. The compiler does it.
#include "controllers/fpga/xrt/xrt_api.h"

#include <experimental/xrt_ini.h>
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_kernel.h>

#include <type_traits>

#include "tests/support/catch.h"
#include "tests/support/passed_type.h"

namespace woa::xrt {
namespace {

using test::Passed;

// Constants without their enumeration's type, which differs.
#define WOA_SAME(ours, theirs) static_assert(static_cast<long>(ours) == static_cast<long>(theirs));
WOA_SAME(kToDevice, XCL_BO_SYNC_BO_TO_DEVICE)
WOA_SAME(kFromDevice, XCL_BO_SYNC_BO_FROM_DEVICE)
WOA_SAME(kNew, ERT_CMD_STATE_NEW)
WOA_SAME(kQueued, ERT_CMD_STATE_QUEUED)
WOA_SAME(kRunning, ERT_CMD_STATE_RUNNING)
WOA_SAME(kCompleted, ERT_CMD_STATE_COMPLETED)
WOA_SAME(kError, ERT_CMD_STATE_ERROR)
WOA_SAME(kAbort, ERT_CMD_STATE_ABORT)
WOA_SAME(kSubmitted, ERT_CMD_STATE_SUBMITTED)
WOA_SAME(kTimeout, ERT_CMD_STATE_TIMEOUT)
WOA_SAME(kNoResponse, ERT_CMD_STATE_NORESPONSE)
#undef WOA_SAME

#define WOA_SAME_TYPE(member, symbol, result, parameters) \
  static_assert(std::is_same_v<Passed<result parameters>::type, Passed<decltype(::symbol)>::type>, #symbol);
WOA_XRT_FUNCTIONS(WOA_SAME_TYPE)
#undef WOA_SAME_TYPE

}  // namespace

TEST_CASE("xrt_api.h agrees with XRT's headers") {
  SUCCEED("the compiler compared them");  // ctest lists what was built
}

}  // namespace woa::xrt
