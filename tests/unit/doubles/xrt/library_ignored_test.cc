// Whatever the double leaves out, somebody who looks at the data finds: each word of ignore= has its effect.
#include "tests/doubles/xrt/library/options.h"
#include "tests/unit/doubles/xrt/library_rig.h"

namespace woa::xrt {
namespace {

constexpr int kFound = 33;

// A back-end that is right: it finds what the double leaves out.
int fire() {
  static Rig rig;  // a callback may write into it until the process ends
  if (!rig.load() || !rig.fire(6)) return kFound;
  rig.end();
  return 0;
}

}  // namespace

TEST_CASE("what the double leaves out is found by its poison or by a rule") {
#define WOA_NAME(name) #name,
  for (const std::string word : {WOA_XRT_DOUBLE_IGNORED(WOA_NAME)}) {
#undef WOA_NAME
    if (word == "state") continue;
    const Ended ended = run_with("ignore=" + word, &fire);
    INFO(word << "\n" << ended.log);
    if (word == "bank" || word == "alignment") {
      REQUIRE(ended.aborted());
      REQUIRE(ended.log.find("woa_xrt_double: " + word + ": xrtRunSetArg: ") == 0);
    } else {
      REQUIRE(ended.exit_code() == kFound);
    }
  }
}

TEST_CASE("an error that the double hides is found by the data") {
  const auto state_of = [](const std::string& words) {
    return run_with(words,
                    [] {
                      static Rig rig;
                      NEED(rig.load() && rig.start(0, 0));
                      return rig.run_wait(rig.slots[0].run, 10000);
                    })
        .exit_code();
  };
  REQUIRE(state_of("fail=run_error@2") == kError);
  REQUIRE(state_of("fail=run_error@2,ignore=state") == kCompleted);
  REQUIRE(run_with("fail=run_error@3,ignore=state", &fire).exit_code() == kFound);
}

}  // namespace woa::xrt
