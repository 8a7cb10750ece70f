// SPDX-License-Identifier: Apache-2.0
// Selections: sizes at which primitives/select takes another way, segments, keys that mislead its sample, and what has to come
// out, by a stable sort.
#pragma once

#include <onepass/select.hpp>

#include <cmath>
#include <limits>

#include "../../primitives/select/ranked_key.hpp"
#include "parts.hpp"

namespace fuzz {

// ---- sizes --------------------------------------------------------------------------------------------------------------
// Blocks' sizes and samples, items of a thread, results that are kept or sorted elsewhere, rows that all blocks read.
inline std::int64_t near_limit(dice& d, const std::string& name) {
  const std::int64_t exponent = d.below((name + "_exponent").c_str(), 16);
  return (std::int64_t{16} << exponent) + d.below((name + "_near").c_str(), 5) - 2;
}
inline std::int64_t selected_size(dice& d, std::size_t item_bytes) {
  return d.choose("n", most_sorted, [&] {
    return d.one_in("n_at_limit", 3) ? near_limit(d, "n") : d.size("n_any", item_bytes, most_sorted);
  });
}

// ---- segments: what calls take for them, and how many results of each may be asked for --------------------------------------
class whole {
 public:
  whole(test_case&, std::int64_t n) : n_(n) {}
  parts of(std::int64_t n) const { return {{0, n}}; }
  std::int64_t most() const { return n_; }
  // f(what calls take...).
  template <class F>
  void pass(const F& f) const {
    f();
  }
  void add(texts&) const {}
  void expect_unchanged() const {}

 private:
  std::int64_t n_;
};
class in_rows {
 public:
  in_rows(test_case& c, std::int64_t n) : n_(n) {
    dice& d = c.d;
    length_ = 1 + d.choose("row", 2 * most_sorted, [&] {
      return d.coin("row_at_limit") ? near_limit(d, "row") : d.magnitude("row_any", 100000);
    });
  }
  parts of(std::int64_t n) const {
    parts all;
    for (std::int64_t at = 0; at < n_; at += length_) all.push_back(part_of(n, at, at + length_));
    return all;
  }
  std::int64_t most() const { return length_; }
  template <class F>
  void pass(const F& f) const {
    f(onepass::rows(length_));
  }
  void add(texts& arguments) const { arguments.push_back("onepass::rows(" + number(length_) + ")"); }
  void expect_unchanged() const {}

 private:
  std::int64_t n_, length_;
};
// by_offsets or by_ranges. More may be asked for than any has.
template <class Segments>
class in_segments : public Segments {
 public:
  in_segments(test_case& c, std::int64_t n) : Segments(c, n), n_(n) {}
  std::int64_t most() const { return n_ + 9; }
  template <class F>
  void pass(const F& f) {
    f(this->argument());
  }
  void add(texts& arguments) const { arguments.push_back(this->text()); }

