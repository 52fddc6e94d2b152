import { Agreement, WORD_TTL_MS } from '../../../lambdas/rpc/cache/agreement.ts';

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
    return agreement.take('key', Buffer.from(`"${said}"`), Number(from), upstreams);
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
  const say = (json: string, from: number) => agreement.take('key', Buffer.from(json), from, 2);
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
  expect(agreement.take('key', Buffer.from('"a"'), undefined, 2)).toBe(false);
  expect(take('0a', 2)).toEqual([false]);
});
