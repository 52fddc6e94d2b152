/**
 * What the head of a chain costs: ways to a node that a request to a quiet process waits for, calls of nodes for each call
 * of a client, heads that go back for a key, and units of the store's busiest item; in virtual time, with nodes of which one is 600 ms behind the other.
 * `npm run bench -- heads`
 */
import { registerHooks } from 'node:module';
import { READ_UNITS_PER_SECOND, WRITE_UNITS_PER_SECOND } from '../../test/nodes/memory-shared-texts.ts';
import { hex, transactionOf } from '../../test/nodes/simulated-chain.ts';
import type { SharedNode, SimulatedProcesses } from '../../test/nodes/simulated-processes.ts';
import { Random } from '../../test/simulation/random.ts';
import { runBenchmark } from '../benchmark.ts';
import type { Figure } from '../figures.ts';

/** The code that functions have as a layer. */
const ACCESS_FILE = new URL('../../lambdas/access/index.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'gateway-access' ? ACCESS_FILE : specifier, context),
});

const { CHAIN } = await import('../../test/rpc/cache/cache-world.ts');
const { SimulatedProcesses: Processes } = await import('../../test/nodes/simulated-processes.ts');

const WAY_MS = 100;
const QUIET_MS = 3_000;
const QUIET_REQUESTS = 100;
const BLOCK_MS = 1_000;
const PROCESSES = 9;
const BUSY_MS = 200;
const BUSY_REQUESTS = 6_000;
const HEADS = 10_000;
const HEAD_MS = 100;
const MAX_WAYS = 1.15;
const MAX_QUIET_CALLS = 2;
/** A strongly consistent read in the price of a write. */
const READ_PRICE = 0.2;
/** A read for each head, and a write for each block of which there is one for ten heads. */
const MAX_UNITS = 0.31;
const MAX_BUSY_CALLS = 1.05;
/** A way to the node, and one to the store. */
const MAX_FIRST_MS = 115;
const UPSTREAMS = 16;
const FAST_BLOCK_MS = 250;
const ITEM_SECONDS = 3;
const ITEM_REQUESTS_PER_SECOND = 10_000;
const ITEM_PROCESSES = [1_200, 4_000];
const MS_PER_SECOND = 1_000;
const ADDRESS = `0x${'1'.repeat(40)}`;

const METHODS: Readonly<Record<string, (head: number) => readonly [string, readonly unknown[]]>> = {
  'the number of the head': () => ['eth_blockNumber', []],
  'the newest block': () => ['eth_getBlockByNumber', ['latest', false]],
  'the newest state': () => ['eth_getBalance', [ADDRESS, 'latest']],
  'state of a block': (head) => ['eth_getBalance', [ADDRESS, hex(head - 3)]],
  'a block': (head) => ['eth_getBlockByNumber', [hex(head - 3), false]],
  'a receipt': (head) => ['eth_getTransactionReceipt', [transactionOf(head - 5)]],
  'logs up to the head': (head) => ['eth_getLogs', [{ fromBlock: hex(head - 20), toBlock: 'latest' }]],
};

function open(processes: number): SimulatedProcesses {
  const nodes: SharedNode[] = [{ latencyMs: WAY_MS }, { latencyMs: WAY_MS, lateMs: 600 }];
  return new Processes(nodes, { processes, blockMs: BLOCK_MS });
}

/** Ways and calls of nodes of a request to a process that is quiet in between. */
async function measureQuiet(name: string): Promise<{ ways: number; calls: number }> {
  const world = open(1);
  const make = METHODS[name] as (typeof METHODS)[string];
  const ask = () => world.asked(0, ...make(world.chain.head));
  for (let request = 0; request < 3; request++) {
    await ask();
    await world.clock.pass(QUIET_MS);
  }
  world.nodeCalls = 0;
  let ms = 0;
  for (let request = 0; request < QUIET_REQUESTS; request++) {
    ms += (await ask()).ms;
    await world.clock.pass(QUIET_MS);
  }
  return { ways: ms / WAY_MS / QUIET_REQUESTS, calls: world.nodeCalls / QUIET_REQUESTS };
}

/**
 * Calls of nodes for each call of a client, with nine processes that each serve five a second: at moments of their own, or,
 * which is worst, all in the same moments.
 */
async function measureBusy(isInStep: boolean): Promise<number> {
  const world = open(PROCESSES);
  const random = new Random(PROCESSES);
  const client = async (process: number) => {
    for (let request = 0; request < BUSY_REQUESTS / PROCESSES; request++) {
      await world.ask(process, 'eth_getBalance', [ADDRESS, 'latest']);
      const spread = isInStep ? 1 : 2 * random.fraction();
      await world.clock.wait((BUSY_MS - WAY_MS) * spread);
    }
  };
  await world.clock.until(Promise.all(Array.from({ length: PROCESSES }, (_, process) => client(process))));
  return world.nodeCalls / BUSY_REQUESTS;
}

