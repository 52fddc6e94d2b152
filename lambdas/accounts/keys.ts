import { randomBytes } from 'node:crypto';
import { requireAccountId, unknownAccount } from '../access/accounts/account-item.ts';
import { InputError } from '../access/contract/input-error.ts';
import type { KeyBounds } from '../access/contract/key-bounds.ts';
import { generateApiKey, KEY_ID_PATTERN, keyIdOf, readBounds } from '../access/keys/api-key.ts';
import { queryItems, type Reading } from '../access/store/query-items.ts';
import type { Item, Store, Value } from '../access/store/store.ts';
import { KEYS_BY_ACCOUNT_INDEX } from '../access/store/tables.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { renderBounds } from './parse-bounds.ts';

/** Keys that {@link listKeys} reads at once. */
const KEYS_PER_PAGE = 1_000;

/** Changes of one key that may come between. */
const ATTEMPTS = 5;
const MAX_LABEL_LENGTH = 100;
const CONTROL_CHARACTER = /\p{Cc}/u;

export type KeyStatus = 'active' | 'disabled';

/** A key as operators see it; the key itself is nowhere stored. */
export interface KeyDescription {
  readonly key_id: string;
  readonly account: string;
  readonly label: string;
  /** Last four characters of the key. */
  readonly last4: string;
  readonly status: KeyStatus;
  /** ISO 8601. */
  readonly created_at: string;
}

/** A key with what it may be used for. */
export interface BoundKey extends KeyDescription {
  /** Empty: it has no bounds. Undefined: they cannot be read, and no request may use the key. */
  readonly bounds: KeyBounds | undefined;
}

/** A key that was just made: the only time that it can be seen. */
interface CreatedKey {
  readonly key_id: string;
  readonly api_key: string;
  readonly account: string;
  readonly label: string;
  readonly created_at: string;
  /** Absent: it has none. */
  readonly bounds?: KeyBounds;
}

/** Makes a key for an account. Throws {@link InputError} if there is no such account or the label is malformed. */
export async function createKey(
  store: Store,
  clock: Clock,
  request: {
    readonly account: string;
    /** @default '' */
    readonly label?: string;
    /** @default a new random key */
    readonly apiKey?: string;
    /** @default none */
    readonly bounds?: KeyBounds;
  },
): Promise<CreatedKey> {
  const { account, label = '', apiKey = generateApiKey(randomBytes), bounds = {} } = request;
  const bound = Object.keys(bounds).length > 0;
  requireAccountId(account);
  if (label.length > MAX_LABEL_LENGTH || CONTROL_CHARACTER.test(label)) {
    throw new InputError(`a label has at most ${MAX_LABEL_LENGTH} characters and no control characters`);
  }
  const description: KeyDescription = {
    key_id: keyIdOf(apiKey),
    account,
    label,
    last4: apiKey.slice(-4),
    status: 'active',
    created_at: new Date(clock.now()).toISOString(),
  };
  const item = { ...description, ...(bound && { bounds: renderBounds(bounds) }) };
  const result = await store.transact([
    { put: { table: 'keys', item, when: [{ is: 'absent', attribute: 'key_id' }] } },
    {
      update: {
        table: 'accounts',
        key: { account },
        when: [{ is: 'present', attribute: 'enabled_keys' }],
        add: { keys: 1n, enabled_keys: 1n },
      },
    },
  ]);
  if (!result.applied) {
    throw result.refused[1] ? unknownAccount(account) : new InputError('this key exists already');
  }
  const { key_id, created_at } = description;
  return { key_id, api_key: apiKey, account, label, created_at, ...(bound && { bounds }) };
}

/** A key with its bounds. Throws {@link InputError} if there is no such key. */
export async function showKey(store: Store, keyId: string): Promise<BoundKey> {
  return boundKey(await readKey(store, keyId));
}

/**
 * Gives a key other bounds; they count within ten seconds, also while requests are under way. Throws {@link InputError} if
 * there is no such key, and what `change` throws. Rejects with an Error if others change it all the time.
 * @param change from the bounds that the key has; those that cannot be read count as none
 */
