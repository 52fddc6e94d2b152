import { concatHex, parseAbiItem } from 'viem';
import { decodeBlock } from '../../../lambdas/chain-data/decode/decode-block.ts';
import { TOPICS } from '../../../lambdas/chain-data/decode/topics.ts';
import { TOKEN_EVENTS } from './contract-events.ts';
import {
  ALICE,
  address,
  BOB,
  blockOfLogs,
  decodeLogs,
  type LogContents,
  logOf,
  TOKEN,
  word,
  ZERO,
} from './raw-blocks.ts';

const { erc20, erc721, single, batch, consecutive, uri, deposit, withdrawal } = TOKEN_EVENTS;
const oldNft = parseAbiItem('event Transfer(address from, address to, uint256 id)');

const OPERATOR = address(0x0be);
const MAX = 2n ** 256n - 1n;
const WRAPPED = { wrappedNative: new Set([TOKEN]) };

/** Everything that logs can become, without what is empty. */
function notEmpty(logs: readonly LogContents[]) {
  const {
    transactions,
    logs: kept,
    block,
    traces,
    trace_gap,
    data_pieces,
    is_partial,
    proof,
    ...rows
  } = decodeLogs(logs);
  expect(kept).toHaveLength(logs.length);
  return Object.fromEntries(Object.entries(rows).filter(([, list]) => list.length > 0));
}

test.each([
  ['a transfer', ALICE, BOB, 5n, 'transfer'],
  ['the largest amount', ALICE, BOB, MAX, 'transfer'],
  ['a mint', ZERO, BOB, 1n, 'mint'],
  ['a burn', ALICE, ZERO, 0n, 'burn'],
  ['from the zero address to itself', ZERO, ZERO, 1n, 'transfer'],
])('ERC-20: %s', (_, from, to, amount, kind) => {
  expect(decodeLogs([logOf(erc20, TOKEN, [from, to, amount])]).erc20_transfers).toEqual([
    {
      block_number: 7,
      log_index: 0,
      tx_index: 0,
      tx_hash: word(0xbeef00),
      block_time: '2023-11-14T22:13:20.000Z',
      token: TOKEN,
      from_address: from,
      to_address: to,
      amount,
      kind,
    },
  ]);
});

test('a transfer of three topics without data is none', () => {
  const log = { ...logOf(erc20, TOKEN, [ALICE, BOB, 1n]), data: '0x' } as const;
  const { erc20_transfers, undecodable_logs } = decodeLogs([log]);
  expect(erc20_transfers).toEqual([]);
  expect(undecodable_logs).toMatchObject([{ address: TOKEN, reason: 'data too short' }]);
});

test('ERC-721 by four topics, and NFTs that are older than it by one', () => {
  const logs = [logOf(erc721, TOKEN, [ZERO, BOB, MAX]), logOf(oldNft, TOKEN, [ALICE, BOB, 9n])];
  expect(decodeLogs(logs).nft_transfers).toMatchObject([
    { standard: 721, token_id: MAX, amount: 1n, kind: 'mint', operator: null, batch_index: 0 },
    { standard: 721, token_id: 9n, from_address: ALICE, to_address: BOB, kind: 'transfer', log_index: 1 },
  ]);
});

test('ERC-1155 by one and by many', () => {
  const logs = [
    logOf(single, TOKEN, [OPERATOR, ALICE, ZERO, 3n, 4n]),
    logOf(batch, TOKEN, [OPERATOR, ALICE, BOB, [1n, 2n, 1n], [10n, MAX, 0n]]),
  ];
  expect(decodeLogs(logs).nft_transfers).toMatchObject([
    { standard: 1155, operator: OPERATOR, token_id: 3n, amount: 4n, kind: 'burn', batch_index: 0 },
    { token_id: 1n, amount: 10n, batch_index: 0, log_index: 1, kind: 'transfer' },
    { token_id: 2n, amount: MAX, batch_index: 1, log_index: 1 },
    { token_id: 1n, amount: 0n, batch_index: 2, log_index: 1 },
  ]);
});

test('a range of ERC-2309 becomes its items', () => {
  const { nft_transfers } = decodeLogs([logOf(consecutive, TOKEN, [10n, 12n, ZERO, BOB])]);
  expect(nft_transfers.map(({ token_id, batch_index }) => [token_id, batch_index])).toEqual([
    [10n, 0],
    [11n, 1],
    [12n, 2],
  ]);
});

test('a URI loses what PostgreSQL cannot hold', () => {
  expect(decodeLogs([logOf(uri, TOKEN, ['ipfs://\0a', 6n])]).nft_uris).toMatchObject([
    { token: TOKEN, token_id: 6n, token_uri: 'ipfs://a', uri_size: 9 },
  ]);
});

test('a URI that is too long to be kept leaves its bytes', () => {
  const texts = [24_574, 24_575, 24_577].map((size) => 'a'.repeat(size));
  expect(decodeLogs(texts.map((text) => logOf(uri, TOKEN, [text, 6n]))).nft_uris).toMatchObject([
    { token_uri: texts[0], uri_size: 24_574 },
    { token_uri: null, uri_size: 24_575 },
    { token_uri: null, uri_size: 24_577 },
  ]);
});

