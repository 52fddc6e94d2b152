import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { StatementTimeoutError } from '../../lambdas/shared/chain-database/database-error.ts';
import { MAX_TAGS } from '../../lambdas/shared/http/if-none-match.ts';
import { address, type SeededChain, startSeededChain } from './seeded-chain.ts';

/** An unselective search without a row: its response is the same for all accounts. */
const EMPTY = `/logs?address=${address('5')}`;

let chain: SeededChain;

beforeAll(async () => {
  chain = await startSeededChain();
});

afterAll(() => chain?.close());

test('a tag that is computed from the response alone is no tag of it', async () => {
  const { json, headers } = await chain.get(EMPTY);
  const data = JSON.stringify(json.data);
  for (const about of [[null, 'full', null], ['acme', null, 'full', null], []]) {
    const hash = createHash('sha256').update(data).update(JSON.stringify(about)).digest('base64url');
    const guessed = `W/"${hash.slice(0, 27)}"`;
    expect(guessed).not.toBe(headers.ETag);
    expect((await chain.get(EMPTY, { ifNoneMatch: guessed })).statusCode).toBe(200);
  }
});

test('the tag of one account is none of another, for the same answer', async () => {
  const { headers } = await chain.get(EMPTY);
  const ifNoneMatch = String(headers.ETag);
  expect((await chain.get(EMPTY, { ifNoneMatch })).statusCode).toBe(304);
  expect((await chain.get(EMPTY, { ifNoneMatch, account: 'other' })).statusCode).toBe(200);
});

test('of many tags in one header so many are read', async () => {
  const { headers } = await chain.get(EMPTY);
  const others = (count: number) => Array.from({ length: count }, (_, index) => `W/"${index}"`).join(', ');
  const statusOf = async (ifNoneMatch: string) => (await chain.get(EMPTY, { ifNoneMatch })).statusCode;
  expect(await statusOf(`${others(MAX_TAGS - 1)}, ${headers.ETag}`)).toBe(304);
  expect(await statusOf(`${others(MAX_TAGS)}, ${headers.ETag}`)).toBe(200);
});

test('the strong form of a tag is the tag, and `*` is none', async () => {
  const { headers } = await chain.get(EMPTY);
  const strong = String(headers.ETag).replace('W/', '');
  expect((await chain.get(EMPTY, { ifNoneMatch: strong })).statusCode).toBe(304);
  for (const ifNoneMatch of ['*', '"*"', `*, ${strong.replaceAll('"', '')}`]) {
    const before = chain.charged();
    expect([ifNoneMatch, (await chain.get(EMPTY, { ifNoneMatch })).statusCode]).toEqual([ifNoneMatch, 200]);
    expect(chain.charged()).toBe(before + 20);
  }
});

test('freshness, which has the time of its check, has no tag', async () => {
  const { statusCode, headers } = await chain.get('/status/freshness', { ifNoneMatch: '*' });
  expect([statusCode, headers.ETag, headers['Cache-Control']]).toEqual([200, undefined, 'private, no-cache']);
});

test('a 304 is billed 1 CU, as any cached answer', async () => {
  const { headers } = await chain.get(EMPTY);
  const before = chain.charged();
  const kept = await chain.get(EMPTY, { ifNoneMatch: String(headers.ETag) });
  expect(kept).toMatchObject({
    statusCode: 304,
    body: '',
    headers: { 'X-CU-Billed': '1', 'X-CU-Cost': '20' },
  });
  expect(chain.charged()).toBe(before + 1);
});

test('a query that ran into its time-out is not billed, and keeps its cost drawn from the bucket', async () => {
  const [charged, drawn] = [chain.charged(), chain.drawn()];
  const database = { query: () => Promise.reject(new StatementTimeoutError('slow', undefined)) };
  const { statusCode, headers } = await chain.get(EMPTY, { database });
  expect([statusCode, headers['X-CU-Billed'], headers['X-CU-Cost']]).toEqual([503, '0', '20']);
  expect([chain.charged() - charged, chain.drawn() - drawn]).toEqual([0, 20]);
});
