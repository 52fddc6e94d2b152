/** A result shows of what it is: one of something else than its call names is found, and no true one is. */
import fc from 'fast-check';
import { isOfAnother } from '../../../../lambdas/shared/upstream/agreement/of-another.ts';

const hash = (digit: string) => `0x${digit.repeat(64)}`;
const account = (digit: string) => `0x${digit.repeat(40)}`;
const place = { blockHash: hash('b'), blockNumber: '0x9', transactionIndex: '0x1' };
const log = { ...place, address: account('C'), topics: [hash('1'), hash('2')], transactionHash: hash('a') };
const transaction = { ...place, hash: hash('A') };
const receipt = { ...place, transactionHash: hash('a'), logs: [log] };
const block = { hash: hash('b'), number: '0x9', parentHash: hash('f'), transactions: [transaction] };

/** A number in 32 bytes, as some nodes take it. */
const PADDED = `0x${'9'.padStart(64, '0')}`;
const LONG = `0x${'ef'.repeat(3_000)}`;

const judged = (method: string, params: readonly unknown[], result: unknown) =>
  isOfAnother({ method, params: Buffer.from(JSON.stringify(params)) }, Buffer.from(JSON.stringify(result)));

const filter = (members: object) => [{ fromBlock: '0x8', toBlock: '0x9', ...members }];
const CASES: readonly (readonly [
  method: string,
  right: readonly unknown[],
  wrong: readonly unknown[],
  result: unknown,
])[] = [
  ['eth_getBlockByNumber', ['0x09', true], ['0xa', true], block],
  ['eth_getBlockByHash', [hash('B'), true], [hash('c'), true], block],
  ['eth_getBlockByHash', [hash('b'), true], [hash('a'), true], block],
  ['eth_getHeaderByNumber', ['0x9'], ['0x8'], block],
  ['eth_getTransactionByHash', [hash('a')], [hash('c')], transaction],
  ['eth_getTransactionByBlockNumberAndIndex', ['0x9', '0x1'], ['0x9', '0x2'], transaction],
  ['eth_getTransactionByBlockHashAndIndex', [hash('b'), '0x1'], [hash('c'), '0x1'], transaction],
  ['eth_getTransactionReceipt', [hash('a')], [hash('c')], receipt],
  ['eth_getBlockReceipts', ['0x9'], ['0xa'], [receipt]],
  ['eth_getBlockReceipts', [hash('b')], [hash('c')], [receipt]],
  ['eth_getLogs', filter({}), [{ fromBlock: '0x1', toBlock: '0x8' }], [log]],
  ['eth_getLogs', [{ blockHash: hash('b') }], [{ blockHash: hash('c') }], [log]],
  ['eth_getLogs', filter({ address: account('c') }), filter({ address: [account('d')] }), [log]],
  ['eth_getLogs', filter({ topics: [null, [hash('3'), hash('2')]] }), filter({ topics: [hash('2')] }), [log]],
];

test.each(CASES)(
  '%s: a result that was asked for by %j is not that of %j',
  (method, right, wrong, result) => {
    expect([judged(method, right, result), judged(method, wrong, result)]).toEqual([false, true]);
  },
);

test('the last of many logs is looked at as the first is', () => {
  const many = [...Array.from({ length: 50 }, () => log), { ...log, blockNumber: '0xa' }];
  expect(judged('eth_getLogs', filter({}), many)).toBe(true);
});

test('the hash of a transaction behind long calldata is found', () => {
  const long = { gas: '0x9', input: `0x${'ab'.repeat(20_000)}`, ...transaction };
  expect(judged('eth_getTransactionByHash', [hash('a')], long)).toBe(false);
  expect(judged('eth_getTransactionByHash', [hash('c')], long)).toBe(true);
});

test.each<readonly [method: string, params: readonly unknown[], result: unknown]>([
  ['eth_getBlockByNumber', ['latest', false], block],
  ['eth_getBlockByNumber', ['earliest', false], block],
  ['eth_getUncleByBlockNumberAndIndex', ['0xa', '0x0'], block],
  ...['eth_getBlockByNumber', 'eth_getTransactionByBlockNumberAndIndex', 'eth_getBlockReceipts'].map(
    (method) => [method, [PADDED, '0x1'], method.endsWith('Receipts') ? [receipt] : transaction] as const,
  ),
  ['eth_getBlockByHash', [hash('b'), true], { transactions: [{ hash: hash('a') }], hash: hash('b') }],
  [
    'eth_getBlockByHash',
    [hash('b'), true],
    { extraData: LONG, hash: hash('b'), transactions: [{ hash: hash('a') }] },
  ],
  ['eth_getLogs', filter({ topics: [hash('1')] }), [{ topics: [[hash('2')]] }]],
  ['eth_getLogs', filter({ topics: [hash('1')] }), [{ ...log, topics: [[hash('2')]] }]],
  ['eth_getLogs', filter({ address: 'c', topics: ['0x1', [hash('3'), '0x'], 7] }), [log]],
  ['eth_getLogs', [{ fromBlock: '010', toBlock: '0x' }], [log]],
  ['eth_getLogs', [{ fromBlock: '0x10', toBlock: '0x10', blockHash: hash('b') }], [log]],
  ['eth_getLogs', filter({ address: account('d'), Address: account('c') }), [log]],
  ['eth_getLogs', filter({ topics: [hash('4')], TOPICS: [hash('1')] }), [log]],
  [
    'eth_getTransactionByHash',
    [hash('a')],
    { ...transaction, blockHash: null, blockNumber: null, transactionIndex: null },
  ],
  ['eth_getLogs', filter({ address: [], topics: [[], [null]] }), [log]],
  ['eth_getLogs', filter({}), []],
  ['eth_getBalance', [account('c'), '0x8'], '0x9'],
  ['eth_call', [{ to: account('c') }, '0x8'], '0x'],
  ['debug_traceBlockByNumber', ['0xa'], [{ txHash: hash('a') }]],
])('%s of %j: what it shows is no contradiction', (method, params, result) => {
  expect(judged(method, params, result)).toBe(false);
});

