import type { BlockId, Hex, RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import type { BlockRows } from '../../../lambdas/chain-data/decode/rows.ts';
import type { HashFindings, NamedBlock } from '../../../lambdas/chain-data/store/proof-levels.ts';
import { ALL_STRICT } from '../../../lambdas/indexer/blocks/block-error.ts';
import type { ChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import { createStickyUpstream } from '../../../lambdas/indexer/fetch/sticky-upstream.ts';
import { type FollowParts, followStep } from '../../../lambdas/indexer/follow/follow-step.ts';
import { createStickyReader } from '../../../lambdas/indexer/follow/sticky-reader.ts';
import { createBlockVerifier } from '../../../lambdas/indexer/proof/block-verifier.ts';
import { Witnesses } from '../../../lambdas/indexer/proof/witnesses.ts';
import { UpstreamError } from '../../../lambdas/shared/http/upstream-error.ts';
import type { ProofForm } from '../../../lambdas/shared/runtime/settings.ts';
import { madeBlock, type SentJson, sealed } from '../../shared/verify/made-block.ts';
import { RecordedTelemetry } from '../../support/recorded-telemetry.ts';
import { createFakeNode, type ReceivedCall, type Said } from '../fetch/fake-node.ts';

export const CHAIN_ID = 31_337;
const DEADLINE = Number.MAX_SAFE_INTEGER;
const RING = 512;

/** What a node sends in place of a block. */
export type Lie = (sent: SentJson, number: number) => SentJson;
/** Other contents of a block, before it is sealed. */
type Change = (sent: SentJson, number: number) => SentJson;

/** Above it one block of these has transactions: to find their senders takes most of the time of a long chain. */
const BUSY_BLOCKS = 64;
const BUSY_EVERY = 64;

/** A chain of sealed blocks, with two transactions each or none. `onto`: what it shares with another, up to a block. */
export function provenChain(
  length: number,
  { change = (sent) => sent, onto = [] }: { change?: Change; onto?: readonly SentJson[] } = {},
): SentJson[] {
  const blocks = [...onto];
  while (blocks.length < length) {
    const number = blocks.length;
    const parentHash = blocks.at(-1)?.block.hash as string | undefined;
    const types = number < BUSY_BLOCKS || number % BUSY_EVERY === 0 ? [2, 0] : [];
    const made = madeBlock({ types, chainId: CHAIN_ID, number, ...(parentHash && { parentHash }) });
    blocks.push(sealed(change(made, number)));
  }
  return blocks;
}

/** A node of a chain, which may lie, be silent, or grow. */
export interface WorldNode {
  chain: readonly SentJson[];
  /** Number of its newest block. @default the last of the chain */
  head?: number;
  lie?: Lie;
  isSilent?: boolean;
  /** @default one of its own */
  operator?: string;
}

/** What a node says to a call. */
export function answerOf(node: WorldNode, { method, params }: Pick<ReceivedCall, 'method' | 'params'>): Said {
  const head = node.head ?? node.chain.length - 1;
  const number = params[0] === 'latest' ? head : Number(params[0]);
  const sent = number <= head ? node.chain[number] : undefined;
  const told = sent && (node.lie?.(structuredClone(sent), number) ?? sent);
  if (method === 'eth_chainId') return { result: `0x${CHAIN_ID.toString(16)}` };
  if (method === 'eth_getBlockByNumber') return { result: told?.block ?? null };
  if (method === 'eth_getBlockReceipts') return { result: told?.receipts ?? null };
  if (method === 'eth_syncing') return { result: false };
  return { error: { code: -32601, message: `the method ${method} does not exist` } };
}

interface WorldOptions {
  /** What keeps the blocks. @default memory */
  readonly kept?: Pick<FollowParts, 'index' | 'decode'>;
  /** Whether a block waits for a second node. @default false */
  readonly required?: boolean;
}

/**
 * An index of what nodes of one chain tell, verified as the function that follows the chain does it.
 */
export function provingWorld(
  nodes: WorldNode[],
  form: ProofForm | 'none' = 'ethereum',
  { kept, required = false }: WorldOptions = {},
) {
  let now = 0;
  const clock = { now: () => now };
  const wait = async (ms: number) => {
    now += ms;
  };
  const telemetry = new RecordedTelemetry();
  const calls = nodes.map(() => 0);
  const upstreams = nodes.map((node, place) => {
    const fake = createFakeNode((call) => answerOf(node, call));
    const post: typeof fake.post = async (request) => {
      if (node.isSilent === true)
        throw new UpstreamError('unreachable', { sent: false, reusedSocket: false });
      calls[place] = (calls[place] ?? 0) + 1;
      return fake.post(request);
    };
    return { name: `node-${place}`, connection: { ...fake, post } };
  });
  const connection = createStickyUpstream(upstreams, () => {});
  const proof = form === 'none' ? undefined : { form, from: 0, chainId: CHAIN_ID, required };
  const operatorOf = async (name: string) => nodes[Number(name.slice('node-'.length))]?.operator ?? name;
  const proving = { chain: 'one', proof, node: connection, operatorOf, clock, telemetry };
  const verifier = proof && createBlockVerifier({ ...proving, proof, isRelaxed: ALL_STRICT, wait });
  const reader = createStickyReader({
    connection,
    form: { traces: false },
    verifier,
    clock,
    wait,
  });
  const { stored, noted, index } = memoryIndex();
  const parts = {
    reader,
    witnesses: new Witnesses(proving),
    ...(kept ?? { index, decode: (block) => block as unknown as BlockRows }),
  } satisfies FollowParts;
  return {
    /** Forgets all that is not stored. */
    restart: () => {
      parts.witnesses = new Witnesses(proving);
    },
    ...{ stored, noted, telemetry, calls, reader, parts, wait, connection },
    /** Takes steps, each followed by a second; returns what failed. */
    async follow(steps: number): Promise<readonly Error[]> {
      const failures: Error[] = [];
      for (let step = 0; step < steps; step += 1) {
        await followStep(parts, { deadline: DEADLINE }).catch((error: Error) => failures.push(error));
        await new Promise(setImmediate);
        await wait(1_000);
      }
      return failures;
    },
    sum: (name: 'WrongAnswers' | 'ProofLost' | 'UnprovenBlocks' | 'HashContradictions' | 'SilentWitnesses') =>
      telemetry.emitted.reduce((total, { values }) => total + (values?.[name] ?? 0), 0),
    /** Upstreams that wrong answers were counted for. */
    blamed: () => [
      ...new Set(
        telemetry.logged.filter(({ event }) => event === 'wrong_answer').map(({ upstream }) => upstream),
      ),
    ],
  };
}

/** What following a chain asks of its index. */
function memoryIndex() {
  const stored: RawBlock[] = [];
  let base: BlockId | undefined;
  let contradicted: NamedBlock | undefined;
  let named: NamedBlock | undefined;
  let halts = 0;
  let epoch = 0;
  const cursor = () => {
    const last = stored.at(-1) ?? base;
    return last && { ...last, epoch, halted: null, nodeHead: undefined };
  };
  const index = {
    cursor: async () => cursor(),
    begin: async (block: BlockId) => {
      base = block;
    },
    append: async (_: unknown, { rows, findings }: { rows: unknown; findings?: HashFindings }) => {
      named = findings?.named ?? named;
      contradicted = findings?.named === undefined ? (findings?.contradicted ?? contradicted) : undefined;
      stored.push(...(rows as RawBlock[]));
    },
    ring: async () => new Map<number, Hex>(stored.slice(-RING).map(({ number, hash }) => [number, hash])),
    rollBack: async (_: unknown, ancestor: BlockId) => {
      stored.length = stored.findIndex(({ number }) => number === ancestor.number) + 1;
      epoch += 1;
    },
    noteFindings: async (findings: HashFindings) => {
      contradicted = findings.contradicted ?? contradicted;
    },
    contradicted: async () => contradicted,
    noteHead: async () => undefined,
    halt: async () => {
      halts += 1;
    },
  };
  const noted = () => ({ named: named?.number, halts, rollbacks: epoch });
  return { stored, noted, index: index as unknown as ChainIndex };
}

/** Stored blocks whose hash the chain does not have. */
export function strangers(stored: readonly RawBlock[], chain: readonly SentJson[]): readonly number[] {
  return stored.filter(({ number, hash }) => chain[number]?.block.hash !== hash).map(({ number }) => number);
}
