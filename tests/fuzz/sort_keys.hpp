// SPDX-License-Identifier: Apache-2.0
// Keys of sorts, in the orders that sorts meet; and the order in which a stable sort has to leave them.
#pragma once

#include <onepass/radix_sort.hpp>

#include <numeric>
#include <tuple>
#include <utility>

#include "../support/references.hpp"
#include "ranges.hpp"
#include "refusal.hpp"

namespace fuzz {

constexpr std::int64_t most_sorted = on_device ? 1500000 : 400000;

// ---- keys -------------------------------------------------------------------------------------------------------------------
class key_rule {
 public:
  explicit key_rule(dice& d) {
    kind_ = d.below("k_kind", 8);
    seed_ = d.seed("k_seed");
    period_ = 1 + d.magnitude("k_period", 100000);
    shift_ = d.below("k_bits", 64);
  }
  std::uint64_t operator()(std::int64_t i) const {
    const auto place = static_cast<std::uint64_t>(i), period = static_cast<std::uint64_t>(period_);
    const std::uint64_t drawn = hash(seed_, place);
    switch (kind_) {
      case 0: return drawn % period;
      case 1: return drawn;
      case 2: return place / period;                                           // in order
      case 3: return ~place / period;                                          // in the other one
      case 4: return drawn & hash(seed_ + 1, place) & hash(seed_ + 2, place);  // of little entropy
      case 5: return drawn % 16 == 0 ? hash(seed_ + 1, place) : place << 20;   // nearly in order
      case 6: return drawn << shift_;
      default: return drawn >> shift_;
    }
  }
  std::string text() const {
    const std::string h = hash_text(seed_), h1 = hash_text(seed_ + 1), p = number(period_) + "ull", s = number(shift_);
    const std::string kinds[] = {h + " % " + p,
                                 h,
                                 "i / " + p,
                                 "~u64(i) / " + p,
                                 "(" + h + " & " + h1 + " & " + hash_text(seed_ + 2) + ")",
                                 "(" + h + " % 16 == 0 ? " + h1 + " : u64(i) << 20)",
                                 "(" + h + " << " + s + ")",
                                 "(" + h + " >> " + s + ")"};
    return kinds[kind_];
  }

 private:
  std::int64_t kind_, period_, shift_;
  std::uint64_t seed_;
};

// Floats have these bits, so they may be infinite, or no numbers.
template <class K>
K key_of_bits(std::uint64_t bits) {
  if constexpr (std::is_floating_point_v<K>) {
    // Of few bits, whole numbers.
    if (bits < (1u << 20)) return static_cast<K>(static_cast<std::int64_t>(bits) - 1000);
    K key;
    std::memcpy(&key, &bits, sizeof key);
    return key;
  } else {
    return value_of_bits<K>(bits);
  }
}
template <class K>
data<K> sort_keys_for(dice& d, std::int64_t n) {
  const key_rule rule(d);
  data<K> keys{{}, made<K>(rule.text())};
  if (std::is_floating_point_v<K>) keys.formula = "as_key<" + name_of<K>() + ">(" + rule.text() + ")";
  for (std::int64_t i = 0; i < n; ++i) keys.items.push_back(key_of_bits<K>(rule(i)));
  return keys;
}
template <class K>
void define_keys(test_case& c) {
  if (std::is_floating_point_v<K>) {
    c.define(
        "template <class K> K as_key(u64 bits) { K k; if (bits < 1 << 20) return K((long long)bits - 1000); memcpy(&k, "
        "&bits, sizeof k); return k; }\n");
  }
}

// ---- order -------------------------------------------------------------------------------------------------------------------
template <class K>
constexpr bool has_fields = is_struct<K> || is_zipped<K> || std::is_same_v<K, record>;
// By the fields b and a of a struct, or the second and the first one of a tuple.
struct by_fields {
  template <class T>
  auto operator()(T& x) const {
    if constexpr (is_zipped<std::remove_const_t<T>>) return std::tie(thrust::get<1>(x), thrust::get<0>(x));
    else return std::tie(x.b, x.a);
  }
};
template <class K>
constexpr int bits_of() {
  if constexpr (is_struct<K>) return 16 * sizeof(typename unit_of<K>::type);
  else return 8 * sizeof(K);
}
template <class K>
uint128 ordered(const K& key) {
  if constexpr (has_fields<K>) {
    const auto fields = by_fields()(key);
    const auto& last = std::get<1>(fields);
    return test::ordered_bits(std::get<0>(fields)) << 8 * sizeof(last) | test::ordered_bits(last);
  } else {
    return test::ordered_bits(key);
  }
}
// The bits that are sorted by, for the calls that take such.
struct drawn_options {
  onepass::radix_options options;
  std::string text;
  drawn_options(dice& d, int bits) {
    options.descending = d.one_in("descending", 3);
    if (d.one_in("bit_range", 3)) {
      options.end_bit = static_cast<int>(bits - d.below("bits_above", bits + 1));
      options.begin_bit = static_cast<int>(d.below("bits_below", options.end_bit + 1));
    }
    text = std::string("onepass::radix_options{") + (options.descending ? "true, " : "false, ") +
           std::to_string(options.begin_bit) + ", " + std::to_string(options.end_bit) + "}";
  }
};
using places = std::vector<std::size_t>;
template <class K>
void sort_places(places& order, std::size_t begin, std::size_t end, const std::vector<K>& keys,
                 const onepass::radix_options& o) {
  const int last = o.end_bit < 0 ? bits_of<K>() : o.end_bit;
  const uint128 mask = last - o.begin_bit >= 128 ? ~uint128{0} : (uint128{1} << (last - o.begin_bit)) - 1;
  std::vector<std::pair<uint128, std::size_t>> all;
  for (std::size_t i = begin; i < end; ++i) {
    const K key = keys[i];
    const uint128 bits = o.begin_bit >= 128 ? 0 : ordered(key) >> o.begin_bit & mask;
    all.push_back({o.descending ? ~bits : bits, i});
  }
  std::sort(all.begin(), all.end());
  for (std::size_t i = begin; i < end; ++i) order[i] = all[i - begin].second;
}
template <class K>
places places_after_sort(const std::vector<K>& keys, const onepass::radix_options& options) {
  places order(keys.size());
  sort_places(order, 0, keys.size(), keys, options);
  return order;
}

#if !ONEPASS_HAS_CUDA
struct fields_or_refusal {
  bool refuses;
  template <class T>
  auto operator()(T& x) const {
    if (refuses && is_refused(x)) throw refusal();
    return by_fields()(x);
  }
};
#endif
// The calls take a decomposer for structs and nothing for other keys: f(what they take...).
template <class K, class F>
void with_order(const F& f) {
  if constexpr (has_fields<K>) f(by_fields());
  else f();
}
template <class K>
void add_order(std::vector<std::string>& arguments, const std::string& options) {
  if (is_zipped<K>) arguments.push_back("[](auto& x) { return std::tie(thrust::get<1>(x), thrust::get<0>(x)); }");
  else if (has_fields<K>) arguments.push_back("[](auto& x) { return std::tie(x.b, x.a); }");
  arguments.push_back(options);
}

}  // namespace fuzz
