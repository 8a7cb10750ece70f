// SPDX-License-Identifier: Apache-2.0
// What XLA passes to a function that is called through its typed foreign function interface, as far as onepass uses it. The
// names and the layout are those of xla/ffi/api/c_api.h, which jaxlib brings: the first 11 functions of XLA_FFI_Api, and the
// structures that these and a handler take, are the same in its versions 0.1 to 0.4. A test compares this file with the header
// of the jaxlib that is installed (python/tests/test_jax_layout.py), and docs/decisions.md says why it is not that header.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onepass::python::xla {

struct XLA_FFI_Error;             // XLA's
struct XLA_FFI_ExecutionContext;  // XLA's

struct XLA_FFI_Extension_Base {
  std::size_t struct_size;
  int type;
  XLA_FFI_Extension_Base* next;
};
constexpr int XLA_FFI_Extension_Metadata = 1;

struct XLA_FFI_Api_Version {
  std::size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  int major_version, minor_version;
};

// What a handler is asked for when it is registered. Later versions have more behind it.
struct XLA_FFI_Metadata {
  std::size_t struct_size;
  XLA_FFI_Api_Version api_version;
  std::uint32_t traits;
};
struct XLA_FFI_Metadata_Extension {
  XLA_FFI_Extension_Base extension_base;
  XLA_FFI_Metadata* metadata;
};

// ---- errors, the stream, memory -------------------------------------------------------------------------------------
constexpr int XLA_FFI_Error_Code_INVALID_ARGUMENT = 3;
constexpr int XLA_FFI_Error_Code_RESOURCE_EXHAUSTED = 8;
constexpr int XLA_FFI_Error_Code_INTERNAL = 13;
struct XLA_FFI_Error_Create_Args {
  std::size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  const char* message;
  int errc;
};
struct XLA_FFI_Error_Destroy_Args {
  std::size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Error* error;
};
struct XLA_FFI_Stream_Get_Args {
  std::size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  void* stream;
};
struct XLA_FFI_DeviceMemory_Allocate_Args {
  std::size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  std::size_t size, alignment;
  void* data;
};
struct XLA_FFI_DeviceMemory_Free_Args {
  std::size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  std::size_t size;
  void* data;
};
struct XLA_FFI_Api {
  std::size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Api_Version api_version;
  const void* internal_api;
  XLA_FFI_Error* (*XLA_FFI_Error_Create)(XLA_FFI_Error_Create_Args*);
  void (*XLA_FFI_Error_GetMessage)(void*);
  void (*XLA_FFI_Error_Destroy)(XLA_FFI_Error_Destroy_Args*);
  XLA_FFI_Error* (*XLA_FFI_Handler_Register)(void*);
  XLA_FFI_Error* (*XLA_FFI_Stream_Get)(XLA_FFI_Stream_Get_Args*);
  XLA_FFI_Error* (*XLA_FFI_Type_Register)(void*);
  XLA_FFI_Error* (*XLA_FFI_ExecutionContext_Get)(void*);
  XLA_FFI_Error* (*XLA_FFI_State_Set)(void*);
  XLA_FFI_Error* (*XLA_FFI_State_Get)(void*);
  XLA_FFI_Error* (*XLA_FFI_DeviceMemory_Allocate)(XLA_FFI_DeviceMemory_Allocate_Args*);
  XLA_FFI_Error* (*XLA_FFI_DeviceMemory_Free)(XLA_FFI_DeviceMemory_Free_Args*);
};

// ---- a call ---------------------------------------------------------------------------------------------------------
struct XLA_FFI_Buffer {
  std::size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  int dtype;
  void* data;
  std::int64_t rank;
  std::int64_t* dims;
};
struct XLA_FFI_ByteSpan {
  const char* ptr;
  std::size_t len;
};
struct XLA_FFI_Scalar {
  int dtype;
  void* value;
};
constexpr int XLA_FFI_AttrType_SCALAR = 3;
struct XLA_FFI_Args {
  std::size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  std::int64_t size;
  int* types;
  void** args;  // XLA_FFI_Buffer*
};
struct XLA_FFI_Rets {
  std::size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  std::int64_t size;
  int* types;
  void** rets;  // XLA_FFI_Buffer*
};
struct XLA_FFI_Attrs {
  std::size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  std::int64_t size;
  int* types;
  XLA_FFI_ByteSpan** names;
  void** attrs;  // XLA_FFI_Scalar*
};
struct XLA_FFI_CallFrame {
  std::size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  const XLA_FFI_Api* api;
  XLA_FFI_ExecutionContext* ctx;
  int stage;
  XLA_FFI_Args args;
  XLA_FFI_Rets rets;
  XLA_FFI_Attrs attrs;
  void* future;
};
using XLA_FFI_Handler = XLA_FFI_Error*(XLA_FFI_CallFrame*);

// The types of items that onepass has.
constexpr int XLA_FFI_DataType_PRED = 1, XLA_FFI_DataType_S8 = 2, XLA_FFI_DataType_S16 = 3, XLA_FFI_DataType_S32 = 4,
              XLA_FFI_DataType_S64 = 5, XLA_FFI_DataType_U8 = 6, XLA_FFI_DataType_U16 = 7, XLA_FFI_DataType_U32 = 8,
              XLA_FFI_DataType_U64 = 9, XLA_FFI_DataType_F16 = 10, XLA_FFI_DataType_F32 = 11, XLA_FFI_DataType_F64 = 12,
              XLA_FFI_DataType_BF16 = 16;

}  // namespace onepass::python::xla
