// SPDX-License-Identifier: Apache-2.0
// How a call is executed, whatever it computes: with a workspace, from several host threads, on several streams, in a
// graph. Each check takes a job, a class with
//   job(backend, n)                     memory for a call on n items
//   void load(seed)                     new input in the same memory, the output poisoned
//   void run(policy) const              the call, without waiting
//   void check() const                  EXPECTs the result of the input loaded last
//   bool untouched() const              whether the output is still poisoned, the input as loaded
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <onepass/workspace.hpp>
#include "backend.hpp"
#include "buffer.hpp"
#include "compare.hpp"
#include "occupier.hpp"
#include "sizes.hpp"

namespace test {

template <class Job, class Policy>
onepass::workspace_size measured(const Job& job, const Policy& policy) {
  return onepass::measure(policy, [&](const auto& p) { job.run(p); });
}

// Measuring writes nothing; a workspace of the measured size is enough, again and again, and for fewer items.
template <class Job, class Backend>
void check_workspace(const Backend& backend) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, limited(150001)}) {
    SCOPED_TRACE(testing::Message() << n << " items");
    Job job(backend, n), part(backend, n / 3);
    job.load(1);
    const onepass::workspace_size size = measured(job, backend.policy());
    EXPECT_TRUE(job.untouched()) << "measuring wrote";
    onepass::workspace memory(backend.policy(), size);
    for (std::uint64_t seed = 2; seed < 6; ++seed) {
      job.load(seed);
      job.run(backend.policy().with(memory));
      job.check();
      part.load(seed);
      part.run(backend.policy().with(memory));
      part.check();
    }
  }
}

// The same in memory that the caller owns.
template <class Job, class Backend>
void check_workspace_in_own_memory(const Backend& backend) {
  Job job(backend, limited(50021));
  const onepass::workspace_size size = measured(job, backend.policy());
  const buffer<unsigned char> bytes(backend, size.bytes());
  onepass::workspace memory(backend.policy(), size, bytes.data());
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    job.load(seed);
    job.run(backend.policy().with(memory));
    job.check();
  }
  EXPECT_TRUE(throws<onepass::invalid_argument>("onepass::workspace: memory",
                                                [&] { onepass::workspace(backend.policy(), size, bytes.data() + 8); }));
}

// A workspace for fewer items is refused before anything is written.
template <class Job, class Backend>
void check_workspace_too_small(const Backend& backend, const std::string& call) {
  Job job(backend, limited(500009)), tiny(backend, 1);
  const onepass::workspace_size enough = measured(job, backend.policy());
  onepass::workspace_size small = measured(tiny, backend.policy());
  if (small.tiles >= enough.tiles && small.scratch >= enough.scratch) {
    GTEST_SKIP() << "this call needs no more for many items than for one";
  }
  onepass::workspace memory(backend.policy(), small);
  job.load(1);
  EXPECT_TRUE(throws<onepass::invalid_argument>("onepass::" + call + ": the workspace is too small",
                                                [&] { job.run(backend.policy().with(memory)); }));
  EXPECT_TRUE(job.untouched());
  job.run(backend.policy());
  job.check();
}

