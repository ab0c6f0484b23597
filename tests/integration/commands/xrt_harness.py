"""Runs of `woa` whose controllers of kind fpga are xrt, on the test double of XRT's library (tests/doubles/xrt)."""
import os

import harness

DOUBLE = os.path.join(harness.BUILD, "tests", "doubles", "xrt")
MACHINE = "woa_machine: 1\ncontrollers: {\"cpu:0\": {}, \"cpu:1\": {}, \"fpga:0\": {backend: xrt%s}}\n"


def xrt_double(words=""):
    """The environment in which the double is XRT's library, and behaves as `words` say."""
    return {"LD_LIBRARY_PATH": DOUBLE, "WOA_XCLBIN": os.path.join(DOUBLE, "woa.xclbin"), "WOA_XRT_DOUBLE": words}


NO_DOUBLE = "the double of XRT's library is not built: its card is verilated"


def double_is_built():
    return os.path.exists(os.path.join(DOUBLE, "libxrt_coreutil.so.2"))


def need_double():
    """Skips the program where the double is not built."""
    if not double_is_built():
        harness.skip_program("verilator", NO_DOUBLE)
