// SPDX-License-Identifier: Apache-2.0
// NCCL, opened when a program first asks for it. So a program that can use NCCL also runs, and is built, where there is
// none. What it needs of NCCL's interface is declared here by hand, from NCCL's public documentation: opaque handles,
// numbers that have never changed, and C functions. tests/nccl/declarations.cpp compares it with <nccl.h> where that is
// found.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <string>

#include <onepass/config.hpp>
#include <onepass/errors.hpp>

struct ncclComm;  // what an ncclComm_t points to

namespace onepass::detail {

struct nccl_id_bytes {  // ncclUniqueId
  char bytes[128];
};
// The first members of ncclConfig_t, those of NCCL 2.14. NCCL takes later members for unset.
struct nccl_config {
  std::size_t size = sizeof(nccl_config);
  unsigned magic = 0xcafebeef;
  unsigned version = 21400;
  int blocking;
};

class nccl_library {
 public:
  using result = int;  // ncclResult_t
  static constexpr result success = 0, in_progress = 7;
  static constexpr int bytes = 0;                      // ncclInt8
  static constexpr int words = 5;                      // ncclUint64
  static constexpr int sum = 0;                        // ncclSum
  static constexpr int oldest = 2 * 10000 + 18 * 100;  // 2.18: ncclCommInitRankConfig, groups without blocking

  // The library of this process. Throws if there is none.
  static const nccl_library& get(const char* call) {
    static const nccl_library library;
    if (!library.fault_.empty()) throw invalid_argument(call, library.fault_);
    return library;
  }
  // Why there is none, or an empty text.
  static std::string missing() {
    try {
      get("nccl");
      return {};
    } catch (const invalid_argument& e) {
      return e.what();
    }
  }

  result (*get_version)(int*) = nullptr;
  result (*get_unique_id)(nccl_id_bytes*) = nullptr;
  result (*init_rank)(ncclComm**, int, nccl_id_bytes, int, nccl_config*) = nullptr;
  result (*destroy)(ncclComm*) = nullptr;
  result (*abort)(ncclComm*) = nullptr;
  result (*async_error)(ncclComm*, result*) = nullptr;
  result (*count)(ncclComm*, int*) = nullptr;
  result (*user_rank)(ncclComm*, int*) = nullptr;
  result (*device)(ncclComm*, int*) = nullptr;
  result (*all_gather)(const void*, void*, std::size_t, int, ncclComm*, stream_t) = nullptr;
  result (*all_reduce)(const void*, void*, std::size_t, int, int, ncclComm*, stream_t) = nullptr;
  result (*send)(const void*, std::size_t, int, int, ncclComm*, stream_t) = nullptr;
  result (*receive)(void*, std::size_t, int, int, ncclComm*, stream_t) = nullptr;
  result (*group_start)() = nullptr;
  result (*group_end)() = nullptr;
  const char* (*error_string)(result) = nullptr;

 private:
  nccl_library() {
    // The PyPI wheel has the first name alone.
    void* library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) library = dlopen("libnccl.so", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* const why = dlerror();
      fault_ = std::string("NCCL cannot be opened: ") + (why != nullptr ? why : "no libnccl.so.2");
      return;
    }
    find(library, "ncclGetVersion", get_version);
    find(library, "ncclGetUniqueId", get_unique_id);
    find(library, "ncclCommInitRankConfig", init_rank);
    find(library, "ncclCommDestroy", destroy);
    find(library, "ncclCommAbort", abort);
    find(library, "ncclCommGetAsyncError", async_error);
    find(library, "ncclCommCount", count);
    find(library, "ncclCommUserRank", user_rank);
    find(library, "ncclCommCuDevice", device);
    find(library, "ncclAllGather", all_gather);
    find(library, "ncclAllReduce", all_reduce);
    find(library, "ncclSend", send);
    find(library, "ncclRecv", receive);
    find(library, "ncclGroupStart", group_start);
    find(library, "ncclGroupEnd", group_end);
    find(library, "ncclGetErrorString", error_string);
    int version = 0;
    if (fault_.empty() && (get_version(&version) != success || version < oldest)) {
      fault_ = "NCCL is too old: its version is " + std::to_string(version) + ", 21800 is needed";
    }
  }
  template <class Function>
  void find(void* library, const char* name, Function& function) {
    void* const address = dlsym(library, name);
    if (address == nullptr && fault_.empty()) fault_ = std::string("NCCL is too old: it has no ") + name;
    function = reinterpret_cast<Function>(address);
  }

  std::string fault_;
};

}  // namespace onepass::detail
