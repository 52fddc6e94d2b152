import { renewIssuer } from '../../lambdas/seal/renew-issuer.ts';
import { isCertified, parseCertificate } from '../../lambdas/shared/bill/certificate.ts';
import { isReceiptOf, parseReceiptText, toSignedReceipt } from '../../lambdas/shared/bill/receipt.ts';
import { checkedIssuer, createIssuer, NoReceiptKeyError } from '../../lambdas/status/issuer.ts';
import { ACCOUNT_RECEIPTS, listAccountRecords } from '../../lambdas/status/list-account-records.ts';
import { checkContract } from '../api/contract.ts';
import { chargeAt, clockAt, openAccount } from '../settlement/settlement-fixture.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { MemoryObjects } from '../support/memory/objects.ts';
import { memorySigner } from '../support/memory/signer.ts';

type AccountListRequest = Parameters<typeof listAccountRecords>[2];

const HOUR = '2026-11-20T10';
const clock = clockAt('2026-11-20T10:15:00.123Z');
const signer = memorySigner();
let store: MemoryStore;
let secret: string;

beforeEach(async () => {
  clock.time = Date.parse('2026-11-20T10:15:00.123Z');
  store = new MemoryStore();
  const writeIssuer = async (text: string) => {
    secret = text;
  };
  await renewIssuer({ clock, heads: new MemoryObjects(), signer, writeIssuer });
  for (const account of ['acme', 'bob']) {
    await openAccount(store, account, { shards: 2 });
    await chargeAt(store, account, `${HOUR}:10:00Z`, 100, { lane: 'lane-00-kept' });
    await chargeAt(store, account, `${HOUR}:11:00Z`, 240, { lane: 'lane-00-kept' });
    await chargeAt(store, account, `${HOUR}:10:00Z`, 7, { lane: 'lane-01-kept', shard: 1 });
  }
  await chargeAt(store, 'bob', '2026-11-20T09:10:00Z', 7, { lane: 'lane-02-kept' });
});

const ask = (query: Record<string, string>, account = 'acme') => {
  const request: AccountListRequest = {
    account,
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]])),
  };
  const issuer = createIssuer(async () => secret, clock);
  return listAccountRecords({ store, issuer }, ACCOUNT_RECEIPTS, request);
};

/** A page of receipts, after everything about it was checked. */
async function told(query: Record<string, string>, account?: string) {
  const response = await ask(query, account);
  if (!response.ok) throw new Error(response.message);
  const body = JSON.stringify(response.body);
  checkContract('listAccountReceipts', { status: 200, contentType: 'application/json', body });
  expect(response.body.data).toHaveLength(1);
  const signed = toSignedReceipt(response.body.data[0]);
  const certificate = signed && parseCertificate(signed.certificate.certificate);
  if (signed === undefined || certificate === undefined) throw new Error('this is no receipt');
  expect([isCertified(signed.certificate), signed.certificate.key]).toEqual([true, signer.key]);
  expect(isReceiptOf(signed, certificate.key)).toBe(true);
  return { ...parseReceiptText(signed.receipt), next: response.body.next_cursor };
}

test('a receipt says what the lanes of the account have come to in the hour, and when it was asked', async () => {
  expect(await told({ hour: HOUR })).toEqual({
    account: 'acme',
    hour: HOUR,
    told_at: '2026-11-20T10:15:00.123Z',
    lanes: [
      { shard: 0, lane: 'lane-00-kept', n: 2, total: 340 },
      { shard: 1, lane: 'lane-01-kept', n: 1, total: 7 },
    ],
    next: undefined,
  });
  expect((await told({ hour: '2026-11-20T09' })).lanes).toEqual([]);
  expect((await told({ hour: '2026-11-20T09' }, 'bob')).lanes).toHaveLength(1);
});

test('pages have every lane once, each page with a receipt of its own', async () => {
  const first = await told({ hour: HOUR, limit: '1' });
  const second = await told({ hour: HOUR, limit: '1', cursor: String(first.next) });
  expect([first, second].map(({ lanes }) => lanes)).toMatchObject([
    [{ lane: 'lane-00-kept' }],
    [{ lane: 'lane-01-kept' }],
  ]);
  expect(second.next).toBeUndefined();
});

test('lanes are read as they are stored, not as they were a moment ago', async () => {
  const reads: unknown[] = [];
  const query = store.query.bind(store);
  store.query = (request) => {
    reads.push(request.eventual);
    return query(request);
  };
  await told({ hour: HOUR });
  expect(reads.length).toBeGreaterThan(0);
  expect(reads.filter((eventual) => eventual !== false)).toEqual([]);
});

test('the day before signs until there is a new key, and no longer', async () => {
  clock.time = Date.parse('2026-11-21T23:59:59.999Z');
  expect((await told({ hour: HOUR })).told_at).toBe('2026-11-21T23:59:59.999Z');
  clock.time += 1;
  await expect(ask({ hour: HOUR })).rejects.toThrow('has no certificate of this day');
});

test.each(['{"none":"x"}', '', '{"private_key":"x"}', 'null'])(
  'of secret %j nothing is signed',
  async (text) => {
    secret = text;
    await expect(ask({ hour: HOUR })).rejects.toThrow(NoReceiptKeyError);
    expect(() => checkedIssuer(text)).toThrow('has not been made yet');
  },
);

test.each([
  [{}, /^hour is required/],
  [{ hour: '2026-13-20T06' }, /^hour must/],
  [{ hour: HOUR, limit: '1001' }, /^limit must be/],
  [{ hour: HOUR, cursor: 'abc' }, /^cursor belongs/],
  [{ hour: HOUR, account: 'bob' }, /^unknown parameter: account/],
])('%j is wrong', async (query, message) => {
  expect(await ask(query as unknown as Record<string, string>)).toEqual({
    ok: false,
    message: expect.stringMatching(message),
  });
});
