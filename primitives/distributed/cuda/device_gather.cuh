// SPDX-License-Identifier: Apache-2.0
// A gather of what the device has computed, for the host of every rank: it goes from device memory to device memory,
// and the host waits once.
#pragma once

#include "carried_gather.cuh"

namespace onepass::detail {

template <class T>
__global__ void begin_message_kernel(rank_message<T>* message, std::uint32_t call) {
  wait_for_previous_kernel();
  message->call = call;
  message->state = 0;
}

// Writes what the ranks tell to the host's memory, and then that all of it has come.
template <class T>
struct told_to_host {
  T* contents;
  bool* is_complete;
};
template <class T>
__global__ void __launch_bounds__(warp_size)
    tell_host_kernel(const __grid_constant__ peer_exchange peers, const T* mine, const told_to_host<T> host) {
  wait_for_previous_kernel_alone();
  peers.send(*mine);
  if (!peers.wait<T>()) return;
  for (int q = lane_id(); q < peers.ranks; q += warp_size)
    host.contents[q] = peers.message<T>(static_cast<std::size_t>(q));
  if (lane_id() == 0) *host.is_complete = true;
}

// gather_from_device() between peers, through their mailboxes.
template <class T, class Comm, class Policy, class Work>
std::vector<T> gather_from_peers(rank_call<Comm>& ranks, const Policy& given, Work work) {
  const char* const call = ranks.name();
  Comm& comm = ranks.communicator();
  const stream_t stream = given.stream();
  const auto size = static_cast<std::size_t>(ranks.size());
  T* mine = nullptr;
  told_to_host<T> host = {};
  struct call_end {
    Comm* comm = nullptr;
    ~call_end() {
      if (comm != nullptr) comm->end_call();
    }
  } end;
  const auto kernel = tell_host_kernel<T>;
  ranks.agree([&] {
    check_rank_policy(call, given);
    layout shared;
    const std::size_t contents = shared.add<T>(ranks.size()), is_complete = shared.add<bool>(1);
    void* const memory = comm.host_memory(call, shared.bytes());
    host = {section<T>(memory, contents), section<bool>(memory, is_complete)};
    *host.is_complete = false;
    load_waiting_kernel(call, kernel);
    mine = static_cast<T*>(comm.begin_call(call, stream).told);
    end.comm = &comm;
    work(mine);
  });
  kernel_launch::dependent(call, resident_blocks(kernel, warp_size, 0), kernel, 1, warp_size, 0, stream,
                           comm.next_exchange(), mine, host);
  comm.has_enqueued(call);
  comm.record(call, stream);
  comm.wait(call);
  if (!*host.is_complete) {
    comm.fail("has not got what other ranks tell");
    ranks.agree([] {});  // throws on all ranks
  }
  return std::vector<T>(host.contents, host.contents + size);
}

// Returns, in rank order, what work(T*) has the device of every rank write. If it throws on one rank, all throw.
template <class T, class Comm, class Policy, class Work>
std::vector<T> gather_from_device(rank_call<Comm>& ranks, const Policy& given, Work work) {
  using message = rank_message<T>;
  if constexpr (has_mailboxes<Comm> && sizeof(T) <= most_message) {
    if (ranks.communicator().are_peers()) return gather_from_peers<T>(ranks, given, work);
  }
  const char* const call = ranks.name();
  const exchange_stream own(call, given.stream());
  const stream_t stream = own.get();
  const auto size = static_cast<std::size_t>(ranks.size());
  const device_block memory(call, (size + 1) * sizeof(message), stream);
  auto* const mine = static_cast<message*>(memory.get());
  const std::exception_ptr failure = ranks.failure_of([&] {
    check_rank_policy(call, given);
    const auto kernel = begin_message_kernel<T>;
    kernel_launch::dependent(call, resident_blocks(kernel, 1, 0), kernel, 1, 1, 0, stream, mine, number_of_call(call));
    work(&mine->content);
  });
  if (failure) check_cuda(call, cudaMemsetAsync(mine, 0xff, sizeof(message), stream));
  auto* const all = static_cast<message*>(ranks.communicator().host_memory(call, size * sizeof(message)));
  ranks.communicator().all_gather(call, stream, mine, mine + 1, sizeof(message));
  check_cuda(call, cudaMemcpyAsync(all, mine + 1, size * sizeof(message), cudaMemcpyDefault, stream));
  ranks.communicator().record(call, stream);
  ranks.communicator().wait(call);
  std::vector<T> contents;
  bool is_well = true;
  for (std::size_t q = 0; q < size; ++q) {
    is_well = is_well && all[q].state == 0;
    contents.push_back(all[q].content);
  }
  if (!is_well) {
    ranks.agree([&] {  // throws on all ranks
      if (failure) std::rethrow_exception(failure);
    });
  }
  for (std::size_t q = 0; q < size; ++q) {
    if (all[q].call != number_of_call(call)) ranks.refuse_other_call(static_cast<int>(q), "not this one");
  }
  return contents;
}

// Copies from the device to the host, and waits, as long as the communicator allows.
template <class Comm>
void read_from_device(rank_call<Comm>& ranks, stream_t stream, const void* from, void* to, std::size_t bytes) {
  void* const shared = ranks.communicator().host_memory(ranks.name(), bytes);
  check_cuda(ranks.name(), cudaMemcpyAsync(shared, from, bytes, cudaMemcpyDefault, stream));
  ranks.communicator().record(ranks.name(), stream);
  ranks.communicator().wait(ranks.name());
  std::memcpy(to, shared, bytes);
}

// The rank's own policy: its stream, and its size in memory, if it has one.
inline cuda_policy own_policy(const cuda_policy& given) { return cuda_policy(given.stream()); }
inline sized_policy<cuda_policy> own_policy(const sized_policy<cuda_policy>& given) {
  return cuda_policy(given.stream()).sized_by(given.size());
}

// Memory for n items on the device, as owned_array (local_call.hpp) on the host.
template <class T>
class device_items {
  static_assert(check_travels<T>());

 public:
  void allocate(const char* call, index_t n, stream_t stream) {
    if (n > std::numeric_limits<index_t>::max() / index_t{sizeof(T)}) throw std::bad_alloc();
    memory_.emplace(call, std::max<std::size_t>(1, static_cast<std::size_t>(n) * sizeof(T)), stream);
  }
  T* data() const { return memory_ ? static_cast<T*>(memory_->get()) : nullptr; }

 private:
  std::optional<device_block> memory_;
};

constexpr int each_item_threads = 256;
template <class In, class T>
__global__ void __launch_bounds__(each_item_threads) copy_items_kernel(In from, T* to, index_t n) {
  wait_for_previous_kernel();
  const index_t step = static_cast<index_t>(gridDim.x) * each_item_threads;
  for (index_t i = static_cast<index_t>(blockIdx.x) * each_item_threads + threadIdx.x; i < n; i += step)
    to[i] = from[i];
}
template <class In, class T>
void copy_items(const char* call, In from, T* to, index_t n, stream_t stream) {
  if (n == 0) return;
  const auto kernel = copy_items_kernel<In, T>;
  const resident_blocks resident(kernel, each_item_threads, 0);
  const auto grid =
      static_cast<unsigned>(std::min<index_t>(divide_up(n, index_t{each_item_threads}), resident.on_this_device(call)));
  kernel_launch::dependent(call, resident, kernel, grid, each_item_threads, 0, stream, from, to, n);
}

}  // namespace onepass::detail
