// SPDX-License-Identifier: Apache-2.0
// What all programs have in common, as a user meets it: standard streams, versions, wrong choices, text from files and from
// the command line.
#include <cstdlib>
#include <ostream>
#include <string>

#include "program.hpp"

namespace {

using test::outcome;

struct example {
  const char* program;
  const char* file;    // an input
  const char* text;    // what is in it
  const char* broken;  // an input whose error quotes bytes that steer a terminal
  const char* options;
};

std::ostream& operator<<(std::ostream& out, const example& e) { return out << e.program; }

const example examples[] = {
    {"particle_culling", "in.ply",
     "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
     "0 0 0\n1 1 1\n",
     "ply\nformat ascii 1.0\nelement \x1b[31mvertex 9\nproperty float \x9b\x07x\nend_header\n1\n",
     "--backend cpu --frames 1 --size 16x16 --out pictures"},
    {"spmv", "in.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 3\n",
     "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 \x1b[31m\x9b\x07\n", "--backend cpu --repeat 1"},
    {"recurrence", "in.csv", "v\n1\n2\n3\n", "v\n1\n\x1b[31m\x9b\x07\n", "--backend cpu --ema 0.5 --repeat 1"},
    {"query", "in.csv", "v\n1\n2\n3\n", "\x1b[31m\x9b\x07,\x1b[31m\x9b\x07\n1,2\n", "--backend cpu --repeats 1"}};

class every_program : public test::app_program, public testing::WithParamInterface<example> {
 protected:
  every_program() : app_program(GetParam().program) { write(GetParam().file, GetParam().text); }

  const std::string file_ = GetParam().file, options_ = std::string(" ") + GetParam().options;
};

void expect_no_control_bytes(const std::string& text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    EXPECT_TRUE(byte == '\n' || (byte >= ' ' && byte < 0x7F)) << "byte " << unsigned{byte} << " in\n" << text;
  }
}

TEST_P(every_program, version) {
  const outcome got = run("--version");
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_EQ(got.out.rfind(name_ + " (onepass) ", 0), 0U) << got.out;
  EXPECT_GE(got.out.find_first_of("0123456789"), name_.size()) << got.out;
  EXPECT_EQ(got.out.find('\n'), got.out.size() - 1) << got.out;
}

TEST_P(every_program, full_disk_under_standard_output) {
  for (const std::string& call : {file_ + options_, std::string("--help"), std::string("--version")}) {
    expect_one_line(run(call, ">/dev/full 2>errors.txt"), call,
                    "standard output: can't be written: No space left on device");
  }
}

TEST_P(every_program, closed_standard_output) {
  for (const std::string& call : {file_ + options_, std::string("--help"), std::string("--version")}) {
    expect_one_line(run(call, ">&- 2>errors.txt"), call, "standard output is closed");
  }
}

TEST_P(every_program, closed_standard_error) {
  EXPECT_EQ(run(file_ + options_, ">out.txt 2>&-").status, 0);
  EXPECT_EQ(run("missing" + options_, ">out.txt 2>&- <&-").status, 2);
  EXPECT_EQ(text_of(folder_ / file_), GetParam().text);
}

TEST_P(every_program, standard_input) {
  const outcome named = run(file_ + options_), piped = run("- <" + file_ + options_);
  EXPECT_EQ(piped.status, 0) << piped.errors;
  EXPECT_NE(named.out.find(file_), std::string::npos) << named.out;
  EXPECT_NE(piped.out.find("standard input"), std::string::npos) << piped.out;
  EXPECT_EQ(run("--input -" + options_, "<" + file_ + " >out.txt 2>errors.txt").status, 0);
  expect_one_line(run("- </dev/null" + options_), "empty standard input", "standard input: ");
  expect_one_line(run("-" + options_, "<&- >out.txt 2>errors.txt"), "closed standard input",
                  "standard input: can't be read: Bad file descriptor");
}

TEST_P(every_program, wrong_choices_name_the_right_ones) {
  expect_refused(file_ + " --backend gpu", "--backend: gpu is none of auto, cpu, cuda");
  expect_refused(file_ + " --backend 1", "--backend: 1 is none of auto, cpu, cuda");
  for (const char* threads : {"-1", "1025", "0x10", "2.0", "-18446744073709551615"}) {
    expect_refused(file_ + " --threads=" + threads, "is not a whole number from 0 to 1024");
  }
}

TEST_P(every_program, unknown_options_come_before_missing_ones) {
  expect_refused("--nosuch", "unknown argument: --nosuch");
  expect_refused(file_ + " --backend gpu --nosuch=1", "unknown argument: --nosuch");
  expect_refused("-x", "unknown argument: -x");
}

TEST_P(every_program, bytes_that_steer_a_terminal_are_escaped) {
  write("broken", GetParam().broken);
  for (const std::string& call :
       {"broken" + options_, std::string("\"$(printf 'no\\033[31m\\177\\233file')\"") + options_,
        std::string("\"$(printf -- '--no\\033[31m\\nsuch')\""), std::string("--backend \"$(printf 'a\\033b')\"")}) {
    const outcome got = run(call);
    expect_one_line(got, call, "\\x1b");
    expect_no_control_bytes(got.errors);
  }
  const std::string name = std::string("a\x1b[31m\n") + file_;
  write(name, GetParam().text);
  const outcome got = run("'" + name + "'" + options_);
  EXPECT_EQ(got.status, 0) << got.errors;
  EXPECT_NE(got.out.find("a\\x1b[31m"), std::string::npos) << got.out;
  expect_no_control_bytes(got.out);
}

TEST_P(every_program, tables_say_which_way_is_better) {
  const outcome got = run(file_ + options_);
  EXPECT_EQ(got.out.find("ratio"), std::string::npos) << got.out;
  EXPECT_NE(got.out.find("times as fast"), std::string::npos) << got.out;
  EXPECT_NE(got.out.find("above 1, onepass takes less time"), std::string::npos) << got.out;
}

INSTANTIATE_TEST_SUITE_P(on_cpu, every_program, testing::ValuesIn(examples),
                         [](const auto& what) { return std::string(what.param.program); });

}  // namespace
