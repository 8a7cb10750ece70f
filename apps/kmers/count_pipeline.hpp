// SPDX-License-Identifier: Apache-2.0
// Counts the k-mers of a text on a backend: lines are told apart by a scan, bases are compacted out of the text and packed,
// whole k-mers are compacted out of all that begin at a base, sorted, and their runs are counted. For a byte of text some 30
// bytes of memory are taken, and from 12 to 28 for each distinct k-mer.
#pragma once

#include <onepass/compact.hpp>
#include <onepass/radix_sort.hpp>
#include <onepass/scan.hpp>
#include <onepass/segmented_reduce.hpp>

#include <thrust/copy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../common/stage_record.hpp"
#include "../common/vectors.hpp"
#include "kmer_codes.hpp"
#include "sequence_text.hpp"
#include "tally.hpp"

namespace kmers {

constexpr int longest_k = 32;  // what 64 bits hold

template <class Backend>
class count_pipeline {
 public:
  template <class T>
  using vector = typename Backend::template vector<T>;

  count_pipeline(const Backend& backend, int k) : backend_(backend), record_(backend), k_(k) {}

  // Counts the k-mers that end in the text; they may begin in the part before it. `result` is empty before, and stays so where
  // the text is not what its format asks for: then it returns false. With `beside_peers` stages() has each stage and its peer.
  bool count(const sequence_text& part, tally& result, bool beside_peers = false) {
    beside_peers_ = beside_peers;
    record_.start(beside_peers);
    if (part.begins_file || part.format == sequence_format::fastq) carried_.clear();
    if (part.text.empty()) return true;
    upload(part);
    find_lines(part);
    compact_bases();
    pack();
    if (!no_flag_is_set()) return false;
    if (fastq_ && !every_record_is_right(static_cast<std::int64_t>(part.lines))) return false;
    carry();
    compact_kmers();
    sort();
    count_runs();
    download(result);
    return true;
  }

  const std::vector<apps::comparison>& stages() const { return record_.stages(); }

 private:
  void upload(const sequence_text& part) {
    bytes_ = static_cast<std::int64_t>(part.text.size());
    fastq_ = part.format == sequence_format::fastq;
    grow(text_, bytes_);
    grow(codes_, bytes_ + longest_k);
    if (beside_peers_) {
      grow(peer_bytes_, bytes_);
      for (vector<std::uint64_t>* keys : {&peer_keys_, &peer_distinct_}) grow(*keys, bytes_ + longest_k);
      grow(peer_lengths_, bytes_ + longest_k);
    }
    record_.timed("copy the text", [&] {
      thrust::copy(part.text.begin(), part.text.end(), text_.begin());
      thrust::copy(carried_.begin(), carried_.end(), codes_.begin());
    });
  }

  void find_lines(const sequence_text& part) {
    grow(kinds_, bytes_);
    const bool header = part.begins_line ? part.text[0] == '>' : part.in_header;
    const auto begins = over_indices(line_begin{data(text_), fastq_, header ? header_line : sequence_line});
    const line_of op{fastq_};
    record_.compared(
        "find lines", "onepass::inclusive_scan", Backend::scan_name,
        [&] { onepass::inclusive_scan(backend_.policy(), begins, begins + bytes_, kinds_.begin(), op); },
        [&] { backend_.peer_inclusive_scan(begins, begins + bytes_, peer_bytes_.begin(), op); },
        [&] { return same(kinds_, peer_bytes_, bytes_); });
  }

  // Behind those that were carried.
  void compact_bases() {
    const auto first = over_indices(code_of_byte{data(text_), data(kinds_)});
    const auto out = codes_.begin() + static_cast<std::ptrdiff_t>(carried_.size()), peer = peer_bytes_.begin();
    std::int64_t found = 0, peer_found = 0;
    record_.compared(
        "compact bases", "onepass::copy_if", Backend::copy_if_name,
        [&] { found = onepass::copy_if(backend_.policy(), first, first + bytes_, out, is_code{}) - out; },
        [&] { peer_found = backend_.peer_copy_if(first, first + bytes_, peer, is_code{}) - peer; },
        [&] { return found == peer_found && backend_.equal(out, out + found, peer); });
    codes_count_ = found + static_cast<std::int64_t>(carried_.size());
  }

  void pack() {
    const std::int64_t words = codes_count_ / 32 + 2;
    grow(words_, words);
    grow(flags_, words);
    flags_count_ = words;
    record_.timed("pack bases", [&] {
      backend_.for_each(words, pack_bases{data(codes_), codes_count_, data(words_), data(flags_)});
    });
  }

  bool no_flag_is_set() {
    grow(where_, flags_count_);
    const auto flag = flags_.begin();
    return onepass::positions(backend_.policy(), flag, flag + flags_count_, where_.begin()) == where_.begin();
  }

  bool every_record_is_right(std::int64_t lines) {
    bool right = true;
    grow(ends_, lines);
    flags_count_ = lines / 4;
    grow(flags_, flags_count_);
    record_.timed("check records", [&] {
      onepass::positions(backend_.policy(), text_.begin(), text_.begin() + bytes_, ends_.begin(), is_line_end{});
      backend_.for_each(flags_count_, check_record{data(text_), data(ends_), data(flags_)});
      right = no_flag_is_set();
    });
    return right;
  }

