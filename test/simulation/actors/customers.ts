import type { KeyBounds } from '../../../lambdas/access/contract/key-bounds.ts';
import { keyIdOf } from '../../../lambdas/access/keys/api-key.ts';
import { createAccount } from '../../../lambdas/accounts/create-account.ts';
import { createKey } from '../../../lambdas/accounts/keys.ts';
import { BOUND_CU_PER_SECOND, PLAN_NAMES } from '../plans.ts';
import type { World } from '../world.ts';

const MIN_ACCOUNTS = 3;
const MAX_ACCOUNTS = 8;
const MAX_KEYS = 4;
const MAX_ACCOUNT_SHARDS = 3;
/** Opening credits: some are used up, some are not. */
const MIN_CREDIT_CU = 500;
const MAX_CREDIT_CU = 5_000_000;

/** Compute units of a key's day, by the first digit of its id, and the second digits of keys that refill slowly. */
const DAYS_CU: ReadonlyMap<string, number> = new Map([
  ['0', 700],
  ['1', 9_000],
]);
const SLOW_KEYS = ['0'];

export interface CustomerKey {
  readonly account: string;
  readonly keyId: string;
  readonly apiKey: string;
}

export interface Customer {
  readonly account: string;
  readonly keys: readonly [CustomerKey, ...CustomerKey[]];
  /** Compute units that operators have decided to grant. */
  grantedCu: number;
}

/** Makes accounts with one key or several, before anything goes wrong. */
export async function openCustomers(world: World): Promise<[Customer, ...Customer[]]> {
  const { random } = world.machine;
  const customers = [await openCustomer(world, 0)] as [Customer, ...Customer[]];
  const count = random.integer(MIN_ACCOUNTS, MAX_ACCOUNTS);
  while (customers.length < count) customers.push(await openCustomer(world, customers.length));
  return customers;
}

async function openCustomer({ machine, store }: World, number: number): Promise<Customer> {
  const { random, time } = machine;
  const clock = { now: () => time.nowMs };
  const account = `account-${number}`;
  const cu = random.magnitude(MIN_CREDIT_CU, MAX_CREDIT_CU);
  const plan = random.pick(PLAN_NAMES);
  const shards = random.pick([1, 1, MAX_ACCOUNT_SHARDS]);
  await createAccount(store, clock, { account, plan, shards, credit: { cu, reference: 'opening' } });
  const keys: CustomerKey[] = [];
  const count = random.integer(1, MAX_KEYS);
  while (keys.length < count) {
    const apiKey = `rgw_${Buffer.from(random.bytes(32)).toString('hex')}`;
    const bounds = boundsOf(keyIdOf(apiKey));
    const { key_id: keyId } = await createKey(store, clock, { account, apiKey, bounds });
    keys.push({ account, keyId, apiKey });
  }
  return { account, keys: keys as [CustomerKey, ...CustomerKey[]], grantedCu: cu };
}

/** Some keys are bound, by chance of their ids: that takes nothing of the run's own randomness. */
function boundsOf(keyId: string): KeyBounds {
  const [day = '', second = ''] = keyId;
  const cuPerDay = DAYS_CU.get(day);
  return {
    ...(cuPerDay !== undefined && { cu_per_day: cuPerDay }),
    ...(SLOW_KEYS.includes(second) && { cu_per_second: BOUND_CU_PER_SECOND }),
  };
}
