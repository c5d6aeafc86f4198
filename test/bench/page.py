"""Writes the figures of measure.py as a page: page.py FIGURES PAGE. All that is said in numbers comes from there."""

import json
import sys

with open(sys.argv[1], encoding='utf-8') as source:
    F = json.load(source)

# What is asked for.
BARS = {'power': 3, 'itl': 3, 'predict': 8, 'python': 300, 'client': 12, 'card_us': 1.5, 'card_share': 0.5, 'first_ms': 10, 'memory_mb': 20,
        'two_workers': 1.7}
MB = 1e6


def duration(seconds):
    for unit, size in (('s', 1), ('ms', 1e-3), ('us', 1e-6)):
        if seconds >= size:
            return f'{seconds / size:.3g} {unit}' if seconds < 1000 * size else f'{seconds / size:,.0f} {unit}'
    return f'{seconds * 1e9:.3g} ns'


def times(ratio):
    return f'{ratio:.2f}x' if ratio < 10 else f'{ratio:,.0f}x'


def count(n):
    return f'{n:,}'


def megabytes(n):
    return f'{n / MB:.1f} MB'


def table(head, rows):
    lines = [head, ['---'] * len(head)] + rows
    return '\n'.join('| ' + ' | '.join(str(cell) for cell in line) + ' |' for line in lines)


def line(what, ours, baseline, ratio, bar='', met=None):
    return [what, ours, baseline, ratio, bar, '' if met is None else 'yes' if met else '**no**']


def slower(what, key, baseline, bar=None):
    """Ours as a multiple of a baseline that does less."""
    f = F[key]
    ratio = f['ours'] / f['baseline']
    return line(what, duration(f['ours']), f"{duration(f['baseline'])}, {baseline}", times(ratio),
                f'at most {bar}x' if bar else '', ratio <= bar if bar else None)


def faster(what, key, baseline, bar=None):
    """How much faster ours is than a baseline that does the same."""
    f = F[key]
    ratio = f['baseline'] / f['ours']
    return line(what, duration(f['ours']), f"{duration(f['baseline'])}, {baseline}", times(ratio) + ' faster',
                f'at least {bar}x' if bar else '', ratio >= bar if bar else None)


