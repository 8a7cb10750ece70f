// SPDX-License-Identifier: Apache-2.0
// onepass/c.h from Rust: the declarations that a program needs, and calls beside plain loops.
use std::ffi::{c_char, c_int, c_void, CStr};
use std::ptr::{null, null_mut};

#[repr(C)]
struct RadixOptions {
    descending: c_int,
    begin_bit: c_int,
    end_bit: c_int,
}

#[repr(C)]
struct Segments {
    row_length: i64,
    offsets: *const i64,
    offset_count: usize,
}

extern "C" {
    fn onepass_last_message() -> *const c_char;
    fn onepass_create_cpu(threads: c_int, out: *mut *mut c_void) -> c_int;
    fn onepass_destroy(execution: *mut c_void);
    fn onepass_inclusive_scan(
        execution: *const c_void, kind: c_int, first: *const c_void, n: usize, out: *mut c_void, init: *const c_void,
        op: c_int,
    ) -> c_int;
    fn onepass_top_k(
        execution: *const c_void, kind: c_int, first: *const c_void, n: usize, segments: *const Segments, k: usize,
        out: *mut c_void, index_kind: c_int, indices: *mut c_void, options: *const c_void,
    ) -> c_int;
    fn onepass_radix_sort(execution: *const c_void, kind: c_int, keys: *mut c_void, n: usize, o: *const RadixOptions) -> c_int;
}

const FLOAT32: c_int = 8;
const INT64: c_int = 6;
const SUM: c_int = 0;

fn check(status: c_int) {
    let message = unsafe { CStr::from_ptr(onepass_last_message()) };
    assert_eq!(status, 0, "{}", message.to_string_lossy());
}

fn main() {
    let mut execution = null_mut();
    check(unsafe { onepass_create_cpu(0, &mut execution) });
    let x: Vec<i64> = (0..100_000).map(|i: i64| i * 7919 % 1000 - 500).collect();
    let mut sums = vec![0i64; x.len()];
    check(unsafe {
        onepass_inclusive_scan(execution, INT64, x.as_ptr().cast(), x.len(), sums.as_mut_ptr().cast(), null(), SUM)
    });
    let expected: Vec<i64> = x.iter().scan(0, |sum, v| { *sum += v; Some(*sum) }).collect();
    assert_eq!(sums, expected);

    let rows = Segments { row_length: 1000, offsets: null(), offset_count: 0 };
    let (mut largest, mut indices) = (vec![0i64; 200], vec![0i64; 200]);
    check(unsafe {
        onepass_top_k(execution, INT64, x.as_ptr().cast(), x.len(), &rows, 2, largest.as_mut_ptr().cast(), INT64,
                      indices.as_mut_ptr().cast(), null())
    });
    for (i, row) in x.chunks(1000).enumerate() {
        let mut order: Vec<usize> = (0..1000).collect();
        order.sort_by_key(|&j| -row[j]);
        for j in 0..2 {
            assert_eq!((largest[2 * i + j], indices[2 * i + j]), (row[order[j]], order[j] as i64));
        }
    }

    let mut keys: Vec<f32> = x.iter().map(|v| *v as f32 / 4.0).collect();
    let mut sorted = keys.clone();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let descending = RadixOptions { descending: 1, begin_bit: 0, end_bit: -1 };
    check(unsafe { onepass_radix_sort(execution, FLOAT32, keys.as_mut_ptr().cast(), keys.len(), &descending) });
    assert_eq!(keys, sorted);

    let status = unsafe { onepass_radix_sort(execution, 99, keys.as_mut_ptr().cast(), keys.len(), null()) };
    assert_eq!(status, 1);
    let message = unsafe { CStr::from_ptr(onepass_last_message()) }.to_string_lossy();
    assert!(message.contains("enumeration"), "{message}");
    unsafe { onepass_destroy(execution) };
    println!("onepass from Rust: passed");
}
