// Every kind of problem that the compiler reports, with its number. Numbers are never reused; docs/diagnostics.md
// explains each.
#pragma once

#include <array>
#include <string_view>

namespace woa::problem {

// name, number
#define WOA_PROBLEMS(X)          \
  /* reading a file */           \
  X(kCannotRead, "E0101")        \
  X(kFileTooLarge, "E0102")      \
  X(kNotText, "E0103")           \
  X(kNotYaml, "E0104")           \
  X(kEmptyFile, "E0105")         \
  X(kSecondDocument, "E0106")    \
  X(kAlias, "E0107")             \
  X(kTooDeep, "E0108")           \
  X(kDuplicateKey, "E0109")      \
  X(kUnknownKey, "E0110")        \
  X(kMissingKey, "E0111")        \
  X(kWrongShape, "E0112")        \
  X(kBadValue, "E0113")          \
  X(kYamlTag, "E0114")           \
  X(kWrongVersion, "E0115")      \
  X(kBadName, "E0116")           \
  X(kNotSupported, "E0117")      \
  X(kTooMany, "E0118")           \
  X(kWrongFile, "E0119")         \
  X(kIncludeCycle, "E0120")      \
  X(kTooManyIncludes, "E0121")   \
  /* kernels */                  \
  X(kUnknownKernel, "E0201")     \
  X(kKernelUnavailable, "E0202") \
  X(kBadType, "E0203")           \
  X(kKernelTwice, "E0204")       \
  X(kNoVariant, "E0205")         \
  X(kBadKernel, "E0206")         \
  X(kUnknownDimension, "E0207")  \
  X(kNotBuilt, "E0208")          \
  /* sub-graphs */               \
  X(kUnknownGraph, "E0251")      \
  X(kGraphTwice, "E0252")        \
  X(kGraphCycle, "E0253")        \
  X(kTooManyStages, "E0254")     \
  X(kPassedThrough, "E0255")     \
  /* edges */                    \
  X(kUnknownWriter, "E0301")     \
  X(kUnknownOutput, "E0302")     \
  X(kUnknownInput, "E0303")      \
  X(kMissingInput, "E0304")      \
  X(kUnreadOutput, "E0305")      \
  X(kUnreadGraphInput, "E0306")  \
  X(kTypeMismatch, "E0307")      \
  X(kOnlyHeld, "E0308")          \
  X(kBadHold, "E0309")           \
  X(kEdgeTwice, "E0310")         \
  X(kNoGraphInput, "E0311")      \
  X(kNoGraphOutput, "E0312")     \
  X(kBadLoopEdge, "E0313")       \
  X(kMayBeAbsent, "E0314")       \
  X(kBoundExceeded, "E0315")     \
  X(kBadBound, "E0316")          \
  /* control flow */             \
  X(kCycle, "E0401")             \
  X(kNoCycle, "E0402")           \
  X(kLoopSplit, "E0403")         \
  X(kLoopOrder, "E0404")         \
  X(kLoopEntry, "E0405")         \
  X(kFedOnce, "E0406")           \
  X(kMergeNotExclusive, "E0407") \
  X(kJoinDiffers, "E0408")       \
  X(kTurnDiffers, "E0409")       \
  X(kLeavesEarly, "E0410")       \
  X(kHeldMissing, "E0411")       \
  X(kNotAtSink, "E0412")         \
  X(kRunState, "E0413")          \
  X(kTagTooLong, "E0414")        \
  X(kTooManyBlocks, "E0415")     \
  X(kTooMuchMemory, "E0416")     \
  X(kTooComplex, "E0417")        \
  X(kLoopMax, "E0418")           \
  X(kBadReplicas, "E0419")       \
  X(kNoScatter, "E0420")         \
  X(kRates, "E0421")             \
  X(kNoGather, "E0422")          \
  X(kScatterSplit, "E0423")      \
  X(kStateOrder, "E0424")        \
  /* parameters */               \
  X(kUnknownParam, "E0501")      \
  X(kMissingParam, "E0502")      \
  X(kBadParam, "E0503")          \
  X(kParamRange, "E0504")        \
  X(kParamChoice, "E0505")       \
  X(kSecretParam, "E0506")       \
  X(kParamTarget, "E0507")       \
  /* placement */                \
  X(kBadPin, "E0601")            \
  X(kUnknownController, "E0602") \
  X(kHostPin, "E0603")           \
  X(kBeyondBackend, "E0604")     \
  X(kNotIsolated, "E0606")       \
  /* machines */                 \
  X(kLinkTwice, "E0621")         \
  X(kUnreachable, "E0622")       \
  X(kBadLink, "E0623")           \
  X(kUnknownCores, "E0624")      \
  X(kOverCapacity, "E0625")      \
  X(kNoPlacement, "E0631")       \
  X(kNoFigure, "E0632")          \
  X(kNoCapability, "E0651")      \
  X(kBadOption, "E0701")         \
  /* profiles */                 \
  X(kForeignProfile, "E0801")    \
  X(kProfileGap, "E0802")        \
  X(kBadPlan, "E0901")

#define WOA_PROBLEM_CONSTANT(name, number) inline constexpr std::string_view name = number;
WOA_PROBLEMS(WOA_PROBLEM_CONSTANT)
#undef WOA_PROBLEM_CONSTANT

#define WOA_PROBLEM_NUMBER(name, number) number,
inline constexpr auto kAll = std::to_array<std::string_view>({WOA_PROBLEMS(WOA_PROBLEM_NUMBER)});
#undef WOA_PROBLEM_NUMBER

}  // namespace woa::problem
