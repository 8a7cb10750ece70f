// SPDX-License-Identifier: Apache-2.0
// A CUDA runtime that runs nothing, for machines without a GPU. It keeps the rules that two files or libraries may break: a
// kernel is launched through the runtime that it is registered with, and has more than 48 KB of shared memory only if that
// was allowed for this very kernel. Memory is addresses that nobody may use.
#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace {

constexpr int most_shared = 227 << 10, shared_of_any = 48 << 10, architecture = 90;

struct known_kernels {
  std::mutex mutex;
  std::map<const void*, int> shared;  // that each may have
  int launches = 0;
};
known_kernels& known() {
  static known_kernels& all = *new known_kernels;
  return all;
}

// What `use` does with the shared memory that a kernel may have, if it is registered here.
template <class Use>
cudaError_t with_kernel(const void* kernel, Use use) {
  const std::lock_guard<std::mutex> lock(known().mutex);
  const auto found = known().shared.find(kernel);
  return found == known().shared.end() ? cudaErrorInvalidDeviceFunction : use(found->second);
}

cudaError_t addresses(void** memory, size_t bytes) {
  static std::uintptr_t next = std::uintptr_t{1} << 46;
  *memory = reinterpret_cast<void*>(next);
  next += (bytes + 511) / 512 * 512;
  return cudaSuccess;
}

}  // namespace

extern "C" {

int pretended_launches() { return known().launches; }

// ---- kernels ----------------------------------------------------------------------------------------------------------
void __cudaRegisterFunction(void**, const char* kernel, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*) {
  const std::lock_guard<std::mutex> lock(known().mutex);
  known().shared[kernel] = shared_of_any;
}
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute, int value) {
  return with_kernel(kernel, [&](int& shared) {
    if (value > most_shared) return cudaErrorInvalidValue;
    shared = value;
    return cudaSuccess;
  });
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
  return with_kernel(kernel, [&](int& shared) {
    *attributes = {};
    attributes->ptxVersion = attributes->binaryVersion = architecture;
    attributes->maxDynamicSharedSizeBytes = shared;
    return cudaSuccess;
  });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int, size_t) {
  return with_kernel(kernel, [&](int&) {
    *blocks = 1;
    return cudaSuccess;
  });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* kernel, int threads,
                                                                   size_t shared, unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void**) {
  return with_kernel(kernel, [&](int& shared) {
    if (config->dynamicSmemBytes > static_cast<size_t>(shared)) return cudaErrorInvalidValue;
    ++known().launches;
    return cudaSuccess;
  });
}

// ---- what else is asked for -------------------------------------------------------------------------------------------
cudaError_t cudaGetDeviceCount(int* devices) { return *devices = 1, cudaSuccess; }
cudaError_t cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int) {
  *value = which == cudaDevAttrMaxSharedMemoryPerBlockOptin ? most_shared : 132;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorInvalidValue ? "invalid argument" : "invalid device function";
}
cudaError_t cudaMalloc(void** memory, size_t bytes) { return addresses(memory, bytes); }
cudaError_t cudaMallocFromPoolAsync(void** memory, size_t bytes, cudaMemPool_t, cudaStream_t) {
  return addresses(memory, bytes);
}
cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned) {  // for counts, which no kernel stores
  return *memory = std::calloc(1, bytes), cudaSuccess;
}
cudaError_t cudaFree(void*) { return cudaSuccess; }
cudaError_t cudaFreeAsync(void*, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaMemcpy(void*, const void*, size_t, cudaMemcpyKind) { return cudaSuccess; }
cudaError_t cudaMemcpyAsync(void* to, const void*, size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
  if (kind == cudaMemcpyDeviceToHost) std::memset(to, 0, bytes);  // a count
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void*, int, size_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps*) { return *pool = nullptr, cudaSuccess; }
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return cudaSuccess; }
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  return *status = cudaStreamCaptureStatusNone, cudaSuccess;
}
cudaError_t cudaStreamGetId(cudaStream_t, unsigned long long* id) { return *id = 1, cudaSuccess; }
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) { return cudaSuccess; }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t*, unsigned) { return cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }

// ---- what nvcc's own code calls as a program starts, and never else here ------------------------------------------------
void** __cudaRegisterFatBinary(void*) { return nullptr; }
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, cudaStream_t) { return 1; }
unsigned __cudaPopCallConfiguration(dim3*, dim3*, size_t*, void*) { return 1; }
cudaError_t __cudaGetKernel(cudaKernel_t*, const void*) { return cudaErrorInvalidDeviceFunction; }
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t) {
  return cudaErrorInvalidDeviceFunction;
}
}
