// SPDX-License-Identifier: Apache-2.0
// Files that are there whole or not at all, to write and to read. The name "-" is standard input, and standard output.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace apps {

// Writes `bytes` as `file`; of a symbolic link, as the file that it names. A regular file is written under a temporary
// name of its own in the same folder and then renamed, so that what was there stays until all is written; it keeps its
// permissions. Anything else, a device or a pipe, is written directly. When that fails, a user_error says
// "<file>: can't be written: <the system's reason>", and nothing is left behind.
void write_whole(const std::string& file, std::string_view bytes);

// A regular file that is written piece by piece under a temporary name in the same folder, by several processes, too, and
// then gets its own name, as write_whole does it. Throws user_error where that can't be.
class unfinished_file {
 public:
  explicit unfinished_file(const std::string& file);  // makes it, empty
  ~unfinished_file();                                 // removes it unless it is finished
  unfinished_file(const unfinished_file&) = delete;
  unfinished_file& operator=(const unfinished_file&) = delete;
  const std::string& name() const { return name_; }  // while it is unfinished
  int descriptor() const { return descriptor_; }
  void finish();

 private:
  const std::string file_, target_;
  std::string name_;
  int descriptor_ = -1;
  bool is_finished_ = false;
};

// Whether write_whole(file) writes to standard output: "-", and a file or pipe that standard output goes to.
bool is_standard_output(const std::string& file);

// Throws user_error, naming `option`, where `output` is the same file as `other`, also by another name or link. Devices
// and pipes may be.
void refuse_same_file(const std::string& option, const std::string& output, const std::string& other);

// The same for each of `outputs`, pairs of an option and its file, against the others and against all of `inputs`. An option
// without a file, "", is left out.
void refuse_same_files(const std::vector<std::pair<std::string, std::string>>& outputs,
                       const std::vector<std::string>& inputs);

// Throws user_error, as write_whole would, where one of the files can't be written: before the work of which they are the
// results. Leaves out "", standard output, devices and pipes.
void refuse_unwritable(const std::vector<std::string>& files);

// All bytes of `file`. Throws user_error, naming it and the system's reason, where it can't be read.
std::string read_whole(const std::string& file);

// What messages call an input: its name, or "standard input". The title leaves out its folders.
std::string input_name(const std::string& file);
std::string input_title(const std::string& file);

// Makes a folder unless it is there. Throws user_error, naming `option`, the folder and the system's reason, where it can't.
void make_folder(const std::string& option, const std::string& folder);
// The file of a frame's picture in a folder.
std::string frame_name(const std::string& folder, int frame);

}  // namespace apps
