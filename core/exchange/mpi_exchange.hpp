// SPDX-License-Identifier: Apache-2.0
// Exchanges over MPI, with a deadline and a notice of failure. Everything is non-blocking and waited for in one loop,
// which also looks for notices: MPI itself would wait for ever for a rank that does not come.
//
// Requests that are under way when an exchange is given up cannot be taken back safely. So messages go through memory of this
// object, and one that has failed is never destroyed. What moves from range to range goes directly, once all have agreed.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include <onepass/communicator.hpp>
#include <onepass/errors.hpp>

#include "exchange_failure.hpp"

namespace onepass::detail {

// Communicators of exchanges that have been destroyed. All ranks have to free the same ones together, and one that has
// failed is not freed, of which other ranks may not know yet. So each rank keeps them until another exchange is made of
// the program's communicator, with which they are kept, and where all ranks agree on which ones all of them have.
class unused_communicators {
 public:
  static std::shared_ptr<unused_communicators> beside(MPI_Comm comm) {
    void* found = nullptr;
    int is_there = 0;
    MPI_Comm_get_attr(comm, key(), &found, &is_there);
    if (is_there != 0) return *static_cast<std::shared_ptr<unused_communicators>*>(found);
    auto made = std::make_unique<std::shared_ptr<unused_communicators>>(std::make_shared<unused_communicators>());
    if (MPI_Comm_set_attr(comm, key(), made.get()) != MPI_SUCCESS) return *made;  // then nothing is kept for others
    return *made.release();
  }
  // All ranks call these in the same order: the next exchange's number, and what frees some communicators.
  std::int64_t next_number() { return made_++; }
  void free_some(MPI_Comm comm) {
    constexpr int most = 16;  // at a time
    std::array<std::int64_t, most> named;
    named.fill(-1);
    // Rank 0 names those behind the ones that it named last, as some may never be unused on all ranks.
    auto next = kept_.upper_bound(last_named_);
    for (std::size_t i = 0; i < std::min<std::size_t>(most, kept_.size()); ++i, ++next) {
      if (next == kept_.end()) next = kept_.begin();
      last_named_ = named[i] = next->first;
    }
    MPI_Bcast(named.data(), most, MPI_INT64_T, 0, comm);
    std::array<int, most> mine, all;
    for (std::size_t i = 0; i < most; ++i) mine[i] = kept_.count(named[i]) != 0 ? 1 : 0;
    if (MPI_Allreduce(mine.data(), all.data(), most, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS) return;
    for (std::size_t i = 0; i < most; ++i) {
      if (all[i] == 0) continue;
      MPI_Comm_free(&kept_[named[i]]);
      kept_.erase(named[i]);
    }
  }
  void keep(std::int64_t number, MPI_Comm comm) noexcept {
    try {
      kept_[number] = comm;
    } catch (const std::bad_alloc&) {  // then it is not freed
    }
  }

 private:
  static int key() {
    static const int made = [] {
      int key = MPI_KEYVAL_INVALID;
      MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &forget, &key, nullptr);
      return key;
    }();
    return made;
  }
  static int forget(MPI_Comm, int, void* kept, void*) {
    delete static_cast<std::shared_ptr<unused_communicators>*>(kept);
    return MPI_SUCCESS;
  }
  std::int64_t made_ = 0, last_named_ = -1;
  std::map<std::int64_t, MPI_Comm> kept_;  // by their numbers
};

class mpi_exchange {
 public:
  mpi_exchange(MPI_Comm comm, std::chrono::milliseconds deadline, std::size_t most_bytes)
      : deadline_(deadline_within_reach(deadline)),
        most_bytes_(std::min<std::uint64_t>(std::max<std::size_t>(1, most_bytes), INT_MAX)) {
    const char* const call = "distributed::mpi_communicator";
    int is_initialized = 0;
    MPI_Initialized(&is_initialized);
    if (is_initialized == 0) throw invalid_argument(call, "MPI_Init has not been called");
    if (comm == MPI_COMM_NULL) throw invalid_argument(call, "the communicator is MPI_COMM_NULL");
    int has_two_groups = 0;
    check(call, MPI_Comm_test_inter(comm, &has_two_groups));
    if (has_two_groups != 0) throw invalid_argument(call, "the communicator is an inter-communicator");
    unused_ = unused_communicators::beside(comm);
    number_ = unused_->next_number();
    unused_->free_some(comm);
    check(call, MPI_Comm_dup(comm, &comm_));
    check(call, MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
    check(call, MPI_Comm_rank(comm_, &rank_));
    check(call, MPI_Allreduce(MPI_IN_PLACE, &most_bytes_, 1, MPI_UINT64_T, MPI_MIN, comm_));
    check(call, MPI_Comm_size(comm_, &size_));
  }
  ~mpi_exchange() { unused_->keep(number_, comm_); }
  mpi_exchange(const mpi_exchange&) = delete;
  mpi_exchange& operator=(const mpi_exchange&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool has_failed() const { return failure_.is_set(); }

  void all_gather(const char* call, const void* mine, void* all, std::size_t bytes) {
    const std::size_t all_bytes = bytes * static_cast<std::size_t>(size_);
    begin(call, bytes, bytes + all_bytes);
    copy_bytes(buffer_.data(), mine, bytes);
    const int count = static_cast<int>(bytes);
    requests_.resize(1);
    check(call, MPI_Iallgather(buffer_.data(), count, MPI_BYTE, buffer_.data() + bytes, count, MPI_BYTE, comm_,
                               requests_.data()));
    wait(call);
    copy_bytes(all, buffer_.data() + bytes, all_bytes);
  }

  void all_sum(const char* call, std::uint64_t* words, std::size_t n) {
    const std::size_t bytes = n * sizeof *words;
    begin(call, n, 2 * bytes);
    copy_bytes(buffer_.data(), words, bytes);
    requests_.resize(1);
    check(call, MPI_Iallreduce(buffer_.data(), buffer_.data() + bytes, static_cast<int>(n), MPI_UINT64_T, MPI_SUM,
                               comm_, requests_.data()));
    wait(call);
    copy_bytes(words, buffer_.data() + bytes, bytes);
  }

  // In step s each rank sends to the rank s behind it and receives from the rank s before it, so that no rank is sent
  // to by all at once. MPI counts with int: large parts go in pieces, which arrive in order.
  void all_to_all(const char* call, const void* send, const std::size_t* send_bytes, void* receive,
                  const std::size_t* receive_bytes) {
    begin(call, 0, 0);
    if (send_bytes[rank_] != receive_bytes[rank_]) give_up(call, "receives another number of bytes than is sent");
    const char* const from = static_cast<const char*>(send);
    char* const to = static_cast<char*>(receive);
    reserve_requests(call, send_bytes, receive_bytes);
    for (int step = 1; step < size_; ++step) {
      const int source = (rank_ - step + size_) % size_;
      for_each_piece(to + sum_before(receive_bytes, source), receive_bytes[source], [&](char* piece, int bytes) {
        requests_.push_back(MPI_REQUEST_NULL);
        check(call, MPI_Irecv(piece, bytes, MPI_BYTE, source, data_tag, comm_, &requests_.back()));
      });
    }
    receives_ = requests_.size();
    for (int step = 1; step < size_; ++step) {
      const int target = (rank_ + step) % size_;
      for_each_piece(from + sum_before(send_bytes, target), send_bytes[target], [&](const char* piece, int bytes) {
        requests_.push_back(MPI_REQUEST_NULL);
        check(call, MPI_Isend(piece, bytes, MPI_BYTE, target, data_tag, comm_, &requests_.back()));
      });
    }
    copy_bytes(to + sum_before(receive_bytes, rank_), from + sum_before(send_bytes, rank_), send_bytes[rank_]);
    wait(call);
  }

  // Sends the others a notice. They find it when they wait, or when they begin the next exchange.
  void fail(const char* text) noexcept {
    if (failure_.is_set()) return;
    failure_.set(rank_, text);
    for (int q = 0; q < size_; ++q) {
      if (q == rank_) continue;
      MPI_Request sent;
      if (MPI_Isend(&failure_, sizeof failure_, MPI_BYTE, q, notice_tag, comm_, &sent) == MPI_SUCCESS)
        MPI_Request_free(&sent);  // nobody waits for it, and failure_ stays
    }
  }

 private:
  static constexpr int data_tag = 1, notice_tag = 2;

  static void copy_bytes(void* to, const void* from, std::size_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);  // memcpy takes no null
  }
  static std::size_t sum_before(const std::size_t* sizes, int rank) {
    std::size_t sum = 0;
    for (int q = 0; q < rank; ++q) sum += sizes[q];
    return sum;
  }
  template <class Byte, class F>
  void for_each_piece(Byte* memory, std::size_t bytes, F f) const {
    for (std::size_t done = 0; done < bytes; done += most_bytes_) {
      f(memory + done, static_cast<int>(std::min<std::size_t>(most_bytes_, bytes - done)));
    }
  }

  // Gets memory for all requests of an all-to-all. When the first one has been made it is too late to fail.
  void reserve_requests(const char* call, const std::size_t* send_bytes, const std::size_t* receive_bytes) {
    std::size_t pieces = 0;
    for (int q = 0; q < size_; ++q) pieces += send_bytes[q] / most_bytes_ + receive_bytes[q] / most_bytes_ + 2;
    try {
      requests_.clear();
      requests_.reserve(pieces);
    } catch (const std::bad_alloc&) {
      give_up(call, "out of memory for requests");
    }
  }

  // Begins an exchange of messages that MPI counts by `count`, with a buffer of `bytes` bytes.
  void begin(const char* call, std::size_t count, std::size_t bytes) {
    // The first look may only make MPI take in what has arrived; the second one finds it.
    for (int looks = 0; looks < 2 && !failure_.is_set(); ++looks) look_for_notice();
    if (failure_.is_set()) failure_.raise(call);
    receives_ = 0;
    if (count > std::size_t{INT_MAX}) give_up(call, "sends a message of 2^31 items or more");
    try {
      if (bytes > buffer_.size()) buffer_.resize(bytes);
    } catch (const std::bad_alloc&) {
      give_up(call, "out of memory for a message");
    }
  }

  // Waits for all requests. A core that many ranks share is given to the others while there is nothing to do.
  void wait(const char* call) {
    using clock = std::chrono::steady_clock;
    const auto started = clock::now();
    for (unsigned tries = 1;; ++tries) {
      int is_done = 0;
      check(call, MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &is_done, MPI_STATUSES_IGNORE));
      if (is_done != 0) break;
      if (tries < 64) continue;  // not measured
      if (tries % 64 == 0) look_for_notice();
      if (failure_.is_set()) abandon(call);
      if (deadline_.count() > 0 && clock::now() - started > deadline_) {
        char text[96];
        std::snprintf(text, sizeof text, "has waited %lld ms in vain for other ranks",
                      static_cast<long long>(deadline_.count()));
        fail(text);
        abandon(call);
      }
      std::this_thread::yield();
    }
    // All is there; but if others have given up meanwhile, this rank does, too.
    look_for_notice();
    if (failure_.is_set()) failure_.raise(call);
  }

