import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { readAccountItem } from '../../../lambdas/access/accounts/account-item.ts';
import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import { API_KEY_PATTERN, generateApiKey, keyIdOf } from '../../../lambdas/access/keys/api-key.ts';
import { createAccount } from '../../../lambdas/accounts/create-account.ts';
import { createKey, listKeys, setKeyStatus } from '../../../lambdas/accounts/keys.ts';
import { type AccountStatement, stateAccount } from '../../../lambdas/settlement/account-statement.ts';
import type { Context } from '../context/command.ts';
import type { Outside } from './outside.ts';

/** The account that makes the first call of a stage. Whatever else has credit belongs to others. */
export const FIRST_ACCOUNT = 'first';
const FIRST_CREDIT_CU = 1_000_000;
const KEY_LABEL = 'operator up';
const OWNER_ONLY = 0o600;
const OK = 200;
const FIRST_CALL = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber' });
/** A new API, its firewall and its instances take up to two minutes until they answer. */
const MAX_CALLS = 24;
const CALL_PAUSE_MS = 5_000;

/** The first account, with its credit; it is made if it is not there. */
export async function openAccount(context: Context): Promise<AccountStatement> {
  const { store, clock, defaultPlan: plan, shards } = context;
  const item = await store.get('accounts', { account: FIRST_ACCOUNT });
  if (item !== undefined) return stateAccount(store, readAccountItem(item));
  const credit = { cu: FIRST_CREDIT_CU, reference: 'opening', by: KEY_LABEL };
  return createAccount(store, clock, { account: FIRST_ACCOUNT, plan, shards: shards[plan] ?? 1, credit });
}

/** A key of the first account, and where its owner finds it. */
interface FirstKey {
  readonly key: string;
  /** Absent: it was shown on the terminal. */
  readonly file?: string;
}

/**
 * A key that its owner has: on the terminal, or else in a file that only the owner may read, where it is before the gateway
 * has it. Keys that were made before, and with which nothing was ever called, are disabled: nobody may have seen them.
 * Undefined: the account has been used, so that its owner has a key.
 */
export async function openKey(
  { show }: Pick<Outside, 'show'>,
  { store, clock }: Context,
  account: AccountStatement,
  file: string,
): Promise<FirstKey | undefined> {
  const kept = await readKey(file);
  if (kept === undefined && account.charged_cu > 0) return undefined;
  const keys = await listKeys({ store }, FIRST_ACCOUNT);
  const keptId = kept === undefined ? undefined : keyIdOf(kept);
  for (const { key_id, label, status } of account.charged_cu > 0 ? [] : keys)
    if (label === KEY_LABEL && status === 'active' && key_id !== keptId)
      await setKeyStatus(store, clock, key_id, 'disabled');
  const key = kept ?? generateApiKey(randomBytes);
  const shown =
    kept === undefined && show(`\n   api key: ${key}\n   Save it now: it cannot be shown again.\n`);
  if (kept === undefined && !shown)
    await writeFile(file, `${key}\n`, { mode: OWNER_ONLY, flag: 'wx', flush: true });
  if ((await store.get('keys', { key_id: keyIdOf(key) })) === undefined)
    await createKey(store, clock, { account: FIRST_ACCOUNT, label: KEY_LABEL, apiKey: key });
  return shown ? { key } : { key, file };
}

/** The key of a file; undefined: there is no such file. Throws {@link InputError} if it has anything else. */
async function readKey(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  const key = text?.trim();
  if (key !== undefined && !API_KEY_PATTERN.test(key)) throw new InputError(`${file} holds no API key`);
  return key;
}

/** Makes the first call. Resolves to the newest block; rejects with an Error that has the last response, or says that there was none. */
export async function callFirst({ askNode, pause }: Outside, baseUrl: string, key: string): Promise<number> {
  let last = 'no response';
  for (let call = 1; call <= MAX_CALLS; call += 1) {
    const response = await askNode(`${baseUrl}/v1/`, { 'x-api-key': key }, FIRST_CALL).catch(() => undefined);
    const block = response?.status === OK ? Number(resultOf(response.body)) : Number.NaN;
    if (Number.isSafeInteger(block)) return block;
    if (response !== undefined) last = `${response.status} ${response.body.slice(0, 200)}`.trim();
    await pause(CALL_PAUSE_MS);
  }
  throw new Error(`the first call failed ${MAX_CALLS} times, at last with: ${last}`);
}

function resultOf(body: string): unknown {
  try {
    return JSON.parse(body).result ?? undefined;
  } catch {
    return undefined;
  }
}
