// SPDX-License-Identifier: Apache-2.0
// Each rank tells its failure as a status and a text, and all ranks choose the same one to report.
#include "agreement.hpp"

#include <cstdio>
#include <new>
#include <string>

namespace distributed_sort {
namespace {

struct failure_note {
  int status = 0;  // the program's exit status; 0: all is well
  char text[508] = {};
};

failure_note note_with(int status, const char* text) {
  failure_note note;
  note.status = status;
  std::snprintf(note.text, sizeof note.text, "%s", text);
  return note;
}

failure_note note_of(const std::exception_ptr& failure) {
  if (!failure) return {};
  try {
    std::rethrow_exception(failure);
  } catch (const apps::user_error& error) {
    return note_with(2, error.what());
  } catch (const std::bad_alloc&) {
    return note_with(2, "not enough memory for an input of this size");
  } catch (const std::length_error&) {  // more than any memory
    return note_with(2, "not enough memory for an input of this size");
  } catch (const std::exception& error) {
    try {
      std::rethrow_if_nested(error);  // a call across ranks says what this rank has met
    } catch (...) {
      return note_of(std::current_exception());
    }
    return note_with(1, error.what());
  } catch (...) {
    return note_with(1, "an exception of unknown type");
  }
}

}  // namespace

void agree(host_communicator& ranks, const std::exception_ptr& mine) {
  const std::vector<failure_note> notes = gathered(ranks, note_of(mine));
  int rank = -1, status = 0;
  for (int q = 0; q < ranks.size(); ++q) {
    const failure_note& note = notes[static_cast<std::size_t>(q)];
    if (note.status > status) rank = q, status = note.status;
  }
  if (status == 0) return;
  const std::string text = (rank == 0 ? "" : "rank " + std::to_string(rank) + ": ") +
                           std::string(notes[static_cast<std::size_t>(rank)].text);
  if (status == 2) throw agreed_user_error(text);
  throw agreed_failure(text);
}

}  // namespace distributed_sort
