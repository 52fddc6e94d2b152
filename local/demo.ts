import { randomBytes } from 'node:crypto';
import { generateApiKey, keyIdOf } from '../lambdas/access/keys/api-key.ts';
import { createDynamoStore } from '../lambdas/access/store/dynamo-store.ts';
import { createAccount } from '../lambdas/accounts/create-account.ts';
import { createKey } from '../lambdas/accounts/keys.ts';
import type { Clock } from '../lambdas/shared/runtime/clock.ts';
import type { LocalClientConfig } from './client-config.ts';

export const DEMO_ACCOUNT = 'demo';
const DEMO_REFERENCE = 'demo';
/** The first request of a start may find a busy machine. */
const TIMEOUT_MS = 60_000;

interface DemoOptions {
  /** How the embedded DynamoDB is reached. */
  readonly clientConfig: LocalClientConfig;
  /** Outputs of the stack. */
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly creditCu: number;
  readonly clock: Clock;
  /** Key that the last run of the same data folder printed. */
  readonly knownKey: string | undefined;
}

/** Makes the demo account and its key where they are missing, and returns the key. */
export async function ensureDemoKey(options: DemoOptions): Promise<string> {
  const { clientConfig, outputs, clock, creditCu } = options;
  const store = createDynamoStore({
    tableNames: {
      keys: String(outputs.KeysTableName),
      accounts: String(outputs.AccountsTableName),
      lanes: String(outputs.LanesTableName),
      unsettled: String(outputs.UnsettledTableName),
      balances: String(outputs.BalancesTableName),
      ledger: String(outputs.LedgerTableName),
    },
    clientConfig,
    connectTimeoutMs: TIMEOUT_MS,
    requestTimeoutMs: TIMEOUT_MS,
  });
  const apiKey = options.knownKey ?? generateApiKey(randomBytes);
  if ((await store.get('accounts', { account: DEMO_ACCOUNT })) === undefined) {
    const credit = { cu: creditCu, reference: DEMO_REFERENCE };
    await createAccount(store, clock, { account: DEMO_ACCOUNT, plan: String(outputs.DefaultPlan), credit });
  }
  if ((await store.get('keys', { key_id: keyIdOf(apiKey) })) === undefined) {
    await createKey(store, clock, { account: DEMO_ACCOUNT, label: 'demo', apiKey });
  }
  return apiKey;
}
