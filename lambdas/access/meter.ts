import type { Clock } from '../clock.ts';
import { errorField, log } from '../log.ts';
import type { StageSettings } from '../settings.ts';
import { AccountMemory } from './account-memory.ts';
import { type Admitting, admit } from './admit.ts';
import { API_KEY_PATTERN, keyIdOf } from './api-key.ts';
import { BucketMemory } from './bucket-memory.ts';
import { type ChargeQueue, type Charging, chargeAccount, type Pause } from './charge.ts';
import { KeyCache } from './key-cache.ts';
import { LanePool, type RandomBytes } from './lane-pool.ts';
import type { Admission, ChargeOutcome, KeyHolder, Meter, MethodUsage, Price } from './metering.ts';
import { type Store, StoreUnavailableError } from './store.ts';

/** What a meter is made of. */
export interface MeterOptions {
  readonly store: Store;
  readonly queue: ChargeQueue;
  readonly settings: Pick<StageSettings, 'plans' | 'defaultPlan'>;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly pause: Pause;
}

/** The meter of one instance. What it remembers only saves store requests: any number of instances share one store. */
export function createMeter(options: MeterOptions): Meter {
  const buckets = new BucketMemory();
  const accounts = new AccountMemory(options.settings);
  const keys = new KeyCache(options.store, options.clock, buckets);
  const admitting = { ...options, accounts, buckets };
  const charging = { ...options, lanes: new LanePool(options.randomBytes), accounts };
  return {
    authenticate: (presentedKey) => authenticate(keys, presentedKey),
    admit: (holder, price) => admitOrUnavailable(admitting, keys, holder, price),
    charge: (holder, cu, usage) => chargeOrLost(charging, holder, cu, usage),
  };
}

/**
 * A malformed key is looked up like any other, though it cannot be found: the answers to malformed, unknown and disabled
 * keys then take equally long.
 */
async function authenticate(
  keys: KeyCache,
  presentedKey: string | undefined,
): Promise<KeyHolder | undefined> {
  if (presentedKey === undefined) return undefined;
  const holder = await keys.lookUp(keyIdOf(presentedKey));
  return API_KEY_PATTERN.test(presentedKey) ? holder : undefined;
}

async function admitOrUnavailable(
  admitting: Admitting,
  keys: KeyCache,
  holder: KeyHolder,
  price: Price,
): Promise<Admission> {
  try {
    const admission = await admit(admitting, holder, price);
    if (!admission.admitted && admission.refusal.reason === 'key_unknown') keys.markInactive(holder.keyId);
    return admission;
  } catch (error) {
    logFailure('admission_failed', holder, error);
    return { admitted: false, refusal: { reason: 'billing_unavailable' } };
  }
}

async function chargeOrLost(
  charging: Charging,
  holder: KeyHolder,
  cu: number,
  usage: readonly MethodUsage[],
): Promise<ChargeOutcome> {
  try {
    return await chargeAccount(charging, holder.account, cu, usage);
  } catch (error) {
    logFailure('charge_lost', holder, error);
    return { state: 'lost' };
  }
}

/** An unavailable store is expected to happen; anything else is a defect. */
function logFailure(event: string, holder: KeyHolder, error: unknown): void {
  const level = error instanceof StoreUnavailableError ? 'warn' : 'error';
  log(level, event, { account: holder.account, error: errorField(error) });
}
