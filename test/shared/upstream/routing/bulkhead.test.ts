/** A chain that stalls, or a slow key, leaves most instances to the others. */
import fc from 'fast-check';
import { type ServedRequest, SimulatedFleet } from '../../../nodes/simulated-fleet.ts';
import { call } from '../../../nodes/simulated-gateway.ts';
import { Random } from '../../../simulation/random.ts';
import { repetitions } from '../../../support/at-length.ts';

const STALL = () => ({ kind: 'stall' }) as const;
const READ = call('eth_getBalance', [`0x${'ab'.repeat(20)}`, 'latest']);
const TRACE = call('debug_traceTransaction', [`0x${'cd'.repeat(32)}`]);
/** Time from which on all instances that serve a chain know that it is silent, in milliseconds. */
const KNOWN_MS = 5_000;
const STALLED_MS = 15_000;
/** Time that a refusal takes at most, in milliseconds. */
const MOMENT_MS = 20;
/** Time after which the word that a chain is silent counts no more, in milliseconds. */
const QUIET_MS = 15_000;
/** Stalls that are looked at from their first moment on. */
const FIRST_SECONDS_SEEDS = repetitions(60);
/** Time in which a chain that answers again is served by all instances, in milliseconds: 6.2 s was the longest of 40 fleets. */
const BACK_MS = 7_000;
const PROPERTY = { numRuns: 4 };

/** Requests that were sent in a span of time. */
function between(served: readonly ServedRequest[], from: number, to = Number.POSITIVE_INFINITY) {
  return served.filter(({ sentAt }) => sentAt >= from && sentAt < to);
}

/** How many instances were busy at a time, on an average, with requests of a span of time. */
function meanBusy({ served }: SimulatedFleet, from: number, to: number): number {
  return between(served, from, to).reduce((sum, { ms }) => sum + ms, 0) / (to - from);
}

/** How many instances were busy at once at the most, with requests of a span of time that did not end in a moment. */
function mostBusy({ served }: SimulatedFleet, from: number, to: number): number {
  const changes = between(served, from, to)
    .filter(({ told, ms }) => told !== 'no instance' && ms > MOMENT_MS)
    .flatMap(({ sentAt, ms }) => [[sentAt, 1] as const, [sentAt + ms, -1] as const])
    // A request that ends makes room for one that begins at the same moment.
    .sort(([one, ends], [other, begins]) => one - other || ends - begins);
  let busy = 0;
  return changes.reduce((most, [, change]) => {
    busy += change;
    return Math.max(most, busy);
  }, 0);
}

/** Outcomes of the requests that found an instance; their number does not matter. */
function toldSince({ served }: SimulatedFleet, from: number): ReadonlySet<string> {
  return new Set(
    between(served, from)
      .map(({ told }) => told)
      .filter((told) => told !== 'no instance'),
  );
}

test('a chain that stalls keeps few instances waiting, answers within two seconds, and is back within seven', async () => {
  const fleets = fc.record({
    instances: fc.integer({ min: 10, max: 40 }),
    clients: fc.integer({ min: 1, max: 40 }),
    seed: fc.nat(),
  });
  await fc.assert(
    fc.asyncProperty(fleets, async ({ instances, clients, seed }) => {
      const fleet = new SimulatedFleet(instances, seed);
      const { clock } = fleet;
      const stalledAt = clock.now() + 3_000;
      const recoveredAt = stalledAt + STALLED_MS;
      const running = fleet.run(clients, READ, recoveredAt + 10_000);
      await clock.until(clock.wait(3_000));
      expect(toldSince(fleet, 0)).toEqual(new Set(['answered']));
      const requests = fleet.store.requests;
      fleet.fate = STALL;
      await clock.until(clock.wait(KNOWN_MS));
      await clock.until(clock.wait(STALLED_MS - KNOWN_MS));
      const seats = Math.max(2, Math.floor(instances / 8));
      // The seats, and what they saved up; refusals hold an instance for a moment.
      expect(meanBusy(fleet, stalledAt + KNOWN_MS, recoveredAt)).toBeLessThanOrEqual(2 * seats);
      fleet.fate = () => ({ kind: 'answer' });
      await clock.until(running);

      const stalled = between(fleet.served, stalledAt + KNOWN_MS, recoveredAt);
      expect(stalled.length).toBeGreaterThan(0);
      expect(Math.max(...stalled.map(({ ms }) => ms))).toBeLessThanOrEqual(2_000);
      const reasons = new Set(
        between(fleet.served, stalledAt + KNOWN_MS, recoveredAt - 2_000).map(({ told }) => told),
      );
      expect(
        [...reasons].filter((reason) => !['gateway_overloaded', 'no_upstream_response'].includes(reason)),
      ).toEqual([]);
      expect(toldSince(fleet, recoveredAt + BACK_MS)).toEqual(new Set(['answered']));
      // No instance asks the store while all is well.
      expect(requests).toBe(0);
    }),
    PROPERTY,
  );
});

