// SPDX-License-Identifier: Apache-2.0
// An app's program as a user starts it: exit status, what it prints, and the files that it writes.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "files.hpp"

namespace test {

struct outcome {
  int status = -1;
  std::string out;
  std::string errors;
};

class app_program : public own_folder {
 protected:
  explicit app_program(const char* name) : name_(name) {}

  std::filesystem::path binary() const {
    namespace fs = std::filesystem;
    const char* folder = getenv("ONEPASS_BIN_DIR");  // otherwise beside this test
    return (folder != nullptr ? fs::path(folder) : fs::read_symlink("/proc/self/exe").parent_path()) / name_;
  }

  // In the test's own folder, by a shell; `streams` may send standard output elsewhere.
  outcome run(const std::string& arguments, const std::string& streams = ">out.txt 2>errors.txt") const {
    std::filesystem::remove(folder_ / "out.txt");
    std::filesystem::remove(folder_ / "errors.txt");
    const std::string command =
        "cd '" + folder_.string() + "' && " + launcher_ + "'" + binary().string() + "' " + arguments + " " + streams;
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(folder_ / "out.txt"),
            without_warnings_of_launcher(text_of(folder_ / "errors.txt"))};
  }

  // mpirun's libevent warns where a process has closed its streams before mpirun looks at them.
  std::string without_warnings_of_launcher(const std::string& errors) const {
    if (launcher_.empty()) return errors;
    std::string rest;
    for (std::size_t at = 0; at < errors.size();) {
      const std::size_t end = std::min(errors.find('\n', at), errors.size() - 1) + 1;
      if (errors.compare(at, 7, "[warn] ") != 0) rest += errors.substr(at, end - at);
      at = end;
    }
    return rest;
  }

  // Status 2, one line that says what is wrong, and not a trace of a picture.
  void expect_refused(const std::string& arguments, const std::string& part) const {
    const outcome got = run(arguments);
    EXPECT_EQ(got.out, "") << arguments;
    expect_one_line(got, arguments, part);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      EXPECT_EQ(entry.path().filename().string().find(".png"), std::string::npos) << entry.path();
    }
  }

  void expect_one_line(const outcome& got, const std::string& arguments, const std::string& part) const {
    EXPECT_EQ(got.status, 2) << arguments << "\n" << got.errors;
    EXPECT_EQ(std::count(got.errors.begin(), got.errors.end(), '\n'), 1) << got.errors;
    EXPECT_EQ(got.errors.rfind(name_ + ": ", 0), 0U) << got.errors;
    EXPECT_NE(got.errors.find(part), std::string::npos)
        << arguments << ": '" << got.errors << "' lacks '" << part << "'";
  }

  void expect_png(const std::filesystem::path& file) const {
    const std::string png = text_of(file);
    ASSERT_GT(png.size(), 16U) << file;
    EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n") << file;
    EXPECT_EQ(png.substr(png.size() - 8, 4), "IEND") << file;
  }

  std::string name_;
  std::string launcher_;  // what starts the program: "mpirun -n 4 "; empty: nothing does
};

}  // namespace test
