// SPDX-License-Identifier: Apache-2.0
// Files of the apps' tests: a folder of a test's own, and sample data that lies beside the project on some machines.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

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

  std::size_t files_in_folder() const {
    using std::filesystem::directory_iterator;
    return static_cast<std::size_t>(std::distance(directory_iterator(folder_), directory_iterator()));
  }

  std::filesystem::path folder_;
};

// Third-party sample data; empty where it isn't there.
inline std::string data_file(const std::string& name) {
  for (const std::filesystem::path& start : {std::filesystem::current_path(), std::filesystem::path(__FILE__)}) {
    for (std::filesystem::path folder = start; folder != folder.parent_path(); folder = folder.parent_path()) {
      const std::filesystem::path file = folder / "shared" / "data" / name;
      if (std::filesystem::exists(file)) return file.string();
    }
  }
  return {};
}

}  // namespace test
