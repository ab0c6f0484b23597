// The parallel job of this process as the launcher's PMIx server knows it, and words that its processes leave there for
// each other. Source of the protocol: the PMIx Standard, version 4 (pmix.org).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "runtime/base/status.h"
#include "runtime/node/job_place.h"

namespace woa {

// A connection to the server. A process has one at a time, and uses it from one thread. While it is open the library
// has threads of its own. To a launcher, a process that ends without closing it has crashed.
class PmixJob {
 public:
  PmixJob() = default;
  virtual ~PmixJob() = default;  // closes it
  PmixJob(const PmixJob&) = delete;
  PmixJob& operator=(const PmixJob&) = delete;

  [[nodiscard]] virtual JobPlace place() const = 0;
  // Leaves a word for every process of the job; waits for none of them. kUnavailable: the server refuses it.
  // kDeadlineExceeded: it says nothing.
  virtual Status publish(const std::string& key, const std::string& word) = 0;
  // Blocks until the process of that rank has left the word, for `seconds` at most. kDeadlineExceeded: it has not.
  // kUnavailable: it cannot any more, or the server refuses the request.
  virtual Result<std::string> fetch(std::uint32_t rank, const std::string& key, int seconds) = 0;
};

struct PmixOptions {
  std::string library = "libpmix.so.2";
  int timeout_s = 10;  // of each exchange with the server, which runs on this host
};

// Connects to the server that the environment names. kUnavailable: no such library or server (the message has both
// versions), or left out of this build. kExhausted: a limit on open files. kDeadlineExceeded: the server says
// nothing.
Result<std::unique_ptr<PmixJob>> connect_pmix(const PmixOptions& options = {});

}  // namespace woa
