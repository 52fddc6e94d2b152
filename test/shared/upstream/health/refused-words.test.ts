/** Words of a refusal are final for the key that met them, for ten minutes. */
import { RefusedWords } from '../../../../lambdas/shared/upstream/health/refused-words.ts';

const REFUSED = { method: 'eth_call', words: '-32000 the moon is full' };
const BELIEVED_MS = 10 * 60_000;

let now: number;
let chance: number;
let words: RefusedWords;

beforeEach(() => {
  now = 1_000_000_000_000;
  chance = 0.5;
  words = new RefusedWords({ now: () => now }, () => chance);
});

test('words on which two nodes agree are final for the key that asked, one in 16 aside, for ten minutes', () => {
  words.agreed('key', [REFUSED]);
  expect(words.isFinal('key', REFUSED)).toBe(true);
  expect(words.isFinal('another key', REFUSED)).toBe(false);
  expect(words.isFinal('key', { ...REFUSED, method: 'eth_getCode' })).toBe(false);
  chance = 1 / 16 - 0.001;
  expect(words.isFinal('key', REFUSED)).toBe(false);
  chance = 1 / 16;
  expect(words.isFinal('key', REFUSED)).toBe(true);
  now += BELIEVED_MS;
  expect(words.isFinal('key', REFUSED)).toBe(false);
});

test('words that one node gave where another answered are a lack of that node, which the key goes around', () => {
  words.answeredElsewhere({ index: 1 }, 'key', REFUSED);
  expect([words.isLack({ index: 1 }, REFUSED), words.isLack({ index: 0 }, REFUSED)]).toEqual([true, false]);
  expect(words.isAvoided({ index: 1 }, 'key', 'eth_call')).toBe(true);
  expect(words.isAvoided({ index: 1 }, 'another key', 'eth_call')).toBe(false);
  now += BELIEVED_MS;
  expect(words.isLack({ index: 1 }, REFUSED)).toBe(false);
  expect(words.isAvoided({ index: 1 }, 'key', 'eth_call')).toBe(false);
});

test('a key that owes attempts earns one with ten calls before it has another', () => {
  const share = words.shareOf('key');
  share.owe(25);
  expect(share.hasOne()).toBe(false);
  share.earn(59);
  expect(share.hasOne()).toBe(false);
  share.earn(2);
  expect(share.hasOne()).toBe(true);
  expect(words.shareOf('key')).toBe(share);
  expect(words.shareOf('another key').hasOne()).toBe(true);
});
