#include "runtime/node/handshake.h"

#include <sys/random.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <vector>

#include "runtime/base/clock.h"

namespace woa::handshake {
namespace {

static_assert(std::endian::native == std::endian::little, "the messages are little-endian");

constexpr std::string_view kNode = "woa node", kHost = "woa host";  // the side that proves

Result<Nonce> new_nonce() {
  Nonce nonce{};
  if (::getrandom(nonce.data(), nonce.size(), 0) != static_cast<ssize_t>(nonce.size()))
    return {Code::kUnavailable, "the system gives no random numbers"};
  return nonce;
}

template <typename Message>
Status check_version(const Message& message, std::string_view who) {
  if (message.magic != kMagic)
    return {Code::kUnsupported, std::string(who) + " does not speak as a part of this runtime does"};
  if (message.version == kVersion) return {};
  return {Code::kUnsupported, std::string(who) + " joins by version " + std::to_string(message.version) +
                                  ", this program by " + std::to_string(kVersion) + "; use one build for both"};
}

template <typename Message>
void append(std::vector<std::byte>& to, const Message& message, std::size_t bytes = sizeof(Message)) {
  const std::size_t end = to.size();
  to.resize(end + bytes);
  std::memcpy(to.data() + end, &message, bytes);
}

std::vector<std::byte> what_node_proves(const Greeting& greeting, const Answer& answer) {
  std::vector<std::byte> all;
  append(all, greeting);
  append(all, answer, offsetof(Answer, proof));
  return all;
}

std::vector<std::byte> what_host_proves(const Greeting& greeting, const Answer& answer, const Admission& admission) {
  std::vector<std::byte> all;
  append(all, greeting);
  append(all, answer);
  append(all, admission, offsetof(Admission, proof));
  return all;
}

}  // namespace

Result<Greeting> greet() {
  auto nonce = new_nonce();
  if (!nonce.ok()) return nonce.status();
  Greeting greeting;
  greeting.nonce = *nonce;
  return greeting;
}

Result<Answer> answer(const Greeting& greeting, std::string_view controller, JobPlace job, const RunSecret& secret) {
  WOA_RETURN_IF_ERROR(check_version(greeting, "the host"));
  if (controller.size() >= kNameBytes)
    return {Code::kInvalid, "a controller's name has at most " + std::to_string(kNameBytes - 1) + " characters"};
  auto nonce = new_nonce();
  if (!nonce.ok()) return nonce.status();
  Answer answer;
  answer.job = job;
  answer.nonce = *nonce;
  std::copy(controller.begin(), controller.end(), answer.controller.begin());
  answer.proof = secret.prove(kNode, what_node_proves(greeting, answer));
  return answer;
}

Result<Admission> admit(const Greeting& greeting, const Answer& answer, std::uint64_t hello_within_ns,
                        const RunSecret& secret) {
  WOA_RETURN_IF_ERROR(check_version(answer, "it"));
  if (!secret.holds(answer.proof, kNode, what_node_proves(greeting, answer)))
    return {Code::kUnauthentic, "it does not have this run's secret"};
  Admission admission;
  admission.now_ns = now_ns();
  admission.hello_within_ns = hello_within_ns;
  admission.proof = secret.prove(kHost, what_host_proves(greeting, answer, admission));
  return admission;
}

Status accept(const Greeting& greeting, const Answer& answer, const Admission& admission, const RunSecret& secret) {
  if (secret.holds(admission.proof, kHost, what_host_proves(greeting, answer, admission))) return {};
  return {Code::kUnauthentic, "the host does not have this run's secret"};
}

std::string wanted(const Answer& answer) {
  const auto end = std::find(answer.controller.begin(), answer.controller.end(), '\0');
  return {answer.controller.begin(), end};
}

}  // namespace woa::handshake
