// SPDX-License-Identifier: Apache-2.0
// Bins of histograms, and items that lie in them and beside them.
#pragma once

#include <onepass/bins.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ranges.hpp"

namespace fuzz {

// Near the bins: some below, some above.
inline std::uint64_t near(std::uint64_t bins) { return bins + bins / 4 + 3; }
// Of floats also quarters, the numbers right below others, and NaN.
template <class T>
class float_rule {
 public:
  float_rule(dice& d, std::int64_t low)
      : quarters_(d.coin("quarters")), below_(d.one_in("some_below", 3)), nan_(d.one_in("some_nan", 4)), low_(low) {}
  T operator()(T drawn, std::int64_t i) const {
    if (nan_ && i % 97 == 5) return std::numeric_limits<T>::quiet_NaN();
    const T item = quarters_ ? drawn / 4 + static_cast<T>(low_ / 4 * 3) : drawn;
    return below_ && i % 3 == 1 ? std::nextafter(item, std::numeric_limits<T>::lowest()) : item;
  }
  std::string text(std::string drawn) const {
    const std::string t = name_of<T>();
    if (quarters_) drawn = "(" + drawn + " / 4 + " + number(low_ / 4 * 3) + ")";
    if (below_) drawn = "(i % 3 == 1 ? std::nextafter(" + drawn + ", " + t + "(-1e30)) : " + drawn + ")";
    return nan_ ? "(i % 97 == 5 ? " + t + "(NAN) : " + drawn + ")" : drawn;
  }

 private:
  bool quarters_, below_, nan_;
  std::int64_t low_;
};
// low + what is drawn: all equal, one after another, or at random.
template <class T>
data<T> items_near(test_case& c, std::int64_t n, std::int64_t low, std::uint64_t bins) {
  const value_rule rule(c.d, "x_", low - 2, near(bins));
  data<T> items{std::vector<T>(static_cast<std::size_t>(n)), made<T>(rule.text())};
  for (std::int64_t i = 0; i < n; ++i) items.items[static_cast<std::size_t>(i)] = value_of_bits<T>(rule(i));
  if constexpr (std::is_floating_point_v<T>) {
    const float_rule<T> as_float(c.d, low);
    items.formula = as_float.text(items.formula);
    for (std::int64_t i = 0; i < n; ++i) {
      T& item = items.items[static_cast<std::size_t>(i)];
      item = as_float(item, i);
    }
  }
  return items;
}
inline std::int64_t drawn_bins(test_case& c) { return 1 + c.d.magnitude("bins", 1 << 18); }
inline std::int64_t drawn_low(test_case& c) { return c.d.magnitude("above", 1000) - c.d.magnitude("below", 1000); }

// ---- bins: each knows their number, and an item's; -1: none -------------------------------------------------------------
template <class T>
class by_value {
 public:
  explicit by_value(test_case& c) : lower_(drawn_low(c)), count_(drawn_bins(c)) {
    if constexpr (sizeof(T) <= 2) {
      if (!c.d.coin("all_values")) return;
      lower_ = std::numeric_limits<T>::lowest();
      count_ = std::numeric_limits<T>::max() + 1 - lower_;
    }
  }
  std::int64_t count() const { return count_; }
  std::int64_t bin_of(T item) const {
    const auto bin = static_cast<__int128>(item) - lower_;
    return bin >= 0 && bin < count_ ? static_cast<std::int64_t>(bin) : -1;
  }
  data<T> items(test_case& c, std::int64_t n) const {
    return items_near<T>(c, n, lower_, static_cast<std::uint64_t>(count_));
  }
  auto argument() const { return onepass::value_bins(lower_, lower_ + count_); }
  std::string text() const { return "onepass::value_bins(" + number(lower_) + ", " + number(lower_ + count_) + ")"; }
  void expect_unchanged() const {}

