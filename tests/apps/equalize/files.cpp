// SPDX-License-Identifier: Apache-2.0
// PNG files of all kinds, whole and damaged.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <string>

#include "../../../apps/common/user_error.hpp"
#include "../../../apps/equalize/png_file.hpp"
#include "pictures.hpp"

namespace {

using namespace equalize;
using namespace std::string_literals;

TEST(png_files, hold_all_bits) {
  for (const int channels : {1, 2, 3, 4}) {
    for (const int depth : {8, 16}) {
      const picture what = test::random_picture(1, 37, 11, channels, depth);
      EXPECT_TRUE(parse_png(as_png(what, "out"), "in") == what) << channels << " channels of " << depth;
    }
  }
}

std::vector<std::uint16_t> samples_of(const std::string& png, int channels, int depth) {
  const picture what = parse_png(png, "in");
  EXPECT_EQ(what.channels, channels);
  EXPECT_EQ(what.depth, depth);
  return what.samples;
}

TEST(png_files, of_other_kinds) {
  using values = std::vector<std::uint16_t>;
  EXPECT_EQ(samples_of(test::png_of(2, 1, 16, 0, "\0\x12\x34\xAB\xCD"s), 1, 16), (values{0x1234, 0xABCD}));
  EXPECT_EQ(samples_of(test::png_of(4, 2, 1, 0, "\0\xA0\0\x50"s), 1, 8), (values{255, 0, 255, 0, 0, 255, 0, 255}));
  EXPECT_EQ(samples_of(test::png_of(2, 1, 4, 0, "\0\x1F"s), 1, 8), (values{17, 255}));
  const std::string palette = test::png_chunk("PLTE", "\1\2\3\4\5\6");
  EXPECT_EQ(samples_of(test::png_of(2, 1, 8, 3, "\0\1\0"s, palette), 3, 8), (values{4, 5, 6, 1, 2, 3}));
  EXPECT_EQ(samples_of(test::png_of(2, 1, 8, 3, "\0\1\0"s, palette + test::png_chunk("tRNS", "\7")), 4, 8),
            (values{4, 5, 6, 255, 1, 2, 3, 7}));
  EXPECT_EQ(samples_of(test::png_of(2, 1, 8, 0, "\0\5\6"s, test::png_chunk("tRNS", "\0\6"s)), 2, 8),
            (values{5, 255, 6, 0}));
}

std::string refusal(const std::string& bytes) {
  try {
    parse_png(bytes, "in.png");
  } catch (const apps::user_error& error) {
    return error.what();
  }
  return "";
}

TEST(png_files, broken) {
  EXPECT_EQ(refusal(""), "in.png: is empty");
  EXPECT_EQ(refusal("P5 2 2 255 ...."), "in.png: is no PNG file");
  EXPECT_EQ(refusal("\x89PNG"), "in.png: is no PNG file");
  const std::string whole = as_png(test::random_picture(2, 20, 20, 3, 8), "out");
  for (const std::size_t size : {8U, 20U, 40U, 200U}) {
    EXPECT_EQ(refusal(whole.substr(0, size)), "in.png: is damaged: it ends too early") << size;
  }
  std::string damaged = whole;
  damaged[30] = static_cast<char>(damaged[30] ^ 1);  // of a checksum
  EXPECT_EQ(refusal(damaged).rfind("in.png: is damaged: ", 0), 0U) << refusal(damaged);
  EXPECT_EQ(refusal(test::png_of(2, 0, 8, 0, "")).rfind("in.png: is damaged: ", 0), 0U);
  EXPECT_EQ(refusal(test::png_of(2, 1, 8, 3, "\0\0\0"s)).rfind("in.png: is damaged: ", 0), 0U);  // no palette
  EXPECT_EQ(refusal(test::png_of(2, 3, 8, 0, "\0\1\2"s)).rfind("in.png: is damaged: ", 0), 0U);  // a row of three
}

template <class F>
long kilobytes_taken_by(const F& f) {
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  f();
  getrusage(RUSAGE_SELF, &after);
  return after.ru_maxrss - before.ru_maxrss;
}

// Memory is in proportion to the file.
TEST(png_files, that_promise_too_much) {
  EXPECT_EQ(refusal(test::png_of(100000, 30000, 8, 2, "\0\1\2\3"s)),
            "in.png: promises 100000 x 30000 pixels, more than it can hold");
  const auto expect_little = [](const std::string& bytes, const std::string& why) {
    EXPECT_LT(kilobytes_taken_by([&] { EXPECT_EQ(refusal(bytes).rfind(why, 0), 0U) << refusal(bytes); }), 100000);
  };
  expect_little(test::png_of(1000000000, 1, 8, 2, "\0\1\2\3"s),  // one row, of 3 GB
                "in.png: promises 1000000000 x 1 pixels, more than it can hold");
  std::string text = test::png_chunk("tEXt", "Title\0of a picture"s);
  text[0] = '\x70';  // the first byte of its size: 1.9 GB
  expect_little(test::png_of(2, 1, 8, 0, "\0\5\6"s, text), "in.png: is damaged: ");
  EXPECT_EQ(refusal(test::png_of(1000000, 1000000, 16, 6, "\0"s)), "in.png: has more than 4,000,000,000 pixels");
}

}  // namespace
