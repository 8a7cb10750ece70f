# SPDX-License-Identifier: Apache-2.0
"""The question of docs/query.md to DuckDB and Polars, on the table that `query --generate ROWS` makes, in memory.

Prints the median time of five answers and the result's first rows, which are those of `query`. Needs numpy, and duckdb, or
polars, or both.

usage: query_peers.py ROWS [THREADS [SEED]]
"""
import os
import sys
import time

ROWS = int(sys.argv[1])
THREADS = int(sys.argv[2]) if len(sys.argv) > 2 else os.cpu_count()
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
os.environ["POLARS_MAX_THREADS"] = str(THREADS)  # read when it is imported

import numpy as np  # noqa: E402


def mixed(x):
    """SplitMix64, as apps/query/generated_table.cpp has it."""
    with np.errstate(over="ignore"):
        x = x + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def generated():
    """Columns by name; zone and payment are codes."""
    row = np.arange(ROWS, dtype=np.uint64) * np.uint64(8)
    start = mixed(np.array([SEED], dtype=np.uint64))[0]

    def bits(field):
        with np.errstate(over="ignore"):
            return mixed(start + row + np.uint64(field))

    def uniform(field):
        return (bits(field) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def cents(values):
        return np.floor(values * 100) / 100

    miles = 0.5 + 20 * uniform(3) * uniform(3)
    table = {
        "zone": (bits(0) % np.uint64(260)).astype(np.int32),
        "payment": np.array([0, 0, 1, 1, 1, 1, 2, 3], dtype=np.int32)[(bits(1) % np.uint64(8)).astype(np.int64)],
        "passengers": (1 + bits(2) % np.uint64(6)).astype(np.int64),
        "distance": cents(miles),
        "fare": cents(2.5 + 2.5 * miles + 5 * uniform(4)),
    }
    tip = cents(0.3 * table["fare"] * uniform(6))
    tip[bits(5) % np.uint64(16) == 0] = np.nan
    table["tip"] = tip
    return table


ZONES = [f"zone {i:03d}" for i in range(260)]
PAYMENTS = ["cash", "credit card", "dispute", "voucher"]


def median_time(answer):
    answer()
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        answer()
        times.append(time.perf_counter() - begin)
    return sorted(times)[2] * 1000


def ask_duckdb(table):
    import duckdb

    source = table  # DuckDB finds it by its name  # noqa: F841
    database = duckdb.connect(":memory:", config={"threads": THREADS})
    database.execute(f"create type zones as enum ({', '.join(repr(z) for z in ZONES)})")
    database.execute(f"create type payments as enum ({', '.join(repr(p) for p in PAYMENTS)})")
    database.execute(f"create table rides as select {ZONES}[zone + 1]::zones as zone, "
                     f"{PAYMENTS}[payment + 1]::payments as payment, passengers, distance, fare, "
                     "case when isnan(tip) then null else tip end as tip from source")
    sql = ("select zone, passengers, sum(fare), avg(tip), count(*) from rides where fare > 20 and payment = 'credit card' "
           "group by zone, passengers order by sum(fare) desc")
    print(f"DuckDB {duckdb.__version__}, {THREADS} threads: {median_time(lambda: database.execute(sql).fetchall()):.2f} ms")
    print(database.execute(sql + " limit 3").fetchall())


def ask_polars(table):
    import polars as pl

    frame = pl.DataFrame({
        "zone": pl.Series(table["zone"]).cast(pl.UInt32).cast(pl.String).cast(pl.Categorical),
        "payment": pl.Series(np.array(PAYMENTS)[table["payment"]]).cast(pl.Categorical),
        "passengers": table["passengers"], "distance": table["distance"], "fare": table["fare"],
        "tip": pl.Series(table["tip"], nan_to_null=True)})
    lazy = (frame.lazy().filter((pl.col("fare") > 20) & (pl.col("payment") == "credit card"))
            .group_by("zone", "passengers").agg(pl.col("fare").sum(), pl.col("tip").mean(), pl.len())
            .sort("fare", descending=True))
    print(f"Polars {pl.__version__}, {pl.thread_pool_size()} threads: {median_time(lazy.collect):.2f} ms")
    print(lazy.head(3).collect().rows())


if __name__ == "__main__":
    columns = generated()
    for ask in (ask_duckdb, ask_polars):
        try:
            ask(columns)
        except ImportError as error:
            print(error)
