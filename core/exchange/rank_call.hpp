// SPDX-License-Identifier: Apache-2.0
// One call across ranks, as steps: a rank does a part of its own work, and then tells the others what came out. Each
// message begins with a status. So if the work fails on one rank, all ranks learn it from the message that they wait
// for anyway, and all throw.
#pragma once

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <numeric>
#include <vector>

#include <onepass/communicator.hpp>
#include <onepass/config.hpp>

namespace onepass::detail {

// A value of any type that can be copied as bytes, also if it cannot be constructed from nothing.
template <class T>
class raw_value {
  static_assert(std::is_trivially_copyable_v<T>,
                "onepass::distributed: what travels between ranks has to be trivially copyable");

 public:
  ONEPASS_HOST_DEVICE void set(const T& value) {
    memcpy(bytes_, static_cast<const void*>(object_address(value)), sizeof(T));
  }
  ONEPASS_HOST_DEVICE const T& get() const { return *reinterpret_cast<const T*>(bytes_); }

 private:
  alignas(T) unsigned char bytes_[sizeof(T)];
};

// What each message begins with.
struct rank_status {
  std::int32_t failed = 0;
  char call[52] = {};  // as far as it fits, to find ranks that are in different calls
  char text[200] = {};
};

// Whether an exchange that has failed may still use the memory that it was given (onepass/mpi.hpp).
template <class Comm, class = void>
constexpr bool uses_memory_after_failure = false;
template <class Comm>
constexpr bool uses_memory_after_failure<Comm, std::enable_if_t<Comm::uses_memory_after_failure>> = true;

// Calls exchange(). Where that fails and may still use the memory, the arrays are never given back.
template <class Comm, class Exchange, class... Arrays>
void leaving_on_failure(Exchange exchange, Arrays&... arrays) {
  if constexpr (uses_memory_after_failure<Comm>) {
    try {
      exchange();
    } catch (...) {
      (arrays.leave(), ...);
      throw;
    }
  } else {
    exchange();
  }
}

// If the call is left by an exception that the other ranks do not know of, for lack of memory between two exchanges,
// the communicator fails; so no rank waits for this one.
template <class Comm>
class rank_call {
 public:
  rank_call(Comm& comm, const char* call) : comm_(comm), call_(call), exceptions_(std::uncaught_exceptions()) {}
  ~rank_call() {
    if (std::uncaught_exceptions() > exceptions_ && !all_know_) comm_.fail("has failed between two exchanges");
  }
  rank_call(const rank_call&) = delete;
  rank_call& operator=(const rank_call&) = delete;
  int rank() const { return comm_.rank(); }
  int size() const { return comm_.size(); }
  const char* name() const { return call_; }
  Comm& communicator() const { return comm_; }

  // Returns what f() gives on every rank, in rank order.
  template <class F>
  auto gather(F&& f) {
    using T = std::decay_t<std::invoke_result_t<F&>>;
    return gather_array<T>(1, [&](T* mine) { *mine = f(); });
  }

  // Returns the `count` values of T that f(T*) writes on every rank, in rank order. `count` is the same on all ranks.
  template <class T, class F>
  std::vector<T> gather_array(std::size_t count, F&& f) {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::size_t bytes = sizeof(rank_status) + count * sizeof(T);
    const auto ranks = static_cast<std::size_t>(size());
    std::vector<T> values(count * ranks);
    std::vector<char> mine(bytes), all(bytes * ranks);
    const std::exception_ptr failure = failure_of([&] { f(values.data()); });
    const rank_status status = status_of(failure);
    std::memcpy(mine.data(), &status, sizeof status);
    if (count > 0) std::memcpy(mine.data() + sizeof status, static_cast<void*>(values.data()), count * sizeof(T));
    comm_.all_gather(call_, mine.data(), all.data(), bytes);
    for (int q = 0; q < size(); ++q) {
      const char* const from = all.data() + bytes * static_cast<std::size_t>(q);
      check(from, q, failure);
      if (count > 0) {
        std::memcpy(static_cast<void*>(values.data() + count * static_cast<std::size_t>(q)), from + sizeof status,
                    count * sizeof(T));
      }
    }
    return values;
  }

  // Throws what every rank has found to be wrong with rank q.
  [[noreturn]] void refuse(int q, const std::string& text) {
    all_know_ = true;
    throw distributed_error(call_, q, text);
  }

  // Throws for rank q, which is in another call.
  [[noreturn]] void refuse_other_call(int q, const std::string& other) {
    comm_.fail("is in another call than another rank");
    throw distributed_error(call_, q, "is in another call: " + other);
  }

  // Runs f() on every rank. If it throws on one, all throw.
  template <class F>
  void agree(F&& f) {
    gather_array<char>(0, [&](char*) { f(); });
  }
  // The same for the last step of a call. If no rank's step can throw, it costs no message.
  template <bool may_throw, class F>
  void finish(F&& f) {
    if constexpr (may_throw) agree(f);
    else f();
  }

