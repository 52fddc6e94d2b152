import type { PROVEN_PARTS } from '../../shared/verify/chain-proof.ts';

/** A `0x`-prefixed lower-case hex string: 32 bytes of a hash, 20 of an address, or data of any length. */
export type Hex = `0x${string}`;

/** JSON that a node returned. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** What a node returned for a block, a transaction or a receipt beside what has a member here. */
export interface FurtherMembers {
  /** By the node's names, to the letter. */
  readonly extra: Readonly<Record<string, JsonValue>>;
  /** Names of those that are not kept: too long, or not storable. */
  readonly omitted: readonly string[];
}

/**
 * How sure a part is: its hash or root comes out of it, a node of another operator has the same, or one node says so.
 */
export type ProofLevel = 'computed' | 'agreed' | 'told';

/** The level of each part of a block. */
export type BlockProof = Readonly<Record<(typeof PROVEN_PARTS)[number], ProofLevel>>;

/** Everything that a node returned for one block, checked for its shape and for belonging together. Plain data. */
export interface RawBlock extends FurtherMembers {
  /** Whether its source tells less of it than a node does: what that lacks is null or empty. @default false */
  readonly isPartial?: boolean;
  /** Name of the upstream that sent it. @default it is from a file */
  readonly readBy?: string;
  /** @default all parts are as one node says */
  readonly proof?: BlockProof;
  readonly number: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  readonly miner: Hex;
  /** Null where a file does not say it. */
  readonly gasLimit: bigint | null;
  readonly gasUsed: bigint;
  readonly baseFeePerGas: bigint | null;
  readonly stateRoot: Hex;
  readonly transactionsRoot: Hex;
  readonly receiptsRoot: Hex;
  /** Null where the node leaves it out, and may. */
  readonly logsBloom: Hex | null;
  readonly extraData: Hex;
  /** Bytes. */
  readonly size: number | null;
  readonly l1BlockNumber: number | null;
  readonly sendCount: number | null;
  readonly sendRoot: Hex | null;
  /** In the order of the block. */
  readonly withdrawals: readonly RawWithdrawal[];
  /** In the order of the block. */
  readonly transactions: readonly RawTransaction[];
  readonly traces: RawTraces;
}

/** What a validator gets outside of any transaction. */
export interface RawWithdrawal {
  readonly index: bigint;
  readonly validatorIndex: bigint;
  readonly address: Hex;
  readonly amountGwei: bigint;
}

/** One transaction with its receipt. */
export interface RawTransaction extends FurtherMembers {
  readonly hash: Hex;
  /** Type of the envelope; 100 to 106 are those of Arbitrum. */
  readonly type: number;
  readonly from: Hex;
  /** Null where the transaction makes a contract. */
  readonly to: Hex | null;
  /** Null where the node names none of a deposit of the OP stack. */
  readonly nonce: bigint | null;
  readonly value: bigint;
  readonly gas: bigint;
  readonly gasPrice: bigint | null;
  readonly maxFeePerGas: bigint | null;
  readonly maxPriorityFeePerGas: bigint | null;
  readonly input: Hex;
  readonly requestId: Hex | null;
  /** `r` and `s`, 32 bytes each, and `v` or the parity: files have it, tables do not. @default its source tells none */
  readonly signature?: Hex;
  readonly receipt: RawReceipt;
}

export interface RawReceipt extends FurtherMembers {
  readonly status: 0 | 1 | null;
  readonly contractAddress: Hex | null;
  readonly gasUsed: bigint;
  readonly gasUsedForL1: bigint | null;
  readonly cumulativeGasUsed: bigint;
  readonly effectiveGasPrice: bigint | null;
  readonly l1BlockNumber: number | null;
  /** What was paid for the parent chain beside the gas, in wei. */
  readonly l1Fee: bigint | null;
  readonly blobGasUsed: bigint | null;
  readonly blobGasPrice: bigint | null;
  readonly logs: readonly RawLog[];
}

export interface RawLog {
  /** Place in the block, without gaps from 0. */
  readonly logIndex: number;
  readonly address: Hex;
  /** At most four. */
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

/** Why a block has no traces. */
export const TRACE_GAP_REASONS = [
  'node_pruned',
  'timeout',
  'rpc_error',
  'not_started',
  'unsupported',
] as const;
export type TraceGapReason = (typeof TRACE_GAP_REASONS)[number];

/**
 * Traces of a block: the top call of each transaction, in order; or why there are none. A block with one transaction
 * that the node could not trace has none.
 */
export type RawTraces =
  | { readonly kind: 'traced'; readonly calls: readonly RawCall[] }
  | { readonly kind: 'gap'; readonly reason: TraceGapReason; readonly message: string };

/** A frame of `callTracer`. */
export interface RawCall {
  /** The node's word, such as `CALL` or `CREATE2`. */
  readonly type: string;
  readonly from: Hex;
  readonly to: Hex | null;
  readonly value: bigint;
  readonly gas: bigint;
  readonly gasUsed: bigint;
  readonly input: Hex;
  readonly output: Hex;
  readonly error: string | null;
  readonly revertReason: string | null;
  readonly calls: readonly RawCall[];
}

/** A block as far as its place in the chain needs it. */
export type BlockId = Pick<RawBlock, 'number' | 'hash' | 'parentHash' | 'timestamp'>;
