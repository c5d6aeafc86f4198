"""Runs the comparisons and keeps the figures as JSON: measure.py DIRECTORY STEP, in a cluster that setup.sql filled.

DIRECTORY holds the compiled forest.c and takes what is written. STEP is all, or preloaded for what is measured again with
shared_preload_libraries. The server is the one of PGHOST and PGPORT."""

import json
import os
import re
import signal
import statistics
import subprocess
import sys
import time

import psycopg2
import xgboost

import client
from paper import Paper

STARTED = time.perf_counter()
RUNS = 5
PATIENCE = 60           # seconds after which a comparison makes do with fewer runs
CONNECTIONS = 50
ROW_CALLS = 2000        # rows for the function that calls the library for each
MATRIX_ROWS = 50000     # rows for libxgboost beside the forest
FLEET_ROWS = 200000     # rows of an inventory over a catalogue of many cards
CATALOGUES = [1000, 10000, 100000]
GPU, LLM, SCENARIO = 'NVIDIA A100-SXM4-40GB', 'meta-llama/Llama-3.1-8B-Instruct', 'server_high'
CALL = f"SELECT wattgpu_power('{GPU}', '{LLM}', '{SCENARIO}')"

HASHES = 'sum(hashtext(gpu)::bigint + hashtext(llm) + hashtext(scenario))'
POWER = 'sum(wattgpu_power(gpu, llm, scenario))'
ITL = 'sum(wattgpu_itl(gpu, llm, scenario))'
PREDICT = 'sum((wattgpu_predict(gpu, llm, scenario)).power_w)'


class Session:
    def __init__(self, dbname='postgres'):
        self.connection = psycopg2.connect(dbname=dbname, user='postgres')
        self.connection.autocommit = True
        self.cursor = self.connection.cursor()
        self.pid = self.connection.info.backend_pid

    def rows(self, sql):
        self.cursor.execute(sql)
        return self.cursor.fetchall()

    def value(self, sql):
        return self.rows(sql)[0][0]

    def run(self, *statements):
        for sql in statements:
            self.cursor.execute(sql)

    def seconds(self, sql):
        start = time.perf_counter()
        self.cursor.execute(sql)
        return time.perf_counter() - start

    def close(self):
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


def say(what):
    print(f'==> {time.perf_counter() - STARTED:4.0f} s: {what}', flush=True)


def scan(expression, table='inventory'):
    return f'SELECT {expression} FROM {table}'


def alternate(ours, baseline):
    """Both once to warm up, then in turns. The first pass of ours is the cold one."""
    start = time.perf_counter()
    baseline()
    cold = ours()
    pairs = []
    while len(pairs) < RUNS and (not pairs or time.perf_counter() - start < PATIENCE):
        pairs.append((ours(), baseline()))
    return {'ours': statistics.median(o for o, _ in pairs), 'baseline': statistics.median(b for _, b in pairs), 'cold': cold,
            'least': min(o / b for o, b in pairs), 'most': max(o / b for o, b in pairs), 'runs': len(pairs)}


def compare(ours, baseline):
    with Session() as s:
        return alternate(lambda: s.seconds(ours), lambda: s.seconds(baseline))


def machine(figures, directory):
    say('the machine')
    with open('/proc/cpuinfo', encoding='utf-8') as cpuinfo:
        model = re.search(r'model name\s*: (.*)', cpuinfo.read())
    with Session() as s:
        figures['machine'] = {
            'cpu': model.group(1) if model else os.uname().machine, 'cores': os.cpu_count(), 'load': os.getloadavg()[0],
            'postgres': s.value('SHOW server_version'), 'xgboost': xgboost.__version__,
            'shared_buffers': s.value('SHOW shared_buffers'),
            # how many are set aside; the server takes them if they suffice
            'huge_pages': int(open('/proc/sys/vm/nr_hugepages', encoding='utf-8').read()) > 1024}
        figures['inventory'] = dict(zip(
            ('rows', 'spelled', 'configurations', 'predicted'),
            s.rows("""SELECT count(*), count(DISTINCT (gpu, llm, scenario)),
                             count(DISTINCT (wattgpu_canonical_gpu(gpu), wattgpu_canonical_llm(llm), scenario)),
                             count(wattgpu_power(gpu, llm, scenario)) FROM inventory""")[0]))
        figures['catalogue'] = dict(zip(('gpus', 'llms', 'scenarios'), s.rows(
            'SELECT (SELECT count(*) FROM wattgpu_gpus), (SELECT count(*) FROM wattgpu_llms), count(*) FROM wattgpu_scenarios')[0]))


