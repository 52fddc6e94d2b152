import { encodeRlp, keccak256 } from 'ethers';
import type { RawResponse, ReceivedCall } from '../../nodes/replies.ts';
import { type SharedNode, SimulatedProcesses } from '../../nodes/simulated-processes.ts';
import {
  account,
  hex,
  type Json,
  madeBlock,
  type SentJson,
  sealed,
  word,
} from '../../shared/verify/made-block.ts';
import { type MadeTrie, madeTrie } from '../../shared/verify/made-trie.ts';

/** An account with code and slots; those after it have none; the last number is of no account. */
export const CONTRACT = account(0xc0de);
export const OWNERS = Array.from({ length: 40 }, (_, index) => account(0x1000 + index));
export const [OWNER = ''] = OWNERS;
export const NOBODY = account(0xdead);
export const CODE = `0x60${'5b'.repeat(70)}`;
export const OTHER_CODE = `0x61${'5b'.repeat(70)}`;
/** Slots with a value, and one without. */
export const SLOTS = [word(1), word(2), word(3), word(77)];
export const NO_SLOT = word(4_000);
const NO_CODE = keccak256('0x');
const BLOCK_MS = 60_000;
/** How many blocks below its head the chain is safe and final. */
export const FINALITY_LAG = 64;

const number = (value: number) => (value === 0 ? '0x' : hexBytes(value));
const hexBytes = (value: number) => {
  const digits = value.toString(16);
  return `0x${digits.length % 2 === 0 ? '' : '0'}${digits}`;
};

/** The state of a block. `salt`: of another branch. */
interface State {
  readonly trie: MadeTrie;
  readonly storage: MadeTrie;
}

/** Balance of an account at a block: each block has another. */
export const balanceAt = (owner: string, block: number, salt = 0) =>
  1_000_000_007 * (block + 1) + Number.parseInt(owner.slice(-5), 16) + salt;
export const nonceAt = (block: number, salt = 0) => (block % 1_000) + salt;
const slotAt = (slot: string, block: number, salt: number) =>
  Number.parseInt(slot.slice(-4), 16) * 1_000 + (block % 100) + salt;

function madeState(block: number, salt: number): State {
  const storage = madeTrie(
    new Map(SLOTS.map((slot) => [keccak256(slot), encodeRlp(number(slotAt(slot, block, salt)))])),
  );
  const entry = (address: string, root: string, codeHash: string) =>
    [
      keccak256(address),
      encodeRlp([number(nonceAt(block, salt)), number(balanceAt(address, block, salt)), root, codeHash]),
    ] as const;
  const none = madeTrie(new Map()).root;
  return {
    storage,
    trie: madeTrie(
      new Map([
        entry(CONTRACT, storage.root, keccak256(CODE)),
        ...OWNERS.map((owner) => entry(owner, none, NO_CODE)),
      ]),
    ),
  };
}

/** What each call is truly answered at a block. */
export function truthOf(method: string, params: readonly unknown[], block: number): string {
  const [address, slot] = params as readonly [string, string];
  const isAccount = address === CONTRACT || OWNERS.includes(address);
  switch (method) {
    case 'eth_getBalance':
      return hex(isAccount ? balanceAt(address, block) : 0);
    case 'eth_getTransactionCount':
      return hex(isAccount ? nonceAt(block) : 0);
    case 'eth_getCode':
      return address === CONTRACT ? CODE : '0x';
    default:
      return word(address === CONTRACT && SLOTS.includes(slot) ? slotAt(slot, block, 0) : 0);
  }
}

/** A chain with headers, transactions, receipts and state that come out. `salt`: a branch of its own. */
export class ProvenChain {
  readonly #blocks = new Map<number, SentJson>();
  readonly #states = new Map<number, State>();
  readonly #byTransaction = new Map<string, number>();
  readonly #byHash = new Map<string, number>();
  readonly #salt: number;

  constructor(salt = 0) {
    this.#salt = salt;
  }

  state(block: number): State {
    const known = this.#states.get(block) ?? madeState(block, this.#salt);
    this.#states.set(block, known);
    return known;
  }

