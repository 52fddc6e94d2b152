import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type CursorScope,
  type CursorShape,
  type Position,
  parseCursor as parseSealed,
  renderCursor as renderSealed,
} from '../../../lambdas/data/plan/cursor.ts';
import type { OrderKey } from '../../../lambdas/data/plan/plan.ts';
import { createSeal } from '../../../lambdas/data/plan/seal.ts';

const SCOPE: CursorScope = {
  account: 'acme',
  chain: 'example_mainnet',
  operationId: 'listTransfers',
  filters: { order: 'desc', standard: 'all' },
};
const KEYS = [{ type: 'bigint' }, { type: 'bytea' }] as const;
const WINDOW = { column: 't.number', from: '0', to: undefined, clamp: false };
const PLAIN = { keys: KEYS };
const WINDOWED = { keys: KEYS, window: WINDOW };
const OF_SNAPSHOT = { keys: KEYS, ofSnapshot: true };

const SEAL = createSeal('key of this stage');
const renderCursor = (position: Position, scope: CursorScope) => renderSealed(position, scope, SEAL);
const parseCursor = (text: string, scope: CursorScope, shape: CursorShape) =>
  parseSealed(text, scope, shape, SEAL);

const positions = fc.record({
  keys: fc.tuple(
    fc.nat().map(String),
    fc.uint8Array({ maxLength: 32 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`),
  ),
  window: fc
    .tuple(fc.nat(), fc.nat())
    .map(([from, width]): [from: number, to: number] => [from, from + width]),
  cut: fc.boolean(),
});

describe('a cursor', () => {
  test('leads back to where its page ended', () => {
    fc.assert(
      fc.property(positions, (position) => {
        const text = renderCursor(position, SCOPE);
        expect(text).toMatch(/^[\w-]+$/);
        expect(parseCursor(text, SCOPE, WINDOWED)).toEqual(position);
      }),
    );
  });

  test('is none of another query, chain or account', () => {
    const text = renderCursor({ keys: ['7', '0x01'], cut: false }, SCOPE);
    for (const other of [
      { ...SCOPE, account: 'other' },
      { ...SCOPE, chain: 'other' },
      { ...SCOPE, operationId: 'listTokenTransfers' },
      { ...SCOPE, filters: { ...SCOPE.filters, order: 'asc' } },
      { ...SCOPE, filters: { ...SCOPE.filters, from_block: 1 } },
    ])
      expect(parseCursor(text, other, PLAIN)).toBeUndefined();
  });

  test('has the window or the snapshot that its query has', () => {
    const of = (rest: object) => renderCursor({ keys: ['7', '0x01'], cut: false, ...rest }, SCOPE);
    const shapes = [PLAIN, WINDOWED, OF_SNAPSHOT];
    for (const [index, rest] of [{}, { window: [1, 2] }, { snapshot: 3 }].entries())
      expect(shapes.map((shape) => parseCursor(of(rest), SCOPE, shape) !== undefined)).toEqual(
        shapes.map((_, place) => place === index),
      );
    for (const snapshot of ['3', 1.5, null, 2 ** 53])
      expect(parseCursor(of({ snapshot }), SCOPE, OF_SNAPSHOT)).toBeUndefined();
  });

  test('has the hash of its block where that may be taken back, and only there', () => {
    const latest = { ...WINDOWED, finality: 'latest' } as const;
    const of = (rest: object) =>
      renderCursor({ keys: ['7', '0x01'], cut: false, window: [1, 2], ...rest }, SCOPE);
    const anchored = of({ anchor: `0x${'ab'.repeat(32)}` });
    expect(parseCursor(anchored, SCOPE, latest)).toMatchObject({ anchor: `0x${'ab'.repeat(32)}` });
    expect(parseCursor(anchored, SCOPE, WINDOWED)).toBeUndefined();
    for (const anchor of [undefined, '0xab', 7, null])
      expect(parseCursor(of({ anchor }), SCOPE, latest)).toBeUndefined();
  });

  test('has keys that their columns could hold', () => {
    const isRead = (type: OrderKey['type'], key: string) =>
      parseCursor(renderCursor({ keys: [key], cut: false }, SCOPE), SCOPE, { keys: [{ type }] }) !==
      undefined;
    const keys: { readonly [Type in OrderKey['type']]: readonly [right: string[], wrong: string[]] } = {
      bigint: [
        ['0', '9007199254740991'],
        ['9007199254740992', '-1', '1e3', ''],
      ],
      integer: [['2147483647'], ['2147483648', '1.5']],
      smallint: [['32767'], ['32768']],
      fraction: [
        ['0', '12', '0.5', '123.4500'],
        ['-1', '.5', '5.', '1e3', '', 'NaN', `0.${'1'.repeat(79)}`],
      ],
      numeric: [['9'.repeat(78)], ['9'.repeat(79), '-1', 'NaN']],
      bytea: [
        ['0x', '0x00ff'],
        ['0x0', '0xFF', '00'],
      ],
      date: [
        ['2024-02-29', '0001-01-01'],
        ['2026-99-99', '2026-02-29', '0000-01-01', '2026-1-1'],
      ],
      text: [['erc20_transfers'], ["';--", 'A', '']],
      timestamptz: [
        ['2026-01-01T00:00:00Z', '2026-01-01T23:59:59.999Z'],
        ['2026-02-30T00:00:00Z', '2026-01-01T25:00:00Z', '0000-01-01T00:00:00Z', '2026-01-01T00:00:00'],
      ],
    };
    for (const [type, [right, wrong]] of Object.entries(keys))
      expect([...right, ...wrong].filter((key) => isRead(type as OrderKey['type'], key))).toEqual(right);
  });

  test('has as many keys as its query, and a window of two blocks', () => {
    for (const keys of [['7'], ['7', '0x01', '1'], ["7'; DROP TABLE blocks; --", '0x01'], ['7', '0x0']])
      expect(
        parseCursor(renderCursor({ keys, window: [1, 2], cut: false }, SCOPE), SCOPE, WINDOWED),
      ).toBeUndefined();
    for (const window of [[1], [1, 1.5], [1, 2, 3], 'all'])
      expect(
        parseCursor(
          renderCursor({ keys: ['7', '0x01'], window: window as never, cut: false }, SCOPE),
          SCOPE,
          WINDOWED,
        ),
      ).toBeUndefined();
  });

  test('whose window is negative or inverted is none', () => {
    for (const window of [
      [-1, 5],
      [-5, -1],
      [6, 5],
      [0, -1],
    ] as const) {
      const text = renderCursor({ keys: ['7', '0x01'], window, cut: false }, SCOPE);
      expect(parseCursor(text, SCOPE, WINDOWED)).toBeUndefined();
    }
  });

  test('that another stage has sealed, or none, is refused', () => {
    const position = { keys: ['7', '0x01'], window: [1, 2] as const, cut: false };
    const other = renderSealed(position, SCOPE, createSeal('key of another stage'));
    expect(parseCursor(other, SCOPE, WINDOWED)).toBeUndefined();
    const unsealed = Buffer.from(JSON.stringify({ k: position.keys, w: position.window })).toString(
      'base64url',
    );
    for (const seal of ['', 'A'.repeat(32), other.slice(0, 32)])
      expect(parseCursor(seal + unsealed, SCOPE, WINDOWED)).toBeUndefined();
  });

  test('that was changed anywhere or cut gets no further than here', () => {
    const text = renderCursor({ keys: ['7', '0x01'], window: [1, 2], cut: false }, SCOPE);
    for (let place = 0; place < text.length; place += 1) {
      const changed = text.slice(0, place) + (text[place] === 'A' ? 'B' : 'A') + text.slice(place + 1);
      expect(parseCursor(changed, SCOPE, WINDOWED)).toBeUndefined();
      expect(parseCursor(text.slice(0, place), SCOPE, WINDOWED)).toBeUndefined();
    }
    expect(parseCursor(text, SCOPE, WINDOWED)).toBeDefined();
    fc.assert(
      fc.property(fc.base64String(), (any) => expect(parseCursor(any, SCOPE, WINDOWED)).toBeUndefined()),
    );
  });
});
