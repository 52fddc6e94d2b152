/** One item is enough for thousands of processes to share the head. */
import {
  type ChainUpstreams,
  openChainUpstreams,
} from '../../../../lambdas/shared/upstream/chain-upstreams.ts';
import { serveChain } from '../../../../lambdas/shared/upstream/routing/serve-chain.ts';
import { SharedView } from '../../../../lambdas/shared/upstream/sharing/shared-view.ts';
import {
  MemorySharedTexts,
  READ_UNITS_PER_SECOND,
  WRITE_UNITS_PER_SECOND,
} from '../../../nodes/memory-shared-texts.ts';
import { MAX_RESPONSE_BYTES, simulateUpstream } from '../../../nodes/simulated-upstream.ts';
import { VirtualClock } from '../../../nodes/virtual-clock.ts';
import { CHAIN as SETTINGS } from '../../../rpc/cache/cache-world.ts';
import { Random } from '../../../simulation/random.ts';

const CHAIN = 'simulated';
const UPSTREAMS = 16;
/** As the gateway reads a view and finds it old, in milliseconds. */
const READ_MS = 1_000;
const NODE_MS = 50;
const BLOCK_MS = 250;

interface Process {
  readonly node: ChainUpstreams;
  readonly view: SharedView;
}

class World {
  readonly clock = new VirtualClock();
  readonly random = new Random(1);
  readonly texts = new MemorySharedTexts(this.clock, new Random(2));

  start(): Process {
    const { clock } = this;
    const { connection } = simulateUpstream({ clock, wait: clock.wait, answer: () => ({ result: '' }) });
    const upstreams = Array.from({ length: UPSTREAMS }, (_, index) => ({
      name: `provider-${index}`,
      connection,
    }));
    const random = () => this.random.fraction();
    const node = openChainUpstreams(upstreams, { clock, random, maxResponseBytes: MAX_RESPONSE_BYTES });
    const telemetry = { log: () => {}, emit: () => {} };
    return { node, view: new SharedView({ chain: CHAIN, node, store: this.texts, telemetry }) };
  }

  /** Has a process do what a request does whose view is a second old. */
  async poll({ node, view }: Process): Promise<void> {
    await view.read();
    const now = this.clock.now();
    if (now - node.view.confirmedAt < READ_MS * (1 + this.random.fraction() / 2)) return;
    await this.clock.wait(NODE_MS);
    const block = Math.floor(this.clock.now() / BLOCK_MS);
    const told = { number: BigInt(block), timeMs: block * BLOCK_MS };
    node.view.report(Math.floor(this.random.fraction() * UPSTREAMS), told, this.clock.now(), now);
    await view.publish(now);
  }

  async run(processes: readonly Process[], ms: number): Promise<void> {
    const until = this.clock.now() + ms;
    const client = async (process: Process) => {
      await this.clock.wait(this.random.fraction() * READ_MS);
      while (this.clock.now() < until) {
        const startedAt = this.clock.now();
        await this.poll(process);
        await this.clock.wait(startedAt + READ_MS - this.clock.now());
      }
    };
    await this.clock.until(Promise.all(processes.map(client)));
  }
}

test('4,000 processes that all read once a second take at most two thirds of what an item gives', async () => {
  const count = 4_000;
  const world = new World();
  const processes = Array.from({ length: count }, () => world.start());
  await world.run(processes, 2_000);
  const [item] = world.texts.items;
  if (item === undefined) throw new Error('no view was shared');
  const { read, written, throttled } = item;
  process.stdout.write(
    `${count} processes, units in the busiest second: ${read.most} read, ${written.most} written\n`,
  );
  expect(world.texts.items).toHaveLength(1);
  expect(throttled).toBe(0);
  expect(read.most).toBeLessThanOrEqual((READ_UNITS_PER_SECOND * 2) / 3 + UPSTREAMS);
  expect(written.most).toBeLessThanOrEqual(WRITE_UNITS_PER_SECOND / 2);
});

test('a function without a bulkhead, such as the Data API, learns what an operator holds before its first call', async () => {
  let reads = 0;
  const share = () => ({
    read: async () => {
      reads += 1;
    },
    publish: async () => {},
  });
  const observer = { clock: new VirtualClock(), telemetry: { log: () => {}, emit: () => {} } };
  const settings = { ...SETTINGS, upstreams: ['http://127.0.0.1:1'] };
  const node = serveChain(settings, observer, async () => '', { share });
  await node.head.watch();
  expect(reads).toBe(1);
  node.close();
});
