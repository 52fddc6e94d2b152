import { ownCall } from '../../shared/jsonrpc/calls.ts';
import { ExpiringMemory, LruMap } from '../../shared/runtime/expiring-memory.ts';
import { FINALITY_BLOCKS } from '../../shared/runtime/finality.ts';
import {
  type Ask,
  blockAt,
  readBlock,
  type SaidBlock,
  type TwoOperators,
} from '../../shared/upstream/operators/two-operators.ts';
import type { ChainClient } from '../../shared/upstream/routing/chain-client.ts';
import { openKeccak } from '../../shared/verify/keccak.ts';
import { askShown } from './ask-shown.ts';

/** A block whose hash two operators name, and comes out of its header. */
export interface AgreedBlock extends SaidBlock {
  /** Names of the upstreams that named it, of two operators at least. */
  readonly by: readonly string[];
}

/** Memory for the blocks of a chain, in bytes. */
const MEMORY_BYTES = 1024 * 1024;
/** What a block takes, in bytes: hash, root and names. Reckoned, and rounded up. */
const BLOCK_BYTES = 512;
/** For how long a block that can still be replaced counts as the one at its number, in milliseconds, and a final one. */
const NEW_MS = 5_000;
const FINAL_MS = 60 * 60 * 1000;
/** For how long a number on which nobody agreed is not asked for again, in milliseconds. */
const NOBODY_MS = 1_000;
/** Numbers that are remembered for that. */
const MAX_NOBODY = 1_000;
/** Hashes whose numbers are remembered. */
const MAX_NUMBERS = 1_000;
/**
 * The blocks of a chain whose hashes two independent operators name. Nothing is believed of one: a header that is consistent
 * in itself can be made up. What is agreed is remembered, within a bound.
 */
export class AgreedBlocks {
  readonly #node: ChainClient;
  readonly #operators: TwoOperators;
  readonly #blocks: ExpiringMemory<AgreedBlock>;
  readonly #nobodyUntil = new LruMap<number>(MAX_NOBODY);
  /** Numbers of blocks by their hashes. */
  readonly #numbers = new LruMap<bigint>(MAX_NUMBERS);
  readonly #asking = new Map<bigint, Promise<unknown>>();
  /** The newest so far. */
  #newest: bigint | undefined;

  constructor(node: ChainClient, operators: TwoOperators) {
    this.#node = node;
    this.#operators = operators;
    this.#blocks = new ExpiringMemory(MEMORY_BYTES, node.clock);
  }

  /** The newest block on which two operators agree; undefined if that is nobody's. */
  async newest(ask: Ask, deadline: number): Promise<AgreedBlock | undefined> {
    // What is known will do where nobody tells it now: two operators say of each block whether it is there.
    const head = (await this.#node.head.peek(deadline)) ?? this.#node.head.known;
    if (head === undefined) return undefined;
    const candidates = [head, await this.#operators.secondHead(), this.#newest].flatMap(
      (number) => number ?? [],
    );
    for (const number of new Set(candidates)) {
      const block = (await this.at([number], ask)).get(number);
      if (block === undefined) continue;
      if (this.#newest === undefined || number > this.#newest || head < this.#newest) this.#newest = number;
      return block;
    }
    return undefined;
  }

  /** The blocks at some numbers on which two operators agree. Each is asked for once at a time. */
  async at(numbers: readonly bigint[], ask: Ask): Promise<ReadonlyMap<bigint, AgreedBlock>> {
    const now = this.#node.clock.now();
    const unknown = [...new Set(numbers)].filter(
      (number) =>
        this.#blocks.get(String(number)) === undefined &&
        (this.#nobodyUntil.get(String(number)) ?? Number.NEGATIVE_INFINITY) <= now,
    );
    const own = unknown.filter((number) => !this.#asking.has(number));
    if (own.length > 0) {
      const asked = this.#learn(own, ask).finally(() => {
        for (const number of own) this.#asking.delete(number);
      });
      for (const number of own) this.#asking.set(number, asked);
    }
    await Promise.all(new Set(unknown.map((number) => this.#asking.get(number))));
    return new Map(
      numbers.flatMap((number) => {
        const block = this.#blocks.get(String(number));
        return block === undefined ? [] : [[number, block] as const];
      }),
    );
  }

  /**
   * Blocks by their hashes, those on whose hash two operators agree: a hash fixes its header, and so its number. A block that
   * is no longer of the chain has none of them.
   */
  async named(hashes: readonly string[], ask: Ask): Promise<ReadonlyMap<string, AgreedBlock>> {
    const distinct = [...new Set(hashes)];
    const unknown = distinct.filter((hash) => this.#numbers.get(hash) === undefined);
    if (unknown.length > 0) {
      const keccak = await openKeccak();
      const questions = unknown.map((hash) => ({
        call: ownCall('eth_getBlockByHash', [hash, false]),
        read: (json: unknown) => {
          const said = readBlock(keccak, json);
          return typeof said === 'object' && said.hash === hash ? said.number : undefined;
        },
        // It may be a block that no node has by now: that is no alarm.
        onWrong: () => {},
      }));
      for (const [place, number] of (await askShown(questions, ask)).entries())
        if (number !== undefined) this.#numbers.set(unknown[place] as string, number);
    }
    const numbers = new Map(distinct.map((hash) => [hash, this.#numbers.get(hash)]));
    const blocks = await this.at(
      [...numbers.values()].flatMap((number) => number ?? []),
      ask,
    );
    return new Map(
      [...numbers].flatMap(([hash, number]) => {
        const block = number === undefined ? undefined : blocks.get(number);
        return block?.hash === hash ? [[hash, block] as const] : [];
      }),
    );
  }

  /** Asks for blocks, and remembers what was agreed. */
  async #learn(numbers: readonly bigint[], ask: Ask): Promise<void> {
    const keccak = await openKeccak();
    let isHeard = false;
    const hearing: Ask = async (calls) => {
      const said = await ask(calls);
      isHeard ||= said.some(({ kind }) => kind !== 'failed');
      return said;
    };
    const answers = await this.#operators.ask(
      numbers.map((number) => blockAt(keccak, number)),
      hearing,
    );
    const { clock, view } = this.#node;
    const now = clock.now();
    for (const [place, number] of numbers.entries()) {
      const answer = answers[place];
      if (answer === undefined) {
        // What one key may not ask says nothing of the chain.
        if (isHeard) this.#nobodyUntil.set(String(number), now + NOBODY_MS);
        continue;
      }
      const { value, by } = answer;
      const isFinal = view.head !== undefined && number <= view.head - BigInt(FINALITY_BLOCKS);
      const until = now + (isFinal ? FINAL_MS : NEW_MS);
      this.#blocks.set(String(number), { ...value, by }, BLOCK_BYTES, until);
    }
  }
}
