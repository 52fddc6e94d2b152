import { createHeadRecorder } from '../../lambdas/indexer/chain-head-record.ts';
import type { StoredResponse } from '../../lambdas/shared/aws/cache-store.ts';
import { StillClock } from '../access/metering-world.ts';

const BLOCK = { number: 7, timestamp: 1_000 };

function open() {
  const clock = new StillClock();
  const written: unknown[] = [];
  const seen = { failure: undefined as Error | undefined };
  const store = {
    read: async () => [],
    write: async (answers: readonly StoredResponse[]) => {
      if (seen.failure !== undefined) throw seen.failure;
      written.push(...answers.map(({ body }) => JSON.parse(Buffer.from(body).toString())));
      return true;
    },
  };
  const record = createHeadRecorder(store as unknown as Parameters<typeof createHeadRecorder>[0], 'a', clock);
  return { clock, written, seen, record };
}

test('a head that stays is recorded again every ten seconds, so that its readers see that its nodes are heard', async () => {
  const { clock, written, record } = open();
  const startedAt = clock.timeMs;
  for (let looks = 0; looks < 80; looks += 1) {
    await record(BLOCK);
    clock.timeMs += 250;
  }
  const head = { block: 7, timeMs: 1_000_000 };
  expect(written).toEqual([
    { ...head, heardAtMs: startedAt },
    { ...head, heardAtMs: startedAt + 10_000 },
  ]);
});

test('a head that moves, back as well, is recorded once a second', async () => {
  const { clock, written, record } = open();
  for (const number of [7, 8, 9, 10, 3]) {
    await record({ ...BLOCK, number });
    clock.timeMs += 500;
  }
  expect(written).toMatchObject([{ block: 7 }, { block: 9 }, { block: 3 }]);
});

test('a halt and its end are recorded at once', async () => {
  const { written, record } = open();
  await record(BLOCK);
  await record(BLOCK, true);
  await record(BLOCK, true);
  await record(BLOCK);
  expect(written).toMatchObject([{ block: 7 }, { block: 7, halted: true }, { block: 7 }]);
  expect(written[2]).not.toHaveProperty('halted');
});
