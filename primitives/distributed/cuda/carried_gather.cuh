// SPDX-License-Identifier: Apache-2.0
// The exchange of a scan across ranks on CUDA, and what comes of it. Each rank's total is written by the device, goes
// to the other ranks from device memory to device memory, and is folded there to the rank's carry. The host enqueues
// all of it, and then the scan, without waiting. There are two ways. Ranks that are peers (peer_mailboxes.cuh) agree on
// the host that all are well; then the kernel that writes the total goes on to exchange it and to fold, by one warp at
// its end. Otherwise the communicator gathers the totals in the order of the stream, with what each rank says of
// itself, and the host waits for that in the end, to learn whether all ranks are well. If one is not, the scan finds a
// size of 0 in device memory and writes nothing.
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
  __device__ T operator[](std::size_t rank) const { return peers.message<T>(rank); }
};

// The exchange and the fold at the end of the kernel that has written `mine`: called by all lanes of one warp, one of
// which has written it.
template <class T, class Fold>
struct exchange_at_end {
  peer_exchange peers;  // of 0 ranks, where they are no peers
  const rank_message<T>* mine;
  Fold fold;
  index_t* size;
  item_count given;

  __device__ void operator()() const {
    if (peers.ranks == 0) return;
    __syncwarp();  // the message is written
    peers.send(mine->content);
    const bool is_complete = peers.wait<T>();
    if (lane_id() != 0) return;
    if (is_complete) fold(peer_contents<T>{peers}, peers.rank);
    *size = is_complete ? given.get() : 0;
  }
};

// The stream in which a rank takes part in an exchange: the policy's, or, if that is being captured, one of its own. A
// call across ranks cannot be captured; so nothing of it gets into the graph, and the other ranks learn what is wrong.
// Until this object's end nothing that the thread does makes the capture invalid.
class exchange_stream {
 public:
  exchange_stream(const char* call, stream_t given) : stream_(given) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(given, &status) == cudaSuccess && status == cudaStreamCaptureStatusNone) return;
    (void)cudaGetLastError();  // check_rank_policy() says it
    guard_.emplace();
    check_cuda(call, cudaStreamCreateWithFlags(&own_, cudaStreamNonBlocking));
    stream_ = own_;
  }
  ~exchange_stream() {
    if (own_ != nullptr) (void)cudaStreamDestroy(own_);
  }
  exchange_stream(const exchange_stream&) = delete;
  exchange_stream& operator=(const exchange_stream&) = delete;
  stream_t get() const { return stream_; }

 private:
  std::optional<beside_captures> guard_;
  stream_t stream_;
  stream_t own_ = nullptr;
};

// Memory of the library's in stream order.
class device_block {
 public:
  device_block(const char* call, std::size_t bytes, stream_t stream) : device_block(call, bytes, stream, stream) {}
  // Taken in the order of one stream, and given back in that of another one.
  device_block(const char* call, std::size_t bytes, stream_t taken_in, stream_t given_back_in)
      : stream_(given_back_in), memory_(allocate(call, bytes, taken_in)) {}
  ~device_block() { (void)free_in_order(memory_, stream_); }
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

 public:
  static constexpr bool fits_mailbox =
      has_mailboxes<Comm> && sizeof(T) <= most_message && sizeof(Carry) <= 4 * most_message;

  // What a kernel with such a fold calls at its end.
  template <class Fold>
  using end_type = std::conditional_t<fits_mailbox, exchange_at_end<T, Fold>, nothing_at_end>;

  carried_gather(rank_call<Comm>& ranks, stream_t stream)
      : ranks_(ranks),
        stream_(stream),
        mine_(layout_.add<message>(1)),
        carry_(layout_.add<::cuda::std::optional<Carry>>(1)),
        size_(layout_.add<index_t>(1)),
        is_open_(layout_.add<bool>(1)) {
    if (are_peers()) return;
    stream_ = own_stream_.emplace(ranks.name(), stream).get();
    all_ = layout_.add<message>(ranks.size());
    memory_ = own_memory_.emplace(ranks.name(), layout_.bytes(), stream_).get();
  }
  ~carried_gather() {
    if constexpr (fits_mailbox) {
      if (peers_.head != nullptr) ranks_.communicator().end_call();
    }
  }
  carried_gather(const carried_gather&) = delete;
  carried_gather& operator=(const carried_gather&) = delete;

