// SPDX-License-Identifier: Apache-2.0
// What the items of a call are, by rules that give an item from its place: so that fewer items are the first of more, and a
// program can make them again.
#pragma once

#include "values.hpp"

namespace fuzz {

template <class T>
struct data {
  std::vector<T> items;
  std::string formula;  // of x[i], or of statements that make it
};

inline std::string number(std::int64_t value) { return std::to_string(value); }
// What programs call hash().
inline std::string hash_text(std::uint64_t seed) { return "h(" + std::to_string(seed) + ", i)"; }

// ---- flags: a share of them set, which may change from block to block; or evenly ------------------------------------------
class flag_rule {
 public:
  // `name` has a letter for the choices' names.
  flag_rule(dice& d, const std::string& name) {
    kind_ = d.below((name + "kind").c_str(), 6);
    seed_ = d.seed((name + "seed").c_str());
    period_ = 1 + d.magnitude((name + "period").c_str(), 100000);
    block_ = 1 + d.magnitude((name + "block").c_str(), 100000);
    inverted_ = d.one_in((name + "inverted").c_str(), 3);
  }
  bool operator()(std::int64_t i) const { return plain(i) != inverted_; }
  std::string text() const {
    const std::string p = number(period_);
    const std::string kinds[] = {
        "false",
        "i % " + p + " == 0",
        hash_text(seed_) + " % " + p + " == 0",
        hash_text(seed_) + " % (1 << h(" + number(seed_) + " + 1, i / " + number(block_) + ") % 18) == 0",
        "i % 64 % " + number(1 + period_ % 70) + " == 0",
        "i % " + p + " >= " + p + " / 2 && h(" + number(seed_) + ", i) % 8 == 0"};
    return (inverted_ ? "!(" : "(") + kinds[kind_] + ")";
  }

 private:
  bool plain(std::int64_t i) const {
    const auto place = static_cast<std::uint64_t>(i);
    switch (kind_) {
      case 0: return false;
      case 1: return i % period_ == 0;
      case 2: return hash(seed_, place) % static_cast<std::uint64_t>(period_) == 0;
      case 3: {  // runs of 1 to 2^17 on average, by turns
        const std::uint64_t block = place / static_cast<std::uint64_t>(block_);
        return hash(seed_, place) % (std::uint64_t{1} << (hash(seed_ + 1, block) % 18)) == 0;
      }
      case 4: return i % 64 % (1 + period_ % 70) == 0;                            // so many in each group of 64
      default: return i % period_ >= period_ / 2 && hash(seed_, place) % 8 == 0;  // none, then many
    }
  }

  std::int64_t kind_, period_, block_;
  std::uint64_t seed_;
  bool inverted_;
};

template <class F>
data<F> flags_of(const flag_rule& rule, std::int64_t n) {
  data<F> flags{std::vector<F>(static_cast<std::size_t>(n)), rule.text()};
  for (std::int64_t i = 0; i < n; ++i) flags.items[static_cast<std::size_t>(i)] = static_cast<F>(rule(i));
  return flags;
}

// ---- values -------------------------------------------------------------------------------------------------------------
// low + what a kind gives in [0, range), or any 64 bits; for compaction the lowest bit is a flag.
class value_rule {
 public:
  value_rule(dice& d, const std::string& name, std::int64_t low, std::uint64_t range) : low_(low), range_(range) {
    kind_ = d.below((name + "values").c_str(), 3);
    seed_ = d.seed((name + "seed").c_str());
  }
  std::uint64_t operator()(std::int64_t i) const {
    const auto place = static_cast<std::uint64_t>(i);
    const std::uint64_t drawn = kind_ == 0   ? 1 - static_cast<std::uint64_t>(low_)
                                : kind_ == 1 ? place
                                             : hash(seed_, place);
    return static_cast<std::uint64_t>(low_) + (range_ == 0 || kind_ == 0 ? drawn : drawn % range_);
  }
  std::string text() const {
    if (kind_ == 0) return "1ll";
    const std::string drawn = kind_ == 1 ? "i" : hash_text(seed_);
    return range_ == 0 ? "(long long)(" + drawn + ")"
                       : number(low_) + " + (long long)(" + drawn + " % " + std::to_string(range_) + "ull)";
  }