test('a chain that is known to stall leaves others most of the instances at every moment, on twelve of them', async () => {
  const [INSTANCES, CLIENTS] = [12, 20];
  const most: number[] = [];
  for (const seed of [1, 2, 3, 4, 5].slice(0, repetitions(5))) {
    const fleet = new SimulatedFleet(INSTANCES, seed);
    const { clock } = fleet;
    const stalledAt = clock.now() + 1_000;
    const running = fleet.run(CLIENTS, READ, stalledAt + 60_000);
    await clock.until(clock.wait(1_000));
    fleet.fate = STALL;
    await clock.until(running);
    most.push(mostBusy(fleet, stalledAt + KNOWN_MS, stalledAt + 60_000));
  }
  process.stdout.write(
    `of ${INSTANCES} instances, busy at once for a chain that is silent: ${most.join(', ')}\n`,
  );
  expect(Math.max(...most)).toBeLessThanOrEqual(INSTANCES / 2);
});

test('clients of other chains find an instance in every second of a stall, from its first on', async () => {
  const chains = ['stalling', 'second', 'third'];
  const clients: Record<string, number> = { stalling: 20, second: 2, third: 2 };
  let unserved = 0;
  const busy: number[] = [];
  for (let seed = 1; seed <= FIRST_SECONDS_SEEDS; seed++) {
    const fleet = new SimulatedFleet(12, seed, chains);
    const random = new Random(seed);
    const { clock } = fleet;
    const until = clock.now() + 20_000;
    const running = Promise.all(
      chains.map((chain) =>
        fleet.run(clients[chain] ?? 0, READ, until, (client) => `${chain} ${client}`, {
          chain,
          pauseMs: 2_000,
          phaseOf: () => random.fraction(),
        }),
      ),
    );
    await clock.until(clock.wait(5_000));
    const stalledAt = clock.now();
    fleet.fate = (chain) => (chain === 'stalling' ? { kind: 'stall' } : { kind: 'answer' });
    await clock.until(running);
    unserved += fleet.served.filter(({ chain, told }) => chain !== 'stalling' && told !== 'answered').length;
    busy.push(mostBusy(fleet, stalledAt, until));
  }
  process.stdout.write(`of 12 instances, busy at once after a chain stalled: ${Math.max(...busy)}\n`);
  expect(unserved).toBe(0);
});

test('calls that all take longer than usual are waited for, if the nodes answer the gateway', async () => {
  const fleet = new SimulatedFleet(12, 1);
  const { clock } = fleet;
  await clock.until(fleet.run(12, READ, clock.now() + 5_000));
  fleet.workMs = 1_000;
  const from = clock.now();
  const burst = Array.from({ length: 10 }, (_, client) => fleet.send(READ, `key ${client}`));
  expect(new Set(await clock.until(Promise.all(burst)))).toEqual(new Set(['answered']));
  expect(Math.max(...between(fleet.served, from).map(({ ms }) => ms))).toBeLessThanOrEqual(1_100);
});

test('an instance that was not asked since a chain was silent refuses none of many calls at once', async () => {
  const fleet = new SimulatedFleet(1, 1);
  const { clock } = fleet;
  await clock.until(fleet.send(READ, 'key'));
  fleet.fate = STALL;
  expect(await clock.until(fleet.send(READ, 'key'))).not.toBe('answered');
  fleet.fate = () => ({ kind: 'answer' });
  await clock.pass(QUIET_MS);
  const many = Array.from({ length: 20 }, () => fleet.sendToBusy(READ, 'key'));
  expect(new Set(await clock.until(Promise.all(many)))).toEqual(new Set(['answered']));
});

test('one key that asks for slow things has its share of the instances, and its light calls go on', async () => {
  const fleet = new SimulatedFleet(64, 1);
  const { clock } = fleet;
  fleet.workMs = 8_000;
  const until = clock.now() + 30_000;
  const slow = fleet.run(60, TRACE, until, () => 'slow key');
  await clock.until(clock.wait(5_000));
  const from = clock.now();
  await clock.until(clock.wait(20_000));
  // A key has half of the eight seats, and what they saved up; a call that is not yet late has none.
  expect(meanBusy(fleet, from, clock.now())).toBeLessThanOrEqual(8);
  fleet.workMs = 20;
  expect(await clock.until(fleet.send(TRACE, 'other key'))).toBe('answered');
  expect(await clock.until(fleet.send(READ, 'slow key'))).toBe('answered');
  await clock.until(slow);
  const reasons = fleet.served.map(({ told }) => told);
  expect(reasons).toContain('gateway_overloaded');
  expect(reasons).not.toContain('no_upstream_response');
});

test('a single slow call is waited for as long as its class may take, on the smallest stage', async () => {
  const fleet = new SimulatedFleet(10, 1);
  fleet.workMs = 25_000;
  expect(await fleet.clock.until(fleet.send(TRACE, 'key'))).toBe('answered');
});

test('where the store does not answer, every request waits as before', async () => {
  const fleet = new SimulatedFleet(10, 1);
  fleet.store.fails = true;
  fleet.workMs = 5_000;
  const until = fleet.clock.now() + 20_000;
  await fleet.clock.until(fleet.run(10, TRACE, until));
  expect(toldSince(fleet, 0)).toEqual(new Set(['answered']));
});

test('what acts and was sent is not told to be refused: it may have arrived', async () => {
  const fleet = new SimulatedFleet(10, 1);
  fleet.fate = STALL;
  const until = fleet.clock.now() + 2_000;
  await fleet.clock.until(fleet.run(10, call('eth_sendRawTransaction', ['0x00']), until));
  const unheard = fleet.served.filter(({ told }) => told === 'no_upstream_response');
  expect(unheard.length).toBeGreaterThan(0);
  expect(fleet.received).toHaveLength(unheard.length);
});
