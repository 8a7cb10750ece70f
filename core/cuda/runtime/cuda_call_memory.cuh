// SPDX-License-Identifier: Apache-2.0
// The memory of one call on CUDA. It comes from the caller's workspace, from a Thrust policy's allocator, or from the
// library (device_memory.cuh).
#pragma once

#include "device_memory.cuh"

namespace onepass::detail {

// Gets memory of the size `needed` and keeps it while a call enqueues its work. The destructor gives it back in the
// order of the stream, so behind that work.
class cuda_call_memory {
 public:
  cuda_call_memory(const char* call, const cuda_policy& policy, workspace_size needed)
      : cuda_call_memory(policy.stream()) {
    if (workspace* given = policy.memory()) {
      measuring_ = given->measuring();
      if (measuring_) {
        given->require(needed);
      } else {
        given->check(call, needed);
        tiles_ = given->tiles();
        scratch_ = given->scratch();
      }
      return;
    }
    if (policy.allocator().allocate != nullptr) {
      // Where the policy synchronises, giving the memory back is what waits.
      if (needed.tiles > 0 || needed.scratch > 0 || policy.waits()) borrow(call, policy, needed);
    } else {
      if (needed.tiles > 0) take_tiles(call, needed.tiles);
      if (needed.scratch > 0) own_scratch_ = scratch_ = allocate(call, needed.scratch, stream_);
    }
  }
  cuda_call_memory(const cuda_call_memory&) = delete;
  cuda_call_memory& operator=(const cuda_call_memory&) = delete;
  ~cuda_call_memory() {
    if (own_scratch_ != nullptr) (void)free_in_order(own_scratch_, stream_);
    if (captured_tiles_ != nullptr) (void)free_in_order(captured_tiles_, stream_);
    if (is_watched_) owner_->record(stream_);
    if (borrowed_ != nullptr) give_back();
  }

  bool measuring() const { return measuring_; }  // if so, there is no memory and the call must return
  const tile_memory& tiles() const { return tiles_; }
  void* scratch() const { return scratch_; }

 private:
  // The public constructor delegates to this one. So if it throws, the destructor still gives back what it has got.
  explicit cuda_call_memory(stream_t stream) : stream_(stream) {}

  void take_tiles(const char* call, std::size_t tiles) {
    if (is_capturing(call, stream_)) {
      tiles_ = allocate_tiles(call, tiles, stream_);
      captured_tiles_ = tiles_.head;
      return;
    }
    const known_tiles known = tiles_of_stream(call, stream_);
    owner_ = known.tiles;
    lock_ = std::unique_lock<std::mutex>(owner_->busy);
    if (owner_->memory.capacity < tiles) {
      // Half as much again, so that inputs that grow slowly do not allocate each time; 4,096 tiles are 64 KB. Not
      // measured.
      const std::size_t capacity = std::max<std::size_t>(4096, tiles + tiles / 2);
      const tile_memory larger = allocate_tiles(call, capacity, stream_);
      const tile_memory smaller = std::exchange(owner_->memory, larger);
      if (smaller.head != nullptr) check_cuda(call, free_in_order(smaller.head, stream_));
    }
    tiles_ = owner_->memory;
    owner_->is_recorded = false;  // there is no event behind this call yet
    if (known.are_many) owner_->watch(call);
    is_watched_ = known.are_many;
  }

  // Takes memory from a Thrust policy's allocator. If the policy synchronises, the memory is given back when the call
  // has ended on the device, as in Thrust. Otherwise it is given back at once, and the allocator has to keep the
  // stream's order.
  void borrow(const char* call, const cuda_policy& policy, workspace_size needed) {
    if (policy.waits() && is_capturing(call, stream_)) {
      throw invalid_argument(
          call,
          "the allocator's memory is given back when the call has ended, which a captured stream cannot wait for");
    }
    waits_ = policy.waits();
    allocator_ = policy.allocator();
    borrowed_bytes_ = needed.bytes() + section_alignment;
    borrowed_ = allocator_.allocate(allocator_.policy, borrowed_bytes_);
    const auto address = round_up(reinterpret_cast<std::uintptr_t>(borrowed_), std::uintptr_t{section_alignment});
    auto* head = reinterpret_cast<control*>(address);
    tiles_ = {head, reinterpret_cast<slot*>(head + 1), static_cast<tile_t>(needed.tiles)};
    scratch_ = reinterpret_cast<char*>(address) + bytes_of_tiles(needed.tiles);
    check_cuda(call, cudaMemsetAsync(head, 0, bytes_of_tiles(needed.tiles), stream_));
  }
  void give_back() {
    {
      const beside_captures guard;
      if (waits_) (void)cudaStreamSynchronize(stream_);
    }
    allocator_.release(allocator_.policy, borrowed_, borrowed_bytes_);
  }

  stream_t stream_;
  bool measuring_ = false, is_watched_ = false;
  tile_memory tiles_;
  void* scratch_ = nullptr;
  void* own_scratch_ = nullptr;
  void* captured_tiles_ = nullptr;
  void* borrowed_ = nullptr;
  std::size_t borrowed_bytes_ = 0;
  policy_allocator allocator_;
  bool waits_ = false;
  std::shared_ptr<stream_tiles> owner_;
  std::unique_lock<std::mutex> lock_;
};

}  // namespace onepass::detail
