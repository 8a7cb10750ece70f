// SPDX-License-Identifier: Apache-2.0
// One case: its choices, its memory, and the program that would make the call by itself.
#pragma once

#include <atomic>
#include <cmath>
#include <functional>
#include <vector>

#include "data.hpp"
#include "memory.hpp"

namespace fuzz {

using texts = std::vector<std::string>;

constexpr std::size_t most_literal_items = 24;  // of an array in a program

class test_case {
 public:
  // `told`: where the program stands before the call is made, as it may not come back; may be null.
  test_case(dice& d, char* told, std::size_t room) : d(d), told_(told), room_(room) {
    if (on_device) device_slab::clear();
  }
  test_case(const test_case&) = delete;
  test_case& operator=(const test_case&) = delete;

  dice& d;
  std::int64_t calls = 0;

  // ---- memory
  const block& memory(const std::string& name, std::size_t bytes, std::size_t shift = 0) {
    blocks_.push_back(std::make_unique<block>(name, bytes, shift));
    return *blocks_.back();
  }
  void check_guards() const {
    for (const auto& b : blocks_) b->check_guards();
  }

  // ---- the program
  void define(const std::string& text) {
    if (!text.empty() && program_.find(text) == std::string::npos) program_ = text + program_;
  }
  void line(const std::string& text) { lines_ += "  " + text + "\n"; }
  template <class T>
  void define_type() {
    define(definition_of<T>() + make_text<T>());
  }
  // `static T name[n]`, with items or without. `shift`: how many alignments of T behind an aligned address it begins.
  template <class T>
  void declare(const std::string& name, const data<T>& of, std::size_t shift) {
    define_type<T>();
    const std::size_t n = of.items.size();
    std::string text = "static " + name_of<T>() + " " + name + (shift > 0 ? "_room" : "") + "[" +
                       std::to_string(std::max<std::size_t>(n, 1) + shift) + "]";
    const bool literal = (n <= most_literal_items || of.formula[0] == '/') && !of.formula.empty() && shift == 0 &&
                         std::all_of(of.items.begin(), of.items.end(), [](const T& x) { return is_literal(x); });
    if (literal) {
      text += " = {";
      for (std::size_t i = 0; i < n; ++i) text += (i > 0 ? ", " : "") + text_of(static_cast<T>(of.items[i]));
      text += "}";
    }
    if (shift > 0) text += ", *const " + name + " = " + behind<T>(name + "_room", shift);
    line(text + ";");
    if (!literal && !of.formula.empty()) {
      const bool ranks = of.formula.find("rank") != std::string::npos;
      line(std::string("for (long long i = 0") + (ranks ? ", rank = 0" : "") + "; i < " + std::to_string(n) +
           "; ++i) " + name + "[i] = " + of.formula + ";");
    }
  }
  // The call itself.
  void says(const std::string& name, const texts& arguments) {
    std::string text = "onepass::" + name + "(" + policy_text;
    bool first = policy_text.empty();
    for (const std::string& a : arguments) text += (first ? "" : ", ") + a, first = false;
    line(text + ");");
    name_ = name;
    if (told_ != nullptr) std::snprintf(told_, room_, "%s", program("does not come back").c_str());
  }
  const std::string& call_name() const { return name_; }
  std::string program(const std::string& what) const {
    const std::string body = program_ + "int main() {\n" + lines_ + "}  // " + what + "\n";
    const auto uses = [&](const char* word) { return body.find(word) != std::string::npos; };
    std::string text = "#include <onepass/onepass.hpp>\n";
    for (const char* word : {"constant_iterator", "counting_iterator", "permutation_iterator"})
      if (uses(word)) text += std::string("#include <thrust/iterator/") + word + ".h>\n";
    if (policy_text.find("thrust::") == 0) text += "#include <thrust/execution_policy.h>\n";
    for (const char* system : {"omp", "tbb"})
      if (policy_text == std::string("thrust::") + system + "::par")
        text += std::string("#include <thrust/system/") + system + "/execution_policy.h>\n";
    if (uses("device_vector")) text += "#include <thrust/device_vector.h>\n";
    if (uses("std::deque")) text += "#include <deque>\n";
    text += std::string("#include <cstring>\n#define HD ") + (on_device ? "__host__ __device__" : "") +
            "\nusing u64 = std::uint64_t;\n";
    if (uses("h(")) {
      text +=
          "u64 h(u64 s, u64 i) {\n"
          "  u64 z = (s + 1) * 0xD1B54A32D192ED03ull + (i + 1) * 0x9E3779B97F4A7C15ull;\n"
          "  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull, z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;\n"
          "  return z ^ (z >> 31);\n}\n";
    }
    return text + body;
  }
  std::string policy_text;

 private:
  template <class T>
  static std::string behind(const std::string& room, std::size_t shift) {
    if (alignof(T) == sizeof(T)) return room + " + " + std::to_string(shift);
    return "reinterpret_cast<" + name_of<T>() + "*>(reinterpret_cast<char*>(" + room + ") + " +
           std::to_string(shift * alignof(T)) + ")";
  }

  // A float may have no literal.
  template <class T>
  static bool is_literal(const T& item) {
    if constexpr (std::is_floating_point_v<T>) return std::isfinite(item);
    else return true;
  }

  template <class T>
  static std::string make_text() {
    if constexpr (is_struct<T>) {
      const char* const bodies[] = {"{U(v | 1), U(v >> 7)}", "{U(v | 1), U(v >> 7), U(v >> 14 | 1)}",
                                    "{U(1 + U(v >> 7) * U(v >> 14)), U(v >> 7), U(v >> 14), U(1)}"};
      return name_of<T>() + " make(u64 v) { return " + bodies[T::fields - 2] + "; }\n";
    } else {
      return "";
    }
  }

  char* told_;
  std::size_t room_;
  std::vector<std::unique_ptr<block>> blocks_;
  std::string program_, lines_, name_;
};

// ---- families -------------------------------------------------------------------------------------------------------------
struct shape {
  const char* name;
  void (*run)(test_case&);
};
struct family {
  const char* name;
  const std::vector<shape>& (*shapes)();  // the simplest first
};

}  // namespace fuzz
