import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bill } from '../../clients/gateway-bill/src/bill.ts';
import { fetchBill, readFolder } from '../../clients/gateway-bill/src/bill-folder.ts';
import { readPublished } from '../../clients/gateway-bill/src/read-heads.ts';
import { renewIssuer } from '../../lambdas/seal/renew-issuer.ts';
import { sealHead } from '../../lambdas/seal/seal-head.ts';
import { openEvidence } from '../../lambdas/settlement/evidence.ts';
import { settleAccount } from '../../lambdas/settlement/settle-account.ts';
import { createIssuer } from '../../lambdas/status/issuer.ts';
import { chargeAt, clockAt, marksOf, openAccount } from '../settlement/settlement-fixture.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { MemoryObjects } from '../support/memory/objects.ts';
import { memorySigner } from '../support/memory/signer.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';
import { accountClient } from './account-client.ts';

/** Account whose bill it is. */
export const ACCOUNT = 'acme';
const HOURS = ['2026-11-20T08', '2026-11-20T09'];
const random = (count: number) => randomBytes(count);

/** What a customer holds after settlement and seal have run for real. */
export interface BilledWorld {
  readonly bill: Bill;
  readonly published: MemoryObjects;
  /** Key of KMS that signs heads and certificates. */
  readonly signer: ReturnType<typeof memorySigner>;
}

/**
 * Two hours of three lanes, one of them with a second revision, below two heads, and a third head hours later. Another
 * account has records below the same heads. The bill is fetched into a folder and read from it, with receipts of before the
 * hours were settled.
 */
export async function billedWorld(folder: string): Promise<BilledWorld> {
  const store = new MemoryStore();
  const [frozen, published, signer] = [new MemoryObjects(), new MemoryObjects(), memorySigner()];
  const clock = clockAt('2026-11-20T10:15:00Z');
  const common = { store, clock, pause: async () => {}, telemetry: new RecordedTelemetry() };
  const settle = async (account: string) =>
    settleAccount(
      openEvidence(common, { evidence: frozen, heads: published }, random),
      account,
      await marksOf(store, account, HOURS),
    );
  const seal = () => sealHead({ ...common, heads: published, evidence: frozen, signer, randomBytes: random });
  let secret = '';
  const writeIssuer = async (text: string) => {
    secret = text;
  };
  await renewIssuer({ clock, heads: published, signer, writeIssuer });
  const issuer = createIssuer(async () => secret, clock);
  const client = accountClient({ store, leaves: frozen, issuer }, ACCOUNT, 2);
  for (const account of [ACCOUNT, 'bob']) {
    await openAccount(store, account, { shards: 2 });
    for (const hour of HOURS) {
      await chargeAt(store, account, `${hour}:10:00Z`, 1_234, { lane: 'lane-b' });
      await chargeAt(store, account, `${hour}:20:00Z`, 700, { lane: 'lane-a' });
      await chargeAt(store, account, `${hour}:30:00Z`, 66, { lane: 'lane-c', shard: 1 });
    }
    if (account === ACCOUNT) await fetchBill(client, folder, Date.parse(`${HOURS[1]}:59:00Z`));
    await settle(account);
  }
  await seal();
  await chargeAt(store, ACCOUNT, `${HOURS[0]}:50:00Z`, 1_010, { lane: 'lane-a' });
  clock.time += 3_600_000;
  await settle(ACCOUNT);
  clock.time += 10 * 60_000;
  await seal();
  clock.time += 3 * 3_600_000;
  await seal();
  await fetchBill(client, folder, clock.time);
  const kept = await readFolder(folder);
  const read = async (key: string) => (await published.get(key))?.toString();
  const bill = {
    ...kept,
    ...(await readPublished(read, kept.settlements)),
    account: ACCOUNT,
    withdrawals: [],
    keys: [signer.key],
    headers: [
      `${HOURS[0]}/lane-a;n=1;total=700`,
      `${HOURS[0]}/lane-a;n=2;total=1710`,
      `${HOURS[1]}/lane-b;n=1;total=1234`,
    ],
  };
  return { bill, published, signer };
}

/** Keeps a copy of the bucket of heads in a folder. */
export async function keepBucket({ bill, published }: BilledWorld, folder: string): Promise<void> {
  for (const kind of ['heads', 'leaves', 'prices']) await mkdir(join(folder, kind), { recursive: true });
  const leaves = bill.heads.map((head) => `leaves/${JSON.parse(JSON.parse(head).head).root}`);
  const heads = bill.heads.map((_, place) => `heads/${place + 1}.json`);
  const prices = [...bill.priceTexts.keys()].map((hash) => `prices/${hash}`);
  for (const name of [...leaves, ...heads, ...prices, 'heads/latest.json'])
    await writeFile(join(folder, name), String(await published.get(name)));
}
