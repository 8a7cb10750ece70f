// SPDX-License-Identifier: Apache-2.0
// A block's counts of all digits of its keys, in shared memory.
//
// Each lane has a column of counters. Counter d of lane l stands at d * 32 + l, so it is in bank l, and the lanes of a
// warp never use the same bank, whatever the keys are. Where keys have more than four digits, there is room for only 16
// bits a counter. Two digits then share a word, and the columns are added up before a counter can overflow. Where keys
// have more than eight digits, two lanes share a column. Where there are few keys, or a block has less than 128 KB of shared
// memory, four lanes share one (of keys of five to eight digits two lanes).
#pragma once

#include <climits>

#include "../../../../core/cuda/runtime/launch.cuh"
#include "plan.cuh"
#include "../../../../core/cuda/io/grid_vectors.cuh"

namespace onepass::detail {

constexpr int histogram_threads = 1024;
// Few items take smaller blocks with fewer columns: clearing and adding up columns takes longer then than counting.
constexpr int short_histogram_threads = 512, short_histogram_columns = 8;
constexpr index_t most_in_short_histogram = 1 << 17;
constexpr int least_keys_a_thread = 4;  // few, so that even a small input is counted by many blocks

// The digits at all positions of a key. If the sort has fewer than max_positions, the last one is repeated.
template <class Digits>
struct position_digits {
  using digit_of = decltype(std::declval<const Digits>().at(0));
  digit_of at[Digits::max_positions];

  // A number for the key's sorted bits from a position up. Different bits may get the same number.
  template <class K>
  __device__ std::uint64_t upper(const K& key, int position, int positions) const {
    using key_bits = typename digit_of::key_bits;
    const digit_of &from = at[position], &last = at[positions - 1];
    const int unused = static_cast<int>(8 * sizeof(key_bits)) - last.shift - __popc(last.mask);
    key_bits bits = static_cast<key_bits>(digit_of::canonical(from.to_bits(key)) << unused >> unused >> from.shift);
    if constexpr (sizeof(key_bits) > 8) bits ^= (bits >> 64) * 0x9E3779B97F4A7C15u;
    return static_cast<std::uint64_t>(bits);
  }
};
// Whether a sort may leave out its lowest positions, and how it makes up for them: keys of 8 and more bytes have hardly
// any ties in their upper digits (fix_ties.cuh); keys of 4 bytes are left in buckets that a block sorts
// (sort_buckets.cuh).
template <class Digits>
constexpr bool may_be_msd_first = Digits::is_checkable&& Digits::max_positions >= 4;
template <class Digits>
constexpr bool finishes_in_buckets = Digits::max_positions == 4;
template <class Digits, int... position>
position_digits<Digits> all_digits(const Digits& digits, std::integer_sequence<int, position...>) {
  return {{digits.at(std::min(position, digits.positions() - 1))...}};
}

// The columns of counters of a block of `threads` threads for all positions.
template <int positions, int threads>
struct histogram_columns {
  static constexpr bool is_packed = positions > 4;  // a word counts two digits, which differ only in their highest bit
  static constexpr bool is_short = threads == short_histogram_threads;
  static constexpr int columns = positions > 8 ? (is_short ? warp_size / 4 : warp_size / 2)
                                 : is_packed   ? (is_short ? warp_size / 2 : warp_size)
                                               : (is_short ? short_histogram_columns : warp_size);
  static constexpr int log_words_a_digit = (columns == 32 ? 5 : columns == 16 ? 4 : 3) - is_packed;
  static_assert(1 << log_words_a_digit << is_packed == columns);
  static constexpr int words = positions * digit_values << log_words_a_digit;
  // How many items a thread may count before the columns are added up. Until then, all threads of a column may add to
  // one counter.
  static constexpr int most_between = is_packed ? 0xFFFF / (threads / columns) : INT_MAX;

