import { VirtualTime } from './virtual-time.ts';

const START_MS = 1_000;

test('events happen in the order of their times, and those of one moment in the order in which they were planned', async () => {
  const time = new VirtualTime(START_MS);
  const happened: string[] = [];
  const plan = (name: string, afterMs: number) =>
    time.after(afterMs, () => happened.push(`${name} at ${time.nowMs - START_MS}`));
  for (const [name, afterMs] of [
    ['late', 50],
    ['first', 5],
    ['second', 5],
    ['middle', 20],
  ] as const) {
    plan(name, afterMs);
  }
  time.after(5, () => plan('nested', 0));
  await time.run();
  expect(happened).toEqual(['first at 5', 'second at 5', 'nested at 5', 'middle at 20', 'late at 50']);
});

test('all that promises lead to is done before the next event', async () => {
  const time = new VirtualTime(START_MS);
  const happened: string[] = [];
  const chain = async (name: string) => {
    for (let step = 1; step <= 20; step += 1) {
      await Promise.resolve();
      if (step === 20) happened.push(name);
    }
  };
  time.after(1, () => void chain('first'));
  time.after(1, () => happened.push('event'));
  time.after(2, () => void chain('second'));
  await time.run();
  expect(happened).toEqual(['first', 'event', 'second']);
});

test('the trace tells runs apart, and a run that is stopped ends', async () => {
  const trace = async (afterMs: number) => {
    const time = new VirtualTime(START_MS);
    time.after(afterMs, () => time.stop());
    time.after(1_000, () => {
      throw new Error('an event after the end');
    });
    await time.run();
    return time.trace;
  };
  expect(await trace(1)).toBe(await trace(1));
  expect(await trace(1)).not.toBe(await trace(2));
});
