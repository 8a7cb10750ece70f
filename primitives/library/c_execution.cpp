// SPDX-License-Identifier: Apache-2.0
// Executions, workspaces, memory and errors of onepass/c.h.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "../../core/lookback/tile_memory.hpp"
#include "c_arguments.hpp"

#if ONEPASS_HAS_CUDA
#include "../../core/cuda/runtime/device_memory.cuh"
#endif

using onepass::library::execution;

// Blocks that calls have used and may use again. A call takes pieces of them, one behind another, and gives them back.
class onepass_workspace {
 public:
  struct block {
    char* memory;
    std::size_t bytes, used;  // used: up to the end of the last piece
    int pieces;
    bool is_in_graph;  // a captured call has a piece, which its graph uses at each launch

    static std::size_t rounded(std::size_t wanted) {
      return onepass::detail::round_up(wanted, onepass::detail::section_alignment);
    }
    bool has(const void* piece) const { return piece >= memory && piece < memory + bytes; }
    bool has_room_for(std::size_t wanted) const { return used < bytes && wanted <= bytes - used; }
    void* take(std::size_t wanted) {
      void* const piece = memory + used;
      used += rounded(wanted);
      ++pieces;
      return piece;
    }
    // Calls give back the last piece first. What they give back in another order is free when all is.
    void give_back(const void* piece, std::size_t its_bytes) {
      const auto begin = static_cast<std::size_t>(static_cast<const char*>(piece) - memory);
      --pieces;
      if (pieces == 0) used = 0;
      else if (begin + rounded(its_bytes) == used) used = begin;
    }
  };
  explicit onepass_workspace(const execution& e) : where(e.with({})) {}
  onepass_workspace(const onepass_workspace&) = delete;

  const execution where;  // without an allocator
  std::vector<block> blocks;

  // From a block that has room; otherwise from a new one, in place of the free ones that no graph uses. Releasing memory
  // waits for the device, so no call that still runs there loses its own.
  void* take(std::size_t wanted) {
    const std::size_t bytes = std::max<std::size_t>(wanted, 1);
    const bool captured = is_capturing();
    auto has_room = [&](const block& b) { return b.has_room_for(bytes); };
    auto found = std::find_if(blocks.begin(), blocks.end(), has_room);
    if (found == blocks.end()) {
      release_free();
      blocks.reserve(blocks.size() + 1);
      blocks.push_back({static_cast<char*>(onepass::library::allocate(where, bytes)), bytes, 0, 0, false});
      found = blocks.end() - 1;
    }
    found->is_in_graph |= captured;
    return found->take(bytes);
  }
  void give_back(const void* piece, std::size_t bytes) noexcept {
    for (block& b : blocks) {
      if (b.has(piece)) b.give_back(piece, std::max<std::size_t>(bytes, 1));
    }
  }
  ~onepass_workspace() {
    for (const block& b : blocks) onepass::library::release(where, b.memory);
  }

 private:
  bool is_capturing() const {
#if ONEPASS_HAS_CUDA
    if (where.on_cuda())
      return onepass::detail::is_capturing("use_workspace", static_cast<cudaStream_t>(where.stream()));
#endif
    return false;
  }
  void release_free() noexcept {
    for (block& b : blocks) {
      if (b.pieces == 0 && !b.is_in_graph) onepass::library::release(where, std::exchange(b.memory, nullptr));
    }
    const auto is_released = [](const block& b) { return b.memory == nullptr; };
    blocks.erase(std::remove_if(blocks.begin(), blocks.end(), is_released), blocks.end());
  }
};

using namespace onepass::library;

extern "C" {

const char* onepass_last_message() { return last_failure.message; }
int onepass_last_cuda_error() { return last_failure.cuda_error; }
const char* onepass_version() { return ONEPASS_VERSION; }
int onepass_has_cuda() { return has_cuda() ? 1 : 0; }

// ---- executions -----------------------------------------------------------------------------------------------------
onepass_status onepass_create_cpu(int threads, onepass_execution** out) {
  return guarded([&] {
    require("create_cpu", out != nullptr, "out is null");
    *out = nullptr;
    require("create_cpu", threads >= 0, "threads is below 0");
    *out = new onepass_execution{execution::cpu(threads)};
  });
}
onepass_status onepass_create_cuda(void* stream, onepass_execution** out) {
  return guarded([&] {
    require("create_cuda", out != nullptr, "out is null");
    *out = nullptr;
    require("create_cuda", has_cuda(), "the library was built without CUDA, or there is no device");
    *out = new onepass_execution{execution::cuda(stream)};
  });
}
void onepass_destroy(onepass_execution* execution) { delete execution; }

onepass_status onepass_use_size(onepass_execution* e, const int64_t* size) {
  return guarded([&] { e->where = of("use_size", e).sized_by(size); });
}

// ---- temporary memory -----------------------------------------------------------------------------------------------
onepass_status onepass_use_allocator(onepass_execution* e, void* context, void* (*allocate)(void*, size_t),
                                     void (*release)(void*, void*, size_t)) {
  return guarded([&] {
    const char* const call = "use_allocator";
    require(call, e != nullptr, "execution is null");
    require(call, (allocate == nullptr) == (release == nullptr), "one of the two functions is null");
    e->where = e->where.with({context, allocate, release});
  });
}

onepass_status onepass_create_workspace(const onepass_execution* e, size_t bytes, onepass_workspace** out) {
  return guarded([&] {
    const char* const call = "create_workspace";
    require(call, out != nullptr, "out is null");
    *out = nullptr;
    std::unique_ptr<onepass_workspace> made(new onepass_workspace(of(call, e)));
    if (bytes > 0) made->give_back(made->take(bytes), bytes);
    *out = made.release();
  });
}
onepass_status onepass_use_workspace(onepass_execution* e, onepass_workspace* workspace) {
  return guarded([&] {
    const char* const call = "use_workspace";
    const execution& where = of(call, e);
    if (workspace == nullptr) {
      e->where = where.with({});
      return;
    }
    require(call, workspace->where.on_cuda() == where.on_cuda(), "the workspace is of another backend");
    require(call, workspace->where.stream() == where.stream(), "the workspace is of another stream");
    e->where = where.with({workspace,
                           [](void* self, size_t bytes) { return static_cast<onepass_workspace*>(self)->take(bytes); },
                           [](void* self, void* memory, size_t bytes) {
                             static_cast<onepass_workspace*>(self)->give_back(memory, bytes);
                           }});
  });
}
size_t onepass_workspace_bytes(const onepass_workspace* workspace) {
  size_t bytes = 0;
  if (workspace != nullptr) {
    for (const auto& block : workspace->blocks) bytes += block.bytes;
  }
  return bytes;
}
void onepass_destroy_workspace(onepass_workspace* workspace) { delete workspace; }
onepass_status onepass_release_workspace() {
  return guarded([] { release_workspace(); });
}

// ---- memory ---------------------------------------------------------------------------------------------------------
onepass_status onepass_allocate(const onepass_execution* e, size_t bytes, void** out) {
  return guarded([&] {
    require("allocate", out != nullptr, "out is null");
    *out = nullptr;
    *out = allocate(of("allocate", e), bytes);
  });
}
void onepass_release(const onepass_execution* e, void* memory) {
  if (e != nullptr) release(e->where, memory);
}
onepass_status onepass_copy(const onepass_execution* e, void* to, const void* from, size_t bytes) {
  return guarded([&] { copy(of("copy", e), to, from, bytes); });
}
onepass_status onepass_wait(const onepass_execution* e) {
  return guarded([&] { wait(of("wait", e)); });
}

}  // extern "C"
