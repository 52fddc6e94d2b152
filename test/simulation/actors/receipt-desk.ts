import type { StoredReceipt } from '../../../clients/gateway-bill/src/bill.ts';
import { isStoreUnavailable, type Store } from '../../../lambdas/access/store/store.ts';
import { renewIssuer } from '../../../lambdas/seal/renew-issuer.ts';
import { parseReceiptText, type Receipt, toSignedReceipt } from '../../../lambdas/shared/bill/receipt.ts';
import { hourOf } from '../../../lambdas/shared/runtime/clock.ts';
import { createIssuer, type Issuer, NoReceiptKeyError } from '../../../lambdas/status/issuer.ts';
import { ACCOUNT_RECEIPTS, listAccountRecords } from '../../../lambdas/status/list-account-records.ts';
import { MemoryObjects } from '../../support/memory/objects.ts';
import type { Random } from '../random.ts';
import { REMOTE_FAULTS, type RemoteFault } from '../stores/exchange.ts';
import { RemoteObjects } from '../stores/remote-objects.ts';
import { RemoteStore, type StoreSite } from '../stores/remote-store.ts';
import { storeWeather } from '../stores/store-weather.ts';
import { Weather } from '../weather.ts';
import type { World } from '../world.ts';
import { ClockSpread, type Machine, SimulatedProcess } from './simulated-process.ts';

const HOUR_MS = 3_600_000;
/** Time-out of the function. */
const TIMEOUT_MS = 29_000;
/** How often a customer asks after a response, and how long after it. */
const ASK_RATE = 0.1;
const MAX_ASKED_AFTER_MS = 2 * HOUR_MS;
/** Chance that a request meets a process of the function that is new. */
const NEW_PROCESS_RATE = 0.05;
const MAX_PAGE = 3;
const HOURS_BACK = [0, 0, 1, 2] as const;
const SECRET = 'issuer';

/** Total of a lane at some moment. */
interface LaneState {
  readonly n: number;
  readonly total: number;
}

/** A request for a page of receipts, and the totals that were stored then. */
interface Asked {
  readonly account: string;
  readonly hour: string;
  readonly clockMs: number;
  readonly before: ReadonlyMap<string, LaneState>;
}

interface StatusInstance {
  readonly process: SimulatedProcess;
  readonly store: Store;
  readonly issuer: Issuer;
}

/**
 * The function that signs receipts, the run that makes its keys, and customers who ask for them and keep them. Chance and
 * faults are its own: the rest of a run is what it would be without it. Finds fault with each receipt as it is signed.
 */