describe('whatever a block holds, and in whichever order', () => {
  const inHex = (length: number) =>
    fc
      .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
      .map((digits) => `0x${digits.join('')}`);
  const long = fc.integer({ min: 0, max: 6_000 }).map((bytes) => `0x${'e'.repeat(2 * bytes)}`);
  /** An object with its members in any order. */
  const anyOrder = (members: Readonly<Record<string, unknown>>) =>
    fc
      .shuffledSubarray(Object.entries(members), { minLength: Object.keys(members).length })
      .map((entries) => Object.fromEntries(entries) as Readonly<Record<string, unknown>>);
  const quantity = (number: number) => `0x${number.toString(16)}`;

  const worlds = fc
    .record({
      blockHash: inHex(64),
      other: inHex(64),
      number: fc.integer({ min: 1, max: 2 ** 32 }),
      extraData: long,
      entries: fc.array(fc.record({ hash: inHex(64), address: inHex(40), topic: inHex(64), input: long }), {
        minLength: 1,
        maxLength: 6,
      }),
    })
    .filter(
      ({ blockHash, other, entries }) =>
        new Set([blockHash, other, ...entries.map(({ hash: own }) => own)]).size === entries.length + 2,
    )
    .chain(({ blockHash, other, number, extraData, entries }) => {
      const of = { blockHash, blockNumber: quantity(number) };
      const transactions = fc.tuple(
        ...entries.map(({ hash: own, input, address }, place) =>
          anyOrder({ ...of, hash: own, input, to: address, transactionIndex: quantity(place) }),
        ),
      );
      const logs = fc.tuple(
        ...entries.map(({ hash: own, input, address, topic }, place) =>
          anyOrder({
            ...of,
            transactionHash: own,
            address,
            topics: [topic],
            data: input,
            transactionIndex: quantity(place),
          }),
        ),
      );
      return fc.tuple(transactions, logs).chain(([ofBlock, emitted]) =>
        fc.record({
          asked: fc.constant({ blockHash, other, number, entries }),
          transactions: fc.constant(ofBlock),
          logs: fc.constant(emitted),
          receipts: fc.tuple(
            ...emitted.map((one, place) =>
              anyOrder({
                ...of,
                transactionHash: one.transactionHash,
                logs: Array(3).fill(one),
                transactionIndex: quantity(place),
              }),
            ),
          ),
          full: anyOrder({
            hash: blockHash,
            number: of.blockNumber,
            parentHash: other,
            extraData,
            transactions: ofBlock,
          }),
          bare: anyOrder({
            hash: blockHash,
            number: of.blockNumber,
            parentHash: other,
            extraData,
            transactions: entries.map(({ hash: own }) => own),
          }),
        }),
      );
    });

  test('no true result is taken for that of another call', () => {
    fc.assert(
      fc.property(
        worlds,
        ({ asked: { blockHash, number, entries }, transactions, logs, receipts, full, bare }) => {
          const at = quantity(number);
          const topics = [[...entries.map(({ topic }) => topic)]];
          const address = entries.map((entry) => entry.address);
          const all: readonly (readonly [string, readonly unknown[], unknown])[] = [
            ...[full, bare].flatMap((block) => [
              ['eth_getBlockByHash', [blockHash, true], block] as const,
              ['eth_getBlockByNumber', [at, true], block] as const,
              ['eth_getBlockByNumber', [`0x${number.toString(16).padStart(64, '0')}`, true], block] as const,
            ]),
            ...entries.flatMap(({ hash: own }, place) => [
              ['eth_getTransactionByHash', [own], transactions[place]] as const,
              ['eth_getTransactionReceipt', [own], receipts[place]] as const,
              [
                'eth_getTransactionByBlockHashAndIndex',
                [blockHash, quantity(place)],
                transactions[place],
              ] as const,
              [
                'eth_getTransactionByBlockNumberAndIndex',
                [at, quantity(place)],
                transactions[place],
              ] as const,
            ]),
            ['eth_getBlockReceipts', [blockHash], receipts],
            ['eth_getBlockReceipts', [at], receipts],
            ['eth_getLogs', [{ blockHash, address, topics }], logs],
            ['eth_getLogs', [{ fromBlock: at, toBlock: at, address, topics }], logs],
          ];
          for (const [method, params, result] of all)
            expect([method, judged(method, params, result)]).toEqual([method, false]);
        },
      ),
    );
  });
});