  // Where a lane's column begins, in bytes: behind the words if they are packed, else in shared memory (hidden, so made once).
  static __device__ unsigned column_of_lane(const unsigned* words) {
    auto at = static_cast<unsigned>(lane_id() % columns * sizeof(unsigned));
    if constexpr (!is_packed) hide_from_compiler(at += static_cast<unsigned>(__cvta_generic_to_shared(words)));
    return at;
  }
  // count() takes the digit times 2^log_scale. If counters are packed, the word may have any other bits beside the
  // digit: one instruction then makes the address of it, and one more what is added. For that, the rows of several
  // positions are interleaved. The lower half of a word counts both of its digits, the upper half the one whose highest
  // bit is set. `one` is 1, hidden from the compiler, as an instruction takes only one constant.
  static constexpr int log_scale = is_packed ? 9 : 0;
  template <int position>
  static __device__ void count(unsigned* words, unsigned digit, unsigned column, unsigned one) {
    if constexpr (is_packed) {
      char* const of_position = reinterpret_cast<char*>(words + first_of(position));
      const unsigned row = (digit & 127u << log_scale) | column;
      atomicAdd(reinterpret_cast<unsigned*>(of_position + row), (digit & upper_bit << log_scale) | one);
    } else {
      constexpr int a_digit = sizeof(unsigned) << log_words_a_digit, behind = position * digit_values * a_digit;
      asm volatile("red.shared.add.u32 [%0 + %1], 1;" ::"r"(column + digit * a_digit), "n"(behind) : "memory");
    }
  }
  // Adds up counter c over all columns. The digits of position 0 come first, then those of position 1, and so on. Columns
  // that are added up only in the end may together have more than 32 bits: a device of few multiprocessors has few blocks.
  using total = std::conditional_t<is_packed, unsigned, unsigned long long>;
  static __device__ total sum(const unsigned* words, int c) {
    const int digit = c % digit_values;
    const unsigned* row =
        is_packed ? words + first_of(c / digit_values) + (digit % 128 << log_row) : words + c * columns;
    const bool is_upper = digit >= 128;
    total sum = 0;
#pragma unroll
    for (int l = 0; l < columns; ++l) {
      const unsigned word = row[(l + lane_id()) % columns];  // rotated, so that no two lanes use the same bank
      const unsigned upper = word >> 16;
      sum += !is_packed ? word : is_upper ? upper : (word & 0xFFFFu) - upper;
    }
    return sum;
  }

 private:
  static constexpr unsigned upper_bit = 128;
  static_assert(!is_packed || upper_bit << log_scale == 1u << 16, "added to the upper half");
  // Where positions are interleaved: the words from one row of a position to its next row, and how many positions share
  // them.
  static constexpr int log_row = 7, together = (1 << log_row) / columns;
  static_assert(!is_packed || (positions % together == 0 && sizeof(unsigned) << log_row == 1u << log_scale));
  static constexpr ONEPASS_HOST_DEVICE int first_of(int position) {
    return position / together * (128 << log_row) + position % together * columns;
  }
};
// Devices with less than 128 KB of shared memory a block have no room for the usual blocks.
template <class Digits>
bool fits_usual_blocks(const char* call) {
  return histogram_columns<Digits::max_positions, histogram_threads>::words * 4 <= most_shared_memory(call);
}

// Whether each position's bits follow those of the position before, and are counted from one word. If the lowest digit has
// fewer bits than a byte, it has zeros behind it there, as many as left_of_digit says.
template <class Digits>
constexpr bool has_digits_in_row = Digits::is_checkable&& Digits::max_positions > 4;
template <class Digits, class Digit>
__device__ int left_of_digit([[maybe_unused]] const Digit& lowest, [[maybe_unused]] int position = 0) {
  if constexpr (has_digits_in_row<Digits>) return position == 0 ? digit_bits - __popc(lowest.mask) : 0;
  return 0;
}

// Counts the digits of a block's items in its columns. All threads call add_up() before a counter can overflow.
template <class In, class Digits, int threads>
class digit_counter {
  using key = value_of<In>;
  static constexpr int max_positions = Digits::max_positions;
  using columns = histogram_columns<max_positions, threads>;
  using digit_of = typename position_digits<Digits>::digit_of;
  using bits_type = std::conditional_t<has_digits_in_row<Digits>, typename digit_of::key_bits, unsigned>;

 public:
  __device__ digit_counter(const position_digits<Digits>& digits, int positions, unsigned* words)
      : words_(words), column_(columns::column_of_lane(words)), one_(1), positions_(positions) {
    hide_from_compiler(one_);
#pragma unroll
    for (int p = 0; p < max_positions; ++p) digit_[p] = digits.at[p];
    if constexpr (has_digits_in_row<Digits>) {
      const auto& last = digits.at[positions - 1];
      begin_ = digit_[0].shift, left_ = left_of_digit<Digits>(digit_[0]);
      const int unused = static_cast<int>(8 * sizeof(bits_type)) - last.shift + begin_ - __popc(last.mask);
      sorted_ = static_cast<bits_type>(~bits_type{0} << unused >> unused << left_);
    }
  }

