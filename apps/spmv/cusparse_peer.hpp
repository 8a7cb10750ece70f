// SPDX-License-Identifier: Apache-2.0
// cuSPARSE's product of the same matrix and vector. The library is opened at run time, so that a program built with it
// also runs where it is missing. Only in sources that nvcc compiles; SPMV_CUSPARSE_FOLDER is the toolkit's folder with the
// library, and is not defined where the toolkit has none.
#pragma once

#include <onepass/scan.hpp>

#include <string>

#include "multiplier.hpp"

#if ONEPASS_HAS_CUDA && defined(SPMV_CUSPARSE_FOLDER)
#include <cusparse.h>
#include <dlfcn.h>
#include <thrust/device_vector.h>

#include <stdexcept>

#include "../common/cuda_backend.hpp"
#include "../common/vectors.hpp"

namespace spmv {

// The functions that are used, looked up by their names.
class cusparse_library {
 public:
  static const cusparse_library& instance() {
    static const cusparse_library library;
    return library;
  }

  std::string missing;  // why it can't be used; empty where it can
  decltype(&cusparseGetErrorString) error_string = nullptr;
  decltype(&cusparseCreate) create = nullptr;
  decltype(&cusparseDestroy) destroy = nullptr;
  decltype(&cusparseSetStream) set_stream = nullptr;
  decltype(&cusparseCreateConstCsr) create_csr = nullptr;
  decltype(&cusparseDestroySpMat) destroy_matrix = nullptr;
  decltype(&cusparseCreateConstDnVec) create_const_vector = nullptr;
  decltype(&cusparseCreateDnVec) create_vector = nullptr;
  decltype(&cusparseDestroyDnVec) destroy_vector = nullptr;
  decltype(&cusparseSpMV_bufferSize) buffer_size = nullptr;
  decltype(&cusparseSpMV) multiply = nullptr;
#if CUSPARSE_VERSION >= 12400  // where it came
  decltype(&cusparseSpMV_preprocess) preprocess = nullptr;
#endif

 private:
  cusparse_library() {
    const std::string name = "libcusparse.so." + std::to_string(CUSPARSE_VER_MAJOR);
    void* library = dlopen(name.c_str(), RTLD_NOW);
    if (library == nullptr) library = dlopen((SPMV_CUSPARSE_FOLDER "/" + name).c_str(), RTLD_NOW);
    if (library == nullptr) {
      missing = name + " was not found";
      return;
    }
    look_up(library, "cusparseGetErrorString", error_string);
    look_up(library, "cusparseCreate", create);
    look_up(library, "cusparseDestroy", destroy);
    look_up(library, "cusparseSetStream", set_stream);
    look_up(library, "cusparseCreateConstCsr", create_csr);
    look_up(library, "cusparseDestroySpMat", destroy_matrix);
    look_up(library, "cusparseCreateConstDnVec", create_const_vector);
    look_up(library, "cusparseCreateDnVec", create_vector);
    look_up(library, "cusparseDestroyDnVec", destroy_vector);
    look_up(library, "cusparseSpMV_bufferSize", buffer_size);
    look_up(library, "cusparseSpMV", multiply);
#if CUSPARSE_VERSION >= 12400
    look_up(library, "cusparseSpMV_preprocess", preprocess);
#endif
  }

  template <class Function>
  void look_up(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr && missing.empty()) missing = std::string(name) + " is not in this cuSPARSE";
  }
};

inline std::string why_no_cusparse() { return cusparse_library::instance().missing; }

// Everything that can be done once is done by the constructor: run() is the product alone.
class cusparse_peer {
 public:
  using vector = apps::cuda_backend::vector<double>;

  cusparse_peer(cudaStream_t stream, const multiplier<apps::cuda_backend>& on_device, const csr_matrix& matrix,
                const vector& x, vector& y) {
    check(library_.create(&handle_));
    check(library_.set_stream(handle_, stream));
    check(library_.create_csr(&matrix_, matrix.rows, matrix.columns, static_cast<std::int64_t>(matrix.value.size()),
                              apps::pointer_to(on_device.offsets()), apps::pointer_to(on_device.column()),
                              apps::pointer_to(on_device.value()), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    check(library_.create_const_vector(&x_, matrix.columns, apps::pointer_to(x), CUDA_R_64F));
    check(library_.create_vector(&y_, matrix.rows, apps::pointer_to(y), CUDA_R_64F));
    std::size_t bytes = 0;
    check(library_.buffer_size(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, x_, &zero_, y_, CUDA_R_64F,
                               CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
    buffer_.resize(bytes + 1);  // never a null pointer
#if CUSPARSE_VERSION >= 12400
    check(library_.preprocess(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, x_, &zero_, y_, CUDA_R_64F,
                              CUSPARSE_SPMV_ALG_DEFAULT, apps::pointer_to(buffer_)));
#endif
  }
  ~cusparse_peer() {
    library_.destroy_vector(y_);
    library_.destroy_vector(x_);
    library_.destroy_matrix(matrix_);
    library_.destroy(handle_);
  }
  cusparse_peer(const cusparse_peer&) = delete;
  cusparse_peer& operator=(const cusparse_peer&) = delete;

  void run() {
    check(library_.multiply(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, x_, &zero_, y_, CUDA_R_64F,
                            CUSPARSE_SPMV_ALG_DEFAULT, apps::pointer_to(buffer_)));
  }

 private:
  void check(cusparseStatus_t status) const {
    if (status != CUSPARSE_STATUS_SUCCESS)
      throw std::runtime_error(std::string("cuSPARSE: ") + library_.error_string(status));
  }

  const cusparse_library& library_ = cusparse_library::instance();
  const double one_ = 1, zero_ = 0;
  cusparseHandle_t handle_ = nullptr;
  cusparseConstSpMatDescr_t matrix_ = nullptr;
  cusparseConstDnVecDescr_t x_ = nullptr;
  cusparseDnVecDescr_t y_ = nullptr;
  thrust::device_vector<char> buffer_;
};

}  // namespace spmv
#else

namespace spmv {
inline std::string why_no_cusparse() { return "this program was built without it"; }
}  // namespace spmv
#endif
