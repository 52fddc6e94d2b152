import { Agreement, MAX_READ_BYTES, WORD_TTL_MS } from '../../../lambdas/rpc/cache/agreement.ts';

let now: number;
let agreement: Agreement;
beforeEach(() => {
  now = 1_000_000_000_000;
  agreement = new Agreement({ now: () => now });
});

/** Takes words one after the other, such as `0a` for an `a` of the first upstream; whether each made an agreement. */
function take(words: string, upstreams: number): boolean[] {
  return words.split(' ').map((word) => {
    const [from = '', said = ''] = word;
    const result = Buffer.from(`"0x${said}"`);
    return agreement.take('key', { method: 'eth_getBalance', result, from: Number(from) }, upstreams)
      .isAgreed;
  });
}

test.each<[number, string, boolean[]]>([
  [1, '0a', [true]],
  [2, '0a 0a 1a', [false, false, true]],
  [2, '0a 1b 0b', [false, false, true]],
  [3, '0b 1a 2a', [false, false, true]],
  [4, '0b 1b 2a 3a', [false, false, false, false]],
  [5, '0b 1b 2a 3a 4a', [false, false, false, false, true]],
  [5, '0b 1b 0b 1b', [false, false, false, false]],
])('of %d upstreams more than half must say the same: %s', (upstreams, words, agreed) => {
  expect(take(words, upstreams)).toEqual(agreed);
});

test('white space aside, one byte makes another answer', () => {
  const say = (json: string, from: number) =>
    agreement.take('key', { method: 'eth_getLogs', result: Buffer.from(json), from }, 2).isAgreed;
  expect(say('{"a": [1]}', 0)).toBe(false);
  expect(say('{"a": [1.0]}', 1)).toBe(false);
  expect(say('{"a":[1]}', 1)).toBe(true);
});

test('which upstreams have answered is known until their words are old', () => {
  expect(agreement.answeredBy('key')).toBeUndefined();
  take('2a 0b', 3);
  expect(agreement.answeredBy('key')).toEqual(new Set([0, 2]));
  expect(agreement.answeredBy('other')).toBeUndefined();
  now += WORD_TTL_MS;
  expect(agreement.answeredBy('key')).toBeUndefined();
  expect(take('1a', 3)).toEqual([false]);
});

test('a response of an unknown upstream counts for none', () => {
  const said = { method: 'eth_getBalance', result: Buffer.from('"0xa"'), from: undefined };
  expect(agreement.take('key', said, 2).isAgreed).toBe(false);
  expect(take('0a', 2)).toEqual([false]);
});

describe('a contradiction', () => {
  const said = (value: string, from: number, method = 'eth_getBalance') =>
    agreement.take('key', { method, result: Buffer.from(`"0x${value}"`), from }, 3).contradiction;

  test('is told once, for each upstream that is part of it', () => {
    expect(said('a', 0)).toBeUndefined();
    expect(said('b', 1)).toEqual({ places: [1, 0], alone: undefined });
    expect(said('b', 1)).toBeUndefined();
    expect(said('b', 2)).toEqual({ places: [0, 1, 2], alone: 0 });
    expect(said('a', 0)).toBeUndefined();
  });

  test('of three that say three things has nobody alone', () => {
    said('a', 0);
    said('b', 1);
    expect(said('c', 2)).toEqual({ places: [2, 0, 1], alone: undefined });
  });

  test('is none where the spelling differs alone, or one has said it before', () => {
    said('0a', 0);
    expect(said('A', 1)).toBeUndefined();
    expect(said('b', 1)).toEqual({ places: [1, 0], alone: undefined });
  });

  test('is not looked for in executions, nor in results that take long to read', () => {
    said('a', 0, 'eth_call');
    expect(said('b', 1, 'eth_call')).toBeUndefined();
    now += WORD_TTL_MS;
    said('a'.repeat(MAX_READ_BYTES), 0, 'eth_getCode');
    expect(said('b', 1, 'eth_getCode')).toBeUndefined();
  });
});
