// SPDX-License-Identifier: Apache-2.0
// What core/exchange/nccl_library.hpp declares by hand, compared with NCCL's own header, where that is found.
#include <gtest/gtest.h>

#include "../../core/exchange/nccl_library.hpp"

#if __has_include(<nccl.h>)
#include <nccl.h>

#include <type_traits>

namespace test {

using nccl = onepass::detail::nccl_library;

// A function of NCCL has the type that is declared for it, but for its enumerations and the types of its structs.
template <class A, class B>
constexpr bool is_same_argument =
    std::is_same_v<A, B> || (std::is_enum_v<A> && std::is_same_v<B, int>) ||
    (std::is_class_v<A> && std::is_class_v<B> && (sizeof(A) == sizeof(B) && alignof(A) == alignof(B))) ||
    (std::is_same_v<A, ncclConfig_t*> && std::is_same_v<B, onepass::detail::nccl_config*>) ||
    (std::is_same_v<A, ncclResult_t*> && std::is_same_v<B, int*>) ||
    (std::is_same_v<A, ncclUniqueId*> && std::is_same_v<B, onepass::detail::nccl_id_bytes*>);
template <class A, class B>
constexpr bool is_same_function = false;
template <class R, class... A, class S, class... B>
constexpr bool is_same_function<R(A...), S (*)(B...)> = [] {
  if constexpr (sizeof...(A) != sizeof...(B)) return false;
  else return is_same_argument<R, S> && (is_same_argument<A, B> && ...);
}();

static_assert(is_same_function<decltype(ncclGetVersion), decltype(nccl::get_version)>);
static_assert(is_same_function<decltype(ncclGetUniqueId), decltype(nccl::get_unique_id)>);
static_assert(is_same_function<decltype(ncclCommInitRankConfig), decltype(nccl::init_rank)>);
static_assert(is_same_function<decltype(ncclCommDestroy), decltype(nccl::destroy)>);
static_assert(is_same_function<decltype(ncclCommAbort), decltype(nccl::abort)>);
static_assert(is_same_function<decltype(ncclCommGetAsyncError), decltype(nccl::async_error)>);
static_assert(is_same_function<decltype(ncclCommCount), decltype(nccl::count)>);
static_assert(is_same_function<decltype(ncclCommUserRank), decltype(nccl::user_rank)>);
static_assert(is_same_function<decltype(ncclCommCuDevice), decltype(nccl::device)>);
static_assert(is_same_function<decltype(ncclAllGather), decltype(nccl::all_gather)>);
static_assert(is_same_function<decltype(ncclAllReduce), decltype(nccl::all_reduce)>);
static_assert(is_same_function<decltype(ncclSend), decltype(nccl::send)>);
static_assert(is_same_function<decltype(ncclRecv), decltype(nccl::receive)>);
static_assert(is_same_function<decltype(ncclGroupStart), decltype(nccl::group_start)>);
static_assert(is_same_function<decltype(ncclGroupEnd), decltype(nccl::group_end)>);
static_assert(is_same_function<decltype(ncclGetErrorString), decltype(nccl::error_string)>);

TEST(nccl_declarations, numbers_cpu) {
  EXPECT_EQ(nccl::success, ncclSuccess);
  EXPECT_EQ(nccl::in_progress, ncclInProgress);
  EXPECT_EQ(nccl::bytes, ncclInt8);
  EXPECT_EQ(nccl::words, ncclUint64);
  EXPECT_EQ(nccl::sum, ncclSum);
  EXPECT_EQ(sizeof(onepass::detail::nccl_id_bytes), std::size_t{NCCL_UNIQUE_ID_BYTES});
}

TEST(nccl_declarations, config_cpu) {
  const ncclConfig_t theirs = NCCL_CONFIG_INITIALIZER;
  const onepass::detail::nccl_config ours{};
  EXPECT_EQ(ours.magic, theirs.magic);
  EXPECT_EQ(ours.version, static_cast<unsigned>(NCCL_VERSION(2, 14, 0)));
  EXPECT_EQ(offsetof(ncclConfig_t, magic), offsetof(onepass::detail::nccl_config, magic));
  EXPECT_EQ(offsetof(ncclConfig_t, version), offsetof(onepass::detail::nccl_config, version));
  EXPECT_EQ(offsetof(ncclConfig_t, blocking), offsetof(onepass::detail::nccl_config, blocking));
  EXPECT_LE(ours.size, theirs.size);
}

}  // namespace test
#else
TEST(nccl_declarations, numbers_cpu) { GTEST_SKIP() << "there is no <nccl.h>"; }
#endif
