// SPDX-License-Identifier: Apache-2.0
// WAV files, through libsndfile.
#include <sndfile.h>

#include <cmath>
#include <cstddef>
#include <memory>
#include <stdexcept>

#include "../common/text.hpp"
#include "../common/user_error.hpp"
#include "../common/whole_file.hpp"
#include "series.hpp"

namespace recurrence {
namespace {

struct closer {
  void operator()(SNDFILE* file) const { sf_close(file); }
};
using open_file = std::unique_ptr<SNDFILE, closer>;

}  // namespace

series read_wav(const std::string& file, int channel) {
  apps::check_readable(file);  // libsndfile's words for a missing file are vague
  SF_INFO info{};
  const open_file sound(sf_open(file.c_str(), SFM_READ, &info));
  if (!sound) throw apps::user_error(file + ": can't be read: " + sf_strerror(nullptr));
  if (channel > info.channels) {
    throw apps::user_error("--channel: " + file + " has " + std::to_string(info.channels) +
                           (info.channels == 1 ? " channel" : " channels"));
  }
  series result{{}, "channel " + std::to_string(channel), static_cast<double>(info.samplerate)};
  constexpr sf_count_t block = 65536;  // frames
  std::vector<double> frames(static_cast<std::size_t>(block) * static_cast<std::size_t>(info.channels));
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
  apps::write_whole(file, [&](const std::string& unfinished) {
    SF_INFO info{};
    info.samplerate = static_cast<int>(std::lround(rate));
    info.channels = 1;
    info.format = SF_FORMAT_WAV | SF_FORMAT_FLOAT;
    open_file sound(sf_open(unfinished.c_str(), SFM_WRITE, &info));
    if (!sound) throw std::runtime_error(sf_strerror(nullptr));
    const auto count = static_cast<sf_count_t>(output.size());
    if (sf_writef_double(sound.get(), output.data(), count) != count)
      throw std::runtime_error(sf_strerror(sound.get()));
    if (sf_close(sound.release()) != 0) throw std::runtime_error("the disk is full");
  });
}

}  // namespace recurrence