  template <class AddUp>
  __device__ void count_all(const In& in, index_t n, AddUp add_up) {
    // A split may have structs that are aligned to less than their size.
    if constexpr (in_vectors && !fills_vectors<key> && !columns::is_packed) {
      if (reinterpret_cast<std::uintptr_t>(in) % sizeof(key) != 0) return count_one_by_one(in, n);
    }
    if constexpr (in_vectors) {
      constexpr int a_round = vectors_a_round * items_per_vector<key>;
      constexpr int rounds = columns::most_between / a_round - 1;  // -1: for the items before and behind the vectors
      int left = rounds;
      for_each_of_grid<key>(
          in, n, [this](const key& item) { count(item); },
          [&] {
            if (columns::is_packed && left-- == 0) {
              add_up();
              left = rounds - 1;
            }
          },
          order_check{*this});
    } else {
      count_one_by_one(in, n);
    }
  }

  __device__ bool has_negative_zero() const { return negative_zero_; }
  // Whether no item of this warp comes after the next one in the order of the sort. Known only of keys in vectors.
  __device__ bool is_in_order() const { return is_in_order_; }

 private:
  static constexpr bool in_vectors = std::is_pointer_v<In> && is_vectorizable<key, items_per_vector<key>>;

  __device__ void count_one_by_one(const In& in, index_t n) {
    static_assert(!columns::is_packed);
    const index_t step = static_cast<index_t>(gridDim.x) * threads;
    const index_t mine = static_cast<index_t>(blockIdx.x) * threads + threadIdx.x;
    for (index_t i = mine; i < n; i += step) count(in[i]);
  }
  // Compares neighbours until a warp has seen two that are out of order.
  struct order_check {
    digit_counter& of;
    __device__ bool are_wanted() const { return Digits::is_checkable && of.is_in_order_; }
    __device__ void operator()(const key& item, const key& next) {
      if constexpr (Digits::is_checkable) of.is_in_order_ &= of.sorted_part(item) <= of.sorted_part(next);
    }
    __device__ void agree() { of.is_in_order_ = __all_sync(all_lanes, of.is_in_order_); }
  };
  __device__ auto sorted_part(const key& item) const {
    const digit_of& last = digit_[max_positions - 1];  // the last position of the sort
    return last.sorted_part(digit_of::canonical(last.to_bits(item)), last.sorted_bits(digit_[0].shift));
  }

  // Counts four positions, or all. What is counted for positions behind the last one is never read; a branch for each
  // position would cost more.
  __device__ void count(const key& item) {
    constexpr int first = max_positions < 4 ? max_positions : 4;
    const auto key_bits = digit_[0].to_bits(item);
    if constexpr (has_digits_in_row<Digits>) {
      const bits_type bits = digit_of::canonical(key_bits) >> begin_ << left_ & sorted_;
      count_word<0>(static_cast<unsigned>(bits));
      if (positions_ > 4) count_words_above(bits, std::make_integer_sequence<int, max_positions / 4 - 1>());
    } else {
      count_positions<0>(key_bits, std::make_integer_sequence<int, first>());
      if (positions_ > first)
        count_positions<first>(key_bits, std::make_integer_sequence<int, max_positions - first>());
    }
    negative_zero_ |= digit_of::is_negative_zero(key_bits);
  }
  // Four positions in a row. The compiler knows all shifts, and makes a multiplication of those to the left.
  template <int first>
  __device__ void count_word(unsigned word) {
    static_assert(columns::log_scale == 9);
    columns::template count<first>(words_, word << 9, column_, one_);
    columns::template count<first + 1>(words_, word << 1, column_, one_);
    columns::template count<first + 2>(words_, word >> 7, column_, one_);
    columns::template count<first + 3>(words_, word >> 15, column_, one_);
  }
  template <int... w>
  __device__ void count_words_above(bits_type bits, std::integer_sequence<int, w...>) {
    (count_word<4 * (w + 1)>(static_cast<unsigned>(bits >> 32 * (w + 1))), ...);
  }
  template <int first, class KeyBits, int... p>
  __device__ void count_positions(const KeyBits& key_bits, std::integer_sequence<int, p...>) {
    constexpr int log = columns::log_scale;
    (columns::template count<first + p>(words_, digit_[first + p].template scaled<log>(key_bits), column_, one_), ...);
  }

  unsigned* words_;
  unsigned column_, one_;
  int positions_;
  digit_of digit_[max_positions];
  int begin_ = 0, left_ = 0;  // if digits are in a row: the first bit that is sorted by, and where it stands in a byte
  bits_type sorted_ = {};     // ones where bits that are sorted by stand then
  bool negative_zero_ = false;
  bool is_in_order_ = Digits::is_checkable && in_vectors;
};

}  // namespace onepass::detail
