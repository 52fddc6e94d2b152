import fc from 'fast-check';
import { FINALITY_BLOCKS } from '../../../lambdas/shared/runtime/finality.ts';
import { repetitions } from '../../support/at-length.ts';
import { type AskedCall, type CacheInstance, CacheWorld, hashOf, quantity } from './cache-world.ts';

const LAG = FINALITY_BLOCKS;
/** How far behind the chain the lagging node is. */
const NODE_LAG_BLOCKS = 50;

/** By how many blocks a reorganisation can move a transaction. */
const FORK_SHIFT_BLOCKS = 3;

interface Block {
  readonly number: string;
  readonly hash: string;
  readonly transactions: readonly string[];
}

/** A chain that grows and is reorganised anywhere above what has ever been final. */
class SimulatedChain {
  readonly #blocks: Block[] = [];
  #fork = 0;
  #highest = 0;

  constructor(length: number) {
    this.grow(length);
  }

  get head(): number {
    return this.#blocks.length - 1;
  }

  grow(count: number): void {
    for (let added = 0; added < count; added++) {
      const number = this.#blocks.length;
      const transaction = hashOf(`tx ${number + (this.#fork % FORK_SHIFT_BLOCKS)}`);
      const mined = this.#blocks
        .slice(-FORK_SHIFT_BLOCKS)
        .some(({ transactions }) => transactions.includes(transaction));
      this.#blocks.push({
        number: quantity(number),
        hash: hashOf(`block ${number} of ${this.#fork}`),
        transactions: mined ? [] : [transaction],
      });
    }
    this.#highest = Math.max(this.#highest, this.head);
  }

  /** Replaces the last blocks, never one that has been final. */
  reorganise(depth: number, length: number): void {
    this.#fork += 1;
    const firstReplaced = Math.max(this.head - depth + 1, this.#highest - LAG + 1);
    this.#blocks.splice(firstReplaced);
    this.grow(length);
  }

  /** Answers as a node does that is `behind` blocks behind. */
  answer(method: string, [first, second]: readonly unknown[], behind: number): unknown {
    const blocks = this.#blocks.slice(0, Math.max(1, this.#blocks.length - behind));
    const byNumber = (number: unknown) => blocks[Number(number)] ?? null;
    const byHash = blocks.find(({ hash }) => hash === first);
    const byTransaction = blocks.findLast(({ transactions }) => transactions.includes(String(first)));
    switch (method) {
      case 'eth_getBlockByNumber':
        return byNumber(first);
      case 'eth_getBlockByHash':
        return byHash ?? null;
      case 'eth_getBalance':
        return byNumber(second)?.hash ?? new Error('-32000');
      case 'eth_getTransactionReceipt':
        return byTransaction === undefined
          ? null
          : { transactionHash: first, blockNumber: byTransaction.number, blockHash: byTransaction.hash };
      case 'debug_traceBlockByNumber':
        return byNumber(first) === null ? new Error('-32000') : [{ result: byNumber(first)?.hash }];
      case 'debug_traceBlockByHash':
        return byHash === undefined ? new Error('-32000') : [{ result: byHash.number }];
      case 'debug_traceTransaction':
        return byTransaction === undefined ? new Error('-32000') : { in: byTransaction.hash };
      default:
        throw new Error(method);
    }
  }

  /** A call about a block some way below the head. */
  callAt(kind: number, below: number): AskedCall {
    const number = Math.max(0, this.head - below);
    const { hash, transactions } = this.#blocks[number] as Block;
    const [transaction = hashOf('never mined')] = transactions;
    const calls: readonly AskedCall[] = [
      ['eth_getBlockByNumber', quantity(number), false],
      ['eth_getBlockByHash', hash, false],
      ['eth_getBalance', '0x00', quantity(number)],
      ['eth_getTransactionReceipt', transaction],
      ['debug_traceBlockByNumber', quantity(number)],
      ['debug_traceBlockByHash', hash],
      ['debug_traceTransaction', transaction],
    ];
    return calls[kind % calls.length] as AskedCall;
  }
}

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      instance: fc.nat(1),
      calls: fc.array(fc.tuple(fc.nat(6), fc.integer({ min: LAG - 10, max: LAG + 20 })), {
        minLength: 1,
        maxLength: 4,
      }),
      again: fc.array(fc.nat(), { maxLength: 4 }),
      lagging: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('grow' as const), blocks: fc.nat(40) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('reorganise' as const),
      depth: fc.oneof(fc.integer({ min: 1, max: LAG }), fc.integer({ min: LAG - 12, max: LAG })),
      blocks: fc.nat(LAG + 20),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(15_000) }) },
);

test('no reorganisation makes a kept response wrong', async () => {
  let hits = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 80 }), async (steps) => {
      const chain = new SimulatedChain(700);
      const world = new CacheWorld();
      const instances: readonly CacheInstance[] = [world.open(), world.open()];
      const asked: AskedCall[] = [];
      for (const one of steps) {
        world.now += 10;
        if (one.kind === 'grow') chain.grow(one.blocks);
        if (one.kind === 'reorganise') chain.reorganise(one.depth, one.blocks);
        if (one.kind === 'wait') world.now += one.ms;
        if (one.kind !== 'ask') continue;
        world.head = BigInt(chain.head);
        world.node = (method, params) => chain.answer(method, params, one.lagging ? NODE_LAG_BLOCKS : 0);
        const repeated = one.again.flatMap((index) =>
          asked.slice(index % asked.length, (index % asked.length) + 1),
        );
        const fresh = one.calls.map(([kind, below]) => chain.callAt(kind, below));
        const calls: AskedCall[] = [...fresh, ...repeated];
        asked.push(...fresh);
        const told = await (instances[one.instance] as CacheInstance).ask(...calls);
        const sent = new Set<string>();
        for (const [index, { response, cached }] of told.entries()) {
          const [method = '', ...params] = calls[index] ?? [];
          const asked = JSON.stringify(calls[index]);
          if (!cached) sent.add(asked);
          // Equal calls of one request share what the node says, maybe one that lags.
          if (sent.has(asked)) continue;
          hits += 1;
          expect(response).toEqual(chain.answer(String(method), params, 0));
        }
      }
    }),
    { numRuns: 100 },
  );
  expect(hits).toBeGreaterThan(repetitions(150));
});
