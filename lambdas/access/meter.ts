import type { Clock } from '../shared/runtime/clock.ts';
import { errorField } from '../shared/runtime/log.ts';
import type { RandomBytes } from '../shared/runtime/random-bytes.ts';
import type { StageSettings } from '../shared/runtime/settings.ts';
import type { Sleep } from '../shared/runtime/sleep.ts';
import type { Telemetry } from '../shared/runtime/telemetry.ts';
import { AccountViews } from './accounts/account-views.ts';
import { type Admitting, admit, expectsAdmission, usedUpBalance } from './admit.ts';
import { BucketMemory } from './bucket/draw-bucket.ts';
import { type ChargeQueue, Charges } from './charge/charge.ts';
import type { Entry } from './contract/key-bounds.ts';
import type { Admission, Charge, KeyHolder, Meter, MethodUsage, Price } from './contract/metering.ts';
import type { RefusalReason, RefusalStore } from './contract/refusals.ts';
import { DrawAhead, KeyDraws } from './key-draws.ts';
import { API_KEY_PATTERN, keyIdOf } from './keys/api-key.ts';
import { refusedEntry } from './keys/check-bounds.ts';
import { KeyCache } from './keys/key-cache.ts';
import { Refusals } from './keys/refusals.ts';
import { type Store, StoreUnavailableError } from './store/store.ts';

const NO_ENTRY: Entry = { api: undefined, address: undefined };

/** What a meter is made of. */
interface MeterOptions {
  readonly store: Store;
  readonly queue: ChargeQueue;
  readonly settings: Pick<StageSettings, 'plans' | 'defaultPlan' | 'metering'>;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly pause: Sleep;
  readonly telemetry: Telemetry;
  /** Where owners read what the bounds of their keys refused. @default nowhere */
  readonly refusals?: RefusalStore;
  /** Lanes of an account that are read directly. @default NARROW_LANES */
  readonly narrowLanes?: number;
  /** Starts a run of the function that keeps balance views. @default the next one is soon enough */
  readonly startBalances?: () => Promise<void>;
}

/** The meter of one process, which can hand over and store what it has not stored. */
export interface ProcessMeter extends Meter {
  /** Hands all charges that are not stored to the queue, before the process ends. Never rejects. */
  handOver(): Promise<void>;
  /** Stores all charges that were held back for their time. Never rejects. */
  storeAllDue(): Promise<void>;
}

/** The meter of one instance. What it remembers only saves store requests: any number of instances share one store. */
export function createMeter(options: MeterOptions): ProcessMeter {
  const { store, clock, settings, telemetry } = options;
  const buckets = new BucketMemory();
  const charges = new Charges({ ...options, metering: settings.metering });
  const accounts = new AccountViews(options, (account) => charges.heldCu(account));
  const keys = new KeyCache(store, clock, buckets);
  const ahead = new DrawAhead();
  const draws = new KeyDraws({ ...options, keys, buckets, ahead });
  const admitting = { ...options, accounts, buckets, ahead, draws };
  const refusals = new Refusals(options);
  const parts = { admitting, keys, accounts, charges, refusals, clock, telemetry };
  return {
    authenticate: (presentedKey, entry) => authenticate(parts, presentedKey, entry),
    isActive: (holder) => isActive(parts, holder),
    expectsAdmission: (holder, price) => expectsAdmission(admitting, holder, price),
    usedUpBalance: (holder) => usedUpOrUnknown(parts, holder),
    admit: (holder, price) => admitOrUnavailable(parts, holder, price),
    charge: (holder, cu, usage, hour) => chargeOrLose(parts, holder, { cu, usage, hour }),
    noteRefusal: (holder, reason) => refusals.note(holder, reason, holder.address),
    storeDue: async () => {
      await Promise.all([charges.storeDue(), refusals.storeDue()]);
    },
    storeAllDue: async () => {
      await Promise.all([charges.storeAllDue(), refusals.storeDue()]);
    },
    handOver: async () => {
      await Promise.all([charges.handOver(), refusals.handOver()]);
    },
  };
}

