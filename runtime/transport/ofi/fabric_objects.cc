#include "runtime/transport/ofi/fabric_objects.h"

#include <rdma/fi_cm.h>
#include <rdma/fi_errno.h>

#include <array>
#include <cstring>
#include <set>

#include "runtime/base/text.h"
#include "runtime/base/variables_set.h"
#include "runtime/transport/ofi/library.h"

namespace woa::ofi {
namespace {

constexpr std::size_t kCompletions = 4096;     // entries of the queue; the tcp provider takes more if it must
constexpr std::size_t kImmediateBytes = 4;     // at least: place and segment
constexpr std::size_t kMaxAddressBytes = 128;  // of an endpoint

// Every mode of registration that this code knows how to serve (registration.cc). Never FI_MR_BASIC: an old name for
// three of them that is no bit of its own.
constexpr int kMrModes = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;

constexpr const char* kLookAround = "see what `woa doctor` finds, or choose another provider";

Status failed(const std::string& provider, const char* call, int code, const std::string& advice) {
  return fabric_failure(Code::kUnavailable, "ofi: provider '" + provider + "': " + call, -code, advice);
}

// What a provider must be able to do, and the address that it listens on.
std::unique_ptr<fi_info, FreeInfo> make_hints(const std::string& address) {
  std::unique_ptr<fi_info, FreeInfo> hints(fabric_library()->fi_dupinfo(nullptr));
  if (hints == nullptr) return hints;
  hints->caps = FI_MSG | FI_TAGGED | FI_RMA;  // messages only to throw them away (strays.h)
  hints->mode = FI_CONTEXT | FI_CONTEXT2;     // every write may bring its own
  hints->ep_attr->type = FI_EP_RDM;
  hints->tx_attr->iov_limit = 2;  // a header from the ring and its payload in one write
  hints->domain_attr->mr_mode = kMrModes;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;  // Fabric has one lock around it all
  if (!address.empty()) hints->addr_format = address.find(':') != std::string::npos ? FI_SOCKADDR_IN6 : FI_SOCKADDR_IN;
  return hints;
}

int find_info(const fi_info& hints, const std::string& address, std::unique_ptr<fi_info, FreeInfo>& info) {
  fi_info* found = nullptr;
  const int code = fabric_library()->fi_getinfo(kFabricVersion, address.empty() ? nullptr : address.c_str(), nullptr,
                                                address.empty() ? 0 : FI_SOURCE, &hints, &found);
  info.reset(found);
  return code;
}

// Variables by which libfabric leaves out providers.
constexpr std::array kHiding{"FI_PROVIDER", "FI_PROVIDER_PATH"};

// Names of the providers that could be asked for instead.
std::string others(const std::string& address) {
  std::unique_ptr<fi_info, FreeInfo> found;
  if (const auto hints = make_hints(address); hints == nullptr || find_info(*hints, address, found) != 0) return "";
  std::set<std::string> names;
  for (const fi_info* each = found.get(); each != nullptr; each = each->next)
    names.insert(std::string("'") + each->fabric_attr->prov_name + "'");
  names.erase("'sockets'");  // make_ofi_transport() refuses it
  return list_of(names);
}

// Says what to do about a missing provider. libfabric obeys variables that job scripts and module files set.
std::string instead(const std::string& address) {
  const std::string list = others(address), set = variables_set(kHiding);
  const std::string choice = list.empty() ? "libfabric offers no other that can" : "choose one of: " + list;
  if (set.empty()) return choice;
  return "the environment sets " + set + ", which hides providers from this program: unset that and try again (" +
         choice + ")";
}

Result<std::unique_ptr<fi_info, FreeInfo>> get_info(const std::string& provider, const std::string& address) {
  const auto hints = make_hints(address);
  if (hints == nullptr) return {Code::kExhausted, "ofi: no memory for libfabric's hints"};
  hints->fabric_attr->prov_name = strdup(provider.c_str());
  std::unique_ptr<fi_info, FreeInfo> info;
  const int code = find_info(*hints, address, info);
  if (code == -FI_ENODATA && limit_at_hand().empty())
    return {Code::kUnavailable, "ofi: there is no provider '" + provider + "' that can write into remote memory" +
                                    (address.empty() ? "" : " from address '" + address + "'") + "; " +
                                    instead(address)};
  if (code != 0)
    return failed(provider, "fi_getinfo", code,
                  "it cannot write into remote memory from address '" + address + "'; " + instead(address));
  if (info->domain_attr->cq_data_size < kImmediateBytes)
    return {Code::kUnavailable, "ofi: provider '" + provider + "' sends " +
                                    std::to_string(info->domain_attr->cq_data_size) +
                                    " bytes with a write, expected at least " + std::to_string(kImmediateBytes)};
  return info;
}

Status open_queue(const std::string& provider, Sleeping sleeping, FabricObjects& out) {
  fi_cq_attr attributes{};
  attributes.format = FI_CQ_FORMAT_DATA;
  attributes.size = kCompletions;
  fid_cq* queue = nullptr;
  attributes.wait_obj = FI_WAIT_FD;
  if (sleeping == Sleeping::kOnDescriptor && fi_cq_open(out.domain.get(), &attributes, &queue, nullptr) == 0) {
    out.completions.reset(queue);
    if (fi_control(&queue->fid, FI_GETWAIT, &out.wait_descriptor) == 0) return {};
    out.completions.reset();
  }
  out.wait_descriptor = -1;
  attributes.wait_obj = FI_WAIT_NONE;
  const int code = fi_cq_open(out.domain.get(), &attributes, &queue, nullptr);
  if (code != 0) return failed(provider, "fi_cq_open", code, kLookAround);
  out.completions.reset(queue);
  return {};
}

Status enable_endpoint(const std::string& provider, FabricObjects& out) {
  fi_av_attr attributes{};
  attributes.type = FI_AV_TABLE;
  fid_av* addresses = nullptr;
  int code = fi_av_open(out.domain.get(), &attributes, &addresses, nullptr);
  if (code != 0) return failed(provider, "fi_av_open", code, kLookAround);
  out.addresses.reset(addresses);
  fid_ep* endpoint = nullptr;
  code = fi_endpoint(out.domain.get(), out.info.get(), &endpoint, nullptr);
  if (code != 0) return failed(provider, "fi_endpoint", code, kLookAround);
  out.endpoint.reset(endpoint);
  code = fi_ep_bind(endpoint, &addresses->fid, 0);
  // A write that went well leaves no entry: that it went says nothing, and the consumer's credits say more.
  if (code == 0) code = fi_ep_bind(endpoint, &out.completions->fid, FI_TRANSMIT | FI_RECV | FI_SELECTIVE_COMPLETION);
  if (code == 0) code = fi_enable(endpoint);
  if (code != 0) return failed(provider, "fi_enable", code, "is the address in use, or out of reach?");
  return {};
}

Status read_address(const std::string& provider, FabricObjects& out) {
  out.address.resize(kMaxAddressBytes);
  std::size_t bytes = out.address.size();
  const int code = fi_getname(&out.endpoint->fid, out.address.data(), &bytes);
  if (code != 0) return failed(provider, "fi_getname", code, "its addresses are longer than any known one");
  out.address.resize(bytes);
  return {};
}

}  // namespace

void FreeInfo::operator()(fi_info* info) const noexcept { fabric_library()->fi_freeinfo(info); }

Result<FabricObjects> open_fabric(const std::string& provider, const std::string& address, Sleeping sleeping) {
  if (!fabric_library().ok()) return fabric_library().status().with_context("ofi");
  FabricObjects out;
  auto info = get_info(provider, address);
  if (!info.ok()) return info.status();
  out.info = std::move(*info);
  fid_fabric* fabric = nullptr;
  int code = fabric_library()->fi_fabric(out.info->fabric_attr, &fabric, nullptr);
  if (code != 0) return failed(provider, "fi_fabric", code, "`fi_info` lists what is here");
  out.fabric.reset(fabric);
  fid_domain* domain = nullptr;
  code = fi_domain(fabric, out.info.get(), &domain, nullptr);
  if (code != 0) return failed(provider, "fi_domain", code, "`fi_info` lists what is here");
  out.domain.reset(domain);
  WOA_RETURN_IF_ERROR(open_queue(provider, sleeping, out));
  WOA_RETURN_IF_ERROR(enable_endpoint(provider, out));
  WOA_RETURN_IF_ERROR(read_address(provider, out));
  return out;
}

}  // namespace woa::ofi
