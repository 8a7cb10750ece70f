// SPDX-License-Identifier: Apache-2.0
// What the functions of onepass._core are given: memory, types, operators, and where a call runs. The package's Python code
// has checked all of it; these functions are not for users.
#pragma once

#include <nanobind/nanobind.h>

#include <onepass/library.hpp>

#include <cstdint>
#include <stdexcept>
#include <utility>

#include "gil.hpp"

namespace onepass::python {

namespace nb = nanobind;
namespace library = onepass::library;

// ---- memory ---------------------------------------------------------------------------------------------------------
// The items of an array: an address (an int, as of torch's tensors), or an object with the buffer protocol, as NumPy's
// arrays are: then they are contiguous, and stay where they are while this object lives.
class memory {
 public:
  memory(nb::handle array, bool is_written) {
    if (PyLong_Check(array.ptr())) {
      address_ = PyLong_AsVoidPtr(array.ptr());
      if (address_ == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
      return;
    }
    if (PyObject_GetBuffer(array.ptr(), &buffer_, is_written ? PyBUF_WRITABLE : PyBUF_SIMPLE) != 0)
      throw nb::python_error();
    address_ = buffer_.buf;
  }
  memory(const memory&) = delete;
  memory& operator=(const memory&) = delete;
  ~memory() {
    if (buffer_.obj != nullptr) PyBuffer_Release(&buffer_);
  }

  template <class T>
  T* of() const {
    return static_cast<T*>(address_);
  }
  bool is_null() const { return address_ == nullptr; }

 private:
  void* address_ = nullptr;
  Py_buffer buffer_ = {};
};
struct input : memory {
  explicit input(nb::handle array) : memory(array, false) {}
};
struct output : memory {
  explicit output(nb::handle array) : memory(array, true) {}
};

// ---- types ----------------------------------------------------------------------------------------------------------
// A type's number in TYPES, which Python reads. bool goes as uint8.
constexpr const char* type_names[] = {"int8",  "uint8",  "int16",   "uint16",  "int32",   "uint32",
                                      "int64", "uint64", "float32", "float64", "float16", "bfloat16"};

// These call f(a null pointer to the type).

template <class F>
auto with_number(int type, F f) {
  switch (type) {
    case 0: return f(static_cast<std::int8_t*>(nullptr));
    case 1: return f(static_cast<std::uint8_t*>(nullptr));
    case 2: return f(static_cast<std::int16_t*>(nullptr));
    case 3: return f(static_cast<std::uint16_t*>(nullptr));
    case 4: return f(static_cast<std::int32_t*>(nullptr));
    case 5: return f(static_cast<std::uint32_t*>(nullptr));
    case 6: return f(static_cast<std::int64_t*>(nullptr));
    case 7: return f(static_cast<std::uint64_t*>(nullptr));
    case 8: return f(static_cast<float*>(nullptr));
    case 9: return f(static_cast<double*>(nullptr));
    case 10: return f(static_cast<library::half*>(nullptr));
    case 11: return f(static_cast<library::bfloat16*>(nullptr));
    default: throw std::invalid_argument("onepass._core: not a type of numbers");
  }
}
// For integers of up to 4 bytes.
template <class F>
auto with_narrow(int type, F f) {
  switch (type) {
    case 0: return f(static_cast<std::int8_t*>(nullptr));
    case 1: return f(static_cast<std::uint8_t*>(nullptr));
    case 2: return f(static_cast<std::int16_t*>(nullptr));
    case 3: return f(static_cast<std::uint16_t*>(nullptr));
    case 4: return f(static_cast<std::int32_t*>(nullptr));
    case 5: return f(static_cast<std::uint32_t*>(nullptr));
    default: throw std::invalid_argument("onepass._core: not a type of narrow integers");
  }
}
template <class F>
auto with_integer(int type, F f) {
  if (type < 6) return with_narrow(type, f);
  if (type == 6) return f(static_cast<std::int64_t*>(nullptr));
  if (type == 7) return f(static_cast<std::uint64_t*>(nullptr));
  throw std::invalid_argument("onepass._core: not a type of integers");
}
template <class F>
auto with_float(int type, F f) {
  if (type == 8) return f(static_cast<float*>(nullptr));
  if (type == 9) return f(static_cast<double*>(nullptr));
  throw std::invalid_argument("onepass._core: not a type of floats");
}
// For floats and integers of 8 bytes.
template <class F>
auto with_float_or_wide(int type, F f) {
  if (type == 6) return f(static_cast<std::int64_t*>(nullptr));
  if (type == 7) return f(static_cast<std::uint64_t*>(nullptr));
  return with_float(type, f);
}
// For items of so many bytes that are only moved.
template <class F>
auto with_size(int bytes, F f) {
  switch (bytes) {
    case 1: return f(static_cast<std::uint8_t*>(nullptr));
    case 2: return f(static_cast<std::uint16_t*>(nullptr));
    case 4: return f(static_cast<std::uint32_t*>(nullptr));
    case 8: return f(static_cast<std::uint64_t*>(nullptr));
    default: throw std::invalid_argument("onepass._core: not a size of items");
  }
}
// For integers whose sign does not count.
template <class F>
auto with_unsigned(int type, F f) {
  if (type > 7) throw std::invalid_argument("onepass._core: not a type of keys");
  return with_size(1 << type / 2, f);
}
template <class Tag>
using type_of = std::remove_pointer_t<Tag>;

// An initial value: a number, or the bits of a float of 16 bits. None: zero.
template <class T>
T initial(nb::handle init) {
  if (init.is_none()) return T{};
  if constexpr (std::is_class_v<T>) return T{nb::cast<std::uint16_t>(init)};
  else return nb::cast<T>(init);
}

// An operator's number in OPERATORS.
constexpr const char* operator_names[] = {"sum", "prod", "min", "max", "bitwise_and", "bitwise_or", "bitwise_xor"};
inline library::op operator_of(int number) { return static_cast<library::op>(number); }

// ---- where a call runs ----------------------------------------------------------------------------------------------
// A stream of a CUDA device, and what an array library has to say about it: exchange_device(device) makes a device the current
// one and returns the one before; allocate(bytes, stream) returns the address of memory of the current device, or raises;
// release(address) gives it back. One object serves all calls in a stream.
struct cuda_stream {
  std::uintptr_t stream;
  int device;
  nb::object exchange_device, allocate, release;
};

// An allocator that asks Python. The engine calls it without the GIL.
inline library::allocator allocator_of(cuda_stream& stream) {
  return {&stream,
          [](void* context, std::size_t bytes) -> void* {
            const gil_taken gil;
            const auto& of = *static_cast<cuda_stream*>(context);
            return reinterpret_cast<void*>(nb::cast<std::uintptr_t>(of.allocate(bytes, of.stream)));
          },
          [](void* context, void* address, std::size_t) {
            const gil_taken gil;
            const auto& of = *static_cast<cuda_stream*>(context);
            try {
              of.release(reinterpret_cast<std::uintptr_t>(address));
            } catch (nb::python_error& error) {
              error.discard_as_unraisable("onepass: giving memory back");
            }
          }};
}

// Makes a stream's device the current one while it lives.
class current_device {
 public:
  explicit current_device(const cuda_stream& stream)
      : stream_(stream), before_(nb::cast<int>(stream.exchange_device(stream.device))) {}
  current_device(const current_device&) = delete;
  current_device& operator=(const current_device&) = delete;
  ~current_device() {
    try {
      if (before_ != stream_.device) stream_.exchange_device(before_);
    } catch (nb::python_error& error) {
      error.discard_as_unraisable("onepass: making a CUDA device the current one again");
    }
  }

 private:
  const cuda_stream& stream_;
  int before_;
};

// Calls call(execution) without the GIL: on all cores where `where` is None, otherwise in that CUDA stream.
template <class Call>
auto run(nb::handle where, Call call) {
  if (where.is_none()) {
    const gil_released no_gil;
    return call(library::execution::cpu());
  }
  auto& stream = nb::cast<cuda_stream&>(where);
  const current_device current(stream);
  const auto on = library::execution::cuda(reinterpret_cast<void*>(stream.stream)).with(allocator_of(stream));
  const gil_released no_gil;
  return call(on);
}

}  // namespace onepass::python