def summary():
    rows = count(F['inventory']['rows'])
    hashes = 'hashtext of the three names'
    lines = [slower(f'`sum(wattgpu_power(gpu, llm, scenario))`, {rows} rows', 'power', hashes, BARS['power']),
             slower('the same, `wattgpu_itl`', 'itl', hashes, BARS['itl']),
             slower('the same, `(wattgpu_predict(...)).power_w`', 'predict', hashes, BARS['predict']),
             slower('the same, `LEFT JOIN LATERAL wattgpu_predict(...)`', 'lateral', hashes)]
    if 'python' in F:
        lines.append(faster('a row of it, `wattgpu-paper` by default', 'python', 'PL/Python, xgboost a row', BARS['python']))
        lines.append(faster("a row of it, `model => 'wattgpu-paper'`", 'python_named', 'the same'))
    for key, client in (('tuned', 'COPY'), ('plain', 'fetchall')):
        ratio = F[key]['baseline'] / F['sum_by_paper']
        lines.append(line(f'{rows} calls: `sum(wattgpu_power(...))`', duration(F['sum_by_paper']),
                          f"{duration(F[key]['baseline'])}, client: {client}, one batch, writes back", times(ratio) + ' faster',
                          f"at least {BARS['client']}x", ratio >= BARS['client']))
    written = f'`CREATE TABLE AS` of {rows} predictions'
    lines += [faster(written, 'tuned', 'client, COPY and one batch'),
              faster(written, 'plain', 'client, fetchall and one batch'),
              faster(written, 'once', 'client, COPY and each configuration once')]
    library = 0  # for one prediction of power, which evaluates both forests twice
    for target in ('power', 'itl'):
        f = F['forest_' + target]
        library += 2 * f['library_ns']
        lines.append(line(f"forest of {target}, {count(f['trees'])} trees, a row", duration(f['ours_ns'] / 1e9),
                          f"{duration(f['library_ns'] / 1e9)}, libxgboost in batch", times(f['library_ns'] / f['ours_ns']) + ' faster'))
    for key, what in (('one_llm', 'a card never seen'), ('any_llm', 'a card never seen, with another LLM than the last')):
        if key in F:
            us = (F[key]['ours'] - F[key]['baseline']) / F[key]['rows'] * 1e6
            share = us * 1e3 / library
            barred = key == 'one_llm'
            lines.append(line(what, f'{us:.2f} us', f"{duration(library / 1e9)}, libxgboost for its evaluations", f'{share:.2f} of it',
                              f"at most {BARS['card_us']} us and {BARS['card_share']} of it" if barred else '',
                              us <= BARS['card_us'] and share <= BARS['card_share'] if barred else None))
    for key, what in (('first_call', 'first call in a new connection'), ('first_call_preloaded', 'the same, preloaded')):
        f = F[key]
        lines.append(line(what, duration(f['first']), f"{duration(f['trivial'])}, SELECT 1", times(f['first'] / f['trivial']),
                          f"at most {BARS['first_ms']} ms", f['first'] * 1e3 <= BARS['first_ms']))
    unknown = f"memory while {count(F['inventory']['rows'])} unknown names come"
    for key, after, before, what in (('contexts', 'memory_catalogue', 'memory_before', 'memory while the whole catalogue is predicted'),
                                     ('resident', 'memory_catalogue', 'memory_before', 'the same, resident'),
                                     ('contexts', 'unknown_after', 'unknown_before', unknown),
                                     ('resident', 'unknown_after', 'unknown_before', 'the same, resident')):
        grown = F[after][key] - F[before][key]
        lines.append(line(what, megabytes(F[after][key]), megabytes(F[before][key]) + ', before the first call', f'{grown / MB:+.1f} MB',
                          f"at most +{BARS['memory_mb']} MB", grown <= BARS['memory_mb'] * MB))
    for size, measured in F['parallel'].items():
        for f in measured:
            if f['workers'] == 2:
                ratio, machine = f['cold'] / f['ours'], f['hashtext_serial'] / f['hashtext']
                bar = BARS['two_workers'] * min(1, machine / 2)
                large = int(size) > F['inventory']['rows']
                lines.append(line(f'two parallel workers, {count(int(size))} rows', duration(f['ours']), f"{duration(f['cold'])}, serial in a new session",
                                  f'{times(ratio)} faster, hashtext {times(machine)}',
                                  f"at least {BARS['two_workers']}x where hashtext gains 2x: here {bar:.2f}x" if large else '',
                                  ratio >= bar if large else None))
    if 'rank' in F:
        f = F['rank']
        lines.append(line(f"`wattgpu_rank(llm)`, each LLM, {count(f['rows'])} rows", duration(f['seconds']),
                          f"{duration(f['cold'])}, cold", f"{duration(f['seconds'] / F['catalogue']['llms'])} an LLM"))
    return table(['what', 'ours', 'baseline', 'ratio', 'bar', 'met'], lines)


def cold():
    rows = F['inventory']['rows']
    return table(['', 'cold', 'warm', 'warm, a row', 'hashtext, a row', 'ratio, least to most'], [
        [f'`{name}`', *(duration(F[key][state]) for state in ('cold', 'ours')), *(duration(F[key][state] / rows) for state in ('ours', 'baseline')),
         f"{F[key]['least']:.2f} to {F[key]['most']:.2f}"]
        for name, key in (('wattgpu_power', 'power'), ('wattgpu_itl', 'itl'), ('wattgpu_predict', 'predict'),
                          ('LATERAL wattgpu_predict', 'lateral'))])


def clients():
    parts = list(F['tuned']['parts'])
    return table(['client'] + parts + ['together'], [
        [name] + [duration(F[key]['parts'][part]) for part in parts] + [duration(F[key]['baseline'])]
        for name, key in (('fetchall', 'plain'), ('COPY', 'tuned'), ('COPY, each configuration once', 'once'))])


