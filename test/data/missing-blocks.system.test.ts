import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { address, FINALIZED, HEAD, type SeededChain, startSeededChain } from './seeded-chain.ts';

const IMMUTABLE = 'private, max-age=31536000, immutable';
const ASKED_AGAIN = 'private, no-cache';
/** Time of a block of the seeded chain, or of what lies between two. */
const at = (block: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + block * 10_000).toISOString();
const BEFORE_ALL = '2020-01-01T00:00:00Z';

/** A seeded chain of which a range of blocks is not there. */
async function startWithout(from: number, to: number): Promise<SeededChain> {
  const chain = await startSeededChain();
  await chain.insert(`DELETE FROM {schema}.blocks WHERE number BETWEEN ${from} AND ${to}`);
  await chain.insert(
    `UPDATE {schema}.coverage SET covered = covered - int8multirange(int8range(${from}, ${to}, '[]'))`,
  );
  return chain;
}

/** What a response says of its completeness, and its blocks. */
async function told(chain: SeededChain, path: string) {
  const { statusCode, json, headers } = await chain.get(path);
  const rows = [json.data ?? []].flat();
  return {
    status: statusCode,
    blocks: rows.length === 0 ? [] : [rows[0]?.number, rows.at(-1)?.number],
    coverage: json.meta?.coverage,
    kept: headers?.['Cache-Control'],
  };
}

const respond = (blocks: readonly number[], coverage: string, kept = ASKED_AGAIN) => ({
  status: 200,
  blocks,
  coverage,
  kept,
});

describe('where the first blocks are missing', () => {
  let chain: SeededChain;
  beforeAll(async () => {
    chain = await startWithout(0, 299);
  });
  afterAll(() => chain?.close());
  const list = (query: string) => told(chain, `/blocks?order=asc&limit=500&${query}`);

  test('a time before the first stored block stands for all of them', async () => {
    expect(await list(`to_time=${BEFORE_ALL}`)).toEqual(respond([], 'none'));
    expect(await list(`to_time=${at(100)}`)).toEqual(respond([], 'none'));
    expect(await list(`from_time=${BEFORE_ALL}&to_time=${at(310)}`)).toEqual(respond([300, 310], 'partial'));
    expect(await list(`from_time=${at(100)}`)).toEqual(respond([300, FINALIZED], 'partial'));
    expect(await list(`from_block=0&to_block=310`)).toEqual(respond([300, 310], 'partial'));
    expect(await told(chain, `/transactions?to_time=${BEFORE_ALL}`)).toEqual(respond([], 'none'));
    expect(await told(chain, `/logs?address=${address('1')}&to_time=${at(100)}`)).toEqual(
      respond([], 'none'),
    );
  });

  test('a window of what is stored is full, and may be kept', async () => {
    expect(await list(`from_time=${at(301)}&to_time=${at(310)}`)).toEqual(
      respond([301, 310], 'full', IMMUTABLE),
    );
    expect(await list(`from_time=${at(305.1)}&to_time=${at(305.9)}`)).toEqual(respond([], 'full', IMMUTABLE));
  });

  test('traces before the first stored block are not covered, and not billed', async () => {
    const before = chain.charged();
    const { statusCode, json } = await chain.get(`/addresses/${address('1')}/traces?to_time=${at(100)}`);
    expect([statusCode, json.error]).toEqual([
      422,
      { code: 'no_coverage', message: 'no traces of blocks 0 to 299: see status/coverage/traces' },
    ]);
    expect(chain.charged()).toBe(before);
  });

  test('nor are those of one of these blocks, whereas an unknown transaction is not there', async () => {
    const before = chain.charged();
    for (const [path, status, code] of [
      ['/blocks/5/traces', 422, 'no_coverage'],
      ['/blocks/299/traces?finality=latest', 422, 'no_coverage'],
      [`/blocks/${FINALIZED + 1}/traces`, 409, 'finality_exceeded'],
      [`/blocks/${HEAD + 1}/traces?finality=latest`, 409, 'finality_exceeded'],
      [`/transactions/0x${'5e'.repeat(32)}/traces`, 404, 'not_found'],
      ['/blocks/5/transactions', 404, 'not_found'],
      ['/blocks/5/logs', 404, 'not_found'],
    ] as const) {
      const { statusCode, json } = await chain.get(path);
      expect([path, statusCode, json.error?.code]).toEqual([path, status, code]);
    }
    expect(chain.charged()).toBe(before);
    expect((await chain.get('/blocks/300/traces')).json.data).toEqual([]);
  });

  test('the first stored block is not the nearest one for certain', async () => {
    const byTime = (query: string) => told(chain, `/blocks-by-time/${query}`);
    expect(await byTime(`${at(100)}?side=after`)).toEqual(respond([300, 300], 'partial'));
    expect(await byTime(`${at(305.5)}?side=after`)).toEqual(respond([306, 306], 'full', IMMUTABLE));
    expect(await byTime(at(305.5))).toEqual(respond([305, 305], 'full', IMMUTABLE));
    expect((await byTime(at(100))).status).toBe(404);
  });

  test('every page says so, also when the missing blocks have come meanwhile', async () => {
    const path = `/blocks?from_time=${BEFORE_ALL}&to_time=${at(310)}&limit=5`;
    const first = await chain.get(path);
    await chain.insert(
      `UPDATE {schema}.coverage SET covered = covered + int8multirange(int8range(0, 300)) WHERE dataset = 'blocks'`,
    );
    expect(await told(chain, `${path}&cursor=${first.json.next_cursor}`)).toEqual(
      respond([305, 301], 'partial'),
    );
  });
});

