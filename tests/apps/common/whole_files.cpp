// SPDX-License-Identifier: Apache-2.0
// Files that are written whole or not at all: what stands at their names is kept, and failures say why.
#include "../../../apps/common/whole_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include "../../../apps/common/user_error.hpp"
#include "files.hpp"

namespace {

using namespace apps;
namespace fs = std::filesystem;

class whole_files : public test::own_folder {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  static std::string error_of_writing(const std::string& file, const std::string& bytes = "new") {
    try {
      write_whole(file, bytes);
    } catch (const user_error& error) {
      return error.what();
    }
    return {};
  }

  void expect_refused(const std::string& output, const std::string& input) const {
    EXPECT_THROW(refuse_same_file("--out", path(output), path(input)), user_error) << output << " and " << input;
  }
};

TEST_F(whole_files, written_and_read) {
  const std::string bytes = std::string("a\0b\n", 4) + std::string(3000000, 'x');
  write_whole(path("a"), bytes);
  EXPECT_EQ(read_whole(path("a")), bytes);
  write_whole(path("a"), "");
  EXPECT_EQ(read_whole(path("a")), "");
  EXPECT_EQ(files_in_folder(), 1U);
  EXPECT_EQ(fs::status(path("a")).permissions() & fs::perms::owner_all, fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(whole_files, read_errors_say_why) {
  EXPECT_THROW(read_whole(path("missing")), user_error);
  EXPECT_THROW(read_whole(folder_.string()), user_error);
  const std::string file = write("a", "x");
  try {
    read_whole(file + "/below");
    FAIL();
  } catch (const user_error& error) {
    EXPECT_EQ(error.what(), file + "/below: can't be opened: Not a directory");
  }
}

TEST_F(whole_files, files_of_other_names_stay) {
  write("a.txt.part", "mine");
  const std::string own = ".onepass." + std::to_string(getpid()) + ".0.part";
  write(own, "mine, too");
  write_whole(path("a.txt"), "new");
  EXPECT_EQ(read_whole(path("a.txt")), "new");
  EXPECT_EQ(read_whole(path("a.txt.part")), "mine");
  EXPECT_EQ(read_whole(path(own)), "mine, too");
  EXPECT_EQ(files_in_folder(), 3U);
}

TEST_F(whole_files, permissions_stay) {
  const std::string file = write("a", "old");
  fs::permissions(file, fs::perms(0640));
  write_whole(file, "new");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms(0640));
}

TEST_F(whole_files, links_are_written_through) {
  write("target", "old");
  fs::create_directory(path("folder"));
  fs::create_symlink("../target", path("folder/link"));
  fs::create_symlink(path("folder/link"), path("second"));
  write_whole(path("second"), "new");
  EXPECT_TRUE(fs::is_symlink(path("second")));
  EXPECT_TRUE(fs::is_symlink(path("folder/link")));
  EXPECT_FALSE(fs::is_symlink(path("target")));
  EXPECT_EQ(read_whole(path("target")), "new");
  EXPECT_EQ(files_in_folder(), 3U);

  fs::create_symlink("not_yet", path("dangling"));
  write_whole(path("dangling"), "first");
  EXPECT_TRUE(fs::is_symlink(path("dangling")));
  EXPECT_EQ(read_whole(path("not_yet")), "first");

  fs::create_symlink("loop", path("loop"));
  EXPECT_EQ(error_of_writing(path("loop")), path("loop") + ": can't be written: Too many levels of symbolic links");
}

TEST_F(whole_files, pipes_are_written_directly) {
  const std::string pipe = path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = text_of(pipe); });
  write_whole(pipe, "through");
  reader.join();
  EXPECT_EQ(got, "through");
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(whole_files, devices_are_written_directly) {
  if (!make_device("null", 3)) GTEST_SKIP() << "no devices here";
  fs::create_symlink("null", path("link"));
  const fs::file_type before = fs::symlink_status(path("null")).type();
  write_whole(path("link"), "gone");
  write_whole(path("null"), "gone");
  EXPECT_EQ(fs::symlink_status(path("null")).type(), before);
  EXPECT_TRUE(fs::is_character_file(path("null")));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(files_in_folder(), 2U);
  refuse_same_file("--out", path("null"), path("null"));
}

TEST_F(whole_files, of_several_outputs) {
  const std::string a = write("a", "x"), b = write("b", "y");
  fs::create_symlink("b", folder_ / "link");
  refuse_same_files({}, {a});
  refuse_same_files({{"--out", path("new")}, {"--plot", ""}, {"--more", ""}, {"--last", b}}, {a, "-"});
  EXPECT_THROW(refuse_same_files({{"--out", path("new")}, {"--plot", b}}, {a, b}), user_error);
  EXPECT_THROW(refuse_same_files({{"--out", path("new")}, {"--plot", path("link")}}, {a, b}), user_error);
  EXPECT_THROW(refuse_same_files({{"--out", b}, {"--plot", path("link")}}, {a}), user_error);
  try {
    refuse_same_files({{"--out", "-"}, {"--plot", ""}, {"--more", "-"}}, {a});
    FAIL();
  } catch (const user_error& error) {
    EXPECT_STREQ(error.what(), "--more: - is what --out writes, too");
  }
}

TEST_F(whole_files, refused_before_the_work) {
  const std::string a = write("a", "x");
  fs::create_directory(path("folder"));
  const auto error_of = [](const std::vector<std::string>& files) -> std::string {
    try {
      refuse_unwritable(files);
    } catch (const user_error& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(error_of({"", "-", a, path("new"), path("folder/new")}), "");
  EXPECT_EQ(text_of(a), "x");
  EXPECT_EQ(files_in_folder(), 2U);
  EXPECT_EQ(error_of({a, path("missing/b")}), path("missing/b") + ": can't be written: No such file or directory");
  EXPECT_EQ(error_of({path("folder")}), path("folder") + ": can't be written: Is a directory");
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(error_of({path("pipe")}), "");  // nobody reads from it
}

TEST_F(whole_files, a_full_disk_is_said) {
  if (!make_device("full", 7)) GTEST_SKIP() << "no devices here";
  EXPECT_EQ(error_of_writing(path("full")), path("full") + ": can't be written: No space left on device");
  EXPECT_TRUE(fs::is_character_file(path("full")));
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(whole_files, failures_say_why_and_leave_what_was_there) {
  const std::string file = write("a", "old");
  EXPECT_EQ(error_of_writing(path("no/b")), path("no/b") + ": can't be written: No such file or directory");
  EXPECT_EQ(error_of_writing(file + "/b"), file + "/b: can't be written: Not a directory");
  EXPECT_EQ(error_of_writing(folder_.string()), folder_.string() + ": can't be written: Is a directory");
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(whole_files, half_a_file_is_removed) {
  const std::string file = write("a", "old");
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 1000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string error = error_of_writing(file, std::string(5000, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(error, file + ": can't be written: File too large");
  EXPECT_EQ(read_whole(file), "old");
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(whole_files, missing_permission_is_said) {
  if (geteuid() == 0) GTEST_SKIP() << "nothing is forbidden to root";
  const std::string file = write("a", "old");
  fs::permissions(file, fs::perms::owner_read);
  EXPECT_EQ(error_of_writing(file), file + ": can't be written: Permission denied");
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(error_of_writing(path("b")), path("b") + ": can't be written: Permission denied");
  fs::permissions(folder_, fs::perms::owner_all);
  EXPECT_EQ(read_whole(file), "old");
}

TEST_F(whole_files, one_file_under_two_names) {
  write("a", "x");
  write("b", "x");
  fs::create_symlink("a", path("link"));
  fs::create_hard_link(path("a"), path("hard"));
  for (const char* name : {"a", "./a", "link", "hard"}) expect_refused(name, "a");
  expect_refused("a", "link");
  refuse_same_file("--out", path("b"), path("a"));
  refuse_same_file("--out", path("missing"), path("a"));
  refuse_same_file("--out", "-", "-");
  expect_refused("missing", "./missing");  // two outputs
  fs::create_symlink("missing", path("dangling"));
  expect_refused("dangling", "missing");
}

}  // namespace