  // Where the device writes what this rank tells. Of peers, this memory is there from prepare() on, as all that follows.
  message* mine() const { return section<message>(memory_, mine_); }
  ::cuda::std::optional<Carry>* carry() const { return section<::cuda::std::optional<Carry>>(memory_, carry_); }
  const index_t* size() const { return section<index_t>(memory_, size_); }
  bool* is_open() const { return section<bool>(memory_, is_open_); }  // segmented scans say what it is

  // Memory for reductions, one after another. Of peers it is there until the end of the call, otherwise until
  // enqueue() returns.
  reduce_memory memory_for_reduce(std::size_t bytes) {
    if (!are_peers()) {
      own_reduce_memory_.emplace(ranks_.name(), cuda_policy(stream_), workspace_size{1, bytes});
      return {own_reduce_memory_->scratch(), own_reduce_memory_->tiles().head};
    }
    if (layout_.bytes() + bytes <= peer_memory_bytes) {
      return {section<void*>(memory_, layout_.bytes()), peers_.head};
    }
    return {own_memory_.emplace(ranks_.name(), bytes, stream_).get(), peers_.head};
  }

  // prepare() checks the rank's arguments, takes memory, and enqueues what comes before the exchange. enqueue(end) then
  // enqueues the kernel that writes mine() and calls end() when it has. fold(contents, rank) on the device writes
  // carry(). count(): how many items this rank has, after prepare().
  template <class Policy, class Prepare, class Enqueue, class Fold, class Count>
  void exchange(const Policy& given, Prepare prepare, Enqueue enqueue, const Fold& fold, Count count) {
    const char* const call = ranks_.name();
    Comm& comm = ranks_.communicator();
    if constexpr (fits_mailbox) {
      if (are_peers()) {
        ranks_.agree([&] {
          check_rank_policy(call, given);
          peers_ = comm.begin_call(call, stream_);
          memory_ = peers_.rest;
          prepare();
        });
        enqueue(end_type<Fold>{comm.next_exchange(), mine(), fold, own_size(), count()});
        return comm.has_enqueued(call);
      }
    }
    // Memory of the host is taken before the exchange is enqueued: to take it may wait for the device, and the device
    // may wait for another rank then.
    outcome_ = static_cast<exchange_outcome*>(comm.host_memory(call, sizeof *outcome_));
    failure_ = ranks_.failure_of([&] {
      check_rank_policy(call, given);
      prepare();
      if constexpr (fits_mailbox) enqueue(end_type<Fold>{{}, nullptr, fold, nullptr, {}});
      else enqueue(nothing_at_end{});
    });
    own_reduce_memory_.reset();
    if (failure_) check_cuda(call, cudaMemsetAsync(mine(), 0xff, sizeof(message), stream_));
    auto* const all = section<message>(memory_, all_);
    comm.all_gather(call, stream_, mine(), all, sizeof(message));
    const auto kernel = fold_messages_kernel<T, Fold>;
    kernel_launch::dependent(call, resident_blocks(kernel, 1, 0), kernel, 1, 1, 0, stream_, all, ranks_.rank(),
                             ranks_.size(), fold, count(), own_size(), outcome_);
    comm.record(call, stream_);
  }
  bool is_well() const { return !failure_; }
  bool are_peers() const {
    if constexpr (fits_mailbox) return ranks_.communicator().are_peers();
    else return false;
  }
  const peer_memory& peers() const { return peers_; }  // of peers, from prepare() on

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
  index_t* own_size() const { return section<index_t>(memory_, size_); }

  rank_call<Comm>& ranks_;
  stream_t stream_;
  layout layout_;
  std::size_t mine_, carry_, size_, is_open_, all_ = 0;
  void* memory_ = nullptr;
  peer_memory peers_ = {};                     // of peers
  std::optional<exchange_stream> own_stream_;  // of others
  std::optional<device_block> own_memory_;     // of others; of peers, for a reduction that finds no room in theirs
  std::optional<cuda_call_memory> own_reduce_memory_;
  std::exception_ptr failure_;
  exchange_outcome* outcome_ = nullptr;
};

}  // namespace onepass::detail
