/** A turn is late at its time, and never because the process did not look. */
import { LateTurns } from '../../../../lambdas/shared/upstream/health/late-turns.ts';
import { VirtualClock } from '../../../nodes/virtual-clock.ts';

const BUSY_UNTIL_MS = 5_000;

function turnsWithTimers() {
  const clock = new VirtualClock();
  const timers: number[] = [];
  const turns = new LateTurns({
    clock,
    wait: (ms, signal) => {
      timers.push(ms);
      return clock.wait(ms, signal);
    },
  });
  const late: string[] = [];
  const begin = (name: string, ms: number) => turns.begin(clock.now() + ms, () => late.push(name));
  return { clock, timers, late, begin };
}

test('many turns that end in time share a timer', async () => {
  const { clock, timers, late, begin } = turnsWithTimers();
  for (let turn = 0; turn < 100; turn++) {
    const end = begin(`turn ${turn}`, 150);
    await clock.pass(1);
    end();
  }
  await clock.pass(1_000);
  expect({ timers, late }).toEqual({ timers: [150], late: [] });
});

test('a turn under a timer of another is late at its own time', async () => {
  const { clock, late, begin } = turnsWithTimers();
  begin('first', 150)();
  await clock.pass(100);
  begin('second', 150);
  await clock.pass(149);
  expect(late).toEqual([]);
  await clock.pass(1);
  expect(late).toEqual(['second']);
});

test('a turn that is late sooner than all others is told first, and the others after it', async () => {
  const { clock, late, begin } = turnsWithTimers();
  begin('patient', 2_000);
  begin('ended', 500)();
  begin('quick', 10);
  await clock.pass(10);
  expect(late).toEqual(['quick']);
  await clock.pass(1_989);
  expect(late).toEqual(['quick']);
  await clock.pass(1);
  expect(late).toEqual(['quick', 'patient']);
});

test('a process that is late itself reads what has come before it says that a turn is late', async () => {
  const clock = new VirtualClock();
  const turns = new LateTurns({
    clock,
    // It is busy for five seconds, and no timer is over before.
    wait: (ms, signal) => clock.wait(Math.max(ms, BUSY_UNTIL_MS - (clock.now() - startedAt)), signal),
  });
  const startedAt = clock.now();
  const late: string[] = [];
  const end = turns.begin(startedAt + 150, () => late.push('answered meanwhile'));
  turns.begin(startedAt + 150, () => late.push('not answered'));
  await clock.pass(BUSY_UNTIL_MS + 10);
  end();
  await clock.pass(1_000);
  expect(late).toEqual(['not answered']);
});
