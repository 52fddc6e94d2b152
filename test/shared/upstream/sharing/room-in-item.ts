import { READ_UNITS_PER_SECOND, WRITE_UNITS_PER_SECOND } from '../../../nodes/memory-shared-texts.ts';
import { type FoundNode, SimulatedNodes } from '../../../nodes/simulated-nodes.ts';

const SECOND = 1_000;
/** Each process is asked so often. */
const POLL_MS = 5 * SECOND;

/**
 * Lets so many processes learn at once that one node is dead and another lacks a method, and that the first is well again:
 * in its busiest second the item of what they found takes at most half of what DynamoDB lets one take.
 */
export async function expectRoomInItem(processes: number): Promise<void> {
  const world = new SimulatedNodes(3, { processes });
  const [dead, lacking] = world.found as [FoundNode, FoundNode];
  await world.run(POLL_MS, world.clock.now() + 30 * SECOND);
  dead.answers = () => false;
  lacking.hasMethod = false;
  await world.run(POLL_MS, world.clock.now() + 45 * SECOND);
  dead.answers = () => true;
  await world.run(POLL_MS, world.clock.now() + 45 * SECOND);
  const { read, written, throttled, refused, writes } = world.item;
  process.stdout.write(
    `${processes} processes, busiest second of their nodes' item: ${read.most} read units, ${written.most} write units; ` +
      `${writes} writes, ${refused} refused\n`,
  );
  expect(throttled).toBe(0);
  expect(read.most).toBeLessThanOrEqual(READ_UNITS_PER_SECOND / 2);
  expect(written.most).toBeLessThanOrEqual(WRITE_UNITS_PER_SECOND / 2);
}
