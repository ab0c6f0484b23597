// Stands in for the tests of the RTL where there is no Verilator.
#include "tests/support/require.h"

int main() { woa::test::skip("verilator", WOA_UNAVAILABLE_REASON); }
