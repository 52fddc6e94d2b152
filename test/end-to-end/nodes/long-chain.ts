import { tmpdir } from 'node:os';
import { type Address, numberToHex } from 'viem';
import { DEMO_SPAN_SECONDS } from '../../../local/demo-chain/plan.ts';
import { playBlocks } from '../../../local/demo-chain/play.ts';
import { SEED } from '../../../local/demo-chain/prepare.ts';
import { lowerCase } from '../../../local/demo-chain/script/script.ts';
import { anvilBinary, nodeArguments } from '../../../local/processes/anvil.ts';
import { type EmbeddedProcess, startEmbeddedProcess } from '../../../local/processes/embedded-process.ts';
import { callNode } from '../../../local/processes/node-calls.ts';
import { type DemoChain, plannedChain } from '../../local/demo-chain/expected-chain.ts';
import { startScriptedNode } from '../../nodes/scripted-node.ts';

const CHAIN_ID = 31_337;
/** Empty blocks before the first that is played: a past of 10,000 blocks is filled by files. */
const EMPTY_BEFORE = 10_000;
/** Blocks of a short demo chain, and those of them that are past: the more accounts have, the longer a node takes to mine. */
const BLOCKS = 90;
const PAST_BLOCKS = 50;
/** Empty blocks after these: a new index begins so many below the head, and holds none of those before. */
const EMPTY_AFTER = 10_000;
const STOP_TIMEOUT_MS = 15_000;
/** Each state has the hashes of all blocks: few are kept. */
const STATE_BLOCKS = 64;
/** From Prague on, the state has the hashes of 8,191 blocks, and a node that adds it up for each block takes minutes. */
const HARDFORK = 'cancun';

/** A chain with a long past: empty blocks, a short demo chain but for its end, empty blocks. */
export interface LongChain {
  /** URL of its node. */
  readonly url: string;
  /** The last block that a new index does not hold. */
  readonly lastOfPast: number;
  /** Head of the chain before it continues. */
  readonly firstHead: number;
  /** What the node waits for before each answer. */
  beforeAnswer: () => Promise<void>;
  /** Number that a block of the demo chain has here. */
  heightOf(demoBlock: number): number;
  /** What is true of the demo chain once it is played to its end, with its blocks counted from 1. */
  readonly expected: DemoChain;
  /** Mines the next block of the demo chain; false if there is none. */
  goOn(): Promise<boolean>;
  /** Mines empty blocks. */
  mine(count: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts its node on a free port of 127.0.0.1, which takes ten seconds. */
export async function startLongChain(): Promise<LongChain> {
  const end = Math.floor(Date.now() / 1_000) - EMPTY_AFTER;
  const node = await startNode(end - DEMO_SPAN_SECONDS - EMPTY_BEFORE);
  try {
    await mine(node.url, EMPTY_BEFORE);
    const [accounts] = await callNode(node.url, [{ method: 'eth_accounts', params: [] }]);
    const plan = plannedChain(SEED, (accounts as Address[]).map(lowerCase), end, { blocks: BLOCKS });
    await playBlocks(node.url, plan.blocks.slice(0, PAST_BLOCKS));
    await mine(node.url, EMPTY_AFTER);
    return await serve(node, plan);
  } catch (error) {
    await node.stop();
    throw error;
  }
}

/** Serves what was mined, and continues with it. */
async function serve(
  node: EmbeddedProcess,
  { blocks, expected }: ReturnType<typeof plannedChain>,
): Promise<LongChain> {
  const inTurn = oneAtATime();
  const front = await startScriptedNode(({ body }, response) => {
    const answer = async () => {
      await chain.beforeAnswer();
      const headers = { 'content-type': 'application/json' };
      const answered = await fetch(node.url, { method: 'POST', headers, body: new Uint8Array(body) });
      response.writeHead(answered.status, headers).end(Buffer.from(await answered.arrayBuffer()));
    };
    // A node that has ended: so has the caller's connection.
    inTurn(answer).catch(() => response.destroy());
  });
  const left = blocks
    .slice(PAST_BLOCKS)
    .map((block) => ({ ...block, timestamp: block.timestamp + EMPTY_AFTER }));
  const lastOfPast = heightOf(PAST_BLOCKS);
  const chain: LongChain = {
    url: front.url,
    lastOfPast,
    beforeAnswer: async () => {},
    firstHead: lastOfPast + EMPTY_AFTER,
    heightOf,
    expected,
    goOn: async () => {
      const next = left.shift();
      if (next !== undefined) await inTurn(() => playBlocks(node.url, [next]));
      return next !== undefined;
    },
    mine: (count) => inTurn(() => mine(node.url, count)),
    stop: async () => {
      await front.close();
      await node.stop();
    },
  };
  return chain;
}

/** Runs one piece of work after the other: an anvil that is read while it mines may answer nothing any more. */
function oneAtATime(): (work: () => Promise<void>) => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
}

function heightOf(demoBlock: number): number {
  return EMPTY_BEFORE + demoBlock + (demoBlock > PAST_BLOCKS ? EMPTY_AFTER : 0);
}

/** Mines empty blocks, a second apart. */
async function mine(url: string, count: number): Promise<void> {
  await callNode(url, [{ method: 'anvil_mine', params: [numberToHex(count), numberToHex(1)] }]);
}

async function startNode(genesisTime: number): Promise<EmbeddedProcess> {
  return startEmbeddedProcess({
    name: 'anvil of the long chain',
    command: await anvilBinary(),
    commandArguments: (address) => [
      ...nodeArguments(address, CHAIN_ID),
      `--timestamp=${genesisTime}`,
      `--hardfork=${HARDFORK}`,
      `--prune-history=${STATE_BLOCKS}`,
    ],
    cwd: tmpdir(),
    isReady: async ({ url }) => {
      await callNode(url, [{ method: 'eth_chainId', params: [] }]);
      return true;
    },
    stopTimeoutMs: STOP_TIMEOUT_MS,
  });
}