def by_name(figures, directory):
    for name, expression in (('power', POWER), ('itl', ITL), ('predict', PREDICT)):
        say(f'wattgpu_{name} beside hashtext')
        figures[name] = compare(scan(expression), scan(HASHES))
    figures['scan'] = compare(scan('count(gpu), count(llm), count(scenario)'), scan(HASHES))


def lateral(figures, directory):
    say('wattgpu_predict in LATERAL')
    figures['lateral'] = compare(
        'SELECT sum(p.power_w) FROM inventory LEFT JOIN LATERAL wattgpu_predict(gpu, llm, scenario) p ON true', scan(HASHES))


def with_paper_default(measure):
    """The baselines in Python use wattgpu-paper, so that is what answers by default meanwhile."""
    def wrapped(figures, directory):
        with Session() as s:
            s.run("SELECT wattgpu_set_default('wattgpu-paper')")
            try:
                measure(figures, directory)
            finally:
                s.run('DELETE FROM wattgpu_default_models WHERE NOT builtin')
    return wrapped


@with_paper_default
def row_by_row(figures, directory):
    say('PL/Python, row by row')
    with Session() as s:
        if not s.rows("SELECT FROM pg_available_extensions WHERE name = 'plpython3u'"):
            say('skipped: there is no PL/Python')
            return
        # In its first call the function loads what it keeps; afterwards only the prediction is left.
        s.run('CREATE EXTENSION IF NOT EXISTS plpython3u', """
            CREATE OR REPLACE FUNCTION bench_power(gpu text, llm text, scenario text) RETURNS double precision
            LANGUAGE plpython3u STABLE STRICT AS $$
            if 'paper' not in SD:
                from paper import Paper
                SD['paper'] = Paper(lambda sql: [tuple(row.values()) for row in plpy.execute(sql)], 1)
            return SD['paper'].row(gpu, llm, scenario)
            $$""", f"""
            CREATE TEMPORARY TABLE fitting AS SELECT id, gpu, llm, scenario FROM inventory
            WHERE wattgpu_fits(gpu, llm, scenario) ORDER BY id LIMIT {ROW_CALLS}""")
        found, differ = s.rows("""
            SELECT count(*), count(*) FILTER (WHERE abs(ours - theirs) > 1e-6 * ours OR (ours IS NULL) <> (theirs IS NULL))
            FROM (SELECT wattgpu_power(gpu, llm, scenario, model => 'wattgpu-paper') AS ours, bench_power(gpu, llm, scenario) AS theirs
                  FROM fitting) x""")[0]
        if differ or not found:
            raise SystemExit(f'PL/Python and wattgpu_power differ in {differ} of {found} rows')
        s.run('CREATE TEMPORARY TABLE many AS SELECT gpu, llm, scenario FROM inventory WHERE wattgpu_fits(gpu, llm, scenario)')
        many = s.value('SELECT count(*) FROM many')
        for name, call in (('python', POWER), ('python_named', "sum(wattgpu_power(gpu, llm, scenario, model => 'wattgpu-paper'))")):
            figures[name] = alternate(lambda: s.seconds(scan(call, 'many')) / many,
                                      lambda: s.seconds(scan('sum(bench_power(gpu, llm, scenario))', 'fitting')) / found)
            figures[name].update(rows=many, baseline_rows=found)


@with_paper_default
def round_trip(figures, directory):
    say('a client that fetches, predicts in batch and writes back')
    connection = psycopg2.connect(user='postgres')
    with Session() as s:
        paper = Paper(s.rows, None)
        for name in ('tuned', 'once', 'plain'):
            parts = []

            def ours():
                s.run('DROP TABLE IF EXISTS ours')
                return s.seconds('CREATE TABLE ours AS SELECT id, wattgpu_power(gpu, llm, scenario) AS power_w FROM inventory')

            def theirs():
                parts.append(getattr(client, name)(connection, paper))
                return sum(parts[-1].values())

            figures[name] = alternate(ours, theirs)
            figures[name]['parts'] = {part: statistics.median(p[part] for p in parts[1:]) for part in parts[0]}
            differ = s.value("""SELECT count(*) FROM ours o FULL JOIN predicted p USING (id)
                WHERE abs(o.power_w - p.power_w) > 1e-6 * o.power_w OR (o.power_w IS NULL) <> (p.power_w IS NULL)""")
            if differ:
                raise SystemExit(f'the client and wattgpu_power differ in {differ} rows')
        figures['sum_by_paper'] = statistics.median(s.seconds(scan(POWER)) for _ in range(RUNS))
        written = []
        for _ in range(RUNS):
            s.run('DROP TABLE ours')
            written.append(s.seconds('CREATE TABLE ours AS SELECT id, id::float8 AS power_w FROM inventory'))
        figures['table'] = statistics.median(written)
        s.run('DROP TABLE ours, predicted')
    connection.close()