/** Time that the first request of a process waits beside processes that know the chain, in milliseconds. */
async function measureFirst(): Promise<number> {
  const world = open(PROCESSES);
  for (let process = 0; process < PROCESSES; process++)
    await world.asked(process, 'eth_getBalance', [ADDRESS, 'latest']);
  await world.clock.pass(QUIET_MS);
  let ms = 0;
  for (let started = 0; started < QUIET_REQUESTS; started++) {
    ms += (await world.asked(world.start(), 'eth_getBalance', [ADDRESS, 'latest'])).ms;
    await world.clock.pass(HEAD_MS);
  }
  return ms / QUIET_REQUESTS;
}

/** Units in the busiest second: of an item of heads, and read of the item of nodes while all processes start in one second. */
interface Busiest {
  readonly read: number;
  readonly written: number;
  readonly started: number;
}

/** Units in the busiest second of the item of a chain's heads, with processes that each serve some calls a second. */
async function measureItems(processes: number): Promise<Busiest> {
  const nodes: SharedNode[] = Array.from({ length: UPSTREAMS }, () => ({ latencyMs: WAY_MS }));
  const world = new Processes(nodes, { processes, blockMs: FAST_BLOCK_MS });
  const random = new Random(processes);
  const client = async (process: number) => {
    await world.clock.wait(random.fraction() * MS_PER_SECOND);
    const until = world.clock.now() + ITEM_SECONDS * MS_PER_SECOND;
    const pauseMs = (processes / ITEM_REQUESTS_PER_SECOND) * MS_PER_SECOND;
    while (world.clock.now() < until) {
      await world.ask(process, 'eth_getBalance', [ADDRESS, 'latest']);
      await world.clock.wait(2 * random.fraction() * pauseMs);
    }
  };
  await world.clock.until(Promise.all(Array.from({ length: processes }, (_, process) => client(process))));
  const { read, written } = world.views.item(`heads ${CHAIN.chain}`);
  return {
    read: read.most,
    written: written.most,
    started: world.views.item(`nodes ${CHAIN.chain}`).read.most,
  };
}

/** How often the head goes back for a key that asks one process after the other, and what a head costs the store. */
async function measureHeads(): Promise<{ back: number; units: number }> {
  const world = open(PROCESSES);
  let last = 0;
  let back = 0;
  for (let request = 0; request < HEADS; request++) {
    const { body } = await world.asked((request * 7) % PROCESSES, 'eth_blockNumber', []);
    if (Number(body.result) < last) back += 1;
    last = Number(body.result);
    await world.clock.pass(Math.max(0, HEAD_MS - WAY_MS));
  }
  const { reads, writes } = world.given;
  return { back, units: (reads * READ_PRICE + writes) / HEADS };
}

await runBenchmark({}, async (show) => {
  const figures: Figure[] = [];
  for (const name of Object.keys(METHODS)) {
    const { ways, calls } = await measureQuiet(name);
    figures.push(
      { name: `ways, ${name}`, value: ways, unit: '', most: MAX_WAYS },
      { name: `calls of nodes, ${name}`, value: calls, unit: '', most: MAX_QUIET_CALLS },
    );
  }
  const { back, units } = await measureHeads();
  const busy = await measureBusy(false);
  figures.push(
    { name: 'calls of nodes, nine busy processes', value: busy, unit: '', most: MAX_BUSY_CALLS },
    { name: 'calls of nodes, these all in step', value: await measureBusy(true), unit: '' },
    { name: 'first request of a process', value: await measureFirst(), unit: 'ms', most: MAX_FIRST_MS },
    { name: `heads that go back, of ${HEADS}`, value: back, unit: '', most: 0 },
    { name: 'write units of the store for a head', value: units, unit: '', most: MAX_UNITS },
  );
  show('The head of a chain with two nodes', figures);
  const items: Figure[] = [];
  for (const processes of ITEM_PROCESSES) {
    const { read, written, started } = await measureItems(processes);
    const named = `${processes} processes`;
    items.push(
      { name: `read units, ${named}`, value: read, unit: '', most: READ_UNITS_PER_SECOND / 2 },
      { name: `write units, ${named}`, value: written, unit: '', most: WRITE_UNITS_PER_SECOND / 2 },
      { name: `nodes read, ${named} started in a second`, value: started, unit: '' },
    );
  }
  show('The busiest item in its busiest second: 10,000 requests/s, 16 nodes, a block each 0.25 s', items);
});
