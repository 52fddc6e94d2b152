/** The range of logs is read as widely as any node might read it. */
import { exceedsRange, type MovingBlock, readLogsRange } from '../../../lambdas/shared/jsonrpc/logs-range.ts';

const HEAD = 5_000n;
const NUMBERS: ReadonlyMap<MovingBlock, bigint> = new Map([
  ['latest', HEAD],
  ['safe', 4_000n],
  ['finalized', 3_000n],
]);

function read(filter: string) {
  return readLogsRange(Buffer.from(`[${filter}]`));
}

function readFrom(block: string) {
  const range = read(`{"fromBlock":${block},"toBlock":"0x0"}`);
  return range.kind === 'range' ? range.from : range.kind;
}

describe('readLogsRange', () => {
  test.each<[string, object]>([
    ['{}', { from: { tag: 'latest' }, to: { tag: 'latest' } }],
    ['{"fromBlock":"0x10","toBlock":"0x1f"}', { from: { number: 16n }, to: { number: 31n } }],
    ['{"fromBlock":"earliest"}', { from: { tag: 'earliest' }, to: { tag: 'latest' } }],
    [
      '{"fromBlock":null,"toBlock":"safe","blockHash":null}',
      { from: { tag: 'latest' }, to: { tag: 'safe' } },
    ],
    ['{"fromBlock":"pending","toBlock":"finalized"}', { from: { tag: 'pending' }, to: { tag: 'finalized' } }],
    ['{"from\\u0042lock":"\\u0030x1"}', { from: { number: 1n }, to: { tag: 'latest' } }],
    ['{"blockHash":"0xab","fromBlock":"0x1"}', { from: { number: 1n }, to: { tag: 'latest' } }],
    [' {"topics":[],"address":"0x"} , 7', { from: { tag: 'latest' }, to: { tag: 'latest' } }],
  ])('reads %s', (filter, range) => {
    expect(read(filter)).toEqual({ kind: 'range', ...range });
  });

  test('exempts a block named by its hash', () => {
    expect(read('{"blockHash":"0xab"}')).toEqual({ kind: 'by_hash' });
    expect(read('{"blockHash":"0xab","fromBlock":null}')).toEqual({ kind: 'by_hash' });
  });

  test.each<[string, bigint]>([
    ['"0x0"', 0n],
    ['"0x"', 0n],
    ['"0x0010"', 16n],
    ['"0XfF"', 255n],
    ['"0x+f"', 15n],
    ['"0x1_0"', 16n],
    ['" 0xf "', 15n],
    ['"17"', 17n],
    ['"007"', 7n],
    ['"0"', 0n],
    ['17', 17n],
    ['1e3', 1000n],
    ['1.0', 1n],
    ['-0', 0n],
    ['-5', -5n],
    ['12345678901234567890', 12345678901234567890n],
    ['"0xffffffffffffffff"', 2n ** 64n - 1n],
    [`"0x${'0'.repeat(100_000)}1"`, 1n],
  ])('reads the number that some node would: %.40s', (block, number) => {
    expect(readFrom(block)).toEqual({ number });
  });

  test.each(['"latest"', '"LATEST"', '" latest "'])('reads the tag that some node would: %s', (block) => {
    expect(readFrom(block)).toEqual({ tag: 'latest' });
  });

  test.each([
    '""',
    '"newest"',
    '"0xg"',
    '"null"',
    '{}',
    '["0x1"]',
    'true',
    '1.5',
    '1e400',
    `"0x${'f'.repeat(79)}"`,
  ])('leaves to the node what none would read: %s', (block) => {
    expect(readFrom(block)).toBe('unreadable');
  });

  test('is quick with numbers of the size of a body', () => {
    expect(readFrom(`"0x${'0'.repeat(2_000_000)}g"`)).toBe('unreadable');
    expect(readFrom('9'.repeat(2_000_000))).toBe('unreadable');
  });

  test.each(['', 'null', '"0x1"', '[{"fromBlock":"0x0"}]', '1'])(
    'leaves params without a filter to the node: [%s]',
    (filter) => {
      expect(read(filter)).toEqual({ kind: 'unreadable' });
    },
  );

  test('leaves absent params to the node', () => {
    expect(readLogsRange(undefined)).toEqual({ kind: 'unreadable' });
  });

  test.each([
    '{"fromBlock":"0x1","fromBlock":"0x2"}',
    '{"fromBlock":"0x1","from\\u0042lock":"0x2"}',
    '{"fromBlock":"0x1","FROMBLOCK":"0x0"}',
    '{"fromblock":"0x0"}',
    '{"fromBloc\u212a":"0x0"}',
    '{"fromBloc\\u212a":"0x0"}',
    '{"toBlock":null,"toblock":"0x2"}',
    '{"blockHa\u017fh":"0x0"}',
    '{"blockHash":"0x1","BlockHash":"0x1"}',
  ])('finds ambiguous what a node that ignores case would read otherwise: %s', (filter) => {
    expect(read(filter)).toEqual({ kind: 'ambiguous' });
  });
});

describe('exceedsRange', () => {
  test.each<[string, string, number, boolean]>([
    ['"0x1"', '"0x64"', 100, false],
    ['"0x0"', '"0x64"', 100, true],
    ['"0x64"', '"0x0"', 1, false],
    ['"latest"', '"latest"', 1, false],
    ['"0x1387"', '"latest"', 2, false],
    ['"0x1386"', '"latest"', 2, true],
    ['"0x1386"', '"pending"', 2, true],
    ['"earliest"', '"0x1"', 2, false],
    ['"earliest"', '"0x2"', 2, true],
    ['"finalized"', '"latest"', 2_001, false],
    ['"finalized"', '"latest"', 2_000, true],
    ['"safe"', '"latest"', 1_001, false],
    ['"safe"', '"latest"', 1_000, true],
    ['"finalized"', '"safe"', 1_000, true],
    ['"finalized"', '"finalized"', 1, false],
    ['"0xbb8"', '"finalized"', 1, false],
    ['"0xbb7"', '"finalized"', 1, true],
    ['"latest"', '"earliest"', 1, false],
    ['null', '"0x1388"', 1, false],
    ['"0x0"', '"0xffffffffffffffff"', 1_000_000, true],
  ])('from %s to %s with at most %d blocks: %s', (from, to, max, exceeds) => {
    expect(exceedsRange(read(`{"fromBlock":${from},"toBlock":${to}}`), NUMBERS, max)).toBe(exceeds);
  });

  test('is false for what has no range', () => {
    expect(exceedsRange({ kind: 'by_hash' }, NUMBERS, 1)).toBe(false);
    expect(exceedsRange({ kind: 'unreadable' }, NUMBERS, 1)).toBe(false);
  });
});