/**
 * A malformed key is looked up like any other, though it cannot be found: the responses to malformed, unknown and disabled
 * keys then take equally long, and those to keys that are bound to something else.
 */
async function authenticate(
  { keys, refusals, clock }: MeterParts,
  presentedKey: string | undefined,
  entry: Entry = NO_ENTRY,
): Promise<KeyHolder | undefined> {
  if (presentedKey === undefined) return undefined;
  let refused: { readonly holder: KeyHolder; readonly reason: RefusalReason } | undefined;
  const mayUse = (of: KeyHolder) => {
    const reason = of.bounds && refusedEntry(of.bounds, entry, clock.now());
    refused = reason && { holder: of, reason };
    return refused === undefined;
  };
  const holder = await keys.lookUp(keyIdOf(presentedKey), mayUse);
  if (!API_KEY_PATTERN.test(presentedKey)) return undefined;
  if (holder === undefined && refused !== undefined)
    refusals.note(refused.holder, refused.reason, entry.address);
  return holder;
}

/** What a meter has. */
interface MeterParts {
  readonly admitting: Admitting;
  readonly keys: KeyCache;
  readonly accounts: AccountViews;
  readonly charges: Charges;
  readonly refusals: Refusals;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/** While the store does not say, a key that was active still is. */
async function isActive({ keys, telemetry }: MeterParts, holder: KeyHolder): Promise<boolean> {
  try {
    return (await keys.lookUpAnew(holder.keyId)) !== undefined;
  } catch (error) {
    logFailure(telemetry, 'key_not_confirmed', holder, error);
    return true;
  }
}

/** A store that is away changes no response. */
async function usedUpOrUnknown(
  { admitting, telemetry }: MeterParts,
  holder: KeyHolder,
): Promise<bigint | undefined> {
  try {
    return await usedUpBalance(admitting, holder.account);
  } catch (error) {
    logFailure(telemetry, 'balance_not_read', holder, error);
    return undefined;
  }
}

async function admitOrUnavailable(
  { admitting, keys, refusals, telemetry }: MeterParts,
  holder: KeyHolder,
  price: Price,
): Promise<Admission> {
  try {
    const admission = await admit(admitting, holder, price);
    if (admission.admitted) return admission;
    const { reason } = admission.refusal;
    if (reason === 'key_unknown') keys.markInactive(holder.keyId);
    if (reason === 'key_daily_limit') refusals.note(holder, 'day', holder.address);
    return admission;
  } catch (error) {
    logFailure(telemetry, 'admission_failed', holder, error);
    return { admitted: false, refusal: { reason: 'billing_unavailable' } };
  }
}

/** A charge that fails by a defect is lost: its response is on its way. */
function chargeOrLose(
  { accounts, charges, telemetry }: MeterParts,
  holder: KeyHolder,
  {
    cu,
    usage,
    hour,
  }: { readonly cu: number; readonly usage: readonly MethodUsage[]; readonly hour: string | undefined },
): Charge {
  const lost = (error: unknown) => {
    logFailure(telemetry, 'charge_lost', holder, error);
    return 'unstored' as const;
  };
  try {
    accounts.noteCharge(holder.account, cu);
    const { lane, store } = charges.charge(accounts.chargedAccount(holder.account), cu, usage, hour);
    return { lane, store: () => store().catch(lost) };
  } catch (error) {
    const outcome = lost(error);
    return { lane: undefined, store: async () => outcome };
  }
}

/** An unavailable store is expected to happen; anything else is a defect. */
function logFailure({ log }: Telemetry, event: string, holder: KeyHolder, error: unknown): void {
  const level = error instanceof StoreUnavailableError ? 'warn' : 'error';
  log(level, event, { account: holder.account, error: errorField(error) });
}
