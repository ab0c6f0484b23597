// In place of a test whose library was not found at build time.
#include "tests/support/require.h"

int main() { woa::test::skip(WOA_UNAVAILABLE_NAME, WOA_UNAVAILABLE_REASON); }
