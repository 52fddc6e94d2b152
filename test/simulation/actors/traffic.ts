import type { World } from '../world.ts';
import { type ClientCall, ClientRequest, WEIGHTS } from './client-request.ts';
import type { Customer, CustomerKey } from './customers.ts';
import type { Processes } from './instance.ts';
import { serveRequest } from './serve-request.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** Requests that come together, within a time. */
const MIN_RUSH_REQUESTS = 5;
/** Environments of many requests are to be full at times. */
const MAX_RUSH_REQUESTS = { event: 120, instances: 300 } as const;
const MIN_RUSH_MS = 100;
const MAX_RUSH_MS = MINUTE_MS;
/** A rush uses up to this many keys. */
const MAX_RUSH_KEYS = 4;
/** How far around a time at which much happens some rushes begin. */
const AROUND_MS = 2 * SECOND_MS;
/** Shorter than one request takes. */
const MOMENT_MS = 60;
const BATCH_RATE = 0.25;
const MAX_BATCH_CALLS = 8;
/** Chance that a batch repeats its first call, and that a call is one which no node may get. */
const REPEAT_RATE = 0.1;
const BLOCKED_RATE = 0.03;
/** Chance of a batch that costs more than most buckets hold. */
const EXPENSIVE_RATE = 0.005;
const EXPENSIVE_CALLS = 4;
/** Chance of a key that was never made. */
const UNKNOWN_KEY_RATE = 0.01;

const METHODS: readonly [string, ...string[]] = [
  'eth_call',
  'eth_call',
  'eth_blockNumber',
  ...Object.keys(WEIGHTS),
];

/** Clients that send requests in rushes, until they have sent a number of them. */
export class Traffic {
  readonly #world: World;
  readonly #fleet: Processes;
  readonly #customers: readonly [Customer, ...Customer[]];
  #left: number;
  #lastMs = 0;

  constructor(
    world: World,
    fleet: Processes,
    customers: readonly [Customer, ...Customer[]],
    requests: number,
  ) {
    this.#world = world;
    this.#fleet = fleet;
    this.#customers = customers;
    this.#left = requests;
  }

  /** Whether all requests are planned; the time of the last of them. */
  get lastMs(): number | undefined {
    return this.#left > 0 ? undefined : this.#lastMs;
  }

  /**
   * Rushes begin at any time, and often when an hour ends and when settlement fires, so long after its start.
   * `onRush` is told of each, and of one of its customers.
   */
  start(settlementPhaseMs: number, onRush: (customer: Customer, duringMs: number) => void): void {
    const { time } = this.#world.machine;
    const rush = (duringMs: number) => {
      this.#rush(duringMs, onRush);
      if (this.#left === 0) return;
      const next = this.#pickRush(settlementPhaseMs);
      time.at(next.startMs, () => rush(next.duringMs));
    };
    rush(MIN_RUSH_MS);
  }

  #rush(duringMs: number, onRush: (customer: Customer, duringMs: number) => void): void {
    const { time, random } = this.#world.machine;
    const customers = Array.from({ length: random.integer(1, MAX_RUSH_KEYS) }, () =>
      random.pick(this.#customers),
    );
    const keys = customers.map((customer) => random.pick(customer.keys)) as [CustomerKey, ...CustomerKey[]];
    const most = MAX_RUSH_REQUESTS[this.#world.hosting];
    const count = Math.min(this.#left, random.integer(MIN_RUSH_REQUESTS, most));
    for (let sent = 0; sent < count; sent += 1) {
      const key = random.pick(keys);
      const atMs = time.nowMs + random.integer(0, duringMs);
      this.#lastMs = Math.max(this.#lastMs, atMs);
      time.at(atMs, () => this.#send(key));
    }
    this.#left -= count;
    onRush(random.pick(customers as [Customer, ...Customer[]]), duringMs);
  }

  #pickRush(settlementPhaseMs: number): { readonly startMs: number; readonly duringMs: number } {
    const { time, random } = this.#world.machine;
    const nextHourMs = Math.ceil((time.nowMs + AROUND_MS) / HOUR_MS) * HOUR_MS;
    const duringMs = random.magnitude(MIN_RUSH_MS, MAX_RUSH_MS);
    switch (random.integer(0, 7)) {
      case 0:
        return { startMs: nextHourMs - random.integer(0, AROUND_MS), duringMs };
      case 1:
      case 2:
        return {
          startMs: nextHourMs + settlementPhaseMs - random.integer(0, AROUND_MS),
          duringMs: random.integer(AROUND_MS, 2 * AROUND_MS),
        };
      case 3:
        return {
          startMs: nextHourMs + settlementPhaseMs - random.integer(0, MOMENT_MS),
          duringMs: 2 * MOMENT_MS,
        };
      case 4:
        return { startMs: time.nowMs + random.magnitude(HOUR_MS, 8 * HOUR_MS), duringMs };
      default:
        return { startMs: time.nowMs + random.magnitude(SECOND_MS, HOUR_MS / 2), duringMs };
    }
  }

  #send(key: CustomerKey): void {
    const { machine, witness } = this.#world;
    const instance = this.#fleet.pick();
    const request = new ClientRequest({
      number: witness.requests.length,
      account: key.account,
      calls: this.#pickCalls(),
      process: instance.process,
    });
    witness.requests.push(request);
    machine.tally.add('requests');
    const apiKey = machine.random.chance(UNKNOWN_KEY_RATE) ? `rgw_${'0'.repeat(64)}` : key.apiKey;
    serveRequest(this.#world, instance, apiKey, request).then(
      () => this.#fleet.release(instance),
      (error) => witness.blameDefect(error),
    );
  }

  #pickCalls(): ClientCall[] {
    const { random } = this.#world.machine;
    if (random.chance(EXPENSIVE_RATE)) {
      return Array.from({ length: EXPENSIVE_CALLS }, () => this.#callOf('debug_traceTransaction'));
    }
    if (!random.chance(BATCH_RATE)) return [this.#pickCall()];
    const calls = Array.from({ length: random.integer(1, MAX_BATCH_CALLS) }, () => this.#pickCall());
    const [first] = calls;
    return first !== undefined && random.chance(REPEAT_RATE) ? [...calls, first] : calls;
  }

  #pickCall(): ClientCall {
    const { random } = this.#world.machine;
    if (random.chance(BLOCKED_RATE)) return { method: 'eth_newFilter', params: [] };
    return this.#callOf(random.pick(METHODS));
  }

  #callOf(method: string): ClientCall {
    const address = this.#hex(20);
    switch (method) {
      case 'eth_blockNumber':
      case 'eth_chainId':
        return { method, params: [] };
      case 'eth_getBlockByNumber':
        return { method, params: ['latest', false] };
      case 'eth_getLogs':
        return { method, params: [{ blockHash: this.#hex(32) }] };
      case 'eth_call':
        return { method, params: [{ to: address, data: '0x' }, 'latest'] };
      case 'eth_getBalance':
        return { method, params: [address, 'latest'] };
      default:
        return { method, params: [this.#hex(32)] };
    }
  }

  #hex(bytes: number): string {
    const number = this.#world.machine.random.integer(1, 2 ** 32);
    return `0x${number.toString(16).padStart(2 * bytes, '0')}`;
  }
}
