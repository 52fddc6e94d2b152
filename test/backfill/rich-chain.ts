import { decodeBlock } from '../../lambdas/chain-data/decode/decode-block.ts';
import type { Hex, RawBlock, RawCall } from '../../lambdas/chain-data/decode/raw-block.ts';
import { TOKEN_EVENTS, V2_EVENTS, V3_EVENTS } from '../chain-data/decode/contract-events.ts';
import {
  ALICE,
  address,
  BOB,
  type LogContents,
  logOf,
  PLAIN,
  TOKEN,
  ZERO,
} from '../chain-data/decode/raw-blocks.ts';

/** Bytes of data that one row does not hold. */
const LONG_DATA: Hex = `0x${'5a'.repeat(40_000)}`;
const COINS = [address(0xc01), address(0xc02), address(0xc03)] as const;
const EDITIONS = address(0x1155);
/** A factory that the stage file lists, and one that anybody has made. */
export const LISTED_FACTORY = address(0xfac3);
const FORGED_FACTORY = address(0xfac4);
const poolOf = (number: number) => address(0x3_0000 + number);

/** A block with what few blocks have beside what it has: long data, calls, withdrawals, pools of V3 that are claimed twice. */
export function enriched(block: RawBlock): RawBlock {
  const { number } = block;
  const withdrawals =
    number % 11 === 0
      ? [{ index: BigInt(number), validatorIndex: 7n, address: BOB, amountGwei: BigInt(number) * 3n }]
      : [];
  const [transaction, ...others] = block.transactions;
  if (transaction === undefined) return { ...block, withdrawals };
  const logs = [
    ...transaction.receipt.logs,
    ...extraLogs(number).map((log) => ({ ...log, logIndex: 0 })),
  ].map((log, logIndex) => ({ ...log, logIndex }));
  const first = {
    ...transaction,
    input: number % 29 === 0 ? LONG_DATA : transaction.input,
    receipt: {
      ...transaction.receipt,
      logs,
      extra: { ...(number % 5 === 0 && { 'gas "used"': `${number}\\` }) },
    },
  };
  const traces =
    block.traces.kind === 'gap' ? block.traces : { kind: 'traced' as const, calls: [callOf(number)] };
  return { ...block, withdrawals, traces, transactions: [first, ...others] };
}

export const decodeRich = (block: RawBlock) => decodeBlock(enriched(block), PLAIN);

function extraLogs(number: number): LogContents[] {
  const price = 2n ** 96n + BigInt(number);
  const created = (pool: number, factory: Hex, tokens: readonly [Hex, Hex]) =>
    logOf(V3_EVENTS.created, factory, [tokens[0], tokens[1], 500 + (pool % 3), 10, poolOf(pool)]);
  const logs: LogContents[] = [];
  // The forged claim comes first; the listed one, later, counts, and its tokens are others.
  if (number % 40 === 3) logs.push(created(number, FORGED_FACTORY, [COINS[1], COINS[2]]));
  if (number % 40 === 9) logs.push(created(number - 6, LISTED_FACTORY, [COINS[0], COINS[1]]));
  const pool = number - (number % 40) + 3;
  if (number % 40 > 3) {
    logs.push(
      logOf(V3_EVENTS.swap, poolOf(pool), [
        ALICE,
        BOB,
        -BigInt(number),
        BigInt(number) + 1n,
        price,
        10_000n,
        number % 7,
      ]),
    );
    if (number % 3 === 0) logs.push(logOf(V3_EVENTS.mint, poolOf(pool), [ALICE, BOB, -60, 60, 500n, 3n, 4n]));
    if (number % 5 === 0) logs.push(logOf(V3_EVENTS.initialize, poolOf(pool), [price, 3]));
  }
  if (number % 6 === 0) logs.push(logOf(V2_EVENTS.mint, address(0xdec0), [ALICE, 5n, 6n]));
  if (number % 8 === 1)
    logs.push(logOf(TOKEN_EVENTS.uri, EDITIONS, [`ipfs://${number}/"{id}"`, BigInt(number % 3)]));
  if (number % 9 === 2)
    logs.push(
      logOf(TOKEN_EVENTS.batch, EDITIONS, [
        ALICE,
        ZERO,
        BOB,
        [1n, 2n, 9n],
        [2n ** 200n, BigInt(number) + 1n, 1n],
      ]),
    );
  if (number % 13 === 4)
    logs.push(logOf(TOKEN_EVENTS.consecutive, TOKEN, [BigInt(number), BigInt(number) + 2n, ZERO, ALICE]));
  return logs;
}

function callOf(number: number): RawCall {
  const inner: RawCall = {
    type: 'STATICCALL',
    from: BOB,
    to: null,
    value: 0n,
    gas: 50n,
    gasUsed: 20n,
    input: '0x',
    output: number % 17 === 0 ? LONG_DATA : '0x01',
    error: number % 4 === 0 ? 'execution reverted' : null,
    revertReason: number % 4 === 0 ? `no "good" \\ ${number} ✓` : null,
    calls: [],
  };
  return {
    ...inner,
    type: 'CALL',
    from: ALICE,
    to: BOB,
    value: 10n ** 20n,
    error: null,
    revertReason: null,
    calls: [inner, inner],
  };
}
