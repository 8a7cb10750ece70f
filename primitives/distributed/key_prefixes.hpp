// SPDX-License-Identifier: Apache-2.0
// Keys as unsigned integers in the order of a sort, and a sorted list of prefixes of such keys with a fast search.
#pragma once

#include <array>

#include <onepass/radix_sort.hpp>

#include "local_call.hpp"

namespace onepass::detail {

// Takes keys for their bits [begin_bit, end_bit) in the order of the sort.
template <class K>
struct bits_in_order {
  static_assert(is_radix_key<K>, "onepass::distributed: a sort across ranks takes integers, bool and floats as keys");
  using bits = key_bits_t<K>;
  bits flip = 0, mask = 0;
  int begin = 0, width = 0;

  bits_in_order() = default;
  // `options` have their end_bit.
  explicit bits_in_order(const radix_options& options) : begin(options.begin_bit), width(options.end_bit - begin) {
    const key_digits<K> digits{options.begin_bit, options.end_bit, options.descending, is_signed_integer<K>};
    flip = digits.flip();
    mask = width == 0 ? bits{0}
                      : static_cast<bits>(static_cast<bits>(~bits{0}) >> (8 * static_cast<int>(sizeof(bits)) - width));
  }
  ONEPASS_HOST_DEVICE bits of(const K& key) const {
    const auto ordered = static_cast<bits>(ordered_bits(key) ^ flip);
    return width == 0 ? bits{0} : static_cast<bits>(static_cast<bits>(ordered >> begin) & mask);
  }
};

// A sorted list of different prefixes of keys of `width` bits. A prefix is what is above a key's lowest `shift` bits;
// it has at least 8 bits, if the key has so many.
template <class Bits>
class prefix_list {
 public:
  // Takes the prefixes of these keys.
  prefix_list(std::vector<Bits> keys, int width, int shift)
      : prefixes_(std::move(keys)), shift_(shift), top_shift_(std::max(0, width - digit_bits)) {
    std::sort(prefixes_.begin(), prefixes_.end());
    for (Bits& p : prefixes_) p = static_cast<Bits>(p >> shift_);
    prefixes_.erase(std::unique(prefixes_.begin(), prefixes_.end()), prefixes_.end());
    for (const Bits p : prefixes_) ++begin_[top_of(static_cast<Bits>(p << shift_)) + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  }
  std::size_t size() const { return prefixes_.size(); }
  const std::vector<Bits>& all() const { return prefixes_; }
  int shift() const { return shift_; }

  std::size_t top_of(Bits key) const { return static_cast<std::size_t>(key >> top_shift_); }
  // Whether a prefix has that top digit, and the first prefix that has it or a larger one.
  bool has_top(std::size_t top) const { return begin_[top] != begin_[top + 1]; }
  std::size_t first_of_top(std::size_t top) const { return begin_[top]; }
  // The index of the first prefix that is not below the key's.
  std::size_t lower_bound(Bits key) const {
    const std::size_t top = top_of(key);
    const Bits *const all = prefixes_.data(), *const end = all + begin_[top + 1];
    return static_cast<std::size_t>(std::lower_bound(all + begin_[top], end, static_cast<Bits>(key >> shift_)) - all);
  }
  bool is_at(std::size_t index, Bits key) const {
    return index < size() && prefixes_[index] == static_cast<Bits>(key >> shift_);
  }

 private:
  std::vector<Bits> prefixes_;
  int shift_, top_shift_;
  std::array<std::size_t, digit_values + 1> begin_{};  // the first prefix with each top digit
};

// How a rank's items are cut for its threads.
inline index_t parts_for(const cpu_policy& policy, index_t n) {
  const index_t threads = policy.threads() > 0 ? policy.threads() : available_threads();
  // A part is worth a thread from 2^16 items on (not measured); four parts a thread even out what they take.
  return threads == 1 ? 1 : std::max<index_t>(1, std::min<index_t>(4 * threads, n >> 16));
}
template <class Body>
void share_out_parts(const cpu_policy& policy, index_t parts, Body&& body) {
  const index_t threads = policy.threads() > 0 ? policy.threads() : available_threads();
  share_out(static_cast<int>(std::min(threads, parts)), parts, [&](index_t part, int) { body(part); });
}

}  // namespace onepass::detail
