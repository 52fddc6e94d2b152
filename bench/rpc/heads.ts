/**
 * What the head of a chain costs: ways to a node that a request to a quiet process waits for, calls of nodes for each call
 * of a client, and heads that go back for a key; in virtual time, with nodes of which one is 600 ms behind the other.
 * `npm run bench -- heads [--before FOLDER]`: beside the version whose work tree is in that folder.
 */
import { registerHooks } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { hex, transactionOf } from '../../test/nodes/simulated-chain.ts';
import type { Served, SharedNode, SimulatedProcesses } from '../../test/nodes/simulated-processes.ts';
import { runBenchmark } from '../benchmark.ts';
import type { Figure } from '../figures.ts';

/** What the functions have as a layer. */
const ACCESS_FILE = new URL('../../lambdas/access/index.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'gateway-access' ? ACCESS_FILE : specifier, context),
});

const { SimulatedProcesses: Processes } = await import('../../test/nodes/simulated-processes.ts');

const WAY_MS = 100;
const QUIET_MS = 3_000;
const QUIET_REQUESTS = 100;
const BLOCK_MS = 1_000;
const PROCESSES = 9;
const BUSY_MS = 200;
const BUSY_REQUESTS = 2_000;
const HEADS = 10_000;
const HEAD_MS = 100;
const MAX_WAYS = 1.15;
const MAX_QUIET_CALLS = 2;
/** A strongly consistent read in the price of a write. */
const READ_PRICE = 0.2;
/** A read for each head, and a write for each block of which there is one for ten heads. */
const MAX_UNITS = 0.31;
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

/** The code of a work tree. */
async function load(folder: string): Promise<Served> {
  const lambdas = (file: string) => import(pathToFileURL(join(resolve(folder), 'lambdas', file)).href);
  const [upstreams, client, request, cache, errors] = await Promise.all([
    lambdas('shared/upstream/chain-upstreams.ts'),
    lambdas('shared/upstream/routing/chain-client.ts'),
    lambdas('rpc/handle-request.ts'),
    lambdas('rpc/cache/response-cache.ts'),
    lambdas('rpc/billing/unbilled-errors.ts'),
  ]);
  return { ...upstreams, ...client, ...request, ...cache, ...errors } as Served;
}

function open(served: Served, processes: number): SimulatedProcesses {
  const nodes: SharedNode[] = [{ latencyMs: WAY_MS }, { latencyMs: WAY_MS, lateMs: 600 }];
  return new Processes(nodes, { processes, blockMs: BLOCK_MS, served });
}

/** Ways and calls of nodes of a request to a process that is quiet in between. */
async function measureQuiet(served: Served, name: string): Promise<{ ways: number; calls: number }> {
  const world = open(served, 1);
  const make = METHODS[name] as (typeof METHODS)[string];
  const ask = () => world.asked(0, ...make(world.chain.head));
  for (let asked = 0; asked < 3; asked++) {
    await ask();
    await world.clock.pass(QUIET_MS);
  }
  world.nodeCalls = 0;
  let ms = 0;
  for (let asked = 0; asked < QUIET_REQUESTS; asked++) {
    ms += (await ask()).ms;
    await world.clock.pass(QUIET_MS);
  }
  return { ways: ms / WAY_MS / QUIET_REQUESTS, calls: world.nodeCalls / QUIET_REQUESTS };
}

/** Calls of nodes for each call of a client, with nine processes that each serve five a second. */
async function measureBusy(served: Served): Promise<number> {
  const world = open(served, PROCESSES);
  const client = async (process: number) => {
    for (let asked = 0; asked < BUSY_REQUESTS / PROCESSES; asked++) {
      await world.ask(process, 'eth_getBalance', [ADDRESS, 'latest']);
      await world.clock.wait(BUSY_MS - WAY_MS);
    }
  };
  await world.clock.until(Promise.all(Array.from({ length: PROCESSES }, (_, process) => client(process))));
  return world.nodeCalls / BUSY_REQUESTS;
}

/** How often the head goes back for a key that asks one process after the other, and what a head costs the store. */
async function measureHeads(served: Served): Promise<{ back: number; units: number }> {
  const world = open(served, PROCESSES);
  let last = 0;
  let back = 0;
  for (let asked = 0; asked < HEADS; asked++) {
    const { body } = await world.asked((asked * 7) % PROCESSES, 'eth_blockNumber', []);
    if (Number(body.result) < last) back += 1;
    last = Number(body.result);
    await world.clock.pass(Math.max(0, HEAD_MS - WAY_MS));
  }
  const { reads, writes } = world.given;
  return { back, units: (reads * READ_PRICE + writes) / HEADS };
}

await runBenchmark({ before: '' }, async (show, options) => {
  const now = await load(join(import.meta.dirname, '..', '..'));
  const before = options.before === '' ? undefined : await load(options.before);
  const beside = (value: number | undefined) =>
    value === undefined ? {} : { baseline: { name: 'before', value } };
  const figures: Figure[] = [];
  for (const name of Object.keys(METHODS)) {
    const [own, other] = [await measureQuiet(now, name), before && (await measureQuiet(before, name))];
    figures.push({
      name: `ways, ${name}`,
      value: own.ways,
      unit: '',
      most: MAX_WAYS,
      ...beside(other?.ways),
    });
    figures.push({ name: `calls of nodes, ${name}`, value: own.calls, unit: '', ...beside(other?.calls) });
  }
  const quiet = figures.find(({ name }) => name === 'calls of nodes, the newest state')?.value ?? 0;
  const [heads, headsBefore] = [await measureHeads(now), before && (await measureHeads(before))];
  const busyBefore = before && (await measureBusy(before));
  figures.push(
    { name: 'calls of nodes, one request in three seconds', value: quiet, unit: '', most: MAX_QUIET_CALLS },
    {
      name: 'calls of nodes, nine busy processes',
      value: await measureBusy(now),
      unit: '',
      ...beside(busyBefore),
    },
    {
      name: `heads that go back, of ${HEADS}`,
      value: heads.back,
      unit: '',
      most: 0,
      ...beside(headsBefore?.back),
    },
    { name: 'write units of the store for a head', value: heads.units, unit: '', most: MAX_UNITS },
  );
  show('The head of a chain with two nodes', figures);
});