def forest(figures, directory):
    say('the forest beside libxgboost')
    files = []
    with Session() as s:
        for target, booster in s.rows("""
                SELECT DISTINCT ON (d.target) d.target, m.booster FROM wattgpu_default_models d JOIN wattgpu_models m USING (model, target)
                ORDER BY d.target, d.set_at DESC"""):
            files.append(os.path.join(directory, target + '.ubj'))
            with open(files[-1], 'wb') as f:
                f.write(booster)
    output = subprocess.run([os.path.join(directory, 'forest'), str(MATRIX_ROWS), str(RUNS), *files],
                            check=True, capture_output=True, text=True, env={**os.environ, 'OMP_NUM_THREADS': '1'}).stdout
    for file, line in zip(files, output.splitlines()):
        found = json.loads(line)
        found['library_ns'] = min(found['in_place_ns'], found['matrix_ns'])
        figures['forest_' + os.path.basename(file)[:-len('.ubj')]] = found


def made_up_cards(figures, directory):
    say('made-up cards')
    one = f"(SELECT l FROM wattgpu_llms l WHERE llm = '{LLM}')"
    scenario = f"(SELECT s FROM wattgpu_scenarios s WHERE scenario = '{SCENARIO}')"
    cases = {'one_llm': (f'wattgpu_power(g, {one}, {scenario})', '(g).tdp_w', 'made_up'),
             'any_llm': (f'wattgpu_power(g, l, {scenario})', '(g).tdp_w + (l).total_params_b', 'made_up JOIN small_llms USING (n)')}
    with Session() as s:
        if not s.rows("SELECT FROM pg_proc WHERE proname = 'wattgpu_power' AND proargtypes[0] = 'wattgpu_gpus'::regtype"):
            say('skipped: wattgpu_power takes no rows of wattgpu_gpus')
            return
        rows = s.value('SELECT count(*) FROM made_up')
    for name, (call, read, table) in cases.items():
        figures[name] = compare(scan(f'sum({call})', table), scan(f'sum({read})', table))
        figures[name]['rows'] = rows
        with Session() as s:
            figures[name]['predicted'] = s.value(scan(f'count({call})', table))


def connections(figures, directory, name='first_call'):
    """The first statement of a connection, as the client sees it, and the same once more."""
    say('new connections')
    found = {'connect': [], 'trivial': [], 'first': [], 'second': []}
    for i in range(CONNECTIONS + 1):
        for kind, statement in (('trivial', 'SELECT 1'), ('first', CALL)):
            start = time.perf_counter()
            with Session() as s:
                times = {'connect': time.perf_counter() - start, kind: s.seconds(statement)}
                if kind == 'first':
                    times['second'] = s.seconds(statement)
            for key, t in times.items():
                if i > 0:
                    found[key].append(t)
    figures[name] = {key: statistics.median(times) for key, times in found.items()}
    figures[name].update(slowest=max(found['first']), connections=CONNECTIONS)


def memory_of(s):
    contexts = s.value('SELECT sum(total_bytes)::bigint FROM pg_backend_memory_contexts')
    with open(f'/proc/{s.pid}/status', encoding='utf-8') as status:
        resident = int(re.search(r'RssAnon:\s+(\d+) kB', status.read()).group(1)) * 1024
    return {'contexts': contexts, 'resident': resident}


def highest(s, statements):
    """The most memory there was after any of the statements."""
    found = []
    for sql in statements:
        s.run(sql)
        found.append(memory_of(s))
    return {kind: max(f[kind] for f in found) for kind in found[0]}


