# SPDX-License-Identifier: Apache-2.0
"""Writes the Parquet files of the tests, with pyarrow 26: small ones of each type, compression and encoding, and broken ones;
and rides.csv. The tests need none of this, as the files are kept.

usage: make_parquet.py [FOLDER]    (default: tests/fuzz/files/corpus/parquet, where they are kept)
"""
import datetime
import decimal
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

HERE = Path(__file__).resolve().parent
FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parents[1] / "fuzz/files/corpus/parquet"


def write(name, columns, **options):
    options = {"compression": "none", "write_statistics": False, "store_schema": False} | options
    pq.write_table(pa.table(columns), FOLDER / (name + ".parquet"), **options)


def numbers():
    ends = {}
    for bits in (8, 16, 32, 64):
        signed = [-(2 ** (bits - 1)) + (bits == 64), None, 2 ** (bits - 1) - 1]
        ends[f"i{bits}"] = pa.array(signed, getattr(pa, f"int{bits}")())
        ends[f"u{bits}"] = pa.array([0, None, 2 ** min(bits, 63) - 1], getattr(pa, f"uint{bits}")())
    ends["beyond"] = pa.array([1, None, 2 ** 64 - 1], pa.uint64())
    ends["least"] = pa.array([1, None, -(2 ** 63)], pa.int64())
    write("whole_numbers", ends)
    reals = [-0.5, None, 1.5]
    write("reals", {
        "half": pa.array([pa.scalar(value, pa.float32()).cast(pa.float16()) for value in reals], pa.float16()),
        "small": pa.array([-65504.0, 2.0 ** -24, 2.0 ** -14], pa.float32()).cast(pa.float16()),
        "single": pa.array([0.1, None, 1.5], pa.float32()),
        "double": pa.array([0.1, None, 1e300], pa.float64()),
        "ends": pa.array([float("inf"), float("nan"), float("-inf")], pa.float64()),
        "ends_of_half": pa.array([float("inf"), float("nan"), float("-inf")], pa.float32()).cast(pa.float16()),
    })
    fractions = [decimal.Decimal("-12.30"), None, decimal.Decimal("0.07")]
    columns = {f"d{digits}": pa.array(fractions, kind(digits, 2))
               for digits, kind in ((9, pa.decimal128), (18, pa.decimal128), (38, pa.decimal128), (76, pa.decimal256))}
    columns["whole"] = pa.array([decimal.Decimal(-7), None, decimal.Decimal(8)], pa.decimal128(20, 0))
    columns["large"] = pa.array([decimal.Decimal(10) ** 20, None, decimal.Decimal(8)], pa.decimal128(30, 0))
    write("decimals", columns)
    write("decimals_as_integers", columns, store_decimal_as_integer=True)


def texts():
    words = ["b,c", None, "", "a", "NA", " a ", 'q"q', "été"]
    write("texts", {
        "string": pa.array(words),
        "large": pa.array(words, pa.large_string()),
        "codes": pa.array(words).dictionary_encode(),
        "binary": pa.array([word and word.encode() for word in words], pa.binary()),
        "flag": pa.array([True, None, False, True, True, False, False, None]),
        "none": pa.nulls(8),
    })


def moments():
    days = [datetime.date(1970, 1, 1), None, datetime.date(2024, 2, 29), datetime.date(1, 1, 1), datetime.date(9999, 12, 31)]
    times = [datetime.datetime(1970, 1, 1), None, datetime.datetime(2024, 2, 29, 12, 30, 5, 250000),
             datetime.datetime(1969, 12, 31, 23, 59, 59, 999000), datetime.datetime(1900, 3, 1, 7)]
    clocks = [None if time is None else time.time() for time in times]
    columns = {"day": pa.array(days, pa.date32())}
    for unit in ("ms", "us", "ns"):
        columns[unit] = pa.array(times, pa.timestamp(unit))
    columns["utc"] = pa.array(times, pa.timestamp("us", "UTC"))
    columns["clock32"] = pa.array(clocks, pa.time32("ms"))
    columns["clock64"] = pa.array(clocks, pa.time64("us"))
    columns["clock_ns"] = pa.array(clocks, pa.time64("ns"))
    write("moments", columns)
    write("moments_of_96_bits", {"ns": columns["ns"]}, use_deprecated_int96_timestamps=True)
    write("bad_year", {"late": pa.array([0, 4000000], pa.int32()).cast(pa.date32())})
    write("bad_clock", {"clock": pa.array([0, 86400000], pa.int32()).cast(pa.time32("ms"))})


