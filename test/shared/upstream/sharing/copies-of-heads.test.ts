import {
  type ChainUpstreams,
  openChainUpstreams,
} from '../../../../lambdas/shared/upstream/chain-upstreams.ts';
import { READERS_OF_COPY, SharedView } from '../../../../lambdas/shared/upstream/sharing/shared-view.ts';
import {
  MemorySharedTexts,
  READ_UNITS_PER_SECOND,
  WRITE_UNITS_PER_SECOND,
} from '../../../nodes/memory-shared-texts.ts';
import { MAX_RESPONSE_BYTES, simulateUpstream } from '../../../nodes/simulated-upstream.ts';
import { VirtualClock } from '../../../nodes/virtual-clock.ts';
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
  /** Questions that nodes got. */
  asked = 0;

  start(instances: number): Process {
    const { clock } = this;
    const { connection } = simulateUpstream({ clock, wait: clock.wait, answer: () => ({ result: '' }) });
    const upstreams = Array.from({ length: UPSTREAMS }, (_, index) => ({
      name: `provider-${index}`,
      connection,
    }));
    const random = () => this.random.fraction();
    const node = openChainUpstreams(upstreams, { clock, random, maxResponseBytes: MAX_RESPONSE_BYTES });
    const telemetry = { log: () => {}, emit: () => {} };
    return { node, view: new SharedView({ chain: CHAIN, node, store: this.texts, telemetry, instances }) };
  }

  /** Has a process do what a request does whose view is a second old. */
  async poll({ node, view }: Process): Promise<void> {
    await view.read();
    const now = this.clock.now();
    if (now - node.view.confirmedAt < READ_MS * (1 + this.random.fraction() / 2)) return;
    this.asked += 1;
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

test.each([
  [1_200, 1],
  [5_000, 3],
])(
  '%i processes that all read once a second stay below half of what an item takes, on %i items',
  async (count, copies) => {
    const world = new World();
    const processes = Array.from({ length: count }, () => world.start(count));
    await world.run(processes, 5_000);
    const { items } = world.texts;
    const figures = items.map(({ read, written }) => `${read.most} and ${written.most}`).join(', ');
    process.stdout.write(
      `${count} processes, read and write units in the busiest second of each item: ${figures}\n`,
    );
    expect(items).toHaveLength(copies);
    for (const { read, written, throttled } of items) {
      expect(throttled).toBe(0);
      expect(read.most).toBeLessThanOrEqual(READ_UNITS_PER_SECOND / 2);
      expect(written.most).toBeLessThanOrEqual(WRITE_UNITS_PER_SECOND / 2);
    }
  },
);

test('a copy is read by so many that their number alone keeps it below half of its read units', () => {
  expect((READERS_OF_COPY * 1_000) / READ_MS / 2).toBeLessThanOrEqual(READ_UNITS_PER_SECOND / 2);
});

test('a process that writes one copy writes all, and a copy that missed it is written by the next', async () => {
  const world = new World();
  const processes = Array.from({ length: 40 }, () => world.start(3 * READERS_OF_COPY));
  await world.run(processes, 3_000);
  world.texts.failing = 0.3;
  await world.run(processes, 5_000);
  world.texts.failing = 0;
  await world.run(processes, 5_000);
  const sequences = world.texts.items.map(({ texts }) => texts.at(-1)?.told.sequence);
  expect(sequences).toHaveLength(3);
  expect(new Set(sequences).size).toBe(1);
  const [before, fromMs] = [world.asked, world.clock.now()];
  await world.run(processes, 10_000);
  expect((world.asked - before) / ((world.clock.now() - fromMs) / 1_000)).toBeLessThanOrEqual(3);
});