describe('where blocks are missing in between', () => {
  let chain: SeededChain;
  beforeAll(async () => {
    chain = await startWithout(101, 199);
  });
  afterAll(() => chain?.close());
  const list = (from: number, to: number) =>
    told(chain, `/blocks?order=asc&limit=500&from_time=${at(from)}&to_time=${at(to)}`);

  test('a time among them does not cut them off', async () => {
    expect(await list(150, 250)).toEqual(respond([200, 250], 'partial'));
    expect(await list(50, 150)).toEqual(respond([50, 100], 'partial'));
    expect(await list(120, 150)).toEqual(respond([], 'none'));
    expect(await list(50, 100)).toEqual(respond([50, 100], 'partial'));
    expect(await list(50, 99)).toEqual(respond([50, 99], 'full', IMMUTABLE));
    expect(await list(201, 250)).toEqual(respond([201, 250], 'full', IMMUTABLE));
    expect(await list(-20, -10)).toEqual(respond([], 'full', IMMUTABLE));
  });

  test('no window is full of which a block is missing', async () => {
    const moments = fc.integer({ min: -20, max: FINALIZED * 2 }).map((half) => half / 2);
    await fc.assert(
      fc.asyncProperty(
        moments,
        moments,
        fc.constantFrom('blocks', 'transactions'),
        async (one, other, table) => {
          const [from, to] = [Math.min(one, other), Math.max(one, other)];
          const { json } = await chain.get(`/${table}?limit=500&from_time=${at(from)}&to_time=${at(to)}`);
          const isMissing = Math.max(Math.ceil(from), 101) <= Math.min(Math.floor(to), 199);
          if (isMissing) expect(json.meta.coverage).not.toBe('full');
          if (to < 100 || from > 200) expect(json.meta.coverage).toBe('full');
        },
      ),
      { numRuns: 150 },
    );
  });

  test('what is stored on either side is not the nearest block for certain', async () => {
    expect(await told(chain, `/blocks-by-time/${at(150)}`)).toEqual(respond([100, 100], 'partial'));
    expect(await told(chain, `/blocks-by-time/${at(150)}?side=after`)).toEqual(
      respond([200, 200], 'partial'),
    );
  });

  test('an answer that the block after the finalized one ends is full, but may still change', async () => {
    const end = at(FINALIZED + 0.5);
    expect(await list(340, FINALIZED + 0.5)).toEqual(respond([340, FINALIZED], 'full'));
    expect(await told(chain, `/blocks-by-time/${end}`)).toEqual(respond([FINALIZED, FINALIZED], 'full'));
    expect(await list(340, 343)).toEqual(respond([340, 343], 'full', IMMUTABLE));
  });

  test('a window wholly above the finalized block is cut to nothing, and all of it is missing', async () => {
    for (const start of [`from_block=${FINALIZED + 1}`, 'from_time=2027-01-01T00:00:00Z'])
      expect(await told(chain, `/blocks?clamp=true&${start}`)).toEqual(respond([], 'none'));
  });

  test('an answer that a client has is told again when only its coverage is another', async () => {
    const path = '/blocks?from_block=210&to_block=215';
    const { headers } = await chain.get(path);
    const ifNoneMatch = String(headers?.ETag);
    expect((await chain.get(path, { ifNoneMatch })).statusCode).toBe(304);
    await chain.insert(
      `UPDATE {schema}.coverage SET covered = covered - int8multirange(int8range(212, 213)) WHERE dataset = 'blocks'`,
    );
    const changed = await chain.get(path, { ifNoneMatch });
    expect([changed.statusCode, changed.json.meta?.coverage]).toEqual([200, 'partial']);
  });
});
