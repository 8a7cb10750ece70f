// SPDX-License-Identifier: Apache-2.0
// How calls are told where segments lie: flags, bits, offsets, keys, drawn from one rule.
#pragma once

#include <onepass/segmented_scan.hpp>

#include "../support/references.hpp"
#include "ranges.hpp"
#include "refusal.hpp"

namespace fuzz {

using heads_list = std::vector<std::uint8_t>;

inline heads_list heads_of(const flag_rule& rule, std::int64_t n) {
  heads_list heads(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) heads[static_cast<std::size_t>(i)] = i == 0 || rule(i);
  return heads;
}

// ---- head flags -------------------------------------------------------------------------------------------------------------
template <class Kind, class F>
class flag_heads {
 public:
  flag_heads(test_case& c, std::int64_t n) : flag_heads(c, flag_rule(c.d, "h_"), n) {}
  const heads_list& heads() const { return heads_; }
  auto argument() { return flags_.begin(); }
  std::string text() const { return flags_.text(); }
  void expect_unchanged() const { flags_.expect_unchanged(); }

 private:
  flag_heads(test_case& c, const flag_rule& rule, std::int64_t n)
      : heads_(heads_of(rule, n)), flags_(c, "head", flags_of<F>(rule, n)) {}
  heads_list heads_;
  range<Kind, F> flags_;
};

struct bits {};
template <class F>
class flag_heads<bits, F> {
 public:
  flag_heads(test_case& c, std::int64_t n) {
    const flag_rule rule(c.d, "h_");
    heads_ = heads_of(rule, n);
    begin_ = c.d.below("h_begin", 70);  // the first flag's bit
    heads_list plain(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) plain[static_cast<std::size_t>(i)] = rule(i);
    const std::vector<std::uint32_t> words = test::words_of(plain, static_cast<std::size_t>(begin_));
    words_ = &c.memory("words", words.size() * sizeof(std::uint32_t));
    words_->store(words.data());
    c.line("static std::uint32_t words[" + number(static_cast<std::int64_t>(words.size()) + 1) + "];");
    c.line("for (long long i = 0; i < " + number(n) + "; ++i) words[(i + " + number(begin_) + ") / 32] |= unsigned" +
           rule.text() + " << (i + " + number(begin_) + ") % 32;");
    if (on_device) c.line("thrust::device_vector<std::uint32_t> dwords(words, std::end(words));");
  }
  const heads_list& heads() const { return heads_; }
  auto argument() { return onepass::bits(reinterpret_cast<const std::uint32_t*>(words_->data())) + begin_; }
  std::string text() const {
    return std::string("onepass::bits(") + (on_device ? "thrust::raw_pointer_cast(dwords.data())" : "words") + ") + " +
           number(begin_);
  }
  void expect_unchanged() const {}

