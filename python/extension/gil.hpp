// SPDX-License-Identifier: Apache-2.0
// Python's global lock (GIL), given up and taken for a scope. Before Python 3.14 a daemon thread that wants the lock while
// Python ends is ended by pthread_exit, whose unwinding may leave neither a destructor nor the engine. Such a thread sleeps
// here until the process has ended.
#pragma once

#include <Python.h>

#include <chrono>
#include <thread>

namespace onepass::python {

template <class Take>
auto taken_or_asleep(Take take) noexcept {
  try {
    return take();
  } catch (...) {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
}

// Without the lock while it lives.
class gil_released {
 public:
  gil_released() : state_(PyEval_SaveThread()) {}
  gil_released(const gil_released&) = delete;
  gil_released& operator=(const gil_released&) = delete;
  ~gil_released() {
    taken_or_asleep([&] { PyEval_RestoreThread(state_); });
  }

 private:
  PyThreadState* state_;
};

// With the lock while it lives, on any thread.
class gil_taken {
 public:
  gil_taken() : state_(taken_or_asleep([] { return PyGILState_Ensure(); })) {}
  gil_taken(const gil_taken&) = delete;
  gil_taken& operator=(const gil_taken&) = delete;
  ~gil_taken() { PyGILState_Release(state_); }

 private:
  PyGILState_STATE state_;
};

}  // namespace onepass::python
