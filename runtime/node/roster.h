// The nodes that joined a run, and the controller that each will serve.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/node/job_place.h"
#include "runtime/node/join_listener.h"
#include "runtime/plan/plan.h"

namespace woa {

class Roster {
 public:
  // For `nodes` nodes of the plan's controllers. `run` is the run's own place, if a launcher started it beside them.
  Roster(const Plan& plan, std::size_t nodes, JobPlace run) : plan_(&plan), nodes_(nodes), run_(run) {}

  // Accepts a node. kNotFound: it wants a controller that the plan lacks, or the host. kInvalid: another node has that
  // controller; or another node, or the run, is the same process of the same job. kUnavailable: there are enough nodes;
  // or its job has another size than the run's, so that no further waiting helps (hopeless()).
  Status take(JoinedNode& node, const std::string& wanted, JobPlace job);
  [[nodiscard]] bool complete() const noexcept { return members_.size() >= nodes_; }
  [[nodiscard]] bool hopeless() const noexcept { return misfits_ != 0; }
  // When hopeless(): has every process of that job come, and been refused?
  [[nodiscard]] bool all_told() const noexcept { return told_ >= misfits_; }
  // The sockets of those that joined. While they wait they say nothing, unless they cannot stay.
  [[nodiscard]] std::vector<int> sockets() const;
  // The node of that socket said something, or is gone: removes it, and returns which node left and why.
  std::string leave(int socket);
  // "2 of 4 nodes: 10.77.0.2:4000 for cpu:1 and 10.77.0.3:5000".
  [[nodiscard]] std::string present() const;
  // "rank 1 and rank 3" if those that joined are ranks of a job, else "a node for cpu:2".
  [[nodiscard]] std::string missing() const;
  // Tells those that joined why there is no run.
  void dismiss(const std::string& why);
  // All nodes, by controller.
  JoinedNodes assign() &&;

 private:
  struct Member {
    JoinedNode node;
    std::string wanted;  // empty: any
    JobPlace job;
  };
  [[nodiscard]] std::vector<std::uint32_t> free_controllers() const;
  // The processes that a launcher should have started: the nodes alone, or with the run.
  [[nodiscard]] std::size_t job_size() const noexcept { return nodes_ + (run_.in_job() ? 1 : 0); }

  const Plan* plan_;
  std::size_t nodes_;
  JobPlace run_;
  std::vector<Member> members_;
  std::size_t misfits_ = 0, told_ = 0;  // processes of a job of another size, and those of them that came
};

}  // namespace woa
