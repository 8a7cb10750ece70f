// SPDX-License-Identifier: Apache-2.0
// Function objects that throw where they meet one item, on the CPU alone: what they throw reaches the caller, what the call
// promises to keep is kept, and the same call works afterwards.
#pragma once

#include "ranges.hpp"

namespace fuzz {

constexpr std::int64_t refused = -77;
struct refusal : std::runtime_error {
  refusal() : std::runtime_error("refused") {}
};

template <class T>
T refused_item() {
  return value_of_bits<T>(static_cast<std::uint64_t>(refused));
}
// Of an item of several fields, the first one is refused.
template <class T>
bool is_refused(const T& x) {
  if constexpr (is_struct<T> || tells_itself<T>) return x.a == refused_item<T>().a;
  else return x == refused_item<T>();
}
// Makes item `at` the only one that is refused; if it is not there, none is.
template <class T>
void refuse(data<T>& items, std::int64_t at) {
  for (T& x : items.items)
    if (is_refused(x)) x = value_of_bits<T>(1);
  if (at < static_cast<std::int64_t>(items.items.size())) items.items[static_cast<std::size_t>(at)] = refused_item<T>();
}
// F, which throws where it meets the refused item, if it `refuses`.
template <class F>
struct refusing {
  bool refuses;
  template <class... T>
  auto operator()(const T&... x) const {
    if (refuses && (is_refused(x) || ...)) throw refusal();
    return F()(x...);
  }
};
inline std::string refusing_text(const std::string& name) {
  return name + ", which throws where it meets " + number(refused);
}

// call(refuses) reaches the refused item, or does not; what `kept` checks is kept when it has thrown. Then the call is made
// again, and nothing is refused.
template <class Call, class Kept>
void expect_refusal(bool throws, const Call& call, const Kept& kept) {
  bool thrown = false;
  try {
    call(true);
  } catch (const refusal&) {
    thrown = true;
  }
  if (thrown != throws) {
    throw difference(throws ? "what the functor throws does not reach the caller" : "it meets an item that it has not");
  }
  kept();
  call(false);
}

// After a compaction in place has thrown: all items that it keeps are there, in their order.
template <class T>
void expect_all_kept(const std::vector<T>& now, const std::vector<T>& kept) {
  std::size_t found = 0;
  for (const T& item : now)
    if (found < kept.size() && same_item(item, kept[found])) ++found;
  if (found < kept.size()) throw difference("item " + text_of(kept[found]) + " is lost");
}

}  // namespace fuzz
