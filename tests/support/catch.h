// Catch2 in both majors: 2.13 (Debian 12) and 3 (Debian 13). Tests include this and nothing else of
// Catch, and use no name of Catch:: (tests/lint/style.py), since these differ.
#pragma once

#ifdef WOA_CATCH3
#include <catch2/catch_all.hpp>
using Catch::Approx;  // as version 2 has it
#else
#include <catch2/catch.hpp>
#endif
