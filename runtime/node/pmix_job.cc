#include "runtime/node/pmix_job.h"

#include <dlfcn.h>
#include <pmix.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <future>
#include <optional>
#include <string_view>
#include <thread>

#include "runtime/base/shared_library.h"
#include "runtime/base/thread.h"

namespace woa {
namespace {

// libpmix, loaded when a launcher offers PMIx, so that one binary runs with and without it.
//
// Lists every function used. The header's macros are not used: they call functions that differ between versions.
#define WOA_PMIX_SYMBOLS(X) \
  X(PMIx_Init)              \
  X(PMIx_Finalize)          \
  X(PMIx_Get)               \
  X(PMIx_Put)               \
  X(PMIx_Commit)            \
  X(PMIx_Error_string)      \
  X(PMIx_Get_version)

struct PmixLibrary {
#define WOA_PMIX_MEMBER(name) decltype(&::name) name = nullptr;
  WOA_PMIX_SYMBOLS(WOA_PMIX_MEMBER)
#undef WOA_PMIX_MEMBER
};

// Loads the library of that name and never unloads it. Errors: load_library(), or what it lacks. Any thread.
Result<PmixLibrary> load_pmix(const std::string& name) {
  const Result<void*> library = load_library(name, "install libpmix2");
  if (!library.ok()) return library.status().with_context("libpmix cannot be loaded");
  PmixLibrary table;
#define WOA_PMIX_LOAD(symbol)                                                          \
  table.symbol = reinterpret_cast<decltype(table.symbol)>(::dlsym(*library, #symbol)); \
  if (table.symbol == nullptr) return {Code::kUnavailable, name + " has no " #symbol "; install libpmix2"};
  WOA_PMIX_SYMBOLS(WOA_PMIX_LOAD)
#undef WOA_PMIX_LOAD
  return table;
}

constexpr int kGraceS = 2;  // for the server's answer after its own timeout

// Calls the library in a thread of its own, because some calls wait for ever for a stuck server. Nothing: the call has
// not returned, and the thread is left behind with all that `call` holds.
std::optional<pmix_status_t> within(int seconds, std::function<pmix_status_t()> call) {
  std::packaged_task<pmix_status_t()> task(std::move(call));
  std::future<pmix_status_t> returned = task.get_future();
  make_thread<std::thread>(std::move(task)).detach();
  if (returned.wait_for(std::chrono::seconds(seconds)) != std::future_status::ready) return std::nullopt;
  return returned.get();
}

std::string versions(const PmixLibrary& library) {
  const char* server = std::getenv("PMIX_VERSION");
  return std::string("; libpmix here is ") + library.PMIx_Get_version() + ", the launcher's " +
         (server != nullptr ? server : "of a version that it does not tell");
}

// A requested word or number. The library allocates it.
struct Asked {
  pmix_proc_t of{};
  std::string key;
  pmix_info_t limit{};
  pmix_value_t* value = nullptr;

  Asked(const pmix_proc_t& self, pmix_rank_t rank, std::string_view name, int seconds) : of(self), key(name) {
    of.rank = rank;
    std::string_view(PMIX_TIMEOUT).copy(limit.key, PMIX_MAX_KEYLEN);
    limit.value.type = PMIX_INT;
    limit.value.data.integer = seconds;
  }
  ~Asked() {
    if (value == nullptr) return;
    if (value->type == PMIX_STRING) std::free(value->data.string);
    std::free(value);
  }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;
};

class Connection final : public PmixJob {
 public:
  Connection(const PmixLibrary& library, const PmixOptions& options)
      : library_(library), timeout_s_(options.timeout_s) {}
  ~Connection() override {
    if (!open_ || stuck_) return;
    // The connection is over whatever this returns.
    (void)within(timeout_s_, [library = library_] { return library.PMIx_Finalize(nullptr, 0); });
  }

  Status open();
  [[nodiscard]] JobPlace place() const override { return place_; }
  Status publish(const std::string& key, const std::string& word) override;
  Result<std::string> fetch(std::uint32_t rank, const std::string& key, int seconds) override;

 private:
  Status ask(const char* what, int seconds, std::function<pmix_status_t()> call);
  Status get(const std::shared_ptr<Asked>& asked);

  PmixLibrary library_;
  int timeout_s_;
  pmix_proc_t self_{};
  JobPlace place_;
  bool open_ = false;
  bool stuck_ = false;  // a call has not returned, and the next would wait for it
};

Status Connection::ask(const char* what, int seconds, std::function<pmix_status_t()> call) {
  const std::optional<pmix_status_t> status = within(seconds, std::move(call));
  stuck_ = !status.has_value();
  if (stuck_)
    return {Code::kDeadlineExceeded, std::string(what) + ": no answer from the launcher's PMIx server within " +
                                         std::to_string(seconds) + " s" + versions(library_)};
  if (*status == PMIX_SUCCESS) return {};
  return {*status == PMIX_ERR_TIMEOUT ? Code::kDeadlineExceeded : Code::kUnavailable,
          std::string(what) + ": " + library_.PMIx_Error_string(*status) + " (" + std::to_string(*status) + ")" +
              versions(library_)};
}

Status Connection::get(const std::shared_ptr<Asked>& asked) {
  return ask("PMIx_Get", asked->limit.value.data.integer + kGraceS, [library = library_, asked] {
    return library.PMIx_Get(&asked->of, asked->key.c_str(), &asked->limit, 1, &asked->value);
  });
}

Status Connection::open() {
  const auto self = std::make_shared<pmix_proc_t>();
  WOA_RETURN_IF_ERROR(
      ask("PMIx_Init", timeout_s_, [library = library_, self] { return library.PMIx_Init(self.get(), nullptr, 0); }));
  open_ = true;
  self_ = *self;
  const auto size = std::make_shared<Asked>(self_, PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, timeout_s_);
  WOA_RETURN_IF_ERROR(get(size));
  if (size->value->type != PMIX_UINT32)
    return {Code::kUnavailable, "the launcher's PMIx server tells the job's size in another type" + versions(library_)};
  place_ = {self_.rank, size->value->data.uint32};
  return {};
}

Status Connection::publish(const std::string& key, const std::string& word) {
  return ask("PMIx_Put", timeout_s_, [library = library_, key, text = word]() mutable {
    pmix_value_t value{};
    value.type = PMIX_STRING;
    value.data.string = text.data();
    const pmix_status_t put = library.PMIx_Put(PMIX_GLOBAL, key.c_str(), &value);
    return put == PMIX_SUCCESS ? library.PMIx_Commit() : put;
  });
}

Result<std::string> Connection::fetch(std::uint32_t rank, const std::string& key, int seconds) {
  const auto asked = std::make_shared<Asked>(self_, rank, key, seconds);
  if (Status status = get(asked); !status.ok()) return status;
  if (asked->value->type != PMIX_STRING) return {Code::kUnavailable, "another kind of word was left as " + key};
  return std::string(asked->value->data.string);
}

}  // namespace

Result<std::unique_ptr<PmixJob>> connect_pmix(const PmixOptions& options) {
  const auto library = load_pmix(options.library);
  if (!library.ok()) return library.status();
  auto connection = std::make_unique<Connection>(*library, options);
  WOA_RETURN_IF_ERROR(connection->open());
  return std::unique_ptr<PmixJob>(std::move(connection));
}

}  // namespace woa
