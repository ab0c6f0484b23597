// Nothing: the target that this belongs to precompiles the headers of all tests.