 private:
  std::int64_t low_, kind_;
  std::uint64_t range_, seed_;
};

template <class T>
T value_of_bits(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, bool>) return (bits & 1) != 0;
  else if constexpr (tells_itself<T>) return T::made(bits);
  else if constexpr (std::is_same_v<T, uint128>) return wide_of_bits(bits);
  else if constexpr (is_zipped<T>)
    return T(static_cast<std::int64_t>(bits), 0.5 * static_cast<double>(static_cast<std::int64_t>(bits)));
  else if constexpr (std::is_floating_point_v<T>) return static_cast<T>(static_cast<std::int64_t>(bits));
  else return item_of<T>(bits);
}
template <class T>
std::string made(const std::string& bits) {
  if constexpr (std::is_same_v<T, bool>) return "(" + bits + ") & 1";
  else if constexpr (is_zipped<T>) return made<std::int64_t>(bits);
  else if constexpr (is_struct<T> || tells_itself<T>) return "make(" + bits + ")";
  else if constexpr (std::is_same_v<T, uint128>) return "wide(" + bits + ")";
  else return name_of<T>() + "(" + bits + ")";
}

// The range in which all that is done with the items is exact and defined: sums neither overflow nor are rounded.
template <class T>
value_rule rule_for(dice& d, const std::string& name, domain of) {
  constexpr bool wraps = is_struct<T> || is_word<T> || (std::is_unsigned_v<T> && sizeof(T) != 2) || sizeof(T) == 1;
  if constexpr (std::is_floating_point_v<T>) {
    if (of == domain::any) return {d, name, -(1 << 20), 1 << 21};
  }
  if (of == domain::any || (wraps && !std::is_floating_point_v<T>)) return {d, name, 0, 0};
  if (of == domain::ones) return {d, name, 1, 1};
  if constexpr (std::is_unsigned_v<T>) return {d, name, 0, 7};
  else if constexpr (sizeof(T) == 8 && std::is_integral_v<T>)
    return {d, name, -(std::int64_t{1} << 40), std::uint64_t{1} << 41};
  else return {d, name, -3, 7};
}
template <class T>
data<T> values_for(dice& d, const std::string& name, std::int64_t n, domain of) {
  const value_rule rule = rule_for<T>(d, name, of);
  data<T> values{std::vector<T>(static_cast<std::size_t>(n)), made<T>(rule.text())};
  for (std::int64_t i = 0; i < n; ++i) values.items[static_cast<std::size_t>(i)] = value_of_bits<T>(rule(i));
  return values;
}
// Items whose lowest bit is a flag of a rule: odd ones have it.
template <class T>
data<T> odd_by(dice& d, const std::string& name, std::int64_t n) {
  const flag_rule odd(d, name);
  const value_rule rest(d, name, 0, std::uint64_t{1} << 20);
  data<T> values{std::vector<T>(static_cast<std::size_t>(n)), made<T>("(" + rest.text() + ") * 2 + " + odd.text())};
  for (std::int64_t i = 0; i < n; ++i)
    values.items[static_cast<std::size_t>(i)] = value_of_bits<T>(rest(i) * 2 + odd(i));
  return values;
}

struct is_odd {
  template <class T>
  ONEPASS_HOST_DEVICE bool operator()(const T& x) const {
    if constexpr (is_struct<T>) return (x.a & 1) != 0;
    else if constexpr (is_word<T>) return (x.a.back() & 1) != 0;  // of digits
    else if constexpr (is_zipped<T>) return (thrust::get<0>(x) & 1) != 0;
    else return (static_cast<long long>(x) & 1) != 0;
  }
  static constexpr const char* text =
      "struct is_odd { template <class T> HD bool operator()(const T& x) const { return ";
  template <class T>
  static std::string definition() {
    return text +
           std::string(is_struct<T>   ? "x.a & 1"
                       : is_word<T>   ? "x.a.back() & 1"
                       : is_zipped<T> ? "thrust::get<0>(x) & 1"
                                      : "(long long)(x) & 1") +
           "; } };\n";
  }
};

// ---- keys: a new one where a rule says so, and the same ones again later ---------------------------------------------------
// With `tens` equal keys have equal tens, and any ones.
template <class K>
data<K> keys_for(const flag_rule& heads, std::int64_t n, bool tens = false) {
  data<K> keys{std::vector<K>(static_cast<std::size_t>(n)), ""};
  std::uint64_t rank = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    rank += i > 0 && heads(i);
    const std::uint64_t bits = tens ? rank % 12 * 10 + static_cast<std::uint64_t>(i % 7) : rank % 127;
    keys.items[static_cast<std::size_t>(i)] = value_of_bits<K>(bits);
  }
  keys.formula =
      "(rank += i > 0 && " + heads.text() + ", " + made<K>(tens ? "rank % 12 * 10 + i % 7" : "rank % 127") + ")";
  return keys;
}

}  // namespace fuzz
