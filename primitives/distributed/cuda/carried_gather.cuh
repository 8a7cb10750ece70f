// SPDX-License-Identifier: Apache-2.0
// The exchange of a scan across ranks on CUDA, and what comes of it. Each rank's total is written by the device, goes
// to the other ranks from device memory to device memory, and is folded there to the rank's carry. The host enqueues
// all of it, and then the scan, without waiting. There are two ways. Ranks that are peers (peer_mailboxes.cuh) agree on
// the host that all are well, and then one kernel exchanges and folds. Otherwise the communicator gathers the totals in
// the order of the stream, with what each rank says of itself, and the host waits for that in the end, to learn whether
// all ranks are well. If one is not, the scan finds a size of 0 in device memory and writes nothing.
#pragma once

#include <memory>

#include "../../../core/cuda/reduce/ordered_reduce.cuh"
#include "../../../core/exchange/peer_mailboxes.cuh"
#include "../../../core/scan/scan_job.hpp"
#include "../local_call.hpp"

namespace onepass::detail {

// A rank's part of the exchange. A rank that has failed sends bytes that are all ones.
template <class T>
struct rank_message {
  std::uint32_t call;   // a number made from the call's name
  std::uint32_t state;  // 0: the rank is well
  T content;
};
inline std::uint32_t number_of_call(const char* call) {
  std::uint32_t number = 2166136261u;  // Fowler, Noll and Vo's hash
  for (; *call != 0; ++call) number = (number ^ static_cast<unsigned char>(*call)) * 16777619u;
  return number;
}

template <class T>
struct message_contents {
  const rank_message<T>* messages;
  __device__ const T& operator[](std::size_t rank) const { return messages[rank].content; }
};

// What the exchange has shown, for the host.
struct exchange_outcome {
  enum kind : std::int32_t { well, a_rank_failed, other_call };
  std::int32_t what;
  std::int32_t rank;
};

// fold(contents, rank) makes this rank's carry. `size` gets the number of items of the scan, or 0 if a rank has failed.
template <class T, class Fold>
__global__ void fold_messages_kernel(const rank_message<T>* messages, int rank, int ranks, const Fold fold,
                                     item_count given, index_t* size, exchange_outcome* outcome) {
  wait_for_previous_kernel();
  exchange_outcome found{exchange_outcome::well, rank};
  for (int q = ranks - 1; q >= 0; --q) {
    if (messages[q].state != 0) found = {exchange_outcome::a_rank_failed, q};
    else if (messages[q].call != messages[rank].call && messages[rank].state == 0)
      found = {exchange_outcome::other_call, q};
  }
  if (found.what == exchange_outcome::well) fold(message_contents<T>{messages}, rank);
  *size = found.what == exchange_outcome::well ? given.get() : 0;
  *outcome = found;
}

// ---- ranks that are peers -------------------------------------------------------------------------------------------
template <class Comm, class = void>
constexpr bool has_mailboxes = false;
template <class Comm>
constexpr bool has_mailboxes<Comm, std::void_t<decltype(std::declval<Comm&>().are_peers())>> = true;

template <class T>
struct peer_contents {
  const peer_exchange& peers;
  __device__ const T& operator[](std::size_t rank) const { return peers.message<rank_message<T>>(rank).content; }
};

// The exchange and the fold, by one warp.
template <class T, class Fold>
__global__ void __launch_bounds__(warp_size)
    fold_peers_kernel(const rank_message<T>* mine, const __grid_constant__ peer_exchange peers, const Fold fold,
                      item_count given, index_t* size) {
  wait_for_previous_kernel();
  const bool is_complete = peers.send_and_wait(*mine);
  if (lane_id() != 0) return;
  if (is_complete) fold(peer_contents<T>{peers}, peers.rank);
  *size = is_complete ? given.get() : 0;
}

// Memory of the library's in stream order.
class device_block {
 public:
  device_block(const char* call, std::size_t bytes, stream_t stream)
      : stream_(stream), memory_(allocate(call, bytes, stream)) {}
  ~device_block() { (void)cudaFreeAsync(memory_, stream_); }
  device_block(const device_block&) = delete;
  device_block& operator=(const device_block&) = delete;
  void* get() const { return memory_; }