 private:
  std::int64_t n_;
};

// ---- keys ---------------------------------------------------------------------------------------------------------------
// Every fourth float is one that has no order with others, or equals one that differs.
template <class K>
void add_odd_floats(test_case& c, data<K>& keys) {
  constexpr K inf = std::numeric_limits<K>::infinity(), nan = std::numeric_limits<K>::quiet_NaN();
  const K odd[] = {nan, -nan, inf, -inf, K(0), -K(0)};
  const std::uint64_t seed = c.d.seed("k_odd_seed");
  for (std::size_t i = 0; i < keys.items.size(); ++i)
    if (const std::uint64_t drawn = hash(seed, i); drawn % 4 == 0) keys.items[i] = odd[drawn / 4 % 6];
  c.define(
      "#include <limits>\ntemplate <class K> K odd(u64 i) { const K inf = std::numeric_limits<K>::infinity(), nan = "
      "std::numeric_limits<K>::quiet_NaN(); const K all[] = {nan, -nan, inf, -inf, K(0), -K(0)}; return all[i]; }\n");
  const std::string h = hash_text(seed);
  keys.formula = "(" + h + " % 4 == 0 ? odd<" + name_of<K>() + ">(" + h + " / 4 % 6) : " + keys.formula + ")";
}

// In the longest part all items of a sample are larger than the others, or all are smaller. A sample is of single items or, as
// the device reads some, of vectors.
template <class K>
data<K> misleading_keys(test_case& c, std::int64_t n, const part& longest) {
  const std::int64_t together =
      c.d.coin("k_sample_vectors") ? std::int64_t{16} / static_cast<std::int64_t>(sizeof(K)) : 1;
  const std::int64_t groups = longest.size() / together;
  std::int64_t sample = (std::int64_t{256} << c.d.below("k_sample", 7)) / together;
  while (sample > groups) sample /= 2;
  const std::uint64_t low = c.d.coin("k_sample_largest") ? 200 : 0, seed = c.d.seed("k_seed");
  std::vector<bool> sampled(static_cast<std::size_t>(n));
  for (int i = 0; i < sample * together; ++i) {
    const auto at = static_cast<int>(i / together), of = static_cast<int>(sample);
    const auto index = onepass::detail::sampled_index(at, groups, of) * together + i % together;
    sampled[static_cast<std::size_t>(longest.begin + index)] = true;
  }
  const std::string each = number(together), h = hash_text(seed);
  c.line("static bool sampled[" + number(n + 1) + "]; for (int i = 0; i < " + number(sample * together) +
         "; ++i) sampled[" + number(longest.begin) + " + onepass::detail::sampled_index(i / " + each + ", " +
         number(groups) + ", " + number(sample) + ") * " + each + " + i % " + each + "] = true;");
  const std::string bits = "sampled[i] ? " + std::to_string(low) + " + " + h + " % 50 : 100 + " + h + " % 100";
  data<K> keys{{}, made<K>(bits)};
  if (std::is_floating_point_v<K>) keys.formula = "as_key<" + name_of<K>() + ">(" + bits + ")";
  for (std::size_t i = 0; i < sampled.size(); ++i)
    keys.items.push_back(key_of_bits<K>(sampled[i] ? low + hash(seed, i) % 50 : 100 + hash(seed, i) % 100));
  return keys;
}

// Of n items, of which those in the parts are looked at.
template <class K>
data<K> selected_keys_for(test_case& c, std::int64_t n, const parts& all) {
  const auto shorter = [](const part& a, const part& b) { return a.size() < b.size(); };
  const auto longest = std::max_element(all.begin(), all.end(), shorter);
  if (c.d.one_in("k_misled", 4) && longest != all.end() && longest->size() > 1)
    return misleading_keys<K>(c, n, *longest);
  data<K> keys = sort_keys_for<K>(c.d, n);
  if constexpr (std::is_floating_point_v<K>) {
    if (c.d.one_in("k_odd", 3)) add_odd_floats(c, keys);
  }
  return keys;
}

// ---- a selection --------------------------------------------------------------------------------------------------------
struct selection {
  static constexpr std::int64_t most_results = 1 << 20;
  static constexpr std::size_t none = ~std::size_t{0};

  bool is_nth = false;
  onepass::top_k_options options;
  std::int64_t k;  // how many, or which one

  template <class Segments>
  selection(dice& d, const Segments& segments, std::int64_t n, bool may_be_nth) {
    is_nth = may_be_nth && segments.most() > 0 && d.one_in("nth", 3);
    options.smallest = d.coin("smallest");
    options.input_order = d.coin("input_order");
    const auto count = static_cast<std::int64_t>(segments.of(n).size());
    const std::int64_t most =
        is_nth ? segments.most() - 1 : std::min(segments.most(), most_results / std::max<std::int64_t>(count, 1));
    k = d.choose("k", most, [&]() -> std::int64_t {
      switch (d.below("k_way", 4)) {
        case 0: return d.magnitude("k_few", most);
        case 1: return near_limit(d, "k");
        case 2: return most - d.magnitude("k_less", most);
        default: return most / 8 * d.below("k_eighths", 9);
      }
    });
  }
  std::int64_t results() const { return is_nth ? 1 : k; }  // of a segment
  // The item of each result; `none` where nothing is written.
  template <class Segments, class K>
  places of(const Segments& segments, const std::vector<K>& keys) const {
    onepass::radix_options by;
    by.descending = !is_nth && !options.smallest;
    const places order = order_in_parts(segments, keys, by);
    places chosen;
    for (const part& p : segments.of(static_cast<std::int64_t>(keys.size()))) {
      const auto first = order.begin() + p.begin;
      if (is_nth) {
        chosen.push_back(k < p.size() ? first[k] : none);
        continue;
      }
      const auto taken = static_cast<std::ptrdiff_t>(chosen.size());
      chosen.insert(chosen.end(), first, first + std::min(k, p.size()));
      if (options.input_order) std::sort(chosen.begin() + taken, chosen.end());
      chosen.resize(static_cast<std::size_t>(taken + k), none);
    }
    return chosen;
  }
  std::string name(const char* top_k) const { return is_nth ? "nth_element" : top_k; }
  std::string options_text() const {
    return std::string("onepass::top_k_options{") + (options.smallest ? "true" : "false") +
           (options.input_order ? ", true}" : ", false}");
  }
};

// What the results have, from memory that was poisoned.
template <class T>
std::vector<T> items_at(const std::vector<T>& items, const places& chosen) {
  const T nothing = std::is_same_v<T, bool> ? T() : poisoned_item<T>();  // a poisoned bool is read as false
  std::vector<T> all;
  for (const std::size_t i : chosen) all.push_back(i == selection::none ? nothing : static_cast<T>(items[i]));
  return all;
}

}  // namespace fuzz