test.each<[string, LogContents]>([
  ['two topics', { ...logOf(erc20, TOKEN, [ALICE, BOB, 1n]), topics: [TOPICS.transfer, word(1)] }],
  ['data shorter than a word', { ...logOf(erc20, TOKEN, [ALICE, BOB, 1n]), data: `0x${'00'.repeat(31)}` }],
  ['one topic and too little data', { address: TOKEN, topics: [TOPICS.transfer], data: word(1) }],
  [
    'a topic that is no address',
    { ...logOf(erc20, TOKEN, [ALICE, BOB, 1n]), topics: [TOPICS.transfer, word(-1), word(1)] },
  ],
  ['unequal arrays', logOf(batch, TOKEN, [OPERATOR, ALICE, BOB, [1n, 2n], [1n]])],
  ['empty arrays', logOf(batch, TOKEN, [OPERATOR, ALICE, BOB, [], []])],
  [
    'arrays that end after the data',
    {
      ...logOf(batch, TOKEN, [OPERATOR, ALICE, BOB, [1n], [1n]]),
      data: concatHex([word(64), word(64), word(2), word(1)]),
    },
  ],
  [
    'an offset of 2^256 - 1',
    {
      ...logOf(batch, TOKEN, [OPERATOR, ALICE, BOB, [1n], [1n]]),
      data: concatHex([word(-1), word(-1), word(2), word(1)]),
    },
  ],
  ['a range that ends before it begins', logOf(consecutive, TOKEN, [12n, 10n, ZERO, BOB])],
  ['a range of all items', logOf(consecutive, TOKEN, [0n, MAX, ZERO, BOB])],
])('a transfer with %s stays a log and is counted', (_, log) => {
  expect(notEmpty([log])).toEqual({
    undecodable_logs: [
      { block_number: 7, log_index: 0, address: TOKEN, topic0: log.topics[0], reason: expect.any(String) },
    ],
  });
});

test('a log without topics, and one of an unknown event, are logs', () => {
  expect(notEmpty([{ address: TOKEN, topics: [], data: '0x01' }])).toEqual({});
  expect(notEmpty([{ address: TOKEN, topics: [word(5)], data: '0x' }])).toEqual({});
});

describe('wrapped native tokens', () => {
  const kinds = (...logs: LogContents[][]) =>
    decodeBlock(blockOfLogs(...logs), WRAPPED).erc20_transfers.map((row) => [row.kind, row.amount]);

  test('deposits and withdrawals are mints and burns', () => {
    const logs = [logOf(deposit, TOKEN, [BOB, 5n]), logOf(withdrawal, TOKEN, [BOB, 2n])];
    expect(decodeLogs(logs, WRAPPED).erc20_transfers).toMatchObject([
      { kind: 'wrap', from_address: ZERO, to_address: BOB, amount: 5n },
      { kind: 'unwrap', from_address: BOB, to_address: ZERO, amount: 2n },
    ]);
  });

  test('only those that are known', () => {
    expect(kinds([logOf(deposit, BOB, [BOB, 5n])])).toEqual([]);
  });

  test('one that logs a transfer too is counted once', () => {
    const mint = logOf(erc20, TOKEN, [ZERO, BOB, 5n]);
    const wrap = logOf(deposit, TOKEN, [BOB, 5n]);
    expect(kinds([mint, wrap])).toEqual([['wrap', 5n]]);
    expect(kinds([wrap, mint])).toEqual([['wrap', 5n]]);
    expect(kinds([wrap, mint, wrap, mint])).toEqual([
      ['wrap', 5n],
      ['wrap', 5n],
    ]);
    expect(kinds([wrap, wrap, mint]).length).toBe(2);
    const burn = logOf(erc20, TOKEN, [BOB, ZERO, 2n]);
    expect(kinds([burn, logOf(withdrawal, TOKEN, [BOB, 2n])])).toEqual([['unwrap', 2n]]);
  });

  test('but not for a transfer of another transaction or amount', () => {
    const wrap = logOf(deposit, TOKEN, [BOB, 5n]);
    expect(kinds([wrap], [logOf(erc20, TOKEN, [ZERO, BOB, 5n])])).toEqual([
      ['wrap', 5n],
      ['mint', 5n],
    ]);
    expect(kinds([wrap, logOf(erc20, TOKEN, [ZERO, BOB, 4n])])).toEqual([
      ['wrap', 5n],
      ['mint', 4n],
    ]);
  });
});

test('ranges of a block are 100,000 items at most, and its other transfers are all there', () => {
  const ranges = Array.from({ length: 30 }, (_, index) =>
    logOf(consecutive, TOKEN, [BigInt(index) * 5_000n, BigInt(index) * 5_000n + 4_999n, ZERO, BOB]),
  );
  const { nft_transfers, logs } = decodeLogs([...ranges, logOf(erc721, TOKEN, [ALICE, BOB, MAX])]);
  expect([logs.length, nft_transfers.length]).toEqual([31, 100_001]);
});