 private:
  stream_t stream_;
  void* memory_;
};

// T: what a rank tells. Carry: the type of the scan's initial value.
template <class Comm, class T, class Carry>
class carried_gather {
  using message = rank_message<T>;
  static_assert(std::is_trivially_copyable_v<T>);
  static constexpr bool fits_mailbox =
      has_mailboxes<Comm> && sizeof(message) <= most_message && alignof(message) <= alignof(message_slot);

 public:
  carried_gather(rank_call<Comm>& ranks, stream_t stream)
      : ranks_(ranks),
        stream_(stream),
        mine_(layout_.add<message>(1)),
        all_(layout_.add<message>(ranks.size())),
        carry_(layout_.add<::cuda::std::optional<Carry>>(1)),
        size_(layout_.add<index_t>(1)),
        memory_(ranks.name(), layout_.bytes(), stream) {}

  // Where the work of tell() has the device write what this rank tells.
  message* mine() const { return section<message>(memory_.get(), mine_); }
  ::cuda::std::optional<Carry>* carry() const { return section<::cuda::std::optional<Carry>>(memory_.get(), carry_); }
  const index_t* size() const { return section<index_t>(memory_.get(), size_); }

  // work() checks the rank's arguments and enqueues the work that writes mine().
  template <class Work>
  void tell(Work work) {
    if (are_peers()) return ranks_.agree(work);
    // Memory of the host is taken before the exchange is enqueued: to take it may wait for the device, and the device
    // may wait for another rank then.
    outcome_ = static_cast<exchange_outcome*>(ranks_.communicator().host_memory(ranks_.name(), sizeof *outcome_));
    failure_ = ranks_.failure_of(work);
    if (failure_) check_cuda(ranks_.name(), cudaMemsetAsync(mine(), 0xff, sizeof(message), stream_));
    auto* all = section<message>(memory_.get(), all_);
    ranks_.communicator().all_gather(ranks_.name(), stream_, mine(), all, sizeof(message));
  }
  bool is_well() const { return !failure_; }

  // Enqueues fold(contents, rank), which writes carry(). `count`: how many items this rank has.
  template <class Fold>
  void fold(const Fold& fold, item_count count) {
    const char* const call = ranks_.name();
    auto* own_size = section<index_t>(memory_.get(), size_);
    if constexpr (fits_mailbox) {
      if (are_peers()) {
        const auto kernel = fold_peers_kernel<T, Fold>;
        kernel_launch::dependent(call, resident_blocks(kernel, warp_size, 0), kernel, 1, warp_size, 0, stream_, mine(),
                                 ranks_.communicator().next_exchange(call, stream_), fold, count, own_size);
        return ranks_.communicator().has_enqueued(call);
      }
    }
    const auto kernel = fold_messages_kernel<T, Fold>;
    kernel_launch::dependent(call, resident_blocks(kernel, 1, 0), kernel, 1, 1, 0, stream_,
                             section<message>(memory_.get(), all_), ranks_.rank(), ranks_.size(), fold, count, own_size,
                             outcome_);
    ranks_.communicator().record(call, stream_);
  }

  // Waits for the exchange. Throws on all ranks if one has failed. Peers have thrown before.
  void finish() {
    if (are_peers()) return;
    ranks_.communicator().wait(ranks_.name());
    if (outcome_->what == exchange_outcome::other_call) ranks_.refuse_other_call(outcome_->rank, "not this one");
    if (outcome_->what == exchange_outcome::well) return;
    ranks_.agree([&] {
      if (failure_) std::rethrow_exception(failure_);
    });
  }

 private:
  bool are_peers() const {
    if constexpr (fits_mailbox) return ranks_.communicator().are_peers();
    else return false;
  }

  rank_call<Comm>& ranks_;
  stream_t stream_;
  layout layout_;
  std::size_t mine_, all_, carry_, size_;
  device_block memory_;
  std::exception_ptr failure_;
  exchange_outcome* outcome_ = nullptr;
};

}  // namespace onepass::detail