def memory(figures, directory):
    say('memory')
    rows = figures['inventory']['rows']
    calls = [f'{call}(g.gpu, l.llm, s.scenario)' for call in ('wattgpu_power', 'wattgpu_itl', 'wattgpu_predict')]
    with Session() as s:
        scenarios = [name for (name,) in s.rows('SELECT scenario FROM wattgpu_scenarios')]
    with Session() as s:
        memory_of(s)
        figures['memory_before'] = memory_of(s)
        figures['memory_first'] = highest(s, [CALL])
        figures['memory_catalogue'] = highest(s, [
            f"SELECT count({call}) FROM wattgpu_gpus g, wattgpu_llms l, wattgpu_scenarios s WHERE scenario = '{scenario}'"
            for call in calls for scenario in scenarios])
    with Session() as s:
        s.run("SET wattgpu.unknown_name = 'null'")
        memory_of(s)
        figures['unknown_before'] = memory_of(s)
        start = time.perf_counter()
        step = rows // 30
        figures['unknown_after'] = highest(s, [
            f"SELECT count(wattgpu_power('made up ' || i, '{LLM}', '{SCENARIO}')) FROM generate_series({i}, {min(i + step, rows + 1) - 1}) i"
            for i in range(1, rows + 1, step)])
        figures['unknown_seconds'] = time.perf_counter() - start


def workers(table, numbers):
    """The leader only gathers, and each worker is a new backend. What the machine gives changes, so all of it is measured in turns."""
    power, hashes = scan(POWER, table), scan(HASHES, table)

    def cold():
        with Session() as new:
            return new.seconds(power)

    measured = []
    with Session() as serial, Session() as s:
        s.run('SET parallel_leader_participation = off', 'SET min_parallel_table_scan_size = 0', 'SET parallel_setup_cost = 0',
              'SET parallel_tuple_cost = 0')
        # One worker alone is no cheaper to the planner, so it has to be told.
        force = s.value("SELECT name FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')")
        total = serial.value(power)
        serial.run(hashes)
        for number in numbers:
            s.run(f'SET max_parallel_workers_per_gather = {number}', f"SET {force} = {'on' if number == 1 else 'off'}")
            plan = str(s.value(f'EXPLAIN (ANALYZE, TIMING off, FORMAT json) {power}'))
            turns = [{'ours': s.seconds(power), 'cold': cold(), 'warm': serial.seconds(power), 'hashtext': s.seconds(hashes),
                      'hashtext_serial': serial.seconds(hashes)} for _ in range(RUNS)]
            found = {key: statistics.median(turn[key] for turn in turns) for key in turns[0]}
            found.update(workers=number, difference=abs(s.value(power) / total - 1),
                         launched=sum(int(n) for n in re.findall(r"'Workers Launched': (\d+)", plan)))
            if found['difference'] > 1e-9:
                raise SystemExit(f'{number} workers give another sum')
            measured.append(found)
    return measured


def parallel(figures, directory):
    say('parallel workers')
    rows = figures['inventory']['rows']
    figures['parallel'] = {str(size): workers(table, (1, 2, 4)) for table, size in (('inventory', rows), ('inventory_tenfold', 10 * rows))}


def rank(figures, directory):
    say('wattgpu_rank')
    with Session() as s:
        if not s.rows("SELECT FROM pg_proc WHERE proname = 'wattgpu_rank'"):
            say('skipped: there is no wattgpu_rank')
            return
        query = 'SELECT count(*) FROM wattgpu_llms, LATERAL wattgpu_rank(llm)'
        cold = s.seconds(query)
        figures['rank'] = {'cold': cold, 'seconds': statistics.median(s.seconds(query) for _ in range(RUNS)), 'rows': s.value(query)}


def rows_scaling(figures, directory):
    say('more rows')
    figures['rows'] = []
    with Session() as s:
        s.run(scan(POWER))
        for table in ('inventory_hundredth', 'inventory_tenth', 'inventory'):
            found = alternate(lambda: s.seconds(scan(POWER, table)), lambda: s.seconds(scan(HASHES, table)))
            found['rows'] = s.value(scan('count(*)', table))
            figures['rows'].append(found)


def fleet(s, size):
    """An inventory over all cards there are, of one LLM and scenario."""
    s.run('DROP TABLE IF EXISTS fleet', 'SELECT setseed(0.5)', f"""
        CREATE TABLE fleet AS
        SELECT g.gpu, '{LLM}' AS llm, '{SCENARIO}' AS scenario
        FROM (SELECT 1 + floor(random() * {size})::bigint AS n FROM generate_series(1, {FLEET_ROWS})) r
        JOIN (SELECT row_number() OVER () AS n, gpu FROM wattgpu_gpus) g USING (n)
        ORDER BY random()""", 'VACUUM (FREEZE, ANALYZE) fleet', 'VACUUM (FREEZE, ANALYZE) wattgpu_gpus')