  block(block: number, timestamp = hex(block)): SentJson {
    const known = this.#blocks.get(block);
    if (known !== undefined) return known;
    const members = {
      stateRoot: this.state(block).trie.root,
      timestamp,
      extraData: hexBytes(this.#salt + 1),
    };
    const unsealed = madeBlock({
      types: [2, 0, 2],
      chainId: 1,
      number: block,
      parentHash: word(block),
      members,
    });
    // No transaction is in two blocks.
    const transactions = unsealed.block.transactions.map((tx) => ({ ...tx, value: hex(block + this.#salt) }));
    const made = sealed({ ...unsealed, block: { ...unsealed.block, transactions } });
    for (const { hash } of made.block.transactions) this.#byTransaction.set(String(hash), block);
    this.#blocks.set(block, made);
    this.#byHash.set(String(made.block.hash), block);
    return made;
  }

  numberOf(named: unknown, head: number): number {
    if (named === 'latest' || named === undefined) return head;
    if (named === 'finalized' || named === 'safe') return head - FINALITY_LAG;
    const { blockHash } = (typeof named === 'object' ? named : {}) as { blockHash?: string };
    const hash = blockHash ?? (String(named).length === 66 ? String(named) : undefined);
    if (hash !== undefined) return this.#byHash.get(hash) ?? Number.POSITIVE_INFINITY;
    return Number(named);
  }

  proof(block: number, address: string, slots: readonly string[]): Json {
    const { trie, storage } = this.state(block);
    return {
      ...{ address, balance: truthOf('eth_getBalance', [address], block), nonce: hex(nonceAt(block)) },
      accountProof: trie.proofOf(keccak256(address)),
      storageProof: slots.map((key) => ({
        ...{ key, value: truthOf('eth_getStorageAt', [address, key], block) },
        proof: address === CONTRACT ? storage.proofOf(keccak256(key)) : [],
      })),
    };
  }

  /** What an honest node says; undefined for what it leaves to others. */
  answer({ method, params = [] }: ReceivedCall, head: number): unknown {
    const at = (place: number) => {
      const found = this.numberOf(params[place], head);
      return found > head ? undefined : found;
    };
    switch (method) {
      case 'eth_blockNumber':
        return hex(head);
      case 'eth_getBlockByNumber':
      case 'eth_getBlockByHash': {
        const block = at(0);
        if (block === undefined) return null;
        const { block: whole } = this.block(block);
        return params[1] === true
          ? whole
          : { ...whole, transactions: whole.transactions.map(({ hash }) => hash) };
      }
      case 'eth_getBlockReceipts': {
        const block = at(0);
        return block === undefined ? null : this.block(block).receipts;
      }
      case 'eth_getTransactionReceipt': {
        const block = this.#byTransaction.get(String(params[0]));
        const receipts = block === undefined || block > head ? [] : this.block(block).receipts;
        return receipts.find(({ transactionHash }) => transactionHash === params[0]) ?? null;
      }
      case 'eth_getProof': {
        const block = at(2);
        if (block === undefined) return new Error('{"code":-32000,"message":"header not found"}');
        return this.proof(block, String(params[0]), params[1] as readonly string[]);
      }
      case 'eth_getCode':
        return truthOf(method, params, at(1) ?? 0);
      default:
        return undefined;
    }
  }
}

const chains = new Map<string, ProvenChain>();

/** A chain, which is the same for all worlds with its time between blocks. */
function chainOf(salt: number, blockMs: number): ProvenChain {
  const name = `${salt} ${blockMs}`;
  const chain = chains.get(name) ?? new ProvenChain(salt);
  chains.set(name, chain);
  return chain;
}

/** Changes what an honest node says. Undefined: it says the truth. */
export type Lie = (said: unknown, asked: ReceivedCall, world: LyingWorld) => unknown;

export interface LyingNode extends Omit<SharedNode, 'respond'> {
  readonly lie?: Lie | undefined;
}

/** What a lie can be made of. */
export interface LyingWorld {
  readonly chain: ProvenChain;
  readonly fork: ProvenChain;
  readonly head: number;
}

/** A gateway over nodes of a chain with state, of which some lie. */
export class VerifiedWorld {
  readonly processes: SimulatedProcesses;
  readonly chain: ProvenChain;
  readonly fork: ProvenChain;

  constructor(nodes: readonly LyingNode[], seed = 1, blockMs = BLOCK_MS) {
    this.chain = chainOf(0, blockMs);
    this.fork = chainOf(5, blockMs);
    this.processes = new SimulatedProcesses(
      nodes.map((node) => ({
        ...node,
        latencyMs: node.latencyMs ?? 5,
        respond: (asked: ReceivedCall) => this.#say(node, asked),
      })),
      { seed, blockMs },
    );
  }

  get head(): number {
    return this.processes.chain.head;
  }

  /** Calls of one request, of a kind; the headers are those of the response. */
  async ask(
    calls: readonly (readonly [method: string, params: readonly unknown[]])[],
    { verify = 'state', minBlock }: { verify?: string | undefined; minBlock?: string } = {},
  ) {
    const batch = calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }));
    const { clock } = this.processes;
    const answer = await clock.until(this.processes.post(0, batch, 'key', minBlock, verify));
    const answers = (Array.isArray(answer.body) ? answer.body : [answer.body]) as readonly Answer[];
    return { answers, headers: answer.headers };
  }

  /** Number of a block of the true chain that a header names; undefined for any other. */
  trueBlock(hash: string | undefined): number | undefined {
    const found = this.chain.numberOf({ blockHash: hash }, this.head);
    return Number.isFinite(found) ? found : undefined;
  }

  #say({ lie, lag = 0 }: LyingNode, asked: ReceivedCall): RawResponse | undefined {
    const head = this.head - lag;
    for (const chain of [this.chain, this.fork])
      for (const number of [head, head - 1])
        chain.block(number, this.processes.chain.block(number).timestamp);
    const truth = this.chain.answer(asked, head);
    const said = lie === undefined ? truth : lie(structuredClone(truth), asked, { ...this.#lying(), head });
    if (said === undefined) return undefined;
    return said instanceof Error ? { error: said.message } : { result: JSON.stringify(said) };
  }

  #lying(): Pick<LyingWorld, 'chain' | 'fork'> {
    return { chain: this.chain, fork: this.fork };
  }
}

export interface Answer {
  readonly result?: unknown;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: Json & { reason?: string };
  };
}

/** The hash that each mark of `X-Verified` stands for; undefined for a dash. */
export function verifiedBlocks(header: string | undefined): readonly (string | undefined)[] {
  let latest: string | undefined;
  return (header ?? '').split(', ').map((mark) => {
    if (mark === '-') return undefined;
    latest = /;block=(0x[0-9a-f]{64})$/.exec(mark)?.[1] ?? latest;
    return latest;
  });
}
