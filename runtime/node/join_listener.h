// The host's side of nodes that join a run from elsewhere: listens, admits every node with the run's secret, and gives
// each a controller.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/node/control_socket.h"
#include "runtime/node/job_place.h"
#include "runtime/node/run_secret.h"
#include "runtime/plan/plan.h"

namespace woa {

// A node that will serve a controller: its control socket, and its address.
struct JoinedNode {
  ControlSocket socket;
  std::string address;
};
using JoinedNodes = std::map<std::uint32_t, JoinedNode>;  // by controller of the plan

// Tells nodes that have had no hello yet that there is no run for them, and why: they log it and exit with code 3. A
// node that is gone need not be told.
void refuse(JoinedNode& node, const std::string& why);
void refuse(JoinedNodes& nodes, const Status& why);

class JoinListener {
 public:
  // Reports events while waiting, a sentence each: which node joined, which was turned away and why.
  using OnEvent = std::function<void(const std::string&)>;

  // Listens on the numeric `address`; port 0: any free one. kInvalid: no such address here, or the port is in use.
  static Result<std::unique_ptr<JoinListener>> open(const std::string& address, std::uint16_t port, RunSecret secret);
  ~JoinListener();
  JoinListener(const JoinListener&) = delete;
  JoinListener& operator=(const JoinListener&) = delete;

  // HOST:PORT, as nodes name it.
  [[nodiscard]] std::string address() const;
  // Blocks until `nodes` nodes (at least 1, at most the plan's controllers without the host) have joined. Each gets the
  // controller that it asked for; the others, in the order in which they came, the first of the plan that nobody asked
  // for. Strangers, and nodes that ask for a controller that does not exist, are turned away, and the wait goes on.
  // kUnavailable: after `timeout_ns` nodes are missing (the message names them); or those that came belong to a
  // parallel job whose size is not `nodes` (plus one if the run itself, at `run`, is in the job). The nodes that had
  // joined are then told. A node waits for its hello as long as is left of `timeout_ns`, and `start_ns` more.
  Result<JoinedNodes> admit(const Plan& plan, std::size_t nodes, JobPlace run, std::uint64_t timeout_ns,
                            std::uint64_t start_ns, const OnEvent& on_event);

 private:
  JoinListener(UniqueFd socket, RunSecret secret);
  UniqueFd socket_;
  RunSecret secret_;
};

}  // namespace woa
