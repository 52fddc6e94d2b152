import type { Hex, RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import type { ChainReader } from '../../../lambdas/indexer/follow/chain-reader.ts';
import { MULTIPLIER_UPDATED, TOKEN_EVENTS, V2_EVENTS } from '../../chain-data/decode/contract-events.ts';
import {
  ALICE,
  address,
  BOB,
  type LogContents,
  logOf,
  rawBlock,
  rawTransaction,
  word,
  ZERO,
} from '../../chain-data/decode/raw-blocks.ts';

const COINS = [address(0xc01), address(0xc02), address(0xc03)] as const;
const ITEMS = address(0x721);
const EDITIONS = address(0x1155);
const STOCK = address(0x50c);
const HOLDERS = [ALICE, BOB, address(0xca), ZERO] as const;
const START_TIME = 1_700_000_000;
/** Blocks without traces are those whose salted number this divides. */
const GAP_EVERY = 7;

/** A chain in memory that can be replaced from any block on. Its blocks follow from their numbers and a salt alone. */
export interface ForkingChain {
  readonly blocks: readonly RawBlock[];
  readonly reader: ChainReader;
  /** Replaces the blocks above `ancestor` by others, so that `head` is the newest. */
  fork(ancestor: number, head: number): void;
  grow(head: number): void;
}

/** @param pageBlocks most blocks of a page */
export function makeForkingChain(head: number, pageBlocks = 16): ForkingChain {
  const blocks: RawBlock[] = [];
  let salt = 0;
  const grow = (to: number) => {
    while (blocks.length <= to) blocks.push(makeBlock(blocks.length, salt, blocks.at(-1)?.hash ?? word(0)));
  };
  grow(head);
  const last = () => blocks.at(-1) as RawBlock;
  return {
    blocks,
    grow,
    fork(ancestor, to) {
      salt += 1;
      blocks.length = ancestor + 1;
      grow(to);
    },
    reader: {
      head: async () => last(),
      header: async (number) => blocks[number],
      isGone: async ({ number, hash }) => blocks[number]?.hash !== hash,
      async *pages(from, to) {
        for (let first = from; first <= to; first += pageBlocks)
          yield blocks.slice(first, Math.min(to, first + pageBlocks - 1) + 1);
      },
    },
  };
}

function makeBlock(number: number, salt: number, parentHash: Hex): RawBlock {
  const draw = drawing(number * 1_000 + salt);
  const pick = <T>(items: readonly T[]): T => items[draw(items.length)] as T;
  const logs =
    number === 0 ? [firstPair()] : Array.from({ length: draw(4) }, () => makeLog(draw, pick, number));
  const hash = word(BigInt(salt) * 1_000_000n + BigInt(number) + 0xb10c_0000_0000n);
  const transaction = rawTransaction(0, {
    hash: word(BigInt(number) * 64n + BigInt(salt % 3) + 0x7_0000_0000n),
  });
  const numbered = logs.map((log, logIndex) => ({ ...log, logIndex }));
  return rawBlock(
    logs.length === 0 ? [] : [{ ...transaction, receipt: { ...transaction.receipt, logs: numbered } }],
    {
      number,
      hash,
      parentHash,
      timestamp: START_TIME + number,
      traces:
        (number + salt) % GAP_EVERY === 0
          ? { kind: 'gap', reason: 'timeout', message: 'too slow' }
          : { kind: 'traced', calls: [] },
    },
  );
}

const poolOf = (index: number) => address(0xdec0 + index);

function firstPair(): LogContents {
  return logOf(V2_EVENTS.created, address(0xfac), [COINS[0], COINS[1], poolOf(0), 1n]);
}

type Pick = <T>(items: readonly T[]) => T;

function makeLog(draw: (below: number) => number, pick: Pick, number: number): LogContents {
  const amount = BigInt(draw(1_000));
  switch (draw(8)) {
    case 0:
      return logOf(TOKEN_EVENTS.erc721, ITEMS, [pick(HOLDERS), pick(HOLDERS), BigInt(draw(5))]);
    case 1:
      return logOf(TOKEN_EVENTS.single, EDITIONS, [ALICE, ZERO, pick(HOLDERS), BigInt(draw(3)), amount + 1n]);
    case 2:
      return logOf(TOKEN_EVENTS.single, EDITIONS, [
        ALICE,
        pick(HOLDERS),
        pick(HOLDERS),
        BigInt(draw(3)),
        amount / 8n + 1n,
      ]);
    case 3:
      return logOf(V2_EVENTS.created, address(0xfac), [COINS[0], COINS[2], poolOf(number), 2n]);
    case 4:
      return logOf(V2_EVENTS.swap, poolOf(pick([0, number - 1, number - 9])), [
        ALICE,
        amount + 1n,
        0n,
        0n,
        amount,
        BOB,
      ]);
    case 5:
      return logOf(V2_EVENTS.sync, poolOf(pick([0, number - 1])), [amount, amount + 5n]);
    case 6:
      return logOf(MULTIPLIER_UPDATED, STOCK, [
        1n,
        amount,
        BigInt(START_TIME + number),
        BigInt(START_TIME + number + draw(40)),
      ]);
    default:
      return logOf(TOKEN_EVENTS.erc20, pick(COINS), [pick(HOLDERS), pick(HOLDERS), amount]);
  }
}

/** A small generator of numbers, the same for the same seed. */
function drawing(seed: number): (below: number) => number {
  let state = Math.imul(seed + 1, 2_654_435_761) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
