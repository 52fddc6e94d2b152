import {
  type Abi,
  type AbiStateMutability,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type EncodeFunctionDataParameters,
  encodeFunctionData,
  getContractAddress,
  type Hex,
} from 'viem';
import type { BlockTime } from './ledger.ts';

/** Most gas that the transactions of one block may ask for together; below the block gas limit of the embedded node. */
const BLOCK_GAS = 29_000_000n;
/** Enough for every call of the plan that names no other limit. */
const CALL_GAS = 350_000n;
const CREATION_GAS = 7_000_000n;

export interface PlannedTransaction {
  readonly from: Address;
  /** Absent for a contract creation. */
  readonly to?: Address;
  readonly data: Hex;
  /** In wei. */
  readonly value: bigint;
  readonly gas: bigint;
  readonly nonce: number;
  /** Type 0 instead of type 2. */
  readonly legacy: boolean;
  /** Whether it is mined and fails. */
  readonly fails: boolean;
}

/** A transaction as the activities ask for it. */
interface TransactionRequest {
  readonly from: Address;
  readonly to?: Address;
  /** @default '0x' */
  readonly data?: Hex;
  /** @default 0n */
  readonly value?: bigint;
  /** @default 350,000 for a call, 7,000,000 for a creation */
  readonly gas?: bigint;
  /** @default false */
  readonly legacy?: boolean;
  /** @default false */
  readonly fails?: boolean;
}

export interface PlannedBlock extends BlockTime {
  readonly transactions: readonly PlannedTransaction[];
}

/** The transactions of the plan, block by block. */
export class Script {
  private readonly planned: PlannedBlock[] = [];
  private readonly timestamps: readonly number[];
  private readonly nonces = new Map<Address, number>();
  private transactions: PlannedTransaction[] = [];
  private gas = 0n;

  /** @param timestamps of the blocks from 1 on, in seconds */
  constructor(timestamps: readonly number[]) {
    this.timestamps = timestamps;
  }

  /** The block that takes the next transaction. */
  get block(): BlockTime {
    const number = this.planned.length + 1;
    const timestamp = this.timestamps[number - 1];
    if (timestamp === undefined) throw new Error(`the plan has no block ${number}`);
    return { number, timestamp };
  }

  /** Blocks that are still to be filled, the current one included. */
  get blocksLeft(): number {
    return this.timestamps.length - this.planned.length;
  }

  get blocks(): readonly PlannedBlock[] {
    return this.planned;
  }

  /** Ends the current block. */
  endBlock(): void {
    this.planned.push({ ...this.block, transactions: this.transactions });
    this.transactions = [];
    this.gas = 0n;
  }

  /** Adds a transaction to the current block. */
  send(request: TransactionRequest): void {
    const { from, to, data = '0x', value = 0n, legacy = false, fails = false } = request;
    const { gas = to === undefined ? CREATION_GAS : CALL_GAS } = request;
    this.gas += gas;
    if (this.gas > BLOCK_GAS) throw new Error(`the plan asks for too much gas in block ${this.block.number}`);
    const nonce = this.nonces.get(from) ?? 0;
    this.nonces.set(from, nonce + 1);
    const transaction = { from, data, value, gas, nonce, legacy, fails };
    this.transactions.push(to === undefined ? transaction : { ...transaction, to });
  }

  /** Adds a call of a contract to the current block. */
  call<const abi extends Abi, name extends ContractFunctionName<abi>>(
    request: Omit<TransactionRequest, 'data'> & { readonly to: Address },
    abi: abi,
    functionName: name,
    args: ContractFunctionArgs<abi, AbiStateMutability, name>,
  ): void {
    this.send({
      ...request,
      data: encodeFunctionData({ abi, functionName, args } as EncodeFunctionDataParameters),
    });
  }

  /** Adds the creation of a contract; returns its address. */
  create(from: Address, data: Hex): Address {
    const nonce = BigInt(this.nonces.get(from) ?? 0);
    this.send({ from, data });
    return lowerCase(getContractAddress({ from, nonce }));
  }
}

/** Addresses are compared as text, so all of the plan are lower-case. */
export function lowerCase(address: Address): Address {
  return address.toLowerCase() as Address;
}
