// SPDX-License-Identifier: Apache-2.0
// A kernel that holds multiprocessors until it is told to let go, and graphs made by capture. For nvcc only.
#pragma once

#include "backend.hpp"

#if ONEPASS_HAS_CUDA

#include <cuda_runtime.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace test {

struct occupier_flags {
  int running;   // blocks that have started
  int released;  // set by the host
};

// Each block waits for the release; after `most_nanoseconds` it goes by itself, so that a failed test ends.
template <class = void>
__global__ void occupy(volatile occupier_flags* flags, unsigned long long most_nanoseconds) {
  if (threadIdx.x == 0) atomicAdd_system(const_cast<int*>(&flags->running), 1);
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    __nanosleep(1000);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (!flags->released && now - start < most_nanoseconds);
}

class occupier {
 public:
  // Holds `blocks` multiprocessors whole: each block takes all shared memory that one has, so no other block fits
  // beside it. Returns when all of them run.
  occupier(cudaStream_t stream, int blocks) : stream_(stream) {
    int device = 0, shared_bytes = 0;
    check_cuda(cudaGetDevice(&device), "cudaGetDevice");
    check_cuda(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "attribute");
    check_cuda(cudaFuncSetAttribute(occupy<>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes), "attribute");
    check_cuda(cudaHostAlloc(&flags_, sizeof(occupier_flags), cudaHostAllocMapped), "cudaHostAlloc");
    *const_cast<occupier_flags*>(flags_) = {0, 0};
    occupy<><<<blocks, 128, shared_bytes, stream>>>(flags_, 60ull * 1000 * 1000 * 1000);
    check_cuda(cudaGetLastError(), "occupy");
    while (flags_->running < blocks && !finished()) {
    }
  }
  ~occupier() {
    release();
    cudaFreeHost(const_cast<occupier_flags*>(flags_));
  }
  occupier(const occupier&) = delete;
  occupier& operator=(const occupier&) = delete;

  // Ends the kernel and waits for its stream.
  void release() {
    flags_->released = 1;
    cudaStreamSynchronize(stream_);
  }
  bool finished() const { return cudaStreamQuery(stream_) == cudaSuccess; }

  // All multiprocessors but `left`.
  static int most_blocks(int left) {
    int device = 0, all = 0;
    check_cuda(cudaGetDevice(&device), "cudaGetDevice");
    check_cuda(cudaDeviceGetAttribute(&all, cudaDevAttrMultiProcessorCount, device), "attribute");
    return std::max(1, all - left);
  }

 private:
  cudaStream_t stream_;
  volatile occupier_flags* flags_ = nullptr;
};

// What `call` puts on the stream, as a graph.
class graph {
 public:
  template <class Call>
  graph(const stream& s, Call call) {
    check_cuda(cudaStreamBeginCapture(s.get(), cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
    try {
      call();
    } catch (...) {
      cudaStreamEndCapture(s.get(), &graph_);
      if (graph_ != nullptr) cudaGraphDestroy(graph_);
      cudaGetLastError();
      throw;
    }
    check_cuda(cudaStreamEndCapture(s.get(), &graph_), "cudaStreamEndCapture");
    check_cuda(cudaGraphInstantiate(&instance_, graph_, 0), "cudaGraphInstantiate");
  }
  ~graph() {
    if (instance_ != nullptr) cudaGraphExecDestroy(instance_);
    if (graph_ != nullptr) cudaGraphDestroy(graph_);
  }
  graph(const graph&) = delete;
  graph& operator=(const graph&) = delete;

  void launch(const stream& s) const { check_cuda(cudaGraphLaunch(instance_, s.get()), "cudaGraphLaunch"); }
  int count(cudaGraphNodeType type) const {
    std::size_t nodes = 0;
    check_cuda(cudaGraphGetNodes(graph_, nullptr, &nodes), "cudaGraphGetNodes");
    std::vector<cudaGraphNode_t> all(nodes);
    check_cuda(cudaGraphGetNodes(graph_, all.data(), &nodes), "cudaGraphGetNodes");
    return static_cast<int>(std::count_if(all.begin(), all.end(), [&](cudaGraphNode_t node) {
      cudaGraphNodeType its = cudaGraphNodeTypeEmpty;
      check_cuda(cudaGraphNodeGetType(node, &its), "cudaGraphNodeGetType");
      return its == type;
    }));
  }

 private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t instance_ = nullptr;
};

}  // namespace test

#endif
