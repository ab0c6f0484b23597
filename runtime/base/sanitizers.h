// The sanitizers that this is compiled for, which GCC and Clang state differently.
#pragma once

#ifdef __has_feature
#define WOA_HAS_FEATURE(name) __has_feature(name)
#else
#define WOA_HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_THREAD__) || WOA_HAS_FEATURE(thread_sanitizer)
#define WOA_THREAD_SANITIZER
#endif
#if defined(__SANITIZE_ADDRESS__) || WOA_HAS_FEATURE(address_sanitizer)
#define WOA_ADDRESS_SANITIZER
#endif
