#include "bench/peers/ucx_messenger.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace woa::bench {

UcxMessenger::UcxMessenger(UcxLink link, const Routing& routing, std::size_t window)
    : rooms_(routing.rooms), pending_(window * routing.targets.size()), link_(std::move(link)) {
  for (Room& room : rooms_) room.memory.resize(routing.bytes);
}

Status UcxMessenger::listen() {
  ucp_am_handler_param_t param{};
  param.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
  param.id = kId, param.cb = on_message, param.arg = this;
  return ucx_status("ucp_worker_set_am_recv_handler", ucp_worker_set_am_recv_handler(link_.worker.get(), &param));
}

Status UcxMessenger::send(std::span<const std::byte> message) {
  for (const auto& endpoint : link_.endpoints) {
    const ucs_status_ptr_t request =
        ucp_am_send_nbx(endpoint.get(), kId, nullptr, 0, message.data(), message.size(), &pending_.param());
    WOA_RETURN_IF_ERROR(pending_.add(link_, request));
  }
  return {};
}

Result<std::span<std::byte>> UcxMessenger::receive() {
  Room& room = rooms_[taken_++ % rooms_.size()];
  WOA_RETURN_IF_ERROR(gone_unless(link_.progress_until([&] { return room.full; })));
  room.full = false;
  WOA_RETURN_IF_ERROR(ucx_status("a message", room.status));
  return std::span(room.memory).first(room.bytes);
}

Status UcxMessenger::settle() { return pending_.wait(link_, 0); }

ucs_status_t UcxMessenger::on_message(void* self, const void* /*header*/, std::size_t /*header_bytes*/, void* data,
                                      std::size_t bytes, const ucp_am_recv_param_t* param) {
  auto& messenger = *static_cast<UcxMessenger*>(self);
  Room& room = messenger.rooms_[messenger.come_++ % messenger.rooms_.size()];
  const bool fits = !room.full && bytes <= room.memory.size();
  if ((param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0 && fits) {
    messenger.fetch(room, data, bytes);
    return UCS_INPROGRESS;
  }
  if (fits && bytes > 0) std::memcpy(room.memory.data(), data, bytes);
  room.fill(fits ? UCS_OK : UCS_ERR_MESSAGE_TRUNCATED, fits ? bytes : 0);
  return UCS_OK;
}

void UcxMessenger::fetch(Room& room, void* data, std::size_t bytes) {
  ucp_request_param_t how{};
  how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  how.user_data = &room;
  how.cb.recv_am = [](void* request, ucs_status_t status, std::size_t length, void* user) {
    static_cast<Room*>(user)->fill(status, length);
    ucp_request_free(request);
  };
  const ucs_status_ptr_t request =
      ucp_am_recv_data_nbx(link_.worker.get(), data, room.memory.data(), room.memory.size(), &how);
  if (!UCS_PTR_IS_PTR(request)) room.fill(UCS_PTR_STATUS(request), bytes);
}

}  // namespace woa::bench
