// SPDX-License-Identifier: Apache-2.0
// What the program writes, byte by byte beside std::stable_sort; and how it ends where files are broken. The ranks are from 1
// to 5 threads; or, where the environment has ONEPASS_LAUNCH ("mpirun -n 4") and ONEPASS_RANKS, that many processes
// (CMakeLists.txt in this folder).
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "../../../apps/common/backend.hpp"
#include "../common/program.hpp"

namespace {

using test::outcome;

template <class Key>
int level_of(Key key) {  // of NaNs: they are below and above all numbers
  if constexpr (std::is_floating_point_v<Key>) {
    if (std::isnan(key)) return std::signbit(key) ? -1 : 1;
  }
  return 0;
}

template <class Key>
bool is_before(Key a, Key b) {
  return level_of(a) != level_of(b) ? level_of(a) < level_of(b) : a < b;
}

template <class T>
std::string bytes_of(const std::vector<T>& items) {
  return {reinterpret_cast<const char*>(items.data()), items.size() * sizeof(T)};
}

// Random bits, a few keys again and again, both zeros, the extremes.
template <class Key>
std::vector<Key> mixed_keys(std::size_t n) {
  std::mt19937_64 random(n);
  std::vector<Key> keys(n);
  for (Key& key : keys) {
    const std::uint64_t bits = random();
    if (bits % 3 == 0) std::memcpy(&key, &(static_cast<const std::uint64_t&>(bits)), sizeof key);
    else if (bits % 3 == 1) key = static_cast<Key>(bits >> 60);
    else key = static_cast<Key>(-0.0), key = bits % 2 == 0 ? key : std::numeric_limits<Key>::lowest();
    if (level_of(key) != 0) key = std::copysign(std::numeric_limits<double>::quiet_NaN(), std::signbit(key) ? -1 : 1);
  }
  return keys;
}

class distributed_sort_files : public test::app_program {
 protected:
  distributed_sort_files() : app_program("distributed_sort") {
    const char* const launch = getenv("ONEPASS_LAUNCH");
    if (launch == nullptr) {
      ranks_ = {1, 2, 3, 4, 5};
      return;
    }
    launcher_ = std::string(launch) + " ";
    ranks_ = {std::atoi(getenv("ONEPASS_RANKS"))};
  }
  // By so many ranks, on `backend`.
  outcome run_on(int ranks, const std::string& arguments, const std::string& backend = "cpu") const {
    return run((launcher_.empty() ? "--ranks " + std::to_string(ranks) + " " : "") + "--backend " + backend +
               " --repeat 1 " + arguments);
  }

  // Sorts a file of these keys in all ways, and compares what is written.
  template <class Key>
  void expect_sorted(const std::vector<Key>& keys, const std::string& type, const std::string& options,
                     const std::string& backend = "cpu") {
    write("in.bin", bytes_of(keys));
    const bool descending = options.find("--descending") != std::string::npos;
    std::vector<std::uint64_t> indices(keys.size());
    std::iota(indices.begin(), indices.end(), 0);
    std::stable_sort(indices.begin(), indices.end(), [&](std::uint64_t a, std::uint64_t b) {
      return descending ? is_before(keys[b], keys[a]) : is_before(keys[a], keys[b]);
    });
    std::vector<Key> sorted;
    for (const std::uint64_t i : indices) sorted.push_back(keys[i]);
    for (const int ranks : ranks_) {
      for (const char* values : {"", " --values-out indices.bin"}) {
        if (values[0] == 0 && !launcher_.empty()) continue;  // half a second to start
        const std::string line = "in.bin --type " + type + " --out keys.bin " + options + values;
        const outcome got = run_on(ranks, line, backend);
        EXPECT_EQ(got.status, 0) << ranks << " ranks: " << line << "\n" << got.errors << got.out;
        EXPECT_EQ(got.errors, "");
        EXPECT_EQ(got.out.find("NO"), std::string::npos) << got.out;
        EXPECT_NE(got.out.find("one rank gets the same: yes"), std::string::npos) << got.out;
        EXPECT_TRUE(text_of(folder_ / "keys.bin") == bytes_of(sorted)) << ranks << " ranks: " << line;
      }
      EXPECT_TRUE(text_of(folder_ / "indices.bin") == bytes_of(indices)) << ranks << " ranks: " << type << options;
    }
  }