def libraries():
    return table(['forest', 'ours', 'libxgboost, dense in place', 'libxgboost, DMatrix', 'rows', 'margins that differ in a bit'], [
        [target, *(duration(F['forest_' + target][key] / 1e9) for key in ('ours_ns', 'in_place_ns', 'matrix_ns')),
         count(F['forest_' + target]['rows']), count(F['forest_' + target]['differ'])] for target in ('power', 'itl')])


def cards():
    if 'one_llm' not in F:
        return 'Not measured: this version takes no rows of `wattgpu_gpus`.'
    return table(['', 'cold', 'warm', 'the scan alone', 'rows', 'that fit'], [
        [what, duration(F[key]['cold']), duration(F[key]['ours']), duration(F[key]['baseline']), count(F[key]['rows']), count(F[key]['predicted'])]
        for what, key in (('one LLM', 'one_llm'), ('any LLM', 'any_llm'))])


def connections():
    return table(['', 'connect', '`SELECT 1`', 'first call', 'slowest first call', 'second call'], [
        [what] + [duration(F[key][part]) for part in ('connect', 'trivial', 'first', 'slowest', 'second')]
        for what, key in (('loaded on demand', 'first_call'), ('`shared_preload_libraries`', 'first_call_preloaded'))])


def memory():
    return table(['', 'memory contexts', 'resident'], [
        [what] + [megabytes(F[key][kind]) for kind in ('contexts', 'resident')]
        for what, key in (('before the first call', 'memory_before'), ('after it', 'memory_first'), ('the catalogue, at most', 'memory_catalogue'),
                          ('a new session, before its first call', 'unknown_before'), ('unknown names, at most', 'unknown_after'))])


def workers():
    return table(['rows', 'workers', 'launched', 'time', 'serial, cold', 'serial, warm', 'against cold', 'against warm', 'hashtext against serial', 'sums differ by'], [
        [count(int(size)), f['workers'], f['launched'], *(duration(f[key]) for key in ('ours', 'cold', 'warm')),
         *(times(f[key] / f['ours']) for key in ('cold', 'warm')), times(f['hashtext_serial'] / f['hashtext']), f"{f['difference']:.0e}"]
        for size, measured in F['parallel'].items() for f in measured])


def scaling():
    return table(['rows', 'a row', 'hashtext, a row', 'ratio'], [
        [count(f['rows']), duration(f['ours'] / f['rows']), duration(f['baseline'] / f['rows']), times(f['ours'] / f['baseline'])]
        for f in F['rows']])


def catalogues():
    return table(['cards', 'first call', 'next card', 'cold, a row', 'warm, a row', 'hashtext, a row', 'ratio'], [
        [count(f['cards']), duration(f['first']), duration(f['next']), *(duration(f[key] / f['rows']) for key in ('cold', 'ours', 'baseline')),
         times(f['ours'] / f['baseline'])] for f in F['cards']])


def profiles():
    if not F['profiles']:
        return 'Not recorded: `perf` was not there or might not run.'
    return '\n\n'.join(
        f"{name[0].upper()}{name[1:]}: {', '.join(f'{share} in {library}' for share, library in found['libraries'][:4])}.\n\n"
        + table(['share', 'where', 'symbol'], [[share, library, f'`{symbol}`'] for share, library, symbol in found['symbols']])
        for name, found in F['profiles'].items())


M, I, C = F['machine'], F['inventory'], F['catalogue']
RUNS = [str(n) for n in sorted({f['runs'] for f in F.values() if isinstance(f, dict) and 'runs' in f})]
PYTHON = f"{count(F['python']['baseline_rows'])} rows, ours {count(F['python']['rows'])}" if 'python' in F else 'no rows, since there is no PL/Python'

