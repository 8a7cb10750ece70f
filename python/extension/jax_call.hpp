// SPDX-License-Identifier: Apache-2.0
// A call that XLA makes: its arrays, its numbers, where it runs, and what becomes of errors.
#pragma once

#include "arguments.hpp"
#include "xla_ffi.hpp"

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

namespace onepass::python::xla {

// The newest version of the interface that onepass was tested with.
constexpr int newest_minor_version = 3;

// An array of XLA's: dense, the last axis is the one of neighbours.
class array {
 public:
  explicit array(void* buffer) : buffer_(static_cast<const XLA_FFI_Buffer*>(buffer)) {}

  template <class T>
  T* of() const {
    return static_cast<T*>(buffer_->data);
  }
  std::size_t items() const {
    std::size_t n = 1;
    for (std::int64_t i = 0; i < buffer_->rank; ++i) n *= static_cast<std::size_t>(buffer_->dims[i]);
    return n;
  }
  // The type's number in type_names.
  int type() const {
    switch (buffer_->dtype) {
      case XLA_FFI_DataType_S8: return 0;
      case XLA_FFI_DataType_PRED:
      case XLA_FFI_DataType_U8: return 1;
      case XLA_FFI_DataType_S16: return 2;
      case XLA_FFI_DataType_U16: return 3;
      case XLA_FFI_DataType_S32: return 4;
      case XLA_FFI_DataType_U32: return 5;
      case XLA_FFI_DataType_S64: return 6;
      case XLA_FFI_DataType_U64: return 7;
      case XLA_FFI_DataType_F32: return 8;
      case XLA_FFI_DataType_F64: return 9;
      case XLA_FFI_DataType_F16: return 10;
      case XLA_FFI_DataType_BF16: return 11;
      default: throw std::invalid_argument("onepass: XLA's type " + std::to_string(buffer_->dtype) + " is not known");
    }
  }

 private:
  const XLA_FFI_Buffer* buffer_;
};

class call {
 public:
  explicit call(const XLA_FFI_CallFrame& frame) : frame_(frame), on_(library::execution::cpu()) {}
  call(const call&) = delete;
  call& operator=(const call&) = delete;
  ~call() { keep_error(nullptr); }
  // From now on the call runs in XLA's stream, whose device is the current one, and has its scratch from XLA.
  void use_cuda() {
    XLA_FFI_Stream_Get_Args get{sizeof(get), nullptr, frame_.ctx, nullptr};
    if (keep_error(frame_.api->XLA_FFI_Stream_Get(&get))) throw std::runtime_error("onepass: XLA gave no stream");
    on_ = library::execution::cuda(get.stream).with({this, &allocate, &release});
  }

  const library::execution& on() const { return on_; }
  array in(int i) const { return array(frame_.args.args[i]); }
  array out(int i) const { return array(frame_.rets.rets[i]); }
  // A number that the call was compiled with.
  std::int64_t number(const std::string& name) const {
    const XLA_FFI_Attrs& of = frame_.attrs;
    for (std::int64_t i = 0; i < of.size; ++i) {
      if (name != std::string(of.names[i]->ptr, of.names[i]->len)) continue;
      const auto* scalar = static_cast<const XLA_FFI_Scalar*>(of.attrs[i]);
      if (of.types[i] == XLA_FFI_AttrType_SCALAR && scalar->dtype == XLA_FFI_DataType_S64)
        return *static_cast<const std::int64_t*>(scalar->value);
    }
    throw std::invalid_argument("onepass: XLA passed no int64 " + name);
  }

  // An error of XLA's own, if it was one; the caller has to destroy it.
  XLA_FFI_Error* take_error() { return std::exchange(error_, nullptr); }

