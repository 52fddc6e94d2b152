import { createHash } from 'node:crypto';
import { InputError } from '../../lambdas/access/contract/input-error.ts';
import { API_KEY_PATTERN, keyIdOf } from '../../lambdas/access/keys/api-key.ts';
import type { Store } from '../../lambdas/access/store/store.ts';
import { createAccount } from '../../lambdas/accounts/create-account.ts';
import { createKey, listKeys, setKeyStatus, showKey, updateKeyBounds } from '../../lambdas/accounts/keys.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { passOn } from '../simulation/stores/pass-on.ts';

let now: number;
const clock = { now: () => now };
let store: MemoryStore;
beforeEach(async () => {
  now = Date.parse('2026-11-20T23:15:00Z');
  store = new MemoryStore();
  await createAccount(store, clock, { account: 'acme', plan: 'standard' });
});

test('a key is stored under its digest, and the key itself nowhere', async () => {
  const key = await createKey(store, clock, { account: 'acme', label: 'back end' });
  expect(key.api_key).toMatch(API_KEY_PATTERN);
  expect(key).toEqual({
    key_id: keyIdOf(key.api_key),
    api_key: key.api_key,
    account: 'acme',
    label: 'back end',
    created_at: '2026-11-20T23:15:00.000Z',
  });
  const [item] = store.items('keys');
  expect(key.key_id).toBe(createHash('sha256').update(key.api_key).digest('hex'));
  expect(JSON.stringify(item)).not.toContain(key.api_key);
  expect(item).toEqual({
    key_id: key.key_id,
    account: 'acme',
    label: 'back end',
    last4: key.api_key.slice(-4),
    status: 'active',
    created_at: key.created_at,
  });
  expect(store.items('accounts')).toMatchObject([{ account: 'acme', keys: 1n }]);
});

test('a key needs an account, and a key that exists is not made again', async () => {
  const apiKey = `rgw_${'0'.repeat(64)}`;
  await expect(createKey(store, clock, { account: 'nobody', apiKey })).rejects.toThrow(
    'unknown account nobody',
  );
  expect(store.items('keys')).toEqual([]);
  await createKey(store, clock, { account: 'acme', apiKey });
  await expect(createKey(store, clock, { account: 'acme', apiKey })).rejects.toThrow(
    'this key exists already',
  );
  expect(store.items('accounts')).toMatchObject([{ account: 'acme', keys: 1n }]);
});

test.each(['a\nb', '\u001b[2J', 'x'.repeat(101)])('refuses the label %j', async (label) => {
  await expect(createKey(store, clock, { account: 'acme', label })).rejects.toThrow(InputError);
});

test('keys are listed oldest first, of their account only', async () => {
  await createAccount(store, clock, { account: 'other', plan: 'standard' });
  await createKey(store, clock, { account: 'other' });
  const made = [];
  for (let number = 0; number < 8; number += 1) {
    now += 1_000;
    made.push(await createKey(store, clock, { account: 'acme', label: `key ${number}` }));
  }
  const listed = await listKeys({ store }, 'acme');
  expect(listed).toEqual(
    made.map(({ api_key, ...key }) => ({ ...key, last4: api_key.slice(-4), status: 'active' })),
  );
});

test('concurrent changes of the bounds of a key are made one after the other', async () => {
  const bounds = { apis: ['rpc'] } as const;
  const { key_id } = await createKey(store, clock, { account: 'acme', bounds });
  expect(await showKey(store, key_id)).toMatchObject({ key_id, last4: expect.any(String), bounds });
  await Promise.all([
    updateKeyBounds(store, key_id, (before) => ({ ...before, chains: ['a'] })),
    updateKeyBounds(store, key_id, (before) => ({ ...before, methods: ['eth_call'] })),
  ]);
  expect((await showKey(store, key_id)).bounds).toEqual({ ...bounds, chains: ['a'], methods: ['eth_call'] });
  await updateKeyBounds(store, key_id, () => ({}));
  expect((await showKey(store, key_id)).bounds).toEqual({});
  expect(await store.get('keys', { key_id })).toMatchObject({ account: 'acme', status: 'active' });
});

test('bounds that cannot be read are shown as such, and can be replaced', async () => {
  const { key_id } = await createKey(store, clock, { account: 'acme' });
  await store.update({ table: 'keys', key: { key_id }, when: [], set: { bounds: '{' } });
  expect(await showKey(store, key_id)).toMatchObject({ bounds: undefined });
  expect(await updateKeyBounds(store, key_id, () => ({ apis: ['rpc'] }))).toMatchObject({
    bounds: { apis: ['rpc'] },
  });
  await expect(updateKeyBounds(store, '0'.repeat(64), () => ({}))).rejects.toThrow('unknown key 000');
});

test('disabling and enabling a key leaves its bucket alone', async () => {
  const { key_id } = await createKey(store, clock, { account: 'acme' });
  await store.update({ table: 'keys', key: { key_id }, when: [], set: { tat: 5n, rt: 6n } });
  await expect(setKeyStatus(store, clock, key_id, 'disabled')).resolves.toMatchObject({
    key_id,
    status: 'disabled',
  });
  await expect(store.get('keys', { key_id })).resolves.toMatchObject({ status: 'disabled', tat: 5n, rt: 6n });
  await setKeyStatus(store, clock, key_id, 'disabled');
  await expect(setKeyStatus(store, clock, key_id, 'active')).resolves.toMatchObject({ status: 'active' });
  await expect(store.get('keys', { key_id })).resolves.toMatchObject({ status: 'active', tat: 5n, rt: 6n });
});

test('a key that there is not cannot be disabled, and a key is not repeated in the message', async () => {
  await expect(setKeyStatus(store, clock, '0'.repeat(64), 'disabled')).rejects.toThrow('unknown key 000');
  expect(store.items('keys')).toEqual([]);
  const apiKey = `rgw_${'a'.repeat(64)}`;
  const refused = setKeyStatus(store, clock, apiKey, 'disabled');
  await expect(refused).rejects.toThrow(InputError);
  await expect(refused).rejects.not.toThrow(/aaaa/);
});

test('a key can be disabled though the item of its account is gone', async () => {
  const { key_id } = await createKey(store, clock, { account: 'acme' });
  await store.delete({ table: 'accounts', key: { account: 'acme' }, when: [] });
  expect(await setKeyStatus(store, clock, key_id, 'disabled')).toMatchObject({ status: 'disabled' });
  expect(await showKey(store, key_id)).toMatchObject({ status: 'disabled' });
  expect(store.items('accounts')).toEqual([]);
});

test('a change of a key that others change all the time is given up', async () => {
  const { key_id } = await createKey(store, clock, { account: 'acme' });
  let reads = 0;
  /** A store in which another operator is between each reading and the write. */
  const busy: Store = {
    ...passOn(store),
    get: async (table, key) => {
      const item = await store.get(table, key);
      reads += 1;
      const set = { bounds: `{"cu_per_day":${reads}}`, status: `paused-${reads}` };
      await store.update({ table: 'keys', key: { key_id }, when: [], set });
      return item;
    },
  };
  const given = `key ${key_id} changed at each of 5 attempts`;
  await expect(updateKeyBounds(busy, key_id, () => ({ apis: ['rpc'] }))).rejects.toThrow(given);
  await expect(setKeyStatus(busy, clock, key_id, 'disabled')).rejects.toThrow(given);
  expect(reads).toBe(10);
  expect(await showKey(store, key_id)).toMatchObject({ bounds: { cu_per_day: 10 } });
});
