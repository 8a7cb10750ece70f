# SPDX-License-Identifier: Apache-2.0
"""Random questions to apps/query and to SQLite: both have to give the same rows.

usage: beside_sqlite.py QUERY [QUESTIONS [SEED]]    QUERY: the program
"""
import csv
import math
import random
import sqlite3
import subprocess
import sys
import tempfile

WORDS = ["", "a", "b,c", 'q"q', "zebra", "Zebra", "été", "10", "x y"]


def random_table(source, rows):
    """Columns by name: their SQL type and values, None where one is missing."""
    table = {}
    for i in range(source.randint(1, 5)):
        kind = source.choice(["INTEGER", "REAL", "TEXT"])
        few = source.choice([1, 3, 50])
        values = []
        for _ in range(rows):
            pick = source.randrange(few)
            if kind == "INTEGER":
                value = source.choice([pick - 2, pick * 1000003, 2**62 + pick if few == 3 else pick])
            elif kind == "REAL":
                value = (pick - 1) * 0.37 + 0.005
            else:
                value = "w" + WORDS[pick % len(WORDS)] + str(pick // len(WORDS))
            values.append(None if source.random() < 0.15 else value)
        table[f"c{i}"] = (kind, values)
    return table


def constant(source, kind, values):
    there = [v for v in values if v is not None]
    value = source.choice(there) if there and source.random() < 0.8 else {"INTEGER": 1, "REAL": 0.5, "TEXT": "w"}[kind]
    if kind == "TEXT":
        return "'" + value.replace("'", "''") + "'"
    return repr(value) if kind == "REAL" or source.random() < 0.8 else repr(value / 2)


def random_condition(source, table, depth):
    what = source.randrange(8 if depth else 5)
    if what == 5:
        return "not " + random_condition(source, table, depth - 1)
    if what > 5:
        word = source.choice(["and", "or"])
        return f"({random_condition(source, table, depth - 1)} {word} {random_condition(source, table, depth - 1)})"
    name, (kind, values) = source.choice(list(table.items()))
    if what == 0:
        return name + source.choice([" is null", " is not null"])
    how = source.choice(["=", "<>", "<", "<=", ">", ">="])
    others = [other for other, (other_kind, _) in table.items() if (other_kind == "TEXT") == (kind == "TEXT")]
    if what == 1:
        return f"{name} {how} {source.choice(others)}"
    if what == 2:
        return f"{name} in ({constant(source, kind, values)}, {constant(source, kind, values)})"
    return f"{name} {how} {constant(source, kind, values)}"


def random_question(source, table):
    """The program's arguments, the SQL that asks the same, and the result's types."""
    names = list(table)
    arguments, where = [], ""
    if source.random() < 0.7:
        condition = random_condition(source, table, 3)
        arguments += ["--where", condition]
        where = f" where {condition}"
    if source.random() < 0.3:  # rows in order
        order = source.sample(names, source.randint(1, len(names)))
        down = source.random() < 0.5
        arguments += ["--order-by", ",".join(order)] + (["--desc"] if down else [])
        by = ", ".join(f"{name} {'desc' if down else 'asc'} nulls last" for name in order)
        sql = f"select {', '.join(names)} from t{where} order by {by}, rowid"
        kinds = [table[name][0] for name in names]
    else:
        groups = source.sample(names, source.randint(0, len(names)))
        columns, kinds = list(groups), [table[name][0] for name in groups]
        if groups:
            arguments += ["--group-by", ",".join(groups)]
        for function in ["count", "sum", "avg", "min", "max"]:
            name = source.choice(names)
            kind = table[name][0]
            if source.random() < 0.4 or (kind == "TEXT" and function in ("sum", "avg")):
                continue
            large = kind == "INTEGER" and any(v is not None and abs(v) > 2**61 for v in table[name][1])
            if large and function in ("sum", "avg"):
                continue  # SQLite refuses such sums
            if function == "count":
                arguments.append("--count")
                columns.append("count(*)")
                kinds.append("INTEGER")
            else:
                arguments += [{"avg": "--mean"}.get(function, "--" + function), name]
                columns.append(f"{function}({name})")
                kinds.append("REAL" if function == "avg" else kind)
        if not columns:
            arguments.append("--count")
            columns, kinds = ["count(*)"], ["INTEGER"]
        sql = f"select {', '.join(columns)} from t{where}"
        if groups:
            sql += f" group by {', '.join(groups)} order by " + ", ".join(f"{name} nulls last" for name in groups)
    if source.random() < 0.3:
        limit = source.randrange(10)
        arguments += ["--limit", str(limit)]
        sql += f" limit {limit}"
    return arguments, sql, kinds


def same(field, expected, kind):
    if expected is None:
        return field in ("", "NA")
    if kind == "TEXT":
        return field == expected
    if kind == "INTEGER":
        return field != "" and int(field) == expected
    return field != "" and math.isclose(float(field), expected, rel_tol=1e-9, abs_tol=1e-9)


def main():
    program, questions = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 120
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    source = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        question = 0
        while question < questions:
            table = random_table(source, source.choice([1, 2, 30, 400]))
            if any(all(v is None for v in values) for _, values in table.values()):
                continue  # in a CSV file such a column has no type
            names = list(table)
            rows = list(zip(*(values for _, values in table.values())))
            # The last column makes a line of every row, also of one that has no other value.
            with open(f"{folder}/t.csv", "w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow(names + ["n"])
                for number, row in enumerate(rows):
                    writer.writerow([repr(v) if isinstance(v, float) else v for v in row] + [number])
            arguments, sql, kinds = random_question(source, table)
            database = sqlite3.connect(":memory:")
            database.execute(f"create table t ({', '.join(f'{name} {kind}' for name, (kind, _) in table.items())})")
            database.executemany(f"insert into t values ({', '.join('?' for _ in names)})", rows)
            if "--order-by" in arguments:
                arguments += ["--select", ",".join(names)]
            expected = database.execute(sql).fetchall()
            run = subprocess.run(
                [program, f"{folder}/t.csv", "--backend", "cpu", "--threads", "2", "--out", f"{folder}/r.csv", *arguments],
                capture_output=True, text=True, check=False)
            assert run.returncode == 0, f"question {question}, seed {seed}: {arguments}: {run.stderr}{run.stdout}"
            with open(f"{folder}/r.csv", newline="", encoding="utf-8") as file:
                found = list(csv.reader(file))[1:]
            right = len(found) == len(expected) and all(
                len(a) == len(b) and all(same(x, y, kind) for x, y, kind in zip(a, b, kinds))
                for a, b in zip(found, expected))
            question += 1
            assert right, f"question {question}, seed {seed}: {arguments}\n{sql}\n{found}\n{expected}"
    print(f"{questions} questions answered as SQLite does")


main()