 private:
  heads_list heads_;
  std::int64_t begin_ = 0;
  const block* words_;
};

// ---- offsets ----------------------------------------------------------------------------------------------------------------
// In compressed-row form: of `segments` segments, some of them empty; those in front may begin before item 0, and those at the
// end lie behind the last item, where `wild` is drawn.
template <class I>
data<I> offsets_for(dice& d, std::int64_t n, bool may_be_wild) {
  const flag_rule rule(d, "h_");
  const std::int64_t empty = d.below("h_empty", 3);
  const bool wild = may_be_wild && d.one_in("h_wild", 8), from_0 = !d.one_in("h_late", 8),
             to_n = !d.one_in("h_early", 8);
  // Now and then so many empty segments one after another, from some item on.
  std::int64_t many = d.one_in("h_many", 8) ? 1 + d.magnitude("h_many_empty", 20000) : 0;
  const std::int64_t many_from = d.below("h_many_from", n + 1);
  data<I> offsets{{}, ""};
  const auto add = [&](std::int64_t at) { offsets.items.push_back(static_cast<I>(at)); };
  if (wild && std::is_signed_v<I>) add(-70), add(-1);
  if (from_0) add(0);
  for (std::int64_t i = 0; i < n; ++i) {
    if (!rule(i)) continue;
    add(i);
    for (; i >= many_from && many > 0; --many) add(i);
    for (std::int64_t k = 0; empty > 0 && k < empty && hash(99, static_cast<std::uint64_t>(i)) % 8 == 0; ++k) add(i);
  }
  if (to_n) add(n);
  if (wild) add(n + 3), add(n + 100);
  // For a program: all of them, as there is no shorter way to say it.
  offsets.formula = "/* ascending, see tests/fuzz/segments.hpp */ 0";
  return offsets;
}
template <class I>
heads_list heads_at(const std::vector<I>& offsets, std::int64_t n) {
  heads_list heads(static_cast<std::size_t>(n));
  if (n > 0) heads[0] = 1;
  for (const I at : offsets)
    if (static_cast<std::int64_t>(at) >= 0 && static_cast<std::int64_t>(at) < n)
      heads[static_cast<std::size_t>(at)] = 1;
  return heads;
}

template <class Kind, class I>
class offset_heads {
 public:
  offset_heads(test_case& c, std::int64_t n) : offset_heads(c, offsets_for<I>(c.d, n, true), n) {}
  const heads_list& heads() const { return heads_; }
  const std::vector<I>& offsets() const { return offsets_; }
  auto argument() {
    return onepass::offsets(range_.begin(), range_.begin() + static_cast<std::ptrdiff_t>(offsets_.size()));
  }
  std::string text() const {
    return "onepass::offsets(" + range_.text() + ", " + range_.text() + " + " + std::to_string(offsets_.size()) + ")";
  }
  void expect_unchanged() const { range_.expect_unchanged(); }

 private:
  offset_heads(test_case& c, const data<I>& offsets, std::int64_t n)
      : offsets_(offsets.items), heads_(heads_at(offsets_, n)), range_(c, "at", offsets) {}
  std::vector<I> offsets_;
  heads_list heads_;
  range<Kind, I> range_;
};

// A result for each segment: init and its items, combined.
template <class T, class Offsets, class Op>
std::vector<T> reference_of_offsets(const std::vector<T>& items, const Offsets& offsets, T init) {
  const auto n = static_cast<std::int64_t>(items.size());
  const auto within = [n](auto at) { return std::max<std::int64_t>(0, std::min(n, static_cast<std::int64_t>(at))); };
  std::vector<T> results;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const std::int64_t begin = within(offsets[s]), end = within(offsets[s + 1]);
    if (begin >= end) {
      results.push_back(init);
      continue;
    }
    T total = items[static_cast<std::size_t>(begin)];
    for (std::int64_t i = begin + 1; i < end; ++i)
      total = static_cast<T>(Op()(total, items[static_cast<std::size_t>(i)]));
    results.push_back(static_cast<T>(Op()(init, total)));
  }
  return results;
}

struct times {
  std::int64_t length;
  ONEPASS_HOST_DEVICE std::int64_t operator()(std::int64_t i) const { return i * length; }
};
// Every so many items, by an iterator that computes where.
struct computed {};
template <class I>
class offset_heads<computed, I> {
 public:
  offset_heads(test_case& c, std::int64_t n) {
    length_ = 1 + c.d.magnitude("h_length", 100000);
    for (std::int64_t at = 0;; at += length_) {
      offsets_.push_back(at);
      if (at >= n) break;
    }
    heads_ = heads_at(offsets_, n);
    c.define("struct times { long long length; HD long long operator()(long long i) const { return i * length; } };\n");
  }
  const heads_list& heads() const { return heads_; }
  const std::vector<std::int64_t>& offsets() const { return offsets_; }
  std::int64_t length() const { return length_; }
  auto begin() const {
    return thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), times{length_});
  }
  auto argument() const { return onepass::offsets(begin(), begin() + static_cast<std::ptrdiff_t>(offsets_.size())); }
  std::string text() const {
    const std::string first =
        "thrust::make_transform_iterator(thrust::counting_iterator<long long>(0), times{" + number(length_) + "})";
    return "onepass::offsets(" + first + ", " + first + " + " + std::to_string(offsets_.size()) + ")";
  }
  void expect_unchanged() const {}

 private:
  std::int64_t length_;
  std::vector<std::int64_t> offsets_;
  heads_list heads_;
};

