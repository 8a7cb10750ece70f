// SPDX-License-Identifier: Apache-2.0
// Files of the apps' tests: a folder of a test's own, and sample data that lies beside the project on some machines.
#pragma once

#include <gtest/gtest.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace test {

// Made for one test, and removed with all that is in it.
class own_folder : public testing::Test {
 protected:
  own_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "onepass_apps_XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  ~own_folder() override { std::filesystem::remove_all(folder_); }

  // Returns the file's full name.
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }

  static std::string text_of(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }

  // A device of the test's own, so that no failure costs the machine one of its devices: 3 takes all, 7 is always full.
  // Who may not make devices may not destroy any either, and gets a link. False where there is neither.
  bool make_device(const std::string& name, unsigned minor) const {
    const std::filesystem::path file = folder_ / name;
    if (geteuid() == 0) mknod(file.c_str(), S_IFCHR | 0600, makedev(1, minor));
    else std::filesystem::create_symlink(minor == 3 ? "/dev/null" : "/dev/full", file);
    const int opened = open(file.c_str(), O_WRONLY);  // some file systems have devices that can't be opened
    return opened >= 0 && close(opened) == 0;
  }

  std::size_t files_in_folder() const {
    using std::filesystem::directory_iterator;
    return static_cast<std::size_t>(std::distance(directory_iterator(folder_), directory_iterator()));
  }

  std::filesystem::path folder_;
};

// What lies in this folder or in one above it; empty where it isn't there.
inline std::string found_above(const std::filesystem::path& name) {
  for (const std::filesystem::path& start : {std::filesystem::current_path(), std::filesystem::path(__FILE__)}) {
    for (std::filesystem::path folder = start; folder != folder.parent_path(); folder = folder.parent_path()) {
      const std::filesystem::path file = folder / name;
      if (std::filesystem::exists(file)) return file.string();
    }
  }
  return {};
}

// Third-party sample data; empty where it isn't there.
inline std::string data_file(const std::string& name) {
  return found_above(std::filesystem::path("shared/data") / name);
}

}  // namespace test