export async function updateKeyBounds(
  store: Store,
  keyId: string,
  change: (before: KeyBounds) => KeyBounds,
): Promise<BoundKey> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const item = await readKey(store, keyId);
    const bounds = change(readBounds(item.bounds) ?? {});
    const { applied } = await store.update({
      table: 'keys',
      key: { key_id: keyId },
      when: [
        { is: 'present', attribute: 'account' },
        item.bounds === undefined
          ? { is: 'absent', attribute: 'bounds' }
          : { is: '=', attribute: 'bounds', value: item.bounds },
      ],
      set: { bounds: renderBounds(bounds) },
    });
    if (applied) return { ...describe(item), bounds };
  }
  throw new Error(`key ${keyId} changed at each of ${ATTEMPTS} attempts`);
}

/** All keys of an account, the oldest first. A key made a moment ago may still be missing. */
export async function listKeys(reading: Reading, account: string): Promise<KeyDescription[]> {
  const items = queryItems(reading, {
    table: 'keys',
    index: KEYS_BY_ACCOUNT_INDEX.name,
    partition: { attribute: KEYS_BY_ACCOUNT_INDEX.partitionKey, value: account },
    limit: KEYS_PER_PAGE,
  });
  const keys = await Array.fromAsync(items, describe);
  return keys.sort((left, right) => left.created_at.localeCompare(right.created_at));
}

/**
 * Enables or disables a key; its bucket stays as it is. The account counts its enabled keys in the same transaction, once
 * for each change. Throws {@link InputError} if there is no such key. Rejects with an Error if others change it all the time.
 */
export async function setKeyStatus(
  store: Store,
  clock: Clock,
  keyId: string,
  status: KeyStatus,
): Promise<KeyDescription> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const item = await readKey(store, keyId);
    const changed = { ...describe(item), status };
    if (item.status === status || (await changeStatus(store, clock, changed, item.status))) return changed;
  }
  throw new Error(`key ${keyId} changed at each of ${ATTEMPTS} attempts`);
}

/** Resolves to whether it is done; if not, another change came between. */
async function changeStatus(
  store: Store,
  clock: Clock,
  { key_id, account, status }: KeyDescription,
  before: Value | undefined,
): Promise<boolean> {
  const key = {
    table: 'keys',
    key: { key_id },
    when: [{ is: '=', attribute: 'status', value: before ?? '' }],
    set: { status },
  } as const;
  const counted = {
    table: 'accounts',
    key: { account },
    when: [{ is: 'present', attribute: 'enabled_keys' }],
    ...(status === 'active'
      ? { add: { enabled_keys: 1n } }
      : { add: { enabled_keys: -1n }, set: { disabled_at_ms: BigInt(clock.now()) } }),
  } as const;
  const result = await store.transact([{ update: key }, { update: counted }]);
  if (result.applied) return true;
  // An account item that is gone counts its keys when it is rebuilt; a key can be disabled before.
  return result.refused[1] !== undefined && (await store.update(key)).applied;
}

/** Throws {@link InputError} unless the text can be the id of a key. It is not repeated: it may be the key itself. */
function requireKeyId(keyId: string): void {
  if (!KEY_ID_PATTERN.test(keyId)) {
    throw new InputError('a key id has 64 hex digits (see `key list`); it is not the key itself');
  }
}

async function readKey(store: Store, keyId: string): Promise<Item> {
  requireKeyId(keyId);
  const item = await store.get('keys', { key_id: keyId });
  if (item === undefined) throw new InputError(`unknown key ${keyId}`);
  return item;
}

function boundKey(item: Item): BoundKey {
  return { ...describe(item), bounds: readBounds(item.bounds) };
}

function describe(item: Item): KeyDescription {
  return {
    key_id: String(item.key_id),
    account: String(item.account),
    label: String(item.label),
    last4: String(item.last4),
    status: item.status === 'active' ? 'active' : 'disabled',
    created_at: String(item.created_at),
  };
}