def shapes():
    write("structures", {"point": pa.array([{"x": 1, "y": {"z": "a"}}, None, {"x": 3, "y": None}]), "n": [1, 2, 3]})
    write("no_rows", {"n": pa.array([], pa.int64()), "x": pa.array([], pa.float64()), "t": pa.array([], pa.string())})
    write("bad_lists", {"n": [1, 2], "tags": [["a"], ["b", "c"]]})
    write("bad_map", {"n": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64()))})
    write("bad_no_columns", {})
    write("bad_type", {"id": pa.array([b"0123456789abcdef"], pa.binary(16))})
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["n", "n"]), FOLDER / "bad_two_names.parquet",
                   compression="none")
    pq.write_table(pa.Table.from_arrays([pa.array([1])], [""]), FOLDER / "bad_no_name.parquet", compression="none")


def rides():
    """One table in many forms, and as CSV. Its numbers have few digits, so that CSV has the same ones."""
    zones = ["north", "south", "east", "west", "the harbour", None]
    rows = range(120)
    columns = {
        "zone": pa.array([zones[i * i % 7 % 6] for i in rows]),
        "day": pa.array([None if i % 11 == 3 else datetime.date(2024, 1 + i % 12, 1 + i % 28) for i in rows]),
        "riders": pa.array([i * 5 % 7 for i in rows], pa.int32()),
        "fare": pa.array([None if i % 13 == 5 else i * 37 % 101 / 4 for i in rows], pa.float64()),
    }
    lines = [",".join(columns)]
    for i in rows:
        fields = [column[i].as_py() for column in columns.values()]
        lines.append(",".join("" if field is None else f"{field:g}" if isinstance(field, float) else str(field) for field in fields))
    (HERE / "rides.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    write("rides_plain", columns, use_dictionary=False, row_group_size=33)
    for compression in ("snappy", "gzip", "zstd", "lz4", "brotli"):
        write("rides_" + compression, columns, compression=compression, row_group_size=50)
    write("rides_small_pages", columns, data_page_size=64, write_batch_size=16, write_page_checksum=True, row_group_size=100)
    write("rides_version_2", columns, data_page_version="2.0", compression="zstd", write_statistics=True)
    write("rides_with_schema", columns, store_schema=True, row_group_size=40)
    write("rides_deltas", columns, use_dictionary=False, column_encoding={
        "zone": "DELTA_BYTE_ARRAY", "day": "DELTA_BINARY_PACKED", "riders": "DELTA_BINARY_PACKED",
        "fare": "BYTE_STREAM_SPLIT"})


def broken():
    sums = (FOLDER / "rides_small_pages.parquet").read_bytes()
    whole = (FOLDER / "rides_version_2.parquet").read_bytes()
    files = {
        "magic_alone": b"PAR1",
        "twice_magic": b"PAR1PAR1",
        "cut": whole[:len(whole) // 2],
        "no_end": whole[:-4],
        "footer_too_long": whole[:-8] + b"\xff\xff\xff\x7f" + b"PAR1",
        "footer_empty": whole[:-8] + b"\0\0\0\0" + b"PAR1",
        "checksum": sums[:200] + bytes([sums[200] ^ 1]) + sums[201:],
        "pages": whole[:4] + b"\xff" * 60 + whole[64:],
        "moved": whole[:20] + whole[30:],
    }
    for name, data in files.items():
        (FOLDER / f"bad_{name}.parquet").write_bytes(data)


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for each in (numbers, texts, moments, shapes, rides, broken):
        each()


main()
