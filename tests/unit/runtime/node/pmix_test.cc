// A PMIx library or server that is not there, or is none.
#include "runtime/node/pmix_job.h"
#include "runtime/node/tcp_socket.h"
#include "tests/support/catch.h"
#include "tests/support/need.h"
#include "tests/unit/runtime/node/variables.h"

namespace woa::test {
namespace {

// connect_pmix() fails so, with each of `texts` in its message.
void fails(Code code, const PmixOptions& options, const std::vector<std::string>& texts) {
  const auto job = connect_pmix(options);
  INFO(job.status().message());
  REQUIRE(job.status().code() == code);
  for (const std::string& text : texts) REQUIRE(job.status().message().find(text) != std::string::npos);
}

std::vector<std::pair<std::string, std::string>> server_at(const std::string& address) {
  std::vector<std::pair<std::string, std::string>> set{
      {"PMIX_NAMESPACE", "job"}, {"PMIX_RANK", "0"}, {"PMIX_VERSION", "1.2.3-test"}};
  for (const char* name :
       {"PMIX_SERVER_URI2", "PMIX_SERVER_URI21", "PMIX_SERVER_URI3", "PMIX_SERVER_URI4", "PMIX_SERVER_URI41"})
    set.emplace_back(name, "server.0;tcp4://" + address);
  return set;
}

}  // namespace

TEST_CASE("without the library the error says what to install") {
  fails(Code::kUnavailable, {.library = "libwoa-no-such-library.so"}, {"libpmix cannot be loaded", "install libpmix2"});
}

TEST_CASE("another library is not taken for it") {
  fails(Code::kUnavailable, {.library = "libc.so.6"}, {"libc.so.6 has no PMIx_Init"});
}

TEST_CASE("without a server the error has the library's version and the launcher's") {
  const Variables variables(server_at("127.0.0.1:1"));
  fails(Code::kUnavailable, {}, {"PMIx_Init: ", "libpmix here is ", "the launcher's 1.2.3-test"});
}

TEST_CASE("a server that says nothing holds nobody up") {
  const UniqueFd mute = need(listen_tcp("127.0.0.1", 0));
  const Variables variables(server_at(local_address(mute.get())));
  fails(Code::kDeadlineExceeded, {.timeout_s = 1},
        {"PMIx_Init: no answer from the launcher's PMIx server within 1 s", "the launcher's 1.2.3-test"});
}

}  // namespace woa::test