  // f(words) writes n words; each becomes its sum over all ranks.
  template <class F>
  std::vector<std::uint64_t> sum(std::size_t n, F&& f) {
    std::vector<std::uint64_t> words(n + 1);
    const std::exception_ptr failure = failure_of([&] { f(words.data()); });
    words[n] = failure ? 1 : 0;
    comm_.all_sum(call_, words.data(), n + 1);
    if (words[n] > 0) {
      agree([&] {  // throws on all ranks
        if (failure) std::rethrow_exception(failure);
      });
    }
    words.pop_back();
    return words;
  }

  // Sends send_counts[q] items to each rank q, and receives receive_counts[q] from it (onepass/communicator.hpp). On
  // CUDA this is done in the order of the policy's stream.
  template <class Policy, class T>
  void all_to_all(const Policy& policy, const T* send, const std::vector<index_t>& send_counts, T* receive,
                  const std::vector<index_t>& receive_counts) {
    static_assert(std::is_trivially_copyable_v<T>,
                  "onepass::distributed: what travels between ranks has to be trivially copyable");
    std::vector<std::size_t> send_bytes, receive_bytes;
    const auto bytes = [](index_t n) { return static_cast<std::size_t>(n) * sizeof(T); };
    for (const index_t n : send_counts) send_bytes.push_back(bytes(n));
    for (const index_t n : receive_counts) receive_bytes.push_back(bytes(n));
    if constexpr (std::is_same_v<typename Policy::system, cuda_system>) {
      comm_.all_to_all(call_, policy.stream(), send, send_bytes.data(), receive, receive_bytes.data());
    } else {
      comm_.all_to_all(call_, send, send_bytes.data(), receive, receive_bytes.data());
    }
  }
  // Tells each rank q the number counts[q], and returns the numbers that the ranks tell this one.
  std::vector<index_t> swap_counts(const std::vector<index_t>& counts) {
    numbers received{std::make_unique<std::vector<index_t>>(counts.size())};
    if constexpr (std::is_same_v<typename Comm::system, cuda_system>) {  // its messages move between devices
      const auto all =
          gather_array<index_t>(counts.size(), [&](index_t* mine) { std::copy(counts.begin(), counts.end(), mine); });
      for (std::size_t q = 0; q < counts.size(); ++q)
        (*received.own)[q] = all[q * counts.size() + static_cast<std::size_t>(rank())];
    } else {
      numbers sent{std::make_unique<std::vector<index_t>>(counts)};
      const std::vector<std::size_t> bytes(counts.size(), sizeof(index_t));
      const auto swap = [&] {
        comm_.all_to_all(call_, sent.own->data(), bytes.data(), received.own->data(), bytes.data());
      };
      leaving_on_failure<Comm>(swap, sent, received);
    }
    return std::move(*received.own);
  }

  // What f() throws, if it throws.
  template <class F>
  static std::exception_ptr failure_of(F&& f) {
    try {
      f();
    } catch (...) {
      return std::current_exception();
    }
    return nullptr;
  }

 private:
  // What an exchange may keep.
  struct numbers {
    std::unique_ptr<std::vector<index_t>> own;
    void leave() noexcept { (void)own.release(); }
  };

  rank_status status_of(const std::exception_ptr& failure) const {
    rank_status status;
    std::snprintf(status.call, sizeof status.call, "%s", call_);
    if (failure) {
      status.failed = 1;
      const char* text = "an exception of unknown type";
      try {
        std::rethrow_exception(failure);
      } catch (const std::exception& e) {
        text = e.what();
        std::snprintf(status.text, sizeof status.text, "%s", text);
      } catch (...) {
        std::snprintf(status.text, sizeof status.text, "%s", text);
      }
    }
    return status;
  }

  // Throws if the message of rank q says that it has failed, or that it is in another call.
  void check(const char* message, int q, const std::exception_ptr& own_failure) {
    rank_status status;
    std::memcpy(&status, message, sizeof status);
    if (std::strncmp(status.call, call_, sizeof status.call - 1) != 0) refuse_other_call(q, status.call);
    if (status.failed == 0) return;
    all_know_ = true;
    const distributed_error error(call_, q, status.text);
    if (!own_failure) throw error;
    try {
      std::rethrow_exception(own_failure);
    } catch (...) {
      std::throw_with_nested(error);
    }
  }

  Comm& comm_;
  const char* call_;
  int exceptions_;         // that were on their way when the call began
  bool all_know_ = false;  // an exception that all ranks throw
};

// ---- an index space in shares, one a rank ---------------------------------------------------------------------------
// Both return size + 1 indices: rank r has the items from begin[r] up to begin[r + 1].
inline std::vector<index_t> shares_of(const std::vector<index_t>& sizes) {
  std::vector<index_t> begin(sizes.size() + 1, 0);
  std::partial_sum(sizes.begin(), sizes.end(), begin.begin() + 1);
  return begin;
}
// The first ranks have one item more where the division leaves a rest.
inline std::vector<index_t> even_shares(index_t total, int size) {
  std::vector<index_t> begin(static_cast<std::size_t>(size) + 1);
  for (int r = 0; r <= size; ++r)
    begin[static_cast<std::size_t>(r)] = total / size * r + std::min<index_t>(r, total % size);
  return begin;
}

}  // namespace onepass::detail