def catalogue_scaling(figures, directory):
    """Cards are added to a catalogue of its own, so that nothing else sees them."""
    say('more cards in the catalogue')
    figures['cards'] = []
    with Session() as s:
        s.run('CREATE DATABASE scaling')
    with Session('scaling') as s:
        s.run('SET client_min_messages = warning', 'CREATE EXTENSION wattgpu')
        size = s.value('SELECT count(*) FROM wattgpu_gpus')
        for wanted in [size] + CATALOGUES:
            if wanted > size:
                s.run(f"""
                    INSERT INTO wattgpu_gpus (gpu, manufacturer, architecture, release_date, process_nm, transistors_m,
                        streaming_multiprocessors, base_clock_mhz, boost_clock_mhz, memory_gb, memory_type, memory_bandwidth_gb_s, tdp_w, fp16_tflops)
                    SELECT 'Made-up card ' || i, 'Acme', 'Ampere', '2021-04-12', 7, 54200, 50 + i % 100, 930, 1440, 24, 'HBM2',
                        500 + i % 3000, 100 + i % 600, 165
                    FROM generate_series({size}, {wanted} - 1) i""")
                size = wanted
            fleet(s, size)
            last = s.value('SELECT max(gpu) FROM fleet')
            first, next_card = [], []
            for _ in range(RUNS):
                with Session('scaling') as new:
                    first.append(new.seconds(CALL))
                    next_card.append(new.seconds(CALL.replace(GPU, last)))
            with Session('scaling') as new:
                found = alternate(lambda: new.seconds(scan(POWER, 'fleet')), lambda: new.seconds(scan(HASHES, 'fleet')))
            found.update(cards=size, rows=FLEET_ROWS, first=statistics.median(first), next=statistics.median(next_card))
            figures['cards'].append(found)
    with Session() as s:
        s.run('DROP DATABASE scaling')


def profile(directory, sql):
    """Where a backend spends its time, once it is warm: the share of each library, and of the first symbols."""
    data = os.path.join(directory, 'perf.data')
    with Session() as s:
        s.run(sql)
        recorder = subprocess.Popen(['perf', 'record', '-q', '-F', '999', '-o', data, '-p', str(s.pid)],
                                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        start = time.perf_counter()
        while time.perf_counter() - start < 3:
            s.run(sql)
        recorder.send_signal(signal.SIGINT)
        recorder.wait()

    def report(*fields):
        output = subprocess.run(['perf', 'report', '-i', data, '--stdio', '--sort', ','.join(fields), '-t', '|'],
                                capture_output=True, text=True, check=True).stdout
        lines = [line for line in output.splitlines() if line.strip() and not line.startswith('#')]
        return [[re.sub(r'^\[\S\] ', '', field.strip()) for field in line.split('|')][:1 + len(fields)] for line in lines]

    return {'libraries': report('dso'), 'symbols': report('dso', 'symbol')[:12]}


def profiles(figures, directory):
    say('where the time goes')
    cases = {'by name': scan(POWER)}
    if 'one_llm' in figures:
        cases['made-up cards'] = scan(f"sum(wattgpu_power(g, (SELECT l FROM wattgpu_llms l WHERE llm = '{LLM}'),"
                                      f" (SELECT s FROM wattgpu_scenarios s WHERE scenario = '{SCENARIO}')))", 'made_up')
    figures['profiles'] = {}
    for name, sql in cases.items():
        try:
            figures['profiles'][name] = profile(directory, sql)
        except (OSError, subprocess.CalledProcessError):
            say('skipped: perf is not there, or may not run')
            return


STEPS = {
    'all': [machine, by_name, lateral, row_by_row, round_trip, forest, made_up_cards, connections, memory, parallel, rank, rows_scaling,
            catalogue_scaling, profiles],
    'preloaded': [lambda figures, directory: connections(figures, directory, 'first_call_preloaded')],
}


def main():
    directory, step = sys.argv[1:]
    file = os.path.join(directory, 'figures.json')
    figures = {}
    if step != 'all':
        with open(file, encoding='utf-8') as f:
            figures = json.load(f)
    for measure in STEPS[step]:
        measure(figures, directory)
    figures['seconds'] = figures.get('seconds', 0) + time.perf_counter() - STARTED
    with open(file, 'w', encoding='utf-8') as f:
        json.dump(figures, f, indent=1)


main()