// Calls from several host threads at once, some with few items, some with many.
template <class Job, class Backend, class BackendOfThread>
void check_host_threads(const Backend&, BackendOfThread backend_of_thread) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t, &backend_of_thread] {
      try {
        backend_of_thread(t, [t](const Backend& backend) {
          Job job(backend, limited(t % 2 == 0 ? 777 : 60013));
          for (std::uint64_t seed = 0; seed < 12; ++seed) {
            job.load(100 * t + seed);
            job.run(backend.policy());
            job.check();
          }
        });
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

template <class Job>
void check_host_threads(const cpu_backend& backend) {
  check_host_threads<Job>(backend, [](int t, auto body) { body(cpu_backend{t}); });
}

// Fewer and more threads than there are cores or tiles.
template <class Job>
void check_cpu_threads() {
  for (int threads = 1; threads <= 5; ++threads) {
    for (const std::size_t n : few_sizes()) {
      SCOPED_TRACE(testing::Message() << threads << " threads, " << n << " items");
      const cpu_backend backend{threads};
      Job job(backend, n);
      job.load(n);
      job.run(backend.policy());
      job.check();
    }
  }
}

#if ONEPASS_HAS_CUDA

// Half of the threads share the default stream, half have their own.
template <class Job>
void check_host_threads(const cuda_backend& backend) {
  check_host_threads<Job>(backend, [](int t, auto body) {
    if (t < 2) return body(cuda_backend{});
    const stream own;
    body(cuda_backend{own.get()});
  });
}

// Captured once, replayed three times on other input, with calls outside the graph between the replays.
template <class Job>
void check_graph(bool with_workspace) {
  const stream s;
  const cuda_backend backend{s.get()};
  Job job(backend, limited(120011)), other(backend, 5003);
  std::unique_ptr<onepass::workspace> memory;
  if (with_workspace) {
    memory = std::make_unique<onepass::workspace>(backend.policy(), measured(job, backend.policy()));
    s.wait();
  }
  job.load(1);
  const graph captured(s, [&] { job.run(memory ? backend.policy().with(*memory) : backend.policy()); });
  EXPECT_TRUE(job.untouched()) << "capturing ran the call";
  for (std::uint64_t seed = 2; seed < 5; ++seed) {
    job.load(seed);
    captured.launch(s);
    job.check();
    other.load(seed);
    other.run(memory ? backend.policy().with(*memory) : backend.policy());
    other.check();
  }
  job.load(9);
  captured.launch(s);
  captured.launch(s);  // back to back; in place, the second works on what the first left
  s.wait();
}

// With a workspace nothing is allocated, and the call is `kernels` launches and nothing else (0: any number).
template <class Job>
void check_launches(int kernels) {
  const stream s;
  const cuda_backend backend{s.get()};
  Job job(backend, limited(120011));
  onepass::workspace memory(backend.policy(), measured(job, backend.policy()));
  s.wait();
  job.load(1);
  const graph captured(s, [&] { job.run(backend.policy().with(memory)); });
  EXPECT_EQ(captured.count(cudaGraphNodeTypeMemAlloc), 0);
  EXPECT_EQ(captured.count(cudaGraphNodeTypeHost), 0);
  if (kernels > 0) {
    EXPECT_EQ(captured.count(cudaGraphNodeTypeKernel), kernels);
    EXPECT_EQ(captured.count(cudaGraphNodeTypeMemset), 0);
    EXPECT_EQ(captured.count(cudaGraphNodeTypeMemcpy), 0);
  }
}

// The call comes back although work before it on its stream has not ended.
template <class Job>
void check_does_not_wait(bool with_workspace) {
  if (small_only()) GTEST_SKIP() << "tools may run one kernel at a time";
  const stream s;
  const cuda_backend backend{s.get()};
  Job job(backend, limited(120011));
  std::unique_ptr<onepass::workspace> memory;
  if (with_workspace) {
    memory = std::make_unique<onepass::workspace>(backend.policy(), measured(job, backend.policy()));
  }
  const auto run = [&] { job.run(memory ? backend.policy().with(*memory) : backend.policy()); };
  job.load(1);
  run();  // loads the kernels, which may wait
  job.check();
  job.load(2);
  occupier before(s.get(), 1);
  run();
  EXPECT_FALSE(before.finished()) << "the call waited";
  before.release();
  job.check();
}

// Eight streams at once while another kernel holds all but two multiprocessors: every call ends before that one does.
template <class Job>
void check_eight_streams() {
  if (small_only()) GTEST_SKIP() << "tools may run one kernel at a time";
  constexpr int streams = 8, calls = 3;
  std::vector<std::unique_ptr<stream>> all;
  std::vector<std::unique_ptr<Job>> jobs;
  for (int i = 0; i < streams * calls; ++i) {
    if (i < streams) all.push_back(std::make_unique<stream>());
    const cuda_backend backend{all[i % streams]->get()};
    jobs.push_back(std::make_unique<Job>(backend, std::size_t{700001} + 1000 * i));
    jobs.back()->load(i);
    jobs.back()->run(backend.policy());  // so that kernels are loaded and memory is there: both may wait
    jobs.back()->check();
    jobs.back()->load(1000 + i);
  }
  const stream held;
  occupier others(held.get(), occupier::most_blocks(2));
  for (int i = 0; i < streams * calls; ++i) jobs[i]->run(onepass::cuda(all[i % streams]->get()));
  for (const auto& s : all) s->wait();
  EXPECT_FALSE(others.finished()) << "the calls waited for multiprocessors that were held";
  others.release();
  for (const auto& job : jobs) job->check();
}

#endif

}  // namespace test
