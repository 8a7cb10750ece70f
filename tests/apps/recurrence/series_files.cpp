// SPDX-License-Identifier: Apache-2.0
// CSV and WAV files, read and written, good and broken.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "../../../apps/common/user_error.hpp"
#include "../../../apps/common/whole_file.hpp"
#include "../../../apps/recurrence/series.hpp"
#include "../common/files.hpp"
#include "wav_bytes.hpp"

namespace {

using namespace recurrence;
using values = std::vector<double>;

class wav_files : public test::own_folder {};
class csv_files : public test::own_folder {};

series read_csv(const std::string& file, const std::string& column) {
  return parse_csv(apps::read_whole(file), file, column);
}
series read_wav(const std::string& file, int channel) { return parse_wav(apps::read_whole(file), file, channel); }

values column_of(const std::string& text, const std::string& column) { return parse_csv(text, "a.csv", column).values; }

TEST(csv, columns_by_name_and_number) {
  const std::string text = "time, speed ,\"price, net\"\n0,1.5,-2\n1,+2.5e1,3\n";
  EXPECT_EQ(column_of(text, "time"), (values{0, 1}));
  EXPECT_EQ(column_of(text, "speed"), (values{1.5, 25}));
  EXPECT_EQ(column_of(text, "price, net"), (values{-2, 3}));
  EXPECT_EQ(column_of(text, "3"), (values{-2, 3}));
  EXPECT_EQ(parse_csv(text, "a.csv", "2").name, "column speed");
  EXPECT_EQ(column_of("2,1\n5,6\n7,8\n", "2"), (values{1, 6, 8}));  // numbers aren't names
}

TEST(csv, without_names) {
  EXPECT_EQ(column_of("1\n2\n3", ""), (values{1, 2, 3}));
  EXPECT_EQ(column_of("x\n2\n3", ""), (values{2, 3}));
  EXPECT_EQ(column_of("a,1\nb,2\n", "2"), (values{1, 2}));
  EXPECT_EQ(parse_csv("a,1\nb,2\n", "a.csv", "2").name, "column 2");
}

TEST(csv, quotes_line_ends_and_empty_lines) {
  EXPECT_EQ(
      column_of("\xEF\xBB\xBFv,text\r\n 1 ,\"a,b\"\r\n\"2\",\"say \"\"x\"\"\"\r\n\r\n3,\"two\nlines\"\r4,\n\n", "v"),
      (values{1, 2, 3, 4}));
  EXPECT_EQ(column_of("a,v\n\"\",1\n,2\n", "v"), (values{1, 2}));
}

void expect_csv_error(const std::string& text, const std::string& column, const std::string& part) {
  std::string got;
  try {
    parse_csv(text, "broken.csv", column);
  } catch (const apps::user_error& error) {
    got = error.what();
  }
  EXPECT_NE(got.find("broken.csv"), std::string::npos) << "'" << got << "'";
  EXPECT_NE(got.find(part), std::string::npos) << "'" << got << "' lacks '" << part << "'";
  EXPECT_EQ(got.find('\n'), std::string::npos) << got;
}

TEST(csv, errors_name_the_line) {
  expect_csv_error("v\n1\nx\n", "v", "line 3: \"x\" in column 1 is no number");
  expect_csv_error("v\n1\n2 3\n", "v", "line 3: \"2 3\"");
  expect_csv_error("a,v\n1,\n", "v", "line 2: \"\" in column 2 is no number");
  expect_csv_error("v\n1\n\n\nnan\n", "v", "line 5: \"nan\" in column 1 is not a finite number");
  expect_csv_error("v\n1e999\n", "v", "line 2: \"1e999\" in column 1 is not a finite number");
  expect_csv_error("inf\n1\n", "", "line 1: \"inf\" in column 1 is not a finite number");
  expect_csv_error("a,v\n\"x\ny\",1\n2\n", "v", "line 4: 1 fields, where the first row has 2");
  expect_csv_error("a,v\n1,2,3\n", "v", "line 2: 3 fields");
  expect_csv_error("a,v\n1,2\n\"open,3\n4,5\n", "v", "line 3: the file ends inside quotes");
  expect_csv_error("a,v\n\"1\"x,2\n", "v", "line 2: text behind a closing quote");
  expect_csv_error("v,v\n1,2\n", "v", "line 1: two columns are named v");
  expect_csv_error("a,b\n1,2\n", "", "several columns, pick one with --column: a, b");
  for (const char* column : {"c", "0", "3", "1.5", "-1"}) expect_csv_error("a,b\n1,2\n", column, "has no column");
  expect_csv_error("", "", "is empty");
  expect_csv_error("\n\r\n", "", "is empty");
  expect_csv_error("v\n", "v", "holds no values");
}

// Damage of any kind ends in an error or in numbers, never in a crash.
TEST(csv, damaged_files) {
  const std::string whole = "a,\"v\"\r\n1,2.5\n\"x,\"\"y\",-3e2\n7,8\n";
  std::mt19937 random(3);
  int refused = 0, read = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = whole;
    for (int changes = 1 + i % 3; changes > 0; --changes)
      text[random() % text.size()] = static_cast<char>(random() % 256);
    if (i % 5 == 0) text.resize(random() % text.size());
    try {
      EXPECT_FALSE(column_of(text, "2").empty());
      ++read;
    } catch (const apps::user_error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(read, 100);
}

TEST_F(csv_files, written_numbers_come_back_as_they_were) {
  const values input{1, 2, 3}, output{0.1, -1.0 / 3, 1e-300};
  const std::string file = (folder_ / "b.csv").string();
  write_csv(file, "price \"net\"", input, output);
  EXPECT_EQ(read_csv(file, "filtered").values, output);
  EXPECT_EQ(read_csv(file, "1").values, input);
  EXPECT_EQ(read_csv(file, "1").name, "column price \"net\"");
  EXPECT_EQ(files_in_folder(), 1U);
  EXPECT_THROW(write_csv((folder_ / "missing" / "b.csv").string(), "x", input, output), apps::user_error);
  EXPECT_THROW(read_csv((folder_ / "missing.csv").string(), ""), apps::user_error);
}

TEST_F(wav_files, every_width_and_channel) {
  const values both{0, 0.5, -1, 0.25, 0.125, -0.5};  // left and right
  for (const int bits : {16, 24, 32, 0}) {
    const std::string file = write("a.wav", test::wav_bytes(both, bits, 2, 8000));
    EXPECT_EQ(read_wav(file, 1).values, (values{0, -1, 0.125})) << bits;
    const series right = read_wav(file, 2);
    EXPECT_EQ(right.values, (values{0.5, 0.25, -0.5})) << bits;
    EXPECT_EQ(right.rate, 8000);
    EXPECT_EQ(right.name, "channel 2");
  }
}

TEST_F(wav_files, longer_than_a_block) {
  values ramp;
  for (int i = 0; i < 200001; ++i) ramp.push_back(std::ldexp(i % 65536 - 32768, -15));
  EXPECT_EQ(read_wav(write("a.wav", test::wav_bytes(ramp, 16, 1, 44100)), 1).values, ramp);
}

// Memory for a block of frames has to be in proportion to what is there, not to the channels.
TEST_F(wav_files, many_channels) {
  const std::string file = write("a.wav", test::wav_bytes(values(1024 * 3, 0.25), 16, 1024, 8000));
  EXPECT_EQ(read_wav(file, 1024).values, values(3, 0.25));
}

TEST_F(wav_files, written_ones_come_back) {
  const std::string file = (folder_ / "b.wav").string();
  const values output{0, 0.5, -1.5, 0.25};  // exact as floats; beyond 1 is kept
  write_wav(file, output, 22050);
  const series got = read_wav(file, 1);
  EXPECT_EQ(got.values, output);
  EXPECT_EQ(got.rate, 22050);
  EXPECT_EQ(files_in_folder(), 1U);
  EXPECT_THROW(write_wav((folder_ / "missing" / "b.wav").string(), output, 8000), apps::user_error);
  EXPECT_THROW(write_wav(file, {0, -1e39}, 8000), apps::user_error);  // more than a sample can be
  EXPECT_EQ(read_wav(file, 1).values, output);
}

void expect_wav_error(const std::string& file, int channel, const std::string& part) {
  std::string got;
  try {
    read_wav(file, channel);
  } catch (const apps::user_error& error) {
    got = error.what();
  }
  EXPECT_NE(got.find(file), std::string::npos) << "'" << got << "'";
  EXPECT_NE(got.find(part), std::string::npos) << "'" << got << "' lacks '" << part << "'";
  EXPECT_EQ(got.find('\n'), std::string::npos) << got;
}

TEST_F(wav_files, broken_ones) {
  expect_wav_error((folder_ / "missing.wav").string(), 1, "can't be opened: No such file");
  expect_wav_error(folder_.string(), 1, "is a folder");
  expect_wav_error(write("text.wav", "1\n2\n3\n"), 1, "can't be read");
  expect_wav_error(write("empty.wav", ""), 1, "can't be read");
  const std::string good = test::wav_bytes({0.5, 0.25}, 16, 1, 8000);
  expect_wav_error(write("one.wav", good), 2, "has 1 channel");
  expect_wav_error(write("short.wav", good.substr(0, 20)), 1, "can't be read");
  // A data chunk that ends early is read as far as it goes: recorders that are switched off leave such files.
  EXPECT_EQ(read_wav(write("early.wav", good.substr(0, good.size() - 2)), 1).values, (values{0.5}));
  expect_wav_error(write("other.wav", "FORM" + good.substr(4)), 1, "doesn't begin as a WAV file does");
  expect_wav_error(write("none.wav", test::wav_bytes({}, 16, 1, 8000)), 1, "holds no samples");
  expect_wav_error(write("nan.wav", test::wav_bytes({0, std::numeric_limits<double>::quiet_NaN()}, 0, 1, 8000)), 1,
                   "sample 2 is not a finite number");
}

TEST(extension, of_file_names) {
  EXPECT_EQ(extension_of("a/B.WAV"), "wav");
  EXPECT_EQ(extension_of("a.b/c"), "");
  EXPECT_EQ(extension_of("c"), "");
  EXPECT_EQ(extension_of("c.tar.csv"), "csv");
}

}  // namespace