// The same as rows.
struct equal_rows {};
template <class I>
class offset_heads<equal_rows, I> : public offset_heads<computed, I> {
 public:
  using offset_heads<computed, I>::offset_heads;
  auto argument() const { return onepass::rows(this->length()); }
  std::string text() const { return "onepass::rows(" + number(this->length()) + ")"; }
};

// ---- keys -------------------------------------------------------------------------------------------------------------------
struct same {
  template <class K>
  ONEPASS_HOST_DEVICE bool operator()(const K& a, const K& b) const {
    return a == b;
  }
};
struct same_tens {
  template <class K>
  ONEPASS_HOST_DEVICE bool operator()(const K& a, const K& b) const {
    return static_cast<long long>(a) / 10 == static_cast<long long>(b) / 10;
  }
};
// What calls compare with that are given nothing for it.
template <class Equal>
constexpr bool is_default_equal = std::is_same_v<Equal, onepass::detail::equal_to>;
template <class Equal>
struct about_equal {
  static constexpr bool tens = false;
  static constexpr const char *name = "", *definition = "";
};
template <>
struct about_equal<same> {
  static constexpr bool tens = false;
  static constexpr const char
      *name = "same{}",
      *definition = "struct same { template <class K> HD bool operator()(K a, K b) const { return a == b; } };\n";
};
template <>
struct about_equal<same_tens> {
  static constexpr bool tens = true;
  static constexpr const char *name = "same_tens{}",
                              *definition =
                                  "struct same_tens { template <class K> HD bool operator()(K a, K b) const { return "
                                  "(long long)a / 10 == (long long)b / 10; } };\n";
};

// ---- runs of which one item is refused ----------------------------------------------------------------------------------------
// The item at `place`, or the next one that is not the first of its segment, alone with which a functor is not called; n: none.
inline std::int64_t refused_place(const heads_list& heads, std::int64_t place) {
  while (place < static_cast<std::int64_t>(heads.size()) && heads[static_cast<std::size_t>(place)]) ++place;
  return place;
}
// One key, or one value.
template <class T>
struct refused_runs {
  bool by_equal;
  data<T> keys, values;
  heads_list heads;
  bool throws;

  refused_runs(test_case& c, std::int64_t n)
      : by_equal(c.d.coin("equal")),
        keys(keys_for<T>(flag_rule(c.d, "h_"), n)),
        values(values_for<T>(c.d, "x_", n, domain::small)) {
    const std::int64_t drawn = 1 + c.d.below("at", n - 1);
    if (by_equal) refuse(keys, drawn);
    heads = test::heads_of_keys(keys.items, same());
    const std::int64_t at = by_equal ? drawn : refused_place(heads, drawn);
    if (!by_equal) refuse(values, at);
    throws = at < n;
  }
  refusing<same> equal(bool refuses) const { return {refuses && by_equal}; }
  refusing<my_sum> op(bool refuses) const { return {refuses && !by_equal}; }
  texts text(texts arguments) const {
    arguments.push_back(by_equal ? refusing_text("same{}") : "same{}");
    arguments.push_back(by_equal ? "my_sum{}" : refusing_text("my_sum{}"));
    return arguments;
  }
  std::vector<T> scanned() const { return test::inclusive_segmented_reference<T>(values.items, heads, my_sum()); }
};

// Calls that take Equal and Op, Equal alone (then they add up), or none: f(functors...).
template <class Equal, class Op>
class functors {
  static constexpr bool adds = std::is_same_v<Op, onepass::sum>;
  static_assert(adds || !is_default_equal<Equal>);

 public:
  explicit functors(test_case& c) : one_(adds && !is_default_equal<Equal> && c.d.coin("one_functor")) {
    c.define(described<Op>.definition), c.define(about_equal<Equal>::definition);
  }
  template <class F>
  auto pass(const F& f) const {
    if constexpr (is_default_equal<Equal>) return f();
    else if constexpr (adds) return one_ ? f(Equal()) : f(Equal(), Op());
    else return f(Equal(), Op());
  }
  texts text(texts arguments) const {
    if (is_default_equal<Equal>) return arguments;
    arguments.push_back(about_equal<Equal>::name);
    if (!one_) arguments.push_back(described<Op>.name);
    return arguments;
  }

 private:
  bool one_;
};

}  // namespace fuzz