PAGE = f"""# Performance

What predictions cost beside other ways to get them. This page is the output of

```sh
test/bench/run.sh
```

which took {duration(F['seconds'])} on {M['cores']} cores of {M['cpu']} (load {M['load']:.1f} when it began), with
PostgreSQL {M['postgres']} and libxgboost {M['xgboost']}.

The inventory has {count(I['rows'])} rows of random GPU, LLM and scenario out of a catalogue of {count(C['gpus'])}, {count(C['llms'])} and
{count(C['scenarios'])}; half of the names are aliases. That makes {count(I['spelled'])} spellings of {count(I['configurations'])} configurations;
where the LLM does not fit the card, as in {count(I['rows'] - I['predicted'])} rows, the answer is NULL. Each figure is the median of
{' to '.join(RUNS[:1] + RUNS[1:][-1:])} runs in one warm session, ours and the baseline in turns, serial unless it says otherwise, `jit` off,
the tables in {M['shared_buffers']} of shared buffers, {'in' if M['huge_pages'] else 'not in'} huge pages.

{summary()}

## By name

Cold is the first pass of a session: it looks every spelling up and predicts every configuration; later passes find the answers.
To read the three columns and do nothing with them takes {duration(F['scan']['ours'] / I['rows'])} a row.

{cold()}

## Python

All use the model `wattgpu-paper`, which was the default meanwhile, and give the same numbers as the extension. The function keeps
booster and specs, and looks names up in dictionaries, so that only the library's in-place prediction of one vector is left to each
call; it was given {PYTHON}. The client has booster and specs ready, too; its library uses every core. It has to
write back what the database is to know; a query has the predictions where it needs them, and where they are to be kept,
{duration(F['table'])} of `CREATE TABLE AS` go into a table of as many numbers that are not predicted.

{clients()}

## The forest

Random values at and around the split thresholds, some missing; libxgboost in batch with one thread, its faster way counts. The
matrix is made beforehand. A row is one evaluation of one forest; a prediction of power takes two of each.

{libraries()}

## Cards never seen

`wattgpu_power(g, l, s)` over made-up rows of `wattgpu_gpus`; in the table above without the scan, which reads a column of the same rows.

{cards()}

## New connections

Medians of what the client sees in {F['first_call']['connections']} connections. Where shared buffers are not in huge pages, first calls and workers take
longer, as all new processes do: each page that one touches for the first time costs it a fault.

{connections()}

## Memory

The catalogue is every GPU, LLM and scenario in `wattgpu_power`, `wattgpu_itl` and `wattgpu_predict`.

{memory()}

The names are {count(I['rows'])} different ones with `wattgpu.unknown_name = null`; one takes {duration(F['unknown_seconds'] / I['rows'])}.

## Parallel workers

The leader only gathers. Each worker is a new process that begins cold and comes across most of the configurations itself, and so is
serial in a new session: the more rows, the less that counts. All of a line is measured in turns; what hashtext gains says what the
machine gives: two cores that are really there would give it twice the speed, and the bar is meant for these.

{workers()}

## More rows, more cards

{scaling()}

Cards that were added to the catalogue, and {count(F['cards'][0]['rows'])} rows of inventory over all of them, one LLM and scenario:

{catalogues()}

## Where the time goes

Shares of the processor's time in a warm session. Symbols of stripped libraries may be missing, or be their neighbours'.

{profiles()}

**The limits.** By name, a call hashes and compares three names and fetches one remembered answer; with more configurations than fit a
processor's caches that one fetch is most of it, and a cold pass adds the predictions themselves. For a card never seen, the two
forests are the largest part: their leaves are added tree by tree, each addition waiting for the one before, and another order would be
no longer XGBoost's to the bit. Reading the row and the physics of a step share the rest. What the LLM alone decides is kept from one
card to the next, so that another LLM at each row costs more than its own row. In a new connection, the time goes into what a new process touches for the first time:
the library, the tables' descriptions, and two forests. A worker of a parallel plan is such a process, so that it pays for scans
that take long beside its start.

No support function comes with the functions: they are STABLE, so the planner evaluates none of them early, and estimates nothing
from their results that a support function would improve.
"""

with open(sys.argv[2], 'w', encoding='utf-8') as target:
    target.write(PAGE)
