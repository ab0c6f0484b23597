#include "runtime/node/roster.h"

#include <algorithm>

#include "runtime/base/text.h"
#include "runtime/node/control.h"

namespace woa {
namespace {

std::string list(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k)
    text += (k == 0 ? "" : k + 1 == words.size() ? " and " : ", ") + words[k];
  return text;
}

// 0, the host's, if no node can serve a controller of that name.
std::uint32_t controller_named(const Plan& plan, const std::string& name) {
  for (std::uint32_t c = 1; c < plan.controllers.size(); ++c) {
    if (plan.controllers[c].name == name) return c;
  }
  return kHostController;
}

}  // namespace

Status Roster::take(JoinedNode& node, const std::string& wanted, JobPlace job) {
  if (complete()) return {Code::kUnavailable, "this run has its " + counted(nodes_, "node") + " already"};
  if (!wanted.empty() && controller_named(*plan_, wanted) == kHostController) {
    std::vector<std::string> names;
    for (std::size_t c = 1; c < plan_->controllers.size(); ++c) names.push_back(plan_->controllers[c].name);
    return {Code::kNotFound, "this run has no controller '" + wanted + "' for a node; it has " + list(names)};
  }
  if (job.in_job() && job.size != job_size()) {
    misfits_ = job.size - (run_.in_job() ? 1 : 0);
    ++told_;
    return {Code::kUnavailable, "it is one of " + std::to_string(job.size) +
                                    " processes that its launcher started, and " + counted(nodes_, "node") +
                                    (nodes_ == 1 ? " was" : " were") + " to join" +
                                    (run_.in_job() ? " beside the run" : "") + "; start as many as --nodes says"};
  }
  if (job.in_job() && run_.in_job() && job.rank == run_.rank)
    return {Code::kInvalid, "the run itself is rank " + std::to_string(job.rank) + " of its job"};
  for (const Member& member : members_) {
    if (!wanted.empty() && member.wanted == wanted)
      return {Code::kInvalid, "controller '" + wanted + "' is served by " + member.node.address + " already"};
    if (job.in_job() && member.job.in_job() && member.job.rank == job.rank)
      return {Code::kInvalid, member.node.address + " is rank " + std::to_string(job.rank) + " of its job already"};
  }
  members_.push_back({std::move(node), wanted, job});
  return {};
}

std::vector<int> Roster::sockets() const {
  std::vector<int> all;
  for (const Member& member : members_) all.push_back(member.node.socket.descriptor());
  return all;
}

std::string Roster::leave(int socket) {
  const auto member = std::find_if(members_.begin(), members_.end(),
                                   [&](const Member& m) { return m.node.socket.descriptor() == socket; });
  control::FromNode message;
  const auto* const told = member->node.socket.receive(message).ok() ? std::get_if<control::Failed>(&message) : nullptr;
  std::string text = member->node.address + " left" + (told != nullptr ? ": " + told->message : "");
  members_.erase(member);
  return text;
}

std::string Roster::present() const {
  std::vector<std::string> who;
  for (const Member& member : members_)
    who.push_back(member.node.address + (member.wanted.empty() ? "" : " for " + member.wanted));
  return std::to_string(members_.size()) + " of " + counted(nodes_, "node") +
         (who.empty() ? "" : " (" + list(who) + ")");
}

std::string Roster::missing() const {
  std::vector<std::string> names;
  const bool ranked =
      run_.in_job() || std::any_of(members_.begin(), members_.end(), [](const Member& m) { return m.job.in_job(); });
  for (std::uint32_t rank = 0; ranked && rank < job_size() && names.size() < nodes_ - members_.size(); ++rank) {
    const bool here = (run_.in_job() && run_.rank == rank) ||
                      std::any_of(members_.begin(), members_.end(),
                                  [&](const Member& m) { return m.job.in_job() && m.job.rank == rank; });
    if (!here) names.push_back("rank " + std::to_string(rank));
  }
  if (ranked) return list(names);
  const std::vector<std::uint32_t> free = free_controllers();
  const auto unnamed = static_cast<std::size_t>(
      std::count_if(members_.begin(), members_.end(), [](const Member& m) { return m.wanted.empty(); }));
  for (std::size_t k = unnamed; names.size() < nodes_ - members_.size(); ++k)
    names.push_back(plan_->controllers[free[k]].name);
  return list(names);
}

std::vector<std::uint32_t> Roster::free_controllers() const {
  std::vector<std::uint32_t> free;
  for (std::uint32_t c = 1; c < plan_->controllers.size(); ++c) {
    const bool taken = std::any_of(members_.begin(), members_.end(),
                                   [&](const Member& m) { return m.wanted == plan_->controllers[c].name; });
    if (!taken) free.push_back(c);
  }
  return free;
}

void refuse(JoinedNode& node, const std::string& why) {
  (void)node.socket.send(control::FromHost(control::Refused{"the run did not begin: " + why}));
}

void refuse(JoinedNodes& nodes, const Status& why) {
  for (auto& [controller, node] : nodes) refuse(node, why.message());
  nodes.clear();
}

void Roster::dismiss(const std::string& why) {
  for (Member& member : members_) refuse(member.node, why);
  members_.clear();
}

JoinedNodes Roster::assign() && {
  JoinedNodes nodes;
  const std::vector<std::uint32_t> free = free_controllers();
  std::size_t next = 0;
  for (Member& member : members_) {
    const std::uint32_t controller = member.wanted.empty() ? free[next++] : controller_named(*plan_, member.wanted);
    nodes.emplace(controller, std::move(member.node));
  }
  return nodes;
}

}  // namespace woa
