import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type CursorScope, parseCursor, renderCursor } from '../../lambdas/data/cursor.ts';

const SCOPE: CursorScope = {
  account: 'acme',
  chain: 'example_mainnet',
  operationId: 'listTransfers',
  filters: { order: 'desc', standard: 'all' },
};
const KEYS = [{ type: 'bigint' }, { type: 'bytea' }] as const;

const positions = fc.record({
  keys: fc.tuple(
    fc.nat().map(String),
    fc.uint8Array({ maxLength: 32 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`),
  ),
  window: fc.tuple(fc.nat(), fc.nat()),
  clamped: fc.boolean(),
});

describe('a cursor', () => {
  test('leads back to where its page ended', () => {
    fc.assert(
      fc.property(positions, (position) => {
        const text = renderCursor(position, SCOPE);
        expect(text).toMatch(/^[\w-]+$/);
        expect(parseCursor(text, SCOPE, KEYS)).toEqual(position);
      }),
    );
  });

  test('is none of another query, chain or account', () => {
    const text = renderCursor({ keys: ['7', '0x01'], clamped: false }, SCOPE);
    for (const other of [
      { ...SCOPE, account: 'other' },
      { ...SCOPE, chain: 'other' },
      { ...SCOPE, operationId: 'listTokenTransfers' },
      { ...SCOPE, filters: { ...SCOPE.filters, order: 'asc' } },
      { ...SCOPE, filters: { ...SCOPE.filters, from_block: 1 } },
    ])
      expect(parseCursor(text, other, KEYS)).toBeUndefined();
  });

  test('that was forged or cut gets no further than here', () => {
    const text = renderCursor({ keys: ['7', '0x01'], window: [1, 2], clamped: false }, SCOPE);
    const content = JSON.parse(Buffer.from(text, 'base64url').toString()) as object;
    const forged = [
      { k: ["7'; DROP TABLE blocks; --", '0x01'] },
      { k: ['7', '0x0'] },
      { k: ['7'] },
      { k: ['7', '0x01', '1'] },
      { k: [7, '0x01'] },
      { k: '7' },
      { w: [1] },
      { w: [1, 1.5] },
      { w: 'all' },
      { v: 2 },
      { h: 'x' },
    ];
    for (const change of forged) {
      const changed = Buffer.from(JSON.stringify({ ...content, ...change })).toString('base64url');
      expect(parseCursor(changed, SCOPE, KEYS)).toBeUndefined();
    }
    for (let length = 0; length < text.length; length += 1)
      expect(parseCursor(text.slice(0, length), SCOPE, KEYS)).toBeUndefined();
    fc.assert(fc.property(fc.base64String(), (any) => expect(parseCursor(any, SCOPE, KEYS)).toBeUndefined()));
  });
});
