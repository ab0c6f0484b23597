// Status and Result: what every fallible function of the runtime returns.
//
// No exception crosses an interface of `runtime`. The code says what the caller should do next; the message names the
// place, what was expected and the fix. Codes fit one byte because poison carries them in the packet (docs/packet.md,
// field `status`), so their numbers are fixed and never reused.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace woa {

// name, number, what the caller should do
#define WOA_CODES(X)                                                                               \
  X(kOk, 0, "ok")                              /* go on */                                         \
  X(kInvalid, 1, "invalid")                    /* mend the input; trying again is useless */       \
  X(kNotFound, 2, "not_found")                 /* name something that exists */                    \
  X(kUnsupported, 3, "unsupported")            /* choose another variant, device or option */      \
  X(kUnavailable, 4, "unavailable")            /* install or attach what the message names */      \
  X(kExhausted, 5, "exhausted")                /* give more memory or declare a larger bound */    \
  X(kCancelled, 6, "cancelled")                /* the run was stopped on purpose */                \
  X(kDeadlineExceeded, 7, "deadline_exceeded") /* give more time or find the slow stage */         \
  X(kDataLoss, 8, "data_loss")                 /* a packet was lost, repeated or damaged: rerun */ \
  X(kPeerLost, 9, "peer_lost")                 /* a process died: read its log, rerun */           \
  X(kKernelFailed, 10, "kernel_failed")        /* read the kernel's own message */                 \
  X(kTooLarge, 11, "too_large")                /* raise the port's declared bound */               \
  X(kLoopLimit, 12, "loop_limit")              /* raise the loop's max or mend the kernel */       \
  X(kUnauthentic, 13, "unauthentic")           /* wrong key, or the data were changed */           \
  X(kBrokenContract, 14, "broken_contract")    /* the kernel broke its kernel.yaml: mend it */     \
  X(kInternal, 15, "internal")                 /* report a bug in the runtime */

enum class Code : std::uint8_t {
#define WOA_CODE_ENUM(name, number, text) name = number,
  WOA_CODES(WOA_CODE_ENUM)
#undef WOA_CODE_ENUM
};

// The code's name as in JSON, "unknown" for a number outside the list.
std::string_view to_string(Code code) noexcept;

// A code and, unless ok, a message. Costs next to nothing when ok, since hot paths return it.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message) : code_(code) {
    if (!message.empty()) message_ = std::make_shared<const std::string>(std::move(message));
  }

  [[nodiscard]] bool ok() const noexcept { return code_ == Code::kOk; }
  [[nodiscard]] Code code() const noexcept { return code_; }
  [[nodiscard]] const std::string& message() const noexcept { return message_ == nullptr ? no_message() : *message_; }

  // kExhausted: an allocation failed. Needs no memory itself.
  static const Status& no_memory() noexcept;
  // The same failure seen from one level up: "context: message". Leaves an ok status alone.
  [[nodiscard]] Status with_context(std::string_view context) const;

 private:
  static const std::string& no_message() noexcept;

  Code code_ = Code::kOk;
  std::shared_ptr<const std::string> message_;  // null: none
};

// A T or a Status that is not ok. `value()` may only be called when `ok()`.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}          // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {}  // NOLINT(google-explicit-constructor)
  Result(Code code, std::string message) : status_(code, std::move(message)) {}

  [[nodiscard]] bool ok() const noexcept { return value_.has_value(); }
  [[nodiscard]] const Status& status() const noexcept { return status_; }
  [[nodiscard]] T& value() & { return *value_; }
  [[nodiscard]] const T& value() const& { return *value_; }
  [[nodiscard]] T&& value() && { return *std::move(value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

// Calls `body` and gives its Status or Result; Status::no_memory(), if an allocation in it fails.
template <class Body>
auto or_no_memory(Body&& body) noexcept -> decltype(body()) {
  try {
    return std::forward<Body>(body)();
  } catch (const std::bad_alloc&) {
    return Status::no_memory();
  }
}

// Calls `body`, which makes a text or something with texts; gives `otherwise`, if there is no memory for it. A failure
// matters more than its words.
template <class Body, class Other>
auto if_memory(Body&& body, Other&& otherwise) noexcept -> decltype(body()) {
  try {
    return std::forward<Body>(body)();
  } catch (const std::bad_alloc&) {
    return std::forward<Other>(otherwise);
  }
}

// Returns from the enclosing function when `expression` (a Status) is not ok.
#define WOA_RETURN_IF_ERROR(expression)                                                  \
  do {                                                                                   \
    if (::woa::Status woa_status_ = (expression); !woa_status_.ok()) return woa_status_; \
  } while (false)

// Gives a variable, declared here or before, the value of an expression (a Result), or returns its failure from the
// enclosing function: `WOA_ASSIGN_OR_RETURN(const auto memory, Memory::map(bytes, sharing));`
#define WOA_ASSIGN_OR_RETURN(variable, ...) WOA_ASSIGN_OR_RETURN_BY(WOA_RESULT_OF_LINE(__LINE__), variable, __VA_ARGS__)
#define WOA_ASSIGN_OR_RETURN_BY(result, variable, ...) \
  auto result = __VA_ARGS__;                           \
  if (!result.ok()) return result.status();            \
  variable = std::move(result).value()
#define WOA_RESULT_OF_LINE(line) WOA_RESULT_OF_LINE_AS(line)
#define WOA_RESULT_OF_LINE_AS(line) woa_result_##line

// Messages for when the system refuses a descriptor, a process, a thread or memory.

// True if `error` (errno value) says that this process or the system has too many open descriptors.
bool is_limit(int error);
// kExhausted: `what` could not be had. The message gives the reason (errno value `error`), the limit and its remedy.
// EAGAIN is one of threads and processes: the user's, the control group's, or that of the address space. Tries a
// mapping.
Status limit_reached(std::string_view what, int error);
// The end of a message that says that memory is lacking: the limit on this process's addresses and its remedy, if there
// is one; else where to look.
std::string what_gives_memory();
// The system's reason for an errno; with the limit and how to raise it, for limits on files.
std::string reason_of(int error);
// For a library that fails without an errno: the limit on open files and how to raise it, after "; ", if this process
// or the system cannot open 16 more now. That is a sign of the cause, and no proof. Else empty. Opens files to see.
std::string limit_at_hand();

}  // namespace woa