  std::vector<int> ranks_;
};

TEST_F(distributed_sort_files, types_cpu) {
  expect_sorted(mixed_keys<std::uint32_t>(3001), "u32", "");
  expect_sorted(mixed_keys<std::uint64_t>(3002), "u64", "");
  expect_sorted(mixed_keys<std::int32_t>(3003), "i32", "");
  expect_sorted(mixed_keys<std::int64_t>(3004), "i64", "");
  expect_sorted(mixed_keys<float>(3005), "f32", "");
  expect_sorted(mixed_keys<double>(3006), "f64", "--descending");
}

TEST_F(distributed_sort_files, shares_and_orders_cpu) {
  for (const char* options : {"--shares even --descending", "--shares loose", "--shares given --threads 2"}) {
    expect_sorted(mixed_keys<std::int32_t>(20000), "i32", options);
  }
}

TEST_F(distributed_sort_files, uneven_keys_cpu) {
  expect_sorted(std::vector<std::uint64_t>(777, 5), "u64", "");
  std::vector<float> falling(1001);
  for (std::size_t i = 0; i < falling.size(); ++i) falling[i] = -static_cast<float>(i);
  expect_sorted(falling, "f32", "--shares loose");
}

TEST_F(distributed_sort_files, fewer_keys_than_ranks_cpu) {
  expect_sorted(std::vector<std::uint32_t>{}, "u32", "");
  expect_sorted(std::vector<std::uint32_t>{7}, "u32", "--shares even");
  expect_sorted(std::vector<double>{1, -1}, "f64", "--shares loose");
}

// Keys of one rank, made by the program itself, and of several.
TEST_F(distributed_sort_files, generated_keys_cpu) {
  for (const char* kind : {"uniform", "zipf", "equal", "sorted", "few"}) {
    const std::string line = std::string("--generate 4001 --type f32 --seed 7 --distribution ") + kind;
    const std::string launcher = launcher_;
    launcher_.clear();
    EXPECT_EQ(run(line + " --backend cpu --out one.bin --values-out one_indices.bin").status, 0);
    EXPECT_EQ(text_of(folder_ / "one.bin").size(), 4U * 4001U);
    launcher_ = launcher;
    for (const int ranks : ranks_) {
      EXPECT_EQ(run_on(ranks, line + " --out some.bin --values-out some_indices.bin").status, 0);
      EXPECT_TRUE(text_of(folder_ / "some.bin") == text_of(folder_ / "one.bin")) << kind << " on " << ranks;
      EXPECT_TRUE(text_of(folder_ / "some_indices.bin") == text_of(folder_ / "one_indices.bin")) << kind;
    }
  }
}

// All ranks end with status 2, one of them says why, and nothing is left behind.
TEST_F(distributed_sort_files, what_the_user_can_mend_cpu) {
  write("in.bin", std::string(4000, 'x'));
  write("odd.bin", std::string(4001, 'x'));
  write("before.bin", "as it was");
  std::filesystem::create_directory(folder_ / "folder");
  ASSERT_TRUE(make_device("full", 7));
  const std::pair<const char*, const char*> cases[] = {
      {"missing.bin", "missing.bin: can't be opened: No such file or directory"},
      {"odd.bin --out before.bin", "odd.bin: has 4001 bytes, which is no whole number of keys of type u32"},
      {"in.bin --type f64 --values-out in.bin", "--values-out: in.bin would overwrite in.bin"},
      {"folder", "folder: is a folder"},
      {"full", "full: is no regular file"},
      {"in.bin --out missing/x", "missing/x: can't be written: No such file or directory"},
      {"in.bin --out folder", "folder: can't be written: Is a directory"},
      {"in.bin --out full", "full: can't be written: is no regular file"},
      {"in.bin --out before.bin --values-out missing/x", "missing/x: can't be written"},
      {"in.bin --out before.bin --shares uneven", "--shares: uneven is none of even, given, loose"}};
  for (const auto& [line, text] : cases) {
    const std::size_t before = files_in_folder();
    for (const int ranks : ranks_) {
      const outcome got = run_on(ranks, line);
      EXPECT_EQ(got.out, "") << line;
      expect_one_line(got, line, text);
    }
    EXPECT_LE(files_in_folder(), before + 2) << line;  // what the shell has made
    EXPECT_EQ(text_of(folder_ / "before.bin"), "as it was") << line;
  }
  if (!launcher_.empty()) expect_one_line(run("--ranks 77 in.bin"), "--ranks 77", "--ranks: is for one process");
}

TEST_F(distributed_sort_files, types_gpu) {
  if (!apps::why_no_cuda().empty()) GTEST_SKIP() << apps::why_no_cuda();
  if (!launcher_.empty()) GTEST_SKIP() << "processes need a GPU each";
  expect_sorted(mixed_keys<std::uint32_t>(300001), "u32", "", "cuda");
  expect_sorted(mixed_keys<std::int64_t>(3004), "i64", "--shares loose", "cuda");
  expect_sorted(mixed_keys<float>(3005), "f32", "--descending --shares even", "cuda");
}

}  // namespace
