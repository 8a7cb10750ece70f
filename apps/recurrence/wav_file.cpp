// SPDX-License-Identifier: Apache-2.0
// WAV files, through libsndfile, which reads and writes bytes in memory here.
#include <sndfile.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>

#include "../common/user_error.hpp"
#include "../common/whole_file.hpp"
#include "series.hpp"

namespace recurrence {
namespace {

struct closer {
  void operator()(SNDFILE* file) const { sf_close(file); }
};
using open_file = std::unique_ptr<SNDFILE, closer>;

// A file in memory, as libsndfile calls it: what is read, or what was written so far, and the place in it.
struct memory_file {
  std::string_view to_read;
  std::string written;
  sf_count_t place = 0;

  sf_count_t size() const { return static_cast<sf_count_t>(std::max(to_read.size(), written.size())); }
};

memory_file& self(void* user) { return *static_cast<memory_file*>(user); }

sf_count_t seek(sf_count_t offset, int from, void* user) {
  memory_file& file = self(user);
  const sf_count_t start = from == SEEK_SET ? 0 : from == SEEK_CUR ? file.place : file.size();
  if (offset < -start || offset > file.size() - start) return -1;
  return file.place = start + offset;
}

sf_count_t read(void* to, sf_count_t count, void* user) {
  memory_file& file = self(user);
  const sf_count_t got = std::clamp<sf_count_t>(count, 0, file.size() - file.place);
  std::memcpy(to, file.to_read.data() + file.place, static_cast<std::size_t>(got));
  file.place += got;
  return got;
}

sf_count_t write(const void* from, sf_count_t count, void* user) {
  memory_file& file = self(user);
  const auto begin = static_cast<std::size_t>(file.place), bytes = static_cast<std::size_t>(count);
  file.written.resize(std::max(file.written.size(), begin + bytes));
  std::memcpy(file.written.data() + begin, from, bytes);
  file.place += count;
  return count;
}

open_file opened(memory_file& file, int mode, SF_INFO& info) {
  SF_VIRTUAL_IO calls{[](void* user) { return self(user).size(); }, seek, read, write,
                      [](void* user) { return self(user).place; }};
  return open_file(sf_open_virtual(&calls, mode, &info, &file));
}

}  // namespace

bool is_wav(std::string_view bytes) {
  const std::string_view form = bytes.substr(0, 4);
  return (form == "RIFF" || form == "RIFX" || form == "RF64") && bytes.size() >= 12 && bytes.substr(8, 4) == "WAVE";
}

series parse_wav(std::string_view bytes, const std::string& file, int channel) {
  if (!is_wav(bytes)) throw apps::user_error(file + ": can't be read: it doesn't begin as a WAV file does");
  memory_file memory{bytes, {}};
  SF_INFO info{};
  const open_file sound = opened(memory, SFM_READ, info);
  if (!sound) throw apps::user_error(file + ": can't be read: " + sf_strerror(nullptr));
  if (channel > info.channels) {
    throw apps::user_error("--channel: " + file + " has " + std::to_string(info.channels) +
                           (info.channels == 1 ? " channel" : " channels"));
  }
  series result{{}, "channel " + std::to_string(channel), static_cast<double>(info.samplerate)};
  const sf_count_t block = std::max(1, 65536 / info.channels);  // frames
  std::vector<double> frames(static_cast<std::size_t>(block * info.channels));
  for (sf_count_t got = block; got == block;) {
    got = sf_readf_double(sound.get(), frames.data(), block);
    for (sf_count_t i = 0; i < got; ++i) {
      const double value = frames[static_cast<std::size_t>(i * info.channels + channel - 1)];
      if (!std::isfinite(value)) {
        throw apps::user_error(file + ": sample " + std::to_string(result.values.size() + 1) +
                               " is not a finite number");
      }
      result.values.push_back(value);
    }
  }
  if (sf_error(sound.get()) != 0) throw apps::user_error(file + ": can't be read: " + sf_strerror(sound.get()));
  if (result.values.empty()) throw apps::user_error(file + ": holds no samples");
  return result;
}

void write_wav(const std::string& file, const std::vector<double>& output, double rate) {
  constexpr std::size_t bytes_of_sample = 4, most_bytes = 0xFFFFFFFFu - 4096;  // with room for headers
  if (output.size() > most_bytes / bytes_of_sample) {
    throw apps::user_error(file + ": can't be written: a WAV file has less than 4 GiB; write a CSV file");
  }
  const auto too_large = [](double value) { return !(std::abs(value) <= std::numeric_limits<float>::max()); };
  const auto found = std::find_if(output.begin(), output.end(), too_large);
  if (found != output.end()) {
    throw apps::user_error(file + ": can't be written: sample " + std::to_string(found - output.begin() + 1) +
                           " is too large for a WAV file; write a CSV file");
  }
  memory_file memory;
  SF_INFO info{};
  info.samplerate = static_cast<int>(std::lround(rate));
  info.channels = 1;
  info.format = SF_FORMAT_WAV | SF_FORMAT_FLOAT;
  open_file sound = opened(memory, SFM_WRITE, info);
  if (!sound) throw apps::user_error(file + ": can't be written: " + sf_strerror(nullptr));
  const auto count = static_cast<sf_count_t>(output.size());
  if (sf_writef_double(sound.get(), output.data(), count) != count || sf_close(sound.release()) != 0) {
    throw apps::user_error(file + ": can't be written: libsndfile could not encode it");
  }
  apps::write_whole(file, memory.written);
}

}  // namespace recurrence
