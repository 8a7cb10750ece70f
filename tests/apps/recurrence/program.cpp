// SPDX-License-Identifier: Apache-2.0
// The program as a user starts it: exit status, one clear line for what went wrong, the plot and the result.
#include "../common/program.hpp"

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "../../../apps/common/backend.hpp"
#include "../../../apps/recurrence/filter.hpp"
#include "../../../apps/recurrence/series.hpp"
#include "wav_bytes.hpp"

namespace {

using test::outcome;

class recurrence_program : public test::app_program {
 protected:
  recurrence_program() : app_program("recurrence") {
    std::string text = "time,speed\n";
    for (int i = 0; i < 300; ++i) {
      column_.push_back(std::round(1000 * std::sin(0.1 * i)));
      text += std::to_string(i) + "," + std::to_string(static_cast<int>(column_.back())) + "\n";
    }
    write("a.csv", text);
    for (int i = 0; i < 2000; ++i) {
      sound_.push_back(std::ldexp(std::round(16384 * std::sin(0.01 * i)), -15));
    }
    write("a.wav", test::wav_bytes(sound_, 16, 1, 8000));
  }

  std::vector<double> column_, sound_;
};

TEST_F(recurrence_program, wrong_options) {
  expect_refused("", "input");
  expect_refused("a.csv --column speed", "one of --ema and --biquad");
  expect_refused("a.csv --column speed --ema 0.1 --biquad lowpass 0.1", "--ema");
  for (const char* alpha : {"0", "-1", "1.5", "nan"}) {
    expect_refused(std::string("a.csv --column speed --ema ") + alpha, "--ema: ALPHA must be above 0 and at most 1");
  }
  expect_refused("a.csv --column speed --ema x", "--ema");
  expect_refused("--column speed --biquad bandpass 0.1 a.csv", "bandpass is neither lowpass nor highpass");
  for (const char* frequency : {"0", "-1", "x", "inf"}) {
    expect_refused(std::string("a.csv --column speed --biquad lowpass ") + frequency, "is no frequency above 0");
  }
  expect_refused("a.csv --column speed --biquad lowpass", "--biquad");
  expect_refused("a.csv --column speed --biquad lowpass 0.5 --backend cpu", "not below half the rate of 1");
  expect_refused("a.csv --column speed --biquad lowpass 50 --rate 100 --backend cpu", "50 Hz is not below half");
  expect_refused("a.wav --biquad lowpass 4000 --backend cpu", "not below half the rate of 8000");
  expect_refused("a.csv --column speed --biquad lowpass 0.1 --q 0", "--q");
  expect_refused("a.csv --column speed --biquad lowpass 0.1 --q 1e-310", "--q");  // coefficients would be no numbers
  expect_refused("a.csv --column speed --ema 0.1 --q 1", "--q");
  expect_refused("a.csv --column speed --ema 0.1 --rate 0", "--rate");
  expect_refused("a.csv --column speed --ema 0.1 --rate 1e-308", "--rate");  // times would be infinite
  expect_refused("a.csv --column speed --ema 0.1 --channel 1", "a.csv is not a WAV file");
  expect_refused("a.wav --ema 0.1 --column speed", "a.wav is a WAV file");
  expect_refused("a.wav --ema 0.1 --rate 8000", "a.wav is a WAV file");
  expect_refused("a.wav --ema 0.1 --channel 0", "--channel");
  expect_refused("a.wav --ema 0.1 --channel 2 --backend cpu", "has 1 channel");
  expect_refused("a.csv --column speed --ema 0.1 --write b.mp3", "neither .csv nor .wav");
  expect_refused("a.csv --column speed --ema 0.1 --write b.wav", "needs --rate");
  expect_refused("a.csv --column speed --ema 0.1 --write b.wav --rate 1.5", "needs --rate, a whole number");
  expect_refused("a.csv --column speed --ema 0.1 --repeat 0", "--repeat");
  expect_refused("a.csv --column speed --ema 0.1 --backend gpu", "--backend");
}

TEST_F(recurrence_program, missing_and_broken_files) {
  expect_refused("missing.csv --ema 0.1 --backend cpu", "missing.csv: can't be opened: No such file");
  expect_refused("missing.wav --ema 0.1 --backend cpu", "missing.wav: can't be opened: No such file");
  expect_refused("a.csv --ema 0.1 --backend cpu", "a.csv: has several columns, pick one with --column: time, speed");
  expect_refused("a.csv --column weight --ema 0.1 --backend cpu", "no column weight");
  write("b.csv", "v\n1\n2\nthree\n");
  expect_refused("b.csv --ema 0.1 --backend cpu", "b.csv: line 4: \"three\" in column 1 is no number");
  write("large.csv", "v\n1.7e308\n-1.7e308\n1.7e308\n");
  expect_refused("large.csv --biquad highpass 0.1 --backend cpu", "large.csv: its values are too large");
  write("b.wav", "no sound");
  expect_refused("b.wav --ema 0.1 --backend cpu", "b.wav: can't be read");
}

TEST_F(recurrence_program, no_place_for_results) {
  const std::string call = "a.csv --column speed --ema 0.1 --backend cpu ";
  expect_refused(call + "--out missing/a.png", "missing/a.png: can't be written");
  expect_refused(call + "--write missing/a.csv", "missing/a.csv: can't be written");
}

TEST_F(recurrence_program, never_writes_over_its_input_or_its_other_output) {
  const std::string before = text_of(folder_ / "a.csv"), call = "a.csv --column speed --ema 0.1 --backend cpu ";
  std::filesystem::create_symlink("a.csv", folder_ / "link.csv");
  for (const char* output : {"--write a.csv", "--write ./a.csv", "--write link.csv", "--out a.csv", "--out link.csv"}) {
    expect_refused(call + output, ".csv would overwrite a.csv");
  }
  expect_refused("- --column speed --ema 0.1 --backend cpu --write a.csv <a.csv", "would overwrite standard input");
  EXPECT_EQ(text_of(folder_ / "a.csv"), before);
  expect_refused(call + "--out b.csv --write b.csv", "--write: b.csv is where the plot goes");
  expect_refused(call + "--out ./b.csv --write b.csv", "--write: b.csv would overwrite ./b.csv");
  expect_refused(call + "--out - --write -", "--write: - is where the plot goes");
  std::filesystem::create_symlink("/dev/stdout", folder_ / "stdout.csv");
  expect_refused(call + "--out - --write stdout.csv", "--write: stdout.csv is where the plot goes");
  EXPECT_EQ(run(call + "--out plot --write -").status, 0);
}

TEST_F(recurrence_program, result_on_standard_output_cpu) {
  const std::string call = "a.csv --column speed --ema 0.25 --backend cpu --out plot.png --write ";
  ASSERT_EQ(run(call + "b.csv").status, 0);
  const std::string expected = text_of(folder_ / "b.csv");
  for (const char* name : {"-", "/dev/stdout"}) {
    if (std::string(name) != "-") std::filesystem::create_symlink(name, folder_ / "stdout.csv");
    const outcome got = run(call + (std::string(name) == "-" ? "-" : "stdout.csv"));
    EXPECT_EQ(got.status, 0) << got.errors;
    EXPECT_EQ(got.out, expected) << name;
    EXPECT_NE(got.errors.find("agree: yes"), std::string::npos) << got.errors;
  }
  const outcome full = run(call + "-", ">/dev/full 2>errors.txt");
  expect_one_line(full, "--write -", "standard output: can't be written: No space left on device");
}

TEST_F(recurrence_program, standard_input_may_be_sound_cpu) {
  const outcome got = run("- --biquad lowpass 100 --backend cpu --out plot <a.wav");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_NE(got.out.find("standard input, channel 1, 2,000 samples at 8000 Hz"), std::string::npos) << got.out;
  expect_refused("- --ema 0.1 --column speed <a.wav", "--column: standard input is a WAV file");
  expect_refused("- --ema 0.1 --channel 1 <a.csv", "--channel: standard input is not a WAV file");
  expect_refused("- --ema 0.1 --column speed --write b.wav <a.csv", "needs --rate");
}

TEST_F(recurrence_program, failures_to_write_say_why) {
  const std::string call = "a.csv --column speed --ema 0.1 --rate 100 --backend cpu --out plot --write ";
  for (const char* name : {"full.csv", "full.wav"}) {
    if (!make_device(name, 7)) GTEST_SKIP() << "no devices here";
    expect_refused(call + name, std::string(name) + ": can't be written: No space left on device");
    expect_refused(call + "a.csv/" + name, std::string(name) + ": can't be written: Not a directory");
  }
}

TEST_F(recurrence_program, no_device_where_one_was_asked_for) {
  if (apps::why_no_cuda().empty()) GTEST_SKIP() << "this machine has a GPU";
  expect_refused("a.csv --column speed --ema 0.1 --backend cuda", "--backend cuda: no GPU");
}

TEST_F(recurrence_program, help) {
  const outcome got = run("--help");
  EXPECT_EQ(got.status, 0);
  EXPECT_EQ(got.errors, "");
  for (const char* option : {"--input", "--column", "--channel", "--rate", "--ema", "--biquad", "--q", "--out",
                             "--write", "--repeat", "--backend", "--threads"}) {
    EXPECT_NE(got.out.find(option), std::string::npos) << option;
  }
}

TEST_F(recurrence_program, column_of_a_csv_file_cpu) {
  const outcome got = run("a.csv --column speed --ema 0.25 --backend cpu --threads 2 --out plot.png --write b.csv");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_EQ(got.errors, "");
  for (const char* part : {"a.csv, column speed, 300 samples", "moving average, alpha 0.25", "cpu, 2 threads",
                           "onepass::inclusive_scan, affine", "a serial loop", "agree: yes", "plot: plot.png"}) {
    EXPECT_NE(got.out.find(part), std::string::npos) << part << " is not in\n" << got.out;
  }
  expect_png(folder_ / "plot.png");
  const std::vector<double> expected = recurrence::serial(recurrence::moving_average{0.25}, column_);
  const std::vector<double> result = recurrence::parse_csv(text_of(folder_ / "b.csv"), "b.csv", "filtered").values;
  ASSERT_EQ(result.size(), expected.size());
  for (std::size_t i = 0; i < result.size(); ++i) ASSERT_NEAR(result[i], expected[i], 1e-10) << i;
}

TEST_F(recurrence_program, sound_cpu) {
  const outcome got = run("a.wav --biquad highpass 100 --q 0.8 --backend cpu --write b.wav");
  EXPECT_EQ(got.status, 0) << got.errors;
  for (const char* part : {"a.wav, channel 1, 2,000 samples at 8000 Hz", "highpass 100 Hz, q 0.8", "agree: yes"}) {
    EXPECT_NE(got.out.find(part), std::string::npos) << part << " is not in\n" << got.out;
  }
  expect_png(folder_ / "recurrence.png");
  const auto filter = recurrence::make_biquad(recurrence::pass::high, 100.0 / 8000, 0.8);
  const std::vector<double> expected = recurrence::serial(filter, sound_);
  const recurrence::series result = recurrence::parse_wav(text_of(folder_ / "b.wav"), "b.wav", 1);
  EXPECT_EQ(result.rate, 8000);
  ASSERT_EQ(result.values.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(result.values[i], expected[i], 1e-7) << i;
}

TEST_F(recurrence_program, a_rate_makes_seconds_and_sound_of_a_column_cpu) {
  const outcome got = run("a.csv --column 2 --rate 200 --biquad lowpass 20 --backend cpu --write b.wav");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_NE(got.out.find("300 samples at 200 Hz; lowpass 20 Hz"), std::string::npos) << got.out;
  EXPECT_EQ(recurrence::parse_wav(text_of(folder_ / "b.wav"), "b.wav", 1).rate, 200);
}

TEST_F(recurrence_program, real_columns_cpu) {
  const std::string taxis = test::data_file("taxis.csv"), diamonds = test::data_file("diamonds.csv");
  if (taxis.empty() || diamonds.empty()) GTEST_SKIP() << "taxis.csv and diamonds.csv are not there";
  const outcome fares = run("'" + taxis + "' --column fare --ema 0.02 --backend cpu");
  EXPECT_EQ(fares.status, 0) << fares.errors;
  EXPECT_NE(fares.out.find("6,433 samples"), std::string::npos) << fares.out;
  const outcome prices = run("'" + diamonds + "' --column price --biquad lowpass 0.001 --backend cpu");
  EXPECT_EQ(prices.status, 0) << prices.errors;
  EXPECT_NE(prices.out.find("53,940 samples"), std::string::npos) << prices.out;
}

TEST_F(recurrence_program, sound_gpu) {
  if (!apps::why_no_cuda().empty()) GTEST_SKIP() << apps::why_no_cuda();
  for (const char* filter : {"--ema 0.1", "--biquad lowpass 500"}) {
    const outcome got = run(std::string("a.wav --backend cuda ") + filter);
    EXPECT_EQ(got.status, 0) << got.errors;
    EXPECT_NE(got.out.find("; cuda, "), std::string::npos) << got.out;
    EXPECT_NE(got.out.find("agree: yes"), std::string::npos) << got.out;
    expect_png(folder_ / "recurrence.png");
  }
}

}  // namespace