  // The last bases, which k-mers of the next part may begin with.
  void carry() {
    const std::int64_t number = std::min<std::int64_t>(codes_count_, k_ - 1);
    carried_.resize(static_cast<std::size_t>(number));
    thrust::copy(codes_.begin() + (codes_count_ - number), codes_.begin() + codes_count_, carried_.begin());
  }

  void compact_kmers() {
    const std::int64_t begins = std::max<std::int64_t>(codes_count_ - k_ + 1, 0);
    grow(keys_, begins);
    const auto all = over_indices(kmer_at{data(words_), k_});
    const thrust::counting_iterator<std::int64_t> index(0);
    const is_kmer whole{data(words_), k_};
    std::int64_t peer_number = 0;
    record_.compared(
        "compact k-mers", "onepass::copy_if", Backend::copy_if_name,
        [&] {
          number_ = onepass::copy_if(backend_.policy(), all, all + begins, index, keys_.begin(), whole) - keys_.begin();
        },
        [&] {  // no standard algorithm has a predicate of its own for values of another: indices, then their k-mers
          peer_number = backend_.peer_copy_if(index, index + begins, peer_keys_.begin(), whole) - peer_keys_.begin();
          const auto kmers = thrust::make_transform_iterator(peer_keys_.begin(), kmer_at{data(words_), k_});
          thrust::copy(kmers, kmers + peer_number, peer_keys_.begin());
        },
        [&] { return number_ == peer_number && same(keys_, peer_keys_, number_); });
  }

  void sort() {
    onepass::radix_options bits;
    bits.end_bit = 2 * k_;
    record_.compared(
        "sort", "onepass::radix_sort", Backend::sort_keys_name,
        [&] { onepass::radix_sort(backend_.policy(), keys_.begin(), keys_.begin() + number_, bits); },
        [&] { backend_.peer_sort_keys(peer_keys_.begin(), peer_keys_.begin() + number_); },
        [&] { return same(keys_, peer_keys_, number_); });
  }

  void count_runs() {
    grow(distinct_, number_);
    grow(lengths_, number_);
    const auto first = keys_.begin(), last = first + number_;
    std::int64_t peer_runs = 0;
    record_.compared(
        "count runs", "onepass::run_length_encode", Backend::run_lengths_name,
        [&] {
          const auto out = distinct_.begin();
          runs_ = onepass::run_length_encode(backend_.policy(), first, last, out, lengths_.begin()).first - out;
        },
        [&] {
          const auto out = peer_distinct_.begin();
          peer_runs = backend_.peer_run_lengths(first, last, out, peer_lengths_.begin()) - out;
        },
        [&] {
          return runs_ == peer_runs && same(distinct_, peer_distinct_, runs_) && same(lengths_, peer_lengths_, runs_);
        });
  }

  void download(tally& result) {
    record_.timed("copy the counts", [&] {
      result.kmers.resize(static_cast<std::size_t>(runs_));
      thrust::copy(distinct_.begin(), distinct_.begin() + runs_, result.kmers.begin());
      host_lengths_.resize(static_cast<std::size_t>(runs_));
      thrust::copy(lengths_.begin(), lengths_.begin() + runs_, host_lengths_.begin());
      result.counts.assign(host_lengths_.begin(), host_lengths_.end());
    });
  }

  template <class T>
  bool same(const vector<T>& a, const vector<T>& b, std::int64_t number) const {
    return backend_.equal(a.begin(), a.begin() + number, b.begin());
  }

  template <class Function>
  static auto over_indices(const Function& function) {
    return thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), function);
  }

  // Room for `number` items, never none. What was in it is lost.
  template <class T>
  static void grow(vector<T>& items, std::int64_t number) {
    const auto wanted = static_cast<std::size_t>(number) + 1;
    if (items.size() >= wanted) return;
    items = vector<T>();  // gives its memory back first
    items = vector<T>(wanted);
  }

  template <class T>
  static T* data(vector<T>& items) {
    return apps::pointer_to(items);
  }

  const Backend& backend_;
  apps::stage_record<Backend> record_;
  int k_;
  bool beside_peers_ = false, fastq_ = false;
  std::int64_t bytes_ = 0, codes_count_ = 0, flags_count_ = 0, number_ = 0, runs_ = 0;
  std::vector<std::uint32_t> host_lengths_;
  std::vector<base_code> carried_;  // the last k - 1 bases of the part before
  vector<char> text_;
  vector<line_kind> kinds_, peer_bytes_;
  vector<base_code> codes_;
  vector<base_word> words_;
  vector<std::uint8_t> flags_;
  vector<std::int64_t> ends_;
  vector<std::uint32_t> where_;
  vector<std::uint64_t> keys_, distinct_, peer_keys_, peer_distinct_;
  vector<std::uint32_t> lengths_, peer_lengths_;
};

}  // namespace kmers