export class ReceiptDesk {
  /** Receipts that customers keep, by account. */
  readonly kept = new Map<string, StoredReceipt[]>();
  readonly #world: World;
  readonly #machine: Machine;
  readonly #site: StoreSite;
  readonly #objectWeather: Weather<RemoteFault>;
  readonly #secrets = new MemoryObjects();
  readonly #clocks = new ClockSpread();
  #instance: StatusInstance | undefined;

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#machine = { ...world.machine, random };
    const weather = storeWeather(this.#machine);
    this.#site = {
      machine: this.#machine,
      store: world.store,
      weather,
      readings: new Map(),
      onLane: () => {},
    };
    this.#objectWeather = new Weather(this.#machine, 'buckets', REMOTE_FAULTS, 'request doubled');
  }

  /** Makes the key of each day, until it is over. */
  start(isOver: () => boolean): void {
    const { time, random } = this.#machine;
    const renew = () => {
      if (isOver()) return;
      time.after(HOUR_MS, renew);
      // What failed is done by the run of the next hour.
      this.#renew(this.#process()).catch(() => this.#machine.tally.add('keys of receipts: not made'));
    };
    time.after(random.integer(0, HOUR_MS), renew);
  }

  /** A customer has got a response: perhaps it asks for receipts some time after it. */
  noteAnswer(account: string): void {
    const { time, random } = this.#machine;
    if (this.#world.isClear || !random.chance(ASK_RATE)) return;
    time.after(random.magnitude(1, MAX_ASKED_AFTER_MS), () => {
      const hour = hourOf(time.nowMs - random.pick(HOURS_BACK) * HOUR_MS);
      this.#ask(account, hour).catch((error: Error) => this.#excuse(account, error));
    });
  }

  clearSkies(): void {
    for (const weather of Object.values(this.#site.weather)) weather.clear();
    this.#objectWeather.clear();
  }

  /** When nothing goes wrong any more: a key that is long out of its day signs nothing, and a new one everything. */
  async close(hours: Iterable<readonly [account: string, hour: string]>): Promise<void> {
    const { witness } = this.#world;
    for (const [account, hour] of hours) {
      this.#instance = undefined;
      await this.#ask(account, hour).catch((error: Error) => {
        if (!(error instanceof NoReceiptKeyError)) witness.blameDefect(error);
      });
      await this.#renew(this.#process());
      await this.#ask(account, hour).catch((error: Error) =>
        witness.blame(`no receipt is signed in the end: ${error.message}`),
      );
    }
  }

  #process(): SimulatedProcess {
    return new SimulatedProcess('status', this.#machine, this.#clocks, !this.#world.isClear);
  }

  async #renew(process: SimulatedProcess): Promise<void> {
    const secrets = this.#remote(this.#secrets, process);
    const made = await renewIssuer({
      clock: process.clock,
      heads: this.#remote(this.#world.objects.heads, process),
      signer: this.#world.signer,
      writeIssuer: (text) => secrets.put(SECRET, text),
    });
    if (made !== undefined) this.#machine.tally.add('keys of receipts');
  }

  #remote(objects: MemoryObjects, process: SimulatedProcess): RemoteObjects {
    return new RemoteObjects({ machine: this.#machine, objects, weather: this.#objectWeather }, process);
  }

  /** A process of the function: one that serves for long, or a new one. */
  #open(): StatusInstance {
    const known = this.#instance;
    if (known?.process.alive && !this.#machine.random.chance(NEW_PROCESS_RATE)) return known;
    const process = this.#process();
    const { mutant } = this.#world;
    const secrets = this.#remote(this.#secrets, process);
    const readIssuer = async () => (await secrets.get(SECRET))?.toString() ?? '';
    const store = new RemoteStore(this.#site, process);
    const issuer = createIssuer(readIssuer, process.clock);
    this.#instance = {
      process,
      store: mutant?.store?.(store, process) ?? store,
      issuer: mutant?.issuer?.(issuer, readIssuer) ?? issuer,
    };
    return this.#instance;
  }

  /** Asks for the receipts of an hour, page by page, and keeps them. */
  async #ask(account: string, hour: string): Promise<void> {
    const { random, time, tally } = this.#machine;
    const limit = String(random.integer(1, MAX_PAGE));
    const wanted = this.#stored(account, hour);
    const told = new Set<string>();
    let cursor: string | undefined;
    do {
      const { process, store, issuer } = this.#open();
      let ended = false;
      time.after(TIMEOUT_MS, () => {
        if (!ended) process.die();
      });
      const before = this.#stored(account, hour);
      const clockMs = process.clock.now();
      const query = { hour: [hour], limit: [limit], ...(cursor !== undefined && { cursor: [cursor] }) };
      const answer = await listAccountRecords({ store, issuer }, ACCOUNT_RECEIPTS, {
        account,
        query,
      }).finally(() => {
        ended = true;
      });
      if (!answer.ok) throw new Error(answer.message);
      const [row] = answer.body.data;
      const signed = toSignedReceipt(row);
      const receipt = parseReceiptText(signed?.receipt ?? '');
      if (receipt === undefined) throw new Error('there is no receipt in the answer');
      tally.add('receipts');
      const fault = this.#faultOf({ account, hour, clockMs, before }, receipt);
      if (fault !== undefined) this.#world.witness.blame(`a receipt of ${account} ${hour} ${fault}`);
      for (const { shard, lane } of receipt.lanes) told.add(`${shard} ${lane}`);
      if (receipt.lanes.length > 0) this.#keep(account, { hour, signed });
      cursor = answer.body.next_cursor;
    } while (cursor !== undefined);
    for (const name of wanted.keys())
      if (!told.has(name)) this.#world.witness.blame(`receipts of ${account} ${hour} leave out lane ${name}`);
  }

  #keep(account: string, receipt: StoredReceipt): void {
    const kept = this.kept.get(account);
    if (kept === undefined) this.kept.set(account, [receipt]);
    else kept.push(receipt);
  }

  /** Each lane is one of the account, at a charge that it has come to, and as it was stored while it was read. */
  #faultOf({ account, hour, clockMs, before }: Asked, receipt: Receipt): string | undefined {
    if (receipt.account !== account || receipt.hour !== hour)
      return `is one of ${receipt.account} ${receipt.hour}`;
    if (Date.parse(receipt.told_at) !== clockMs) return 'is of another time than it was asked at';
    const after = this.#stored(account, hour);
    for (const { shard, lane, n, total } of receipt.lanes) {
      const name = `${shard} ${lane}`;
      const now = after.get(name);
      const least = before.get(name)?.total ?? 0;
      this.#machine.tally.add('lanes of receipts');
      if (now === undefined) return `has lane ${name}, which is of another account, or not stored`;
      if (total < least) return `has lane ${name} with ${total} CU, and ${least} were stored before`;
      if (total > now.total) return `has lane ${name} with ${total} CU, and ${now.total} are stored`;
      if (!this.#world.witness.wasAt({ account, shard, hour, lane }, { n, total }))
        return `has lane ${name} with ${n} charges of ${total} CU, at which it never was`;
    }
    return undefined;
  }

  /** Lanes of an hour as they are stored now, by shard and lane. */
  #stored(account: string, hour: string): ReadonlyMap<string, LaneState> {
    const lanes = new Map<string, LaneState>();
    for (const { account_shard, hour_lane, n, total } of this.#world.store.items('lanes')) {
      const [owner, shard] = String(account_shard).split('#');
      const [laneHour, lane] = String(hour_lane).split('#');
      if (owner !== account || laneHour !== hour) continue;
      lanes.set(`${shard} ${lane}`, { n: Number(n ?? 0), total: Number(total) });
    }
    return lanes;
  }

  #excuse(account: string, error: Error): void {
    const { witness, machine } = this.#world;
    const isRemote = isStoreUnavailable(error) || error.message.startsWith('bucket: ');
    const isGone = witness.wasRestored(account) && error.message.includes('account');
    if (error instanceof NoReceiptKeyError) machine.tally.add('receipts refused: no key');
    else if (isRemote || isGone) machine.tally.add('receipts refused: unavailable');
    else witness.blameDefect(error);
  }
}
