import type { Clock } from '../clock.ts';
import type { PlanSettings } from '../settings.ts';
import { type AccountMemory, type AccountView, isRecent } from './account-memory.ts';
import { drawOf, limitStates } from './bucket.ts';
import { type Drawing, type Drawn, drawFromBucket } from './draw-bucket.ts';
import type { Admission, KeyHolder, Price, Refusal } from './metering.ts';
import { rateLimited, refuse } from './refuse.ts';

/** What admission works on. */
export interface Admitting extends Drawing {
  readonly clock: Clock;
  readonly accounts: AccountMemory;
}

/**
 * Checks balance and limits and deducts the price from the key's bucket. The time is taken once, on arrival.
 *
 * - Last balance seen was positive: balance and bucket are asked at once, so admission takes one round trip.
 * - It was not, or none was seen: the balance first, so that a refusal for balance drains no bucket.
 * - What the remembered bucket does not fit is refused without the store, as long as the plan was seen recently.
 *
 * Rejects with `StoreUnavailableError`.
 */
export async function admit(parts: Admitting, holder: KeyHolder, price: Price): Promise<Admission> {
  const now = parts.clock.now();
  const known = parts.accounts.recall(holder.account);
  if (known !== undefined && known.balanceCu > 0n) {
    const refusal = refuse(known.plan, price, parts.buckets.recall(holder.keyId), now);
    if (refusal === undefined) {
      const [account, drawn] = await Promise.all([
        parts.accounts.read(parts.store, holder.account, now),
        draw(parts, holder, known.plan, price, now),
      ]);
      return conclude(account, known.plan, drawn, now);
    }
    if (isRecent(known, now)) return refused(refusal);
  }
  const account = await parts.accounts.read(parts.store, holder.account, now);
  if (account.balanceCu <= 0n) return insufficientBalance(account);
  const refusal = refuse(account.plan, price, parts.buckets.recall(holder.keyId), now);
  if (refusal !== undefined) return refused(refusal);
  return conclude(account, account.plan, await draw(parts, holder, account.plan, price, now), now);
}

function draw(
  parts: Admitting,
  holder: KeyHolder,
  plan: PlanSettings,
  price: Price,
  now: number,
): Promise<Drawn> {
  return drawFromBucket(parts, holder.keyId, drawOf(plan, price, now));
}

/** Key before balance before limits, as the order of checks demands. */
function conclude(account: AccountView, plan: PlanSettings, drawn: Drawn, now: number): Admission {
  if (drawn.state === 'inactive') return refused({ reason: 'key_unknown' });
  if (account.balanceCu <= 0n) return insufficientBalance(account);
  if (drawn.state === 'refused') {
    return refused(rateLimited(drawn.limit, drawn.retryAfterMs, plan, drawn.bucket, now));
  }
  return {
    admitted: true,
    balanceCu: account.balanceCu,
    limits: limitStates(plan, drawn.bucket, now),
  };
}

function insufficientBalance(account: AccountView): Admission {
  return refused({ reason: 'insufficient_balance', balanceCu: account.balanceCu });
}

function refused(refusal: Refusal): Admission {
  return { admitted: false, refusal };
}
