// The handles that callers of a double hold: numbers that are never given out twice, so that a stale handle is told
// from a wrong one. Objects stay in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

namespace woa::doubles {

template <class T>
class Handles {
 public:
  // Kinds differ between tables; `name` is a word for messages.
  explicit Handles(std::uint64_t kind, const char* name) : kind_(kind << 40), name_(name) {}

  void* add(std::unique_ptr<T> object) {
    const std::unique_lock lock(mutex_);
    slots_.push_back({std::move(object), true});
    return reinterpret_cast<void*>(kind_ + 16 * slots_.size());
  }

  // An object that lives; null: `why` says why not.
  T* find(void* handle, std::string& why) {
    const std::shared_lock lock(mutex_);
    const std::uint64_t number = (reinterpret_cast<std::uint64_t>(handle) - kind_) / 16;
    if (reinterpret_cast<std::uint64_t>(handle) % 16 != 0 || number == 0 || number > slots_.size()) {
      why = std::string("no such ") + name_;
      return nullptr;
    }
    const Slot& slot = slots_[number - 1];
    if (slot.alive) return slot.object.get();
    why = std::string("this ") + name_ + " was destroyed before";
    return nullptr;
  }

  void end(const T* object) {
    end_all([&](const T& one) { return &one == object; });
  }

  template <class Of>
  void end_all(Of&& of) {
    const std::unique_lock lock(mutex_);
    for (Slot& slot : slots_)
      if (of(*slot.object)) slot.alive = false;
  }

  template <class Of>
  std::size_t count(Of&& of) {
    const std::shared_lock lock(mutex_);
    std::size_t count = 0;
    for (const Slot& slot : slots_) count += slot.alive && of(*slot.object);
    return count;
  }

  template <class Do>
  void each(Do&& act) {
    const std::shared_lock lock(mutex_);
    for (const Slot& slot : slots_)
      if (slot.alive) act(*slot.object);
  }

  [[nodiscard]] const char* name() const { return name_; }

 private:
  struct Slot {
    std::unique_ptr<T> object;
    bool alive;
  };
  std::uint64_t kind_;
  const char* name_;
  std::shared_mutex mutex_;
  std::vector<Slot> slots_;
};

}  // namespace woa::doubles
