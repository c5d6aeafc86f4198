"""What a client does that fetches the inventory, predicts in one batch and writes back. Each gives the seconds of its parts."""

import io
import time

import numpy as np
import pandas


class Clock:
    def __init__(self):
        self.parts, self.last = {}, time.perf_counter()

    def lap(self, part):
        now = time.perf_counter()
        self.parts[part] = now - self.last
        self.last = now


def start(connection):
    cursor = connection.cursor()
    cursor.execute('DROP TABLE IF EXISTS predicted')
    connection.commit()
    return cursor


def places(column, names):
    """The place of each name's row; every spelling is looked up once."""
    codes, spellings = pandas.factorize(column)
    return np.array([names[s.strip().lower()] for s in spellings])[codes]


def plain(connection, paper):
    """Rows as Python has them: fetchall, a data frame, merges, and text for COPY."""
    cursor = start(connection)
    clock = Clock()
    cursor.execute('SELECT id, gpu, llm, scenario FROM inventory')
    frame = pandas.DataFrame(cursor.fetchall(), columns=['id', 'gpu', 'llm', 'scenario'])
    clock.lap('fetch')
    for column, names in (('gpu', paper.gpu_names), ('llm', paper.llm_names)):
        lookup = pandas.DataFrame({'name': names.keys(), column + '_place': names.values()})
        frame['name'] = frame[column].str.strip().str.lower()
        frame = frame.merge(lookup, on='name', how='left')
    codes = frame['scenario'].map(paper.scenarios)
    clock.lap('merge')
    frame['power_w'] = paper.batch(frame['gpu_place'].to_numpy(), frame['llm_place'].to_numpy(), codes.to_numpy())
    clock.lap('predict')
    text = io.StringIO()
    frame[['id', 'power_w']].to_csv(text, header=False, index=False)
    text.seek(0)
    cursor.execute('CREATE TABLE predicted (id integer, power_w double precision)')
    cursor.copy_expert('COPY predicted FROM STDIN (FORMAT csv)', text)
    connection.commit()
    clock.lap('write')
    return clock.parts


def tuned(connection, paper, once=False):
    """No row ever is a Python object: COPY both ways, in binary where it helps. Or even predict each configuration only once."""
    cursor = start(connection)
    clock = Clock()
    text = io.BytesIO()
    cursor.copy_expert('COPY (SELECT id, gpu, llm, scenario FROM inventory) TO STDOUT (FORMAT csv)', text)
    text.seek(0)
    frame = pandas.read_csv(text, names=['id', 'gpu', 'llm', 'scenario'], na_filter=False)
    clock.lap('fetch')
    gpu, llm = places(frame['gpu'], paper.gpu_names), places(frame['llm'], paper.llm_names)
    scenario = places(frame['scenario'], paper.scenarios)
    clock.lap('merge')
    if once:
        codes = (gpu * len(paper.llms) + llm) * len(paper.scenarios) + scenario
        _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
        power = paper.batch(gpu[first], llm[first], scenario[first])[inverse]
    else:
        power = paper.batch(gpu, llm, scenario)
    clock.lap('predict')
    known = ~np.isnan(power)
    cursor.execute('CREATE TABLE predicted (id integer, power_w double precision)')
    cursor.copy_expert('COPY predicted FROM STDIN (FORMAT binary)', io.BytesIO(
        b'PGCOPY\n\xff\r\n\0' + bytes(8)
        + tuples(frame['id'][known], power[known]) + tuples(frame['id'][~known]) + b'\xff\xff'))
    connection.commit()
    clock.lap('write')
    return clock.parts


def once(connection, paper):
    return tuned(connection, paper, True)


def tuples(ids, power=None):
    """Rows as COPY's binary format has them: the number of fields, then each with its length; -1 is NULL."""
    fields = [('fields', '>i2'), ('id_size', '>i4'), ('id', '>i4'), ('size', '>i4')]
    rows = np.empty(len(ids), fields if power is None else fields + [('power', '>f8')])
    rows['fields'], rows['id_size'], rows['id'], rows['size'] = 2, 4, ids, -1
    if power is not None:
        rows['size'], rows['power'] = 8, power
    return rows.tobytes()