 private:
  bool keep_error(XLA_FFI_Error* error) {
    if (error_ != nullptr) {
      XLA_FFI_Error_Destroy_Args destroy{sizeof(destroy), nullptr, error_};
      frame_.api->XLA_FFI_Error_Destroy(&destroy);
    }
    error_ = error;
    return error != nullptr;
  }
  // Null where XLA has no memory: then the call throws bad_alloc, and XLA gets its own error back.
  static void* allocate(void* context, std::size_t bytes) {
    auto& self = *static_cast<call*>(context);
    XLA_FFI_DeviceMemory_Allocate_Args args{sizeof(args), nullptr, self.frame_.ctx, bytes, 16, nullptr};
    return self.keep_error(self.frame_.api->XLA_FFI_DeviceMemory_Allocate(&args)) ? nullptr : args.data;
  }
  static void release(void* context, void* memory, std::size_t bytes) {
    auto& self = *static_cast<call*>(context);
    XLA_FFI_DeviceMemory_Free_Args args{sizeof(args), nullptr, self.frame_.ctx, bytes, memory};
    // That memory was given back is no reason to forget why other memory was not to be had.
    if (XLA_FFI_Error* const error = self.frame_.api->XLA_FFI_DeviceMemory_Free(&args)) self.keep_error(error);
  }

  const XLA_FFI_CallFrame& frame_;
  library::execution on_;
  XLA_FFI_Error* error_ = nullptr;
};

// Memory of the call's backend while this lives.
class scratch {
 public:
  scratch(const call& of, std::size_t bytes) : on_(of.on()), bytes_(bytes) {
    const library::allocator& source = on_.source();
    memory_ = source.allocate ? source.allocate(source.context, bytes) : library::allocate(on_, bytes);
    if (memory_ == nullptr) throw std::bad_alloc();
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() {
    const library::allocator& source = on_.source();
    if (source.release) source.release(source.context, memory_, bytes_);
    else library::release(on_, memory_);
  }
  template <class T>
  T* of() const {
    return static_cast<T*>(memory_);
  }

 private:
  const library::execution& on_;
  std::size_t bytes_;
  void* memory_;
};

inline XLA_FFI_Error* new_error(const XLA_FFI_CallFrame& frame, const char* message, int code) {
  XLA_FFI_Error_Create_Args args{sizeof(args), nullptr, message, code};
  return frame.api->XLA_FFI_Error_Create(&args);
}

// The version of the interface that a handler has: XLA's own, where onepass was tested with that.
inline void say_version(const XLA_FFI_CallFrame& frame) {
  auto& metadata = *reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame.extension_start)->metadata;
  const bool is_known = frame.api != nullptr && frame.api->api_version.major_version == 0;
  const int minor = is_known ? frame.api->api_version.minor_version : 1;
  metadata.api_version = {sizeof(XLA_FFI_Api_Version), nullptr, 0,
                          minor < newest_minor_version ? minor : newest_minor_version};
  metadata.traits = 0;
}

// What XLA calls: f(call), on the CPU or in XLA's CUDA stream.
template <void (*f)(const call&), bool on_cuda>
XLA_FFI_Error* handler(XLA_FFI_CallFrame* frame) {
  if (frame->extension_start != nullptr && frame->extension_start->type == XLA_FFI_Extension_Metadata) {
    say_version(*frame);
    return nullptr;
  }
  call of(*frame);
  const auto failed = [&](const std::exception& error, int code) {
    XLA_FFI_Error* own = of.take_error();
    return own ? own : new_error(*frame, error.what(), code);
  };
  try {
    if (on_cuda) of.use_cuda();
    f(of);
    return nullptr;
  } catch (const std::bad_alloc& error) {
    return failed(error, XLA_FFI_Error_Code_RESOURCE_EXHAUSTED);
  } catch (const std::invalid_argument& error) {
    return failed(error, XLA_FFI_Error_Code_INVALID_ARGUMENT);
  } catch (const std::exception& error) {
    return failed(error, XLA_FFI_Error_Code_INTERNAL);
  }
}

}  // namespace onepass::python::xla