 private:
  std::int64_t lower_, count_;
};

template <class T>
class even {
 public:
  explicit even(test_case& c)
      : lower_(drawn_low(c)), upper_(lower_ + 1 + c.d.magnitude("width", 100000)), count_(drawn_bins(c)) {}
  std::int64_t count() const { return count_; }
  // As the public header says, each step rounded.
  std::int64_t bin_of(T x) const {
    if constexpr (std::is_integral_v<T>) {
      const __int128 item = x;
      return lower_ <= item && item < upper_ ? static_cast<std::int64_t>((item - lower_) * count_ / (upper_ - lower_))
                                             : -1;
    } else {
      return bin_of_float(x);
    }
  }
  data<T> items(test_case& c, std::int64_t n) const {
    return items_near<T>(c, n, lower_, static_cast<std::uint64_t>(upper_ - lower_));
  }
  auto argument() const {
    if constexpr (std::is_integral_v<T>) return onepass::even_bins(lower_, upper_, count_);
    else return onepass::even_bins(static_cast<double>(lower_), static_cast<double>(upper_), count_);
  }
  std::string text() const {
    return "onepass::even_bins(" + number(lower_) + ", " + number(upper_) + ", " + number(count_) + ")";
  }
  void expect_unchanged() const {}

 private:
  std::int64_t bin_of_float(T x) const {
    const auto lower = static_cast<T>(lower_), upper = static_cast<T>(upper_);
    if (!(lower <= x && x < upper)) return -1;
    const volatile T scale = static_cast<T>(count_) / (upper - lower), above = x - lower, bin = above * scale;
    return std::min(static_cast<std::int64_t>(bin), count_ - 1);
  }

  std::int64_t lower_, upper_, count_;
};

// Edge i is low + i * step and up to a step more, or the type's largest value: some are equal.
template <class Kind>
struct edges_in {
  template <class T>
  class bins {
   public:
    explicit bins(test_case& c) : bins(c, drawn(c)) {}
    std::int64_t count() const { return static_cast<std::int64_t>(edges_.items.size()) - 1; }
    std::int64_t bin_of(T x) const {
      const std::vector<T>& all = edges_.items;
      if (!(x >= all.front() && x < all.back())) return -1;
      return std::upper_bound(all.begin(), all.end(), x) - all.begin() - 1;
    }
    data<T> items(test_case& c, std::int64_t n) const {
      const auto low = static_cast<std::int64_t>(edges_.items.front()),
                 high = static_cast<std::int64_t>(edges_.items.back());
      return items_near<T>(c, n, low, static_cast<std::uint64_t>(high - low));
    }
    auto argument() const {
      return onepass::edge_bins(range_.begin(), range_.begin() + static_cast<std::ptrdiff_t>(count() + 1));
    }
    std::string text() const {
      return "onepass::edge_bins(" + range_.text() + ", " + range_.text() + " + " + number(count() + 1) + ")";
    }
    void expect_unchanged() const { range_.expect_unchanged(); }

   private:
    bins(test_case& c, const data<T>& edges) : edges_(edges), range_(c, "edge", edges_) {}
    static data<T> drawn(test_case& c) {
      const std::int64_t size = 1 + drawn_bins(c), step = c.d.magnitude("step", 100),
                         low = std::is_signed_v<T> ? -9 : 0;
      const std::uint64_t seed = c.d.seed("e_seed");
      constexpr std::int64_t most = sizeof(T) == 1 ? std::numeric_limits<std::int8_t>::max() : std::int64_t{1} << 40;
      const std::string drawn_text = hash_text(seed) + " % " + number(step + 1);
      data<T> edges{{},
                    name_of<T>() + "(std::min<long long>(" + number(low) + " + i * " + number(step) +
                        " + (long long)(" + drawn_text + "), " + number(most) + "))"};
      for (std::int64_t i = 0; i < size; ++i) {
        const auto more =
            static_cast<std::int64_t>(hash(seed, static_cast<std::uint64_t>(i)) % static_cast<std::uint64_t>(step + 1));
        edges.items.push_back(static_cast<T>(std::min(low + i * step + more, most)));
      }
      return edges;
    }
    data<T> edges_;
    range<Kind, T> range_;
  };
};

}  // namespace fuzz
