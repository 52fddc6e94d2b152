/** All processes together keep to the calls a second of an upstream, by few writes. */
import { type CallPace, createSharedPace } from '../../../../lambdas/shared/upstream/health/call-pace.ts';
import type { WaitingRoom } from '../../../../lambdas/shared/upstream/health/waiting-room.ts';
import { Random } from '../../../simulation/random.ts';

/** Writes that one item of the store takes in a second. */
const WRITES_PER_SECOND = 1_000;
const TICK_MS = 10;

/** The shared bucket, by the rule of the store: a process that knows it to be empty does not ask the store. */
class Store {
  now = 1_000_000;
  writes = 0;
  away = false;
  #fullAt = 0;
  #second = 0;
  #inSecond = 0;

  /** Counts a write. @throws if the item has taken all of this second */
  #take(): void {
    const second = Math.floor(this.now / 1_000);
    this.#inSecond = second === this.#second ? this.#inSecond + 1 : 1;
    this.#second = second;
    this.writes += 1;
    if (this.#inSecond > WRITES_PER_SECOND) throw new Error('throttled');
  }

  /** The store as one process has it. */
  readonly forProcess = () => {
    let seen = 0;
    return {
      draw: async ({ seats, burstMs = 0 }: WaitingRoom, ms: number) => {
        if (this.away) throw new Error('away');
        const increment = ms / seats;
        const missing = (fullAt: number) => fullAt > this.now && fullAt + increment - burstMs - this.now;
        const known = missing(seen);
        if (known !== false && known > 0) return { granted: false, silentAt: 0, unheardAt: 0, waitMs: known };
        this.#take();
        const wait = missing(this.#fullAt);
        const granted = wait === false ? increment <= burstMs || this.#fullAt <= this.now : wait <= 0;
        if (granted) this.#fullAt = Math.max(this.#fullAt, this.now) + increment;
        seen = this.#fullAt;
        return granted
          ? { granted, silentAt: 0, unheardAt: 0 }
          : { granted, silentAt: 0, unheardAt: 0, waitMs: wait || 0 };
      },
    };
  };
}

/** The pace of one process. */
function open(
  store: Store,
  callsPerSecond: number,
  { yields = false, random = (): number => 0 } = {},
): CallPace {
  const clock = { now: () => store.now };
  return createSharedPace({
    ...{ clock, random, callsPerSecond, yields },
    ...{ of: 'example one', store: store.forProcess() },
  });
}

interface World {
  readonly processes: number;
  readonly callsPerSecond: number;
  /** Calls that clients want of each process in a second. */
  readonly demand: number;
  readonly seconds: number;
}

/** Lets processes want calls, and counts what they send in each second, and what the store writes. */
async function run({ processes, callsPerSecond, demand, seconds }: World, store = new Store()) {
  const random = new Random(7);
  const paces = Array.from({ length: processes }, () =>
    open(store, callsPerSecond, { random: () => random.fraction() }),
  );
  const sent: number[] = [];
  const writes: number[] = [];
  const chance = (demand * TICK_MS) / 1_000;
  for (let second = 0; second < seconds; second += 1) {
    const before = store.writes;
    let admitted = 0;
    for (let tick = 0; tick < 1_000 / TICK_MS; tick += 1) {
      store.now += TICK_MS;
      for (const pace of paces)
        for (let wanted = Math.floor(chance + random.fraction()); wanted > 0; wanted -= 1)
          if (pace.pausedUntil === undefined && (await pace.admits(1))) admitted += 1;
    }
    sent.push(admitted);
    writes.push(store.writes - before);
  }
  return { sent, writes, paces };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

test.each<World>([
  { processes: 1, callsPerSecond: 25, demand: 200, seconds: 20 },
  { processes: 1, callsPerSecond: 1_000, demand: 3_000, seconds: 5 },
  { processes: 10, callsPerSecond: 100, demand: 50, seconds: 20 },
  { processes: 100, callsPerSecond: 500, demand: 20, seconds: 10 },
  { processes: 1_000, callsPerSecond: 100, demand: 5, seconds: 12 },
  { processes: 1_000, callsPerSecond: 2_000, demand: 5, seconds: 8 },
])(
  '$processes processes want $demand calls/s each of $callsPerSecond: no more pass, most pass, and the store keeps up',
  async (world) => {
    const { sent, writes } = await run(world);
    const { callsPerSecond, seconds } = world;
    // What is saved up, and what a portion lets be sent later.
    for (const one of sent) expect(one).toBeLessThanOrEqual(2.5 * callsPerSecond + 1);
    expect(sum(sent)).toBeLessThanOrEqual(callsPerSecond * (seconds + 1.5));
    expect(sum(sent.slice(2))).toBeGreaterThanOrEqual(0.65 * callsPerSecond * (seconds - 2));
    // When all begin at once, a part of the first draws is throttled, and comes later.
    for (const one of writes.slice(2)) expect(one).toBeLessThan(WRITES_PER_SECOND);
  },
);

test('a process that is alone and busy asks the store a few times a second, not with each call', async () => {
  const { sent, writes } = await run({ processes: 1, callsPerSecond: 1_000, demand: 500, seconds: 10 });
  expect(sum(sent)).toBeGreaterThan(4_900);
  expect(sum(writes.slice(2)) / 8).toBeLessThan(10);
});

test('while the store is away each process keeps to the number by itself, and asks once a second', async () => {
  const store = new Store();
  store.away = true;
  const world = { processes: 3, callsPerSecond: 10, demand: 50, seconds: 10 };
  const { sent } = await run(world, store);
  expect(store.writes).toBe(0);
  for (const one of sent) expect(one).toBeLessThanOrEqual(3 * 21);
  expect(sum(sent.slice(5))).toBeGreaterThanOrEqual(3 * 10 * 5 * 0.9);
});

test('one that yields gets what the others leave, and all the same a draw in ten seconds', async () => {
  const store = new Store();
  const clients = open(store, 10);
  const index = open(store, 10, { yields: true });
  const taken = { clients: 0, index: 0 };
  for (let tick = 0; tick < 6_000; tick += 1) {
    store.now += TICK_MS;
    if (await clients.admits(1)) taken.clients += 1;
    if (await index.admits(1)) taken.index += 1;
  }
  expect(taken.index).toBeGreaterThanOrEqual(4);
  expect(taken.clients).toBeGreaterThan(10 * taken.index);
  // Where no other takes any, it takes all.
  const before = taken.index;
  for (let tick = 0; tick < 2_000; tick += 1) {
    store.now += TICK_MS;
    if (await index.admits(1)) taken.index += 1;
  }
  expect(taken.index - before).toBeGreaterThan(100);
});

test('a batch of more calls than are left is sent, and paid for before the next', async () => {
  const store = new Store();
  const pace = open(store, 10);
  expect(await pace.admits(50)).toBe(true);
  const sentAt = store.now;
  while (!(await pace.admits(1))) store.now += TICK_MS;
  expect(store.now - sentAt).toBeGreaterThan(3_000);
  expect(store.now - sentAt).toBeLessThan(16_000);
});

test.each([
  { callsPerSecond: 1_000, least: 64, most: 64, writes: 2 },
  { callsPerSecond: 10, least: 9, most: 10, writes: 12 },
])(
  'of 64 calls at once at most $most pass where there are $callsPerSecond a second, by at most $writes draws',
  async ({ callsPerSecond, least, most, writes }) => {
    const store = new Store();
    const pace = open(store, callsPerSecond);
    const passed = await Promise.all(Array.from({ length: 64 }, () => pace.admits(1)));
    const { length: admitted } = passed.filter((isAdmitted) => isAdmitted);
    expect(admitted).toBeGreaterThanOrEqual(least);
    expect(admitted).toBeLessThanOrEqual(most);
    expect(store.writes).toBeLessThanOrEqual(writes);
  },
);

test('the first call after a batch that went beyond a portion, and a silence, is let through by its draw', async () => {
  const store = new Store();
  const pace = open(store, 200);
  for (const calls of [1, 1, 1, 10]) {
    expect(await pace.admits(calls)).toBe(true);
    store.now += 50;
  }
  store.now += 3_000;
  expect(await pace.admits(1)).toBe(true);
});

test('of calls that come at once those pass for which there is room, though not for all', async () => {
  const store = new Store();
  const pace = open(store, 100);
  const room = { of: 'upstream example one', kind: 'calls', seats: 100, burstMs: 1_000 };
  await store.forProcess().draw(room, 87 * 1_000);
  const passed = await Promise.all(Array.from({ length: 20 }, () => pace.admits(1)));
  expect(passed.filter((isAdmitted) => isAdmitted)).toHaveLength(13);
});

test('two draws make up for an hour of refusals', async () => {
  const store = new Store();
  let granted = false;
  const draw = async () => ({ granted, silentAt: 0, unheardAt: 0, waitMs: 0 });
  const clock = { now: () => store.now };
  const pace = createSharedPace({ clock, random: () => 0, of: 'x', callsPerSecond: 100, store: { draw } });
  const hourEnd = store.now + 3_600_000;
  while (store.now < hourEnd) {
    expect(await pace.admits(1)).toBe(false);
    store.now = pace.pausedUntil ?? hourEnd;
  }
  granted = true;
  for (let grant = 0; grant < 2; grant += 1) {
    store.now += 10_000;
    expect(await pace.admits(1)).toBe(true);
  }
  granted = false;
  store.now += 10_000;
  expect(await pace.admits(1)).toBe(false);
  expect((pace.pausedUntil ?? 0) - store.now).toBeLessThan(1_000);
});
