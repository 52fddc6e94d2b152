/** Each member of a block that one node alters alone, read from one, two or three nodes: 0 are stored as computed, and the node is named. */
import type { BlockProof, RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { hex, type Json, type SentJson, word } from '../../shared/verify/made-block.ts';
import { type Lie, provenChain, provingWorld } from './proving-world.ts';

const LIES_FROM = 4;
const LENGTH = 9;
const TRUTH = provenChain(LENGTH, {
  change: ({ block, receipts }) => ({
    receipts,
    block: {
      ...block,
      ...{ withdrawalsRoot: word(0), blobGasUsed: '0x0', excessBlobGas: '0x0' },
      ...{ parentBeaconBlockRoot: word(0xbeac), requestsHash: word(0x4e9) },
      withdrawals: [{ index: '0x1', validatorIndex: '0x2', address: `0x${'77'.repeat(20)}`, amount: '0x9' }],
    },
  }),
});

type Part = keyof BlockProof;
/** What becomes of altered blocks: none is stored, or they are with this level of the part. */
type Cell = 'refused' | 'told';
const [REFUSED, TOLD] = ['refused', 'told'] as const;

const header = (name: string, value: unknown) => (sent: SentJson) =>
  Object.assign(sent.block, { [name]: value });
const signed = (name: string, value: unknown) => (sent: SentJson) =>
  Object.assign(sent.block.transactions[0] as Json, { [name]: value });
const receipt = (name: string, value: unknown) => (sent: SentJson) =>
  Object.assign(sent.receipts[0] as Json, { [name]: value });
const log = (name: string, value: unknown) => (sent: SentJson) =>
  Object.assign(((sent.receipts[0] as Json).logs as Json[])[0] as Json, { [name]: value });
const withdrawal = (name: string, value: unknown) => (sent: SentJson) =>
  Object.assign((sent.block.withdrawals as Json[])[0] as Json, { [name]: value });
const STRANGER = `0x${'66'.repeat(20)}`;
const OTHER_WORD = `0x${'66'.repeat(32)}`;

/** A member, its part, and the cells of one, two and three nodes of which the first lies. */
const ROWS: readonly (readonly [string, Part, (sent: SentJson) => unknown, Cell, Cell, Cell])[] = [
  ['the time', 'header', header('timestamp', '0x1'), REFUSED, REFUSED, REFUSED],
  ['the miner', 'header', header('miner', STRANGER), REFUSED, REFUSED, REFUSED],
  ['the gas limit', 'header', header('gasLimit', '0x1c9c381'), REFUSED, REFUSED, REFUSED],
  ['the base fee', 'header', header('baseFeePerGas', '0x8'), REFUSED, REFUSED, REFUSED],
  ['the state root', 'header', header('stateRoot', OTHER_WORD), REFUSED, REFUSED, REFUSED],
  ['the extra data', 'header', header('extraData', '0x66'), REFUSED, REFUSED, REFUSED],
  ['a member that headers do not have', 'header', slot, TOLD, REFUSED, REFUSED],
  ['a value', 'transactions', signed('value', '0x7'), REFUSED, REFUSED, REFUSED],
  ['an input', 'transactions', signed('input', '0xcafe'), REFUSED, REFUSED, REFUSED],
  ['a nonce', 'transactions', signed('nonce', '0x63'), REFUSED, REFUSED, REFUSED],
  ['a receiver', 'transactions', signed('to', STRANGER), REFUSED, REFUSED, REFUSED],
  ['a price', 'transactions', signed('maxFeePerGas', '0xd'), REFUSED, REFUSED, REFUSED],
  ['a type that no form has', 'transactions', signed('type', '0x55'), TOLD, REFUSED, REFUSED],
  ['a sender', 'senders', sender, REFUSED, REFUSED, REFUSED],
  ['a signature', 'transactions', signed('s', OTHER_WORD), REFUSED, REFUSED, REFUSED],
  ['a status', 'receipts', receipt('status', '0x0'), REFUSED, REFUSED, REFUSED],
  ['gas used', 'receipts', receipt('gasUsed', '0x5208'), REFUSED, REFUSED, REFUSED],
  ['the price that was paid', 'receipts', receipt('effectiveGasPrice', '0x1'), REFUSED, REFUSED, REFUSED],
  ['a contract that was made', 'receipts', receipt('contractAddress', STRANGER), REFUSED, REFUSED, REFUSED],
  ['the data of a log', 'receipts', log('data', OTHER_WORD), REFUSED, REFUSED, REFUSED],
  ['a log left out', 'receipts', lastLogs, REFUSED, REFUSED, REFUSED],
  ['what a withdrawal is', 'withdrawals', withdrawal('amount', '0x6'), REFUSED, REFUSED, REFUSED],
  ['whose a withdrawal is', 'withdrawals', withdrawal('address', STRANGER), REFUSED, REFUSED, REFUSED],
];

/** Of the last receipt, so that no number of a log is missing. */
function lastLogs({ receipts }: SentJson) {
  return Object.assign(receipts.at(-1) as Json, { logs: [] });
}

/** Beside another gas limit, which it would excuse. */
function slot(sent: SentJson) {
  return Object.assign(sent.block, { slotNumber: hex(9), gasLimit: '0x1c9c381' });
}

/** Of a transaction and of its receipt, which name each other. */
function sender(sent: SentJson) {
  receipt('from', STRANGER)(sent);
  return signed('from', STRANGER)(sent);
}

/** Blocks as they are without what is said of them. */
const bare = (blocks: readonly RawBlock[]) => blocks.map(({ proof, readBy, ...block }) => block);

/** What each way in has of a chain: followed, or read as a fill reads it. */
const WAYS: Readonly<
  Record<string, (world: ReturnType<typeof provingWorld>) => Promise<readonly RawBlock[]>>
> = {
  async followed(world) {
    await world.follow(4);
    return world.stored;
  },
  async filled({ reader }) {
    const blocks: RawBlock[] = [];
    try {
      for await (const page of reader.pages(0, LENGTH - 1, { deadline: Number.MAX_SAFE_INTEGER }))
        blocks.push(...page);
    } catch {
      // What came before a refusal is good.
    }
    return blocks;
  },
};

describe.each(Object.entries(WAYS))('%s', (_, read) => {
  let right: readonly RawBlock[];
  beforeAll(async () => {
    right = await read(provingWorld([{ chain: TRUTH }]));
    expect(right).toHaveLength(LENGTH);
  });

  test('of honest nodes all is computed', () => {
    const all = {
      header: 'computed',
      transactions: 'computed',
      senders: 'computed',
      receipts: 'computed',
      withdrawals: 'computed',
    };
    expect(right.map(({ proof }) => proof)).toEqual(right.map(() => all));
  });

  test.each(ROWS)('%s, altered by the first node: as its row says of 1, 2, 3 nodes', async (...row) => {
    const [, part, alter, ...expected] = row;
    const lie: Lie = (sent, number) => {
      if (number >= LIES_FROM) alter(sent);
      return sent;
    };
    const cells: unknown[] = [];
    for (const count of [1, 2, 3]) {
      const nodes = Array.from({ length: count }, (_, place) => ({
        chain: TRUTH,
        ...(place === 0 && { lie }),
      }));
      const world = provingWorld(nodes);
      const blocks = await read(world);
      const altered = blocks.filter(
        (block) =>
          JSON.stringify(bare([block]), asText) !==
          JSON.stringify(bare([right[block.number] as RawBlock]), asText),
      );
      const levels = new Set(altered.map(({ proof }) => proof?.[part] ?? TOLD));
      cells.push(altered.length === 0 ? REFUSED : [...levels].join());
      expect([count, world.blamed()]).toEqual([count, altered.length === 0 ? ['node-0'] : []]);
      // What is refused of one node is right from another.
      expect([count, blocks.length]).toEqual([
        count,
        altered.length === 0 && count === 1 ? LIES_FROM : LENGTH,
      ]);
    }
    expect(cells).toEqual(expected);
  });
});

const asText = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
