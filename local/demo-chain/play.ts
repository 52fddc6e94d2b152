import { type Address, numberToHex } from 'viem';
import { type Clock, systemClock } from '../../lambdas/shared/runtime/clock.ts';
import { type AnvilCall, callNode } from '../processes/node-calls.ts';
import { GENESIS_CODE } from './deployment.ts';
import { type DemoPlan, planDemoChain } from './plan.ts';
import { lowerCase, type PlannedBlock, type PlannedTransaction } from './script/script.ts';

const GWEI = 1_000_000_000n;
/** Bid of a block's first transaction, in wei per gas; far above the base fee. */
const FIRST_BID = 20n * GWEI;
/** By so much less each next one bids: anvil mines the highest bid first, and so keeps the plan's order. */
const BID_STEP = 1_000_000n;

export interface PlayOptions {
  /** URL of an anvil node whose chain has no blocks yet. */
  readonly url: string;
  /** An integer; equal seeds give equal chains. */
  readonly seed: number;
  /** Tells the time in milliseconds since the epoch; the last block is of that time. @default the machine's clock */
  readonly now?: Clock['now'];
  /** Whether an airdrop is a lure, and an account has let a stranger take its tokens. @default false */
  readonly hasRisks?: boolean;
}

/**
 * Plays the demo chain on a fresh node and returns its plan. Block hashes repeat, too, if the
 * node's first block and the time are the same.
 * @throws Error when the chain has blocks already, or the node refuses a call
 */
export async function playDemoChain({
  url,
  seed,
  now = systemClock.now,
  hasRisks = false,
}: PlayOptions): Promise<DemoPlan> {
  const [head, accounts] = await callNode(url, [
    { method: 'eth_blockNumber', params: [] },
    { method: 'eth_accounts', params: [] },
  ]);
  if (Number(head) !== 0) throw new Error('the demo chain needs a chain without blocks');
  const signers = (accounts as Address[]).map(lowerCase);
  const plan = planDemoChain(seed, signers, seconds(now()), { hasRisks });
  await playBlocks(url, plan.blocks);
  await callNode(url, [
    { method: 'evm_setAutomine', params: [true] },
    { method: 'evm_setTime', params: [seconds(now())] },
  ]);
  return plan;
}

/**
 * Plays blocks of a plan, whose first ones come first, on a node that has the accounts of the plan. Only what is played is mined,
 * until the node gets another.
 * @throws Error when the node refuses a call
 */
export async function playBlocks(url: string, blocks: readonly PlannedBlock[]): Promise<void> {
  const [firstBlock] = blocks;
  await callNode(url, [
    ...Object.entries(GENESIS_CODE).map((code) => ({ method: 'anvil_setCode', params: code })),
    { method: 'evm_setAutomine', params: [false] },
    // Time goes back: what anvil mines must not be younger than the block before.
    { method: 'evm_setTime', params: [(firstBlock?.timestamp ?? 0) - 1] },
  ]);
  for (const block of blocks) await mine(url, block);
}

async function mine(url: string, { timestamp, transactions }: PlannedBlock): Promise<void> {
  await callNode(url, transactions.map(sendTransaction));
  await callNode(url, [{ method: 'evm_mine', params: [{ timestamp, blocks: 1 }] }]);
}

function sendTransaction(transaction: PlannedTransaction, index: number): AnvilCall {
  const { from, to, data, value, gas, nonce, legacy } = transaction;
  const bid = numberToHex(FIRST_BID - BigInt(index) * BID_STEP);
  const price = legacy ? { gasPrice: bid } : { maxFeePerGas: bid, maxPriorityFeePerGas: bid };
  const amounts = { value: numberToHex(value), gas: numberToHex(gas), nonce: numberToHex(nonce) };
  return { method: 'eth_sendTransaction', params: [{ from, to, data, ...amounts, ...price }] };
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1_000);
}
