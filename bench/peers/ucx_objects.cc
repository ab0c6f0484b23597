#include "bench/peers/ucx_objects.h"

#include <utility>

namespace woa::bench {
namespace {

struct Release {
  void operator()(ucp_config_t* config) const { ucp_config_release(config); }
};

Result<UcxOwned<ucp_context_h>> open_context() {
  ucp_config_t* read = nullptr;
  WOA_RETURN_IF_ERROR(ucx_status("ucp_config_read", ucp_config_read(nullptr, nullptr, &read)));
  const std::unique_ptr<ucp_config_t, Release> config(read);
  WOA_RETURN_IF_ERROR(ucx_status("ucp_config_modify", ucp_config_modify(config.get(), "TLS", "shm")));
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES;
  params.features = UCP_FEATURE_AM | UCP_FEATURE_RMA;
  ucp_context_h context = nullptr;
  WOA_RETURN_IF_ERROR(ucx_status("ucp_init", ucp_init(&params, config.get(), &context)));
  return UcxOwned<ucp_context_h>(context);
}

Result<UcxOwned<ucp_worker_h>> open_worker(ucp_context_h context) {
  ucp_worker_params_t params{};
  params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  params.thread_mode = UCS_THREAD_MODE_SINGLE;
  ucp_worker_h worker = nullptr;
  WOA_RETURN_IF_ERROR(ucx_status("ucp_worker_create", ucp_worker_create(context, &params, &worker)));
  return UcxOwned<ucp_worker_h>(worker);
}

Result<UcxOwned<ucp_ep_h>> connect(ucp_worker_h worker, const std::string& there) {
  ucp_ep_params_t params{};
  params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
  params.address = reinterpret_cast<const ucp_address_t*>(there.data());
  ucp_ep_h endpoint = nullptr;
  WOA_RETURN_IF_ERROR(ucx_status("ucp_ep_create", ucp_ep_create(worker, &params, &endpoint)));
  return UcxOwned<ucp_ep_h>(endpoint);
}

Result<std::string> address_of(ucp_worker_h worker) {
  ucp_address_t* address = nullptr;
  std::size_t bytes = 0;
  WOA_RETURN_IF_ERROR(ucx_status("ucp_worker_get_address", ucp_worker_get_address(worker, &address, &bytes)));
  std::string copy(reinterpret_cast<const char*>(address), bytes);
  ucp_worker_release_address(worker, address);
  return copy;
}

}  // namespace

Status ucx_status(const char* call, ucs_status_t status) {
  if (status == UCS_OK) return {};
  return {Code::kUnavailable, std::string(call) + ": " + ucs_status_string(status)};
}

void UcxDelete::operator()(ucp_ep_h endpoint) const {
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
  param.flags = UCP_EP_CLOSE_FLAG_FORCE;
  const ucs_status_ptr_t request = ucp_ep_close_nbx(endpoint, &param);
  if (UCS_PTR_IS_PTR(request)) ucp_request_free(request);  // the worker ends with it
}

Result<UcxLink> UcxLink::open(const Talk& talk, std::span<const std::size_t> targets) {
  UcxLink link;
  WOA_ASSIGN_OR_RETURN(link.context, open_context());
  WOA_ASSIGN_OR_RETURN(link.worker, open_worker(link.context.get()));
  WOA_ASSIGN_OR_RETURN(const auto address, address_of(link.worker.get()));
  const auto addresses = talk.gather(address);
  WOA_RETURN_IF_ERROR(gone_unless(!addresses.empty()));
  for (const std::size_t target : targets) {
    WOA_ASSIGN_OR_RETURN(auto endpoint, connect(link.worker.get(), addresses[target]));
    link.endpoints.push_back(std::move(endpoint));
  }
  return link;
}

UcxPending::UcxPending(std::uint64_t most) : most_(most) {
  param_.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  param_.cb.send = [](void* request, ucs_status_t status, void* self) {
    static_cast<UcxPending*>(self)->complete(status);
    ucp_request_free(request);
  };
  param_.user_data = this;
}

Status UcxPending::add(const UcxLink& link, ucs_status_ptr_t request) {
  if (request == nullptr) return {};
  if (UCS_PTR_IS_ERR(request)) return ucx_status("a send", UCS_PTR_STATUS(request));
  ++under_way_;
  return wait(link, most_);
}

Status UcxPending::wait(const UcxLink& link, std::uint64_t most) {
  WOA_RETURN_IF_ERROR(gone_unless(link.progress_until([&] { return under_way_ <= most; })));
  return ucx_status("a send", failure_);
}

void UcxPending::complete(ucs_status_t status) {
  --under_way_;
  if (status != UCS_OK) failure_ = status;
}

Result<UcxMemory> UcxMemory::map(ucp_context_h context, std::size_t bytes) {
  ucp_mem_map_params_t params{};
  params.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS;
  params.length = bytes;
  params.flags = UCP_MEM_MAP_ALLOCATE;
  ucp_mem_h handle = nullptr;
  if (ucp_mem_map(context, &params, &handle) != UCS_OK)
    return {Code::kExhausted, "ucp_mem_map refused " + std::to_string(bytes) + " bytes"};
  UcxMemory memory(context, handle);
  ucp_mem_attr_t attributes{};
  attributes.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS;
  WOA_RETURN_IF_ERROR(ucx_status("ucp_mem_query", ucp_mem_query(handle, &attributes)));
  memory.data_ = static_cast<std::byte*>(attributes.address);
  return memory;
}

UcxMemory::UcxMemory(UcxMemory&& other) noexcept
    : context_(other.context_), handle_(std::exchange(other.handle_, nullptr)), data_(other.data_) {}

UcxMemory::~UcxMemory() {
  if (handle_ != nullptr) ucp_mem_unmap(context_, handle_);
}

Result<std::string> UcxMemory::key() const {
  void* packed = nullptr;
  std::size_t bytes = 0;
  WOA_RETURN_IF_ERROR(ucx_status("ucp_rkey_pack", ucp_rkey_pack(context_, handle_, &packed, &bytes)));
  std::string key(static_cast<const char*>(packed), bytes);
  ucp_rkey_buffer_release(packed);
  return key;
}

}  // namespace woa::bench
