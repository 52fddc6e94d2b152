/** A contradiction between upstreams is noted once, and only where it is evidence. */
import { Agreement, MAX_READ_BYTES, WORD_TTL_MS } from '../../../lambdas/rpc/cache/agreement.ts';

let now: number;
let agreement: Agreement;
beforeEach(() => {
  now = 1_000_000_000_000;
  agreement = new Agreement({ now: () => now });
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

  test('is not looked for in executions, nor in results that take long to read', () => {
    said('a', 0, 'eth_call');
    expect(said('b', 1, 'eth_call')).toBeUndefined();
    now += WORD_TTL_MS;
    said('a'.repeat(MAX_READ_BYTES), 0, 'eth_getCode');
    expect(said('b', 1, 'eth_getCode')).toBeUndefined();
  });
});