  void look_for_notice() {
    int is_there = 0;
    MPI_Status status;
    if (MPI_Iprobe(MPI_ANY_SOURCE, notice_tag, comm_, &is_there, &status) != MPI_SUCCESS || is_there == 0) return;
    exchange_failure notice;
    if (MPI_Recv(&notice, sizeof notice, MPI_BYTE, status.MPI_SOURCE, notice_tag, comm_, MPI_STATUS_IGNORE) ==
        MPI_SUCCESS)
      failure_.set(notice.rank, notice.text);
  }

  // Leaves an exchange that has failed. Of all that is under way, MPI can take back receives alone.
  [[noreturn]] void abandon(const char* call) {
    for (std::size_t i = 0; i < receives_; ++i) {
      if (requests_[i] != MPI_REQUEST_NULL) MPI_Cancel(&requests_[i]);
    }
    failure_.raise(call);
  }

  void check(const char* call, int status) {
    if (status == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING + 1] = {};
    int length = 0;
    if (MPI_Error_string(status, text, &length) != MPI_SUCCESS) std::snprintf(text, sizeof text, "an error of MPI");
    give_up(call, text);
  }
  [[noreturn]] void give_up(const char* call, const char* text) {
    fail(text);
    failure_.raise(call);
  }

  const std::chrono::milliseconds deadline_;
  std::uint64_t most_bytes_;  // of a message; the least that a rank asks for, as both sides cut it into the same pieces
  std::shared_ptr<unused_communicators> unused_;
  std::int64_t number_ = 0;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 0;
  std::vector<char> buffer_;
  std::vector<MPI_Request> requests_;
  std::size_t receives_ = 0;  // how many of them, from the first on, receive from one rank
  exchange_failure failure_;
};

// Destroys an exchange, unless it has failed: MPI may still write to it.
struct destroy_sound_exchange {
  void operator()(mpi_exchange* exchange) const {
    if (!exchange->has_failed()) delete exchange;
  }
};

}  // namespace onepass::detail
