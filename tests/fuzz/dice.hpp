// SPDX-License-Identifier: Apache-2.0
// What a case is made of: choices, each with a name and a number, 0 being the simplest. They come from a seed and the case's
// number, or are given, to see the case again or a simpler one like it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "../support/random.hpp"

namespace fuzz {

using test::hash;

struct choice {
  std::string name;
  std::int64_t value;
};
using choices = std::vector<choice>;

// "n=5 form=1"
inline std::string text_of(const choices& all) {
  std::string text;
  for (const choice& c : all) text += (text.empty() ? "" : " ") + c.name + "=" + std::to_string(c.value);
  return text;
}
inline choices choices_of(const std::string& text) {
  choices all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t equals = text.find('=', at), end = std::min(text.find(' ', at), text.size());
    if (equals >= end) break;
    all.push_back({text.substr(at, equals - at), std::stoll(text.substr(equals + 1, end - equals - 1))});
    at = end + 1;
  }
  return all;
}

class dice {
 public:
  // `notes`: memory of so many bytes where the text of all choices stands as soon as they are made, for who looks on.
  dice(std::uint64_t seed, std::uint64_t number, char* notes, std::size_t room)
      : seed_(hash(seed, number)), notes_(notes), room_(room) {
    *notes_ = 0;
  }
  dice(const choices& given, char* notes, std::size_t room) : dice(0, 0, notes, room) {
    given_ = given, replays_ = true;
  }

  // A number in [0, end).
  std::int64_t below(const char* name, std::int64_t end) {
    return choose(name, end - 1, [&] { return random(end); });
  }
  bool coin(const char* name) { return below(name, 2) == 1; }
  bool one_in(const char* name, std::int64_t n) {
    return choose(name, 1, [&] { return random(n) == 0; }) == 1;
  }
  // A number in [0, most], small ones as likely as large ones.
  std::int64_t magnitude(const char* name, std::int64_t most) {
    return choose(name, most, [&] { return some_magnitude(most); });
  }
  std::uint64_t seed(const char* name) { return static_cast<std::uint64_t>(below(name, 1000000)); }

  // How many items of so many bytes: at the edges of what code looks at at once (4, 16, 64 items; tiles of 128 KB; 4 MB, from
  // which on results are streamed; powers of two; a kernel's tiles), or any.
  std::int64_t size(const char* name, std::size_t item_bytes, std::int64_t limit = 1500000) {
    const auto bytes = static_cast<std::int64_t>(item_bytes);
    const std::int64_t most = std::min<std::int64_t>(limit, (std::int64_t{24} << 20) / bytes);
    return choose(name, most, [&]() -> std::int64_t {
      const std::int64_t tile = (1 << 17) / bytes, near = random(5) - 2;
      switch (random(40)) {
        case 0: return random(4);
        case 1:
        case 2:
        case 3:
        case 4: return random(200);
        case 5:
        case 6:
        case 7: return 64 * (1 + random(64)) + near;
        case 8:
        case 9: return tile * (1 + random(4)) + near;
        case 10: return tile * (1 + random(16)) + near;
        case 11: return (4 << 20) / bytes + near * (1 + random(40));
        case 12:
        case 13: return (std::int64_t{1} << random(18)) + near;
        case 14: return 128 * (1 + random(400)) + near;
        case 15: return some_magnitude(most);
        case 16: return tile + near;
        default: return some_magnitude(20000);
      }
    });
  }

  template <class Draw>
  std::int64_t choose(const char* name, std::int64_t most, Draw draw) {
    std::int64_t value = 0;
    if (replays_) {
      const auto given = std::find_if(given_.begin(), given_.end(), [&](const choice& c) { return c.name == name; });
      if (given != given_.end()) value = given->value;
    } else {
      value = draw();
    }
    value = std::max<std::int64_t>(0, std::min(value, most));
    const std::size_t used = std::strlen(notes_);
    std::snprintf(notes_ + used, room_ - used, "%s%s=%lld", used > 0 ? " " : "", name, static_cast<long long>(value));
    return value;
  }

 private:
  std::int64_t random(std::int64_t end) {
    return static_cast<std::int64_t>(hash(seed_, drawn_++) % static_cast<std::uint64_t>(end));
  }
  std::int64_t some_magnitude(std::int64_t most) {
    int bits = 0;
    while (bits < 62 && (most >> bits) > 0) ++bits;
    return std::min(most, random(std::int64_t{1} << random(bits + 1)));
  }

  std::uint64_t seed_, drawn_ = 0;
  char* notes_;
  std::size_t room_;
  choices given_;
  bool replays_ = false;
};

}  // namespace fuzz
