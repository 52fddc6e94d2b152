import { createPrivateKey, sign } from 'node:crypto';
import type { Item, Page, Query, Store } from '../../../lambdas/access/store/store.ts';
import type { IssuerSecret } from '../../../lambdas/shared/bill/certificate.ts';
import { receiptText } from '../../../lambdas/shared/bill/receipt.ts';
import { checkedIssuer } from '../../../lambdas/status/issuer.ts';
import type { SimulatedProcess } from '../actors/simulated-process.ts';
import { passOn } from '../stores/pass-on.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { Mutant } from './mutant.ts';

/** Time for which a mutant keeps what it read. */
const KEPT_MS = 60_000;
const HOUR_LENGTH = 13;
/** At the end of the place behind which a page begins. */
const JUST_BEHIND = '\u0000';

/** Simplifications of receipts. */
export const receiptMutants: readonly Mutant[] = [
  {
    name: 'receipt-of-a-moment-ago',
    seed: 5,
    simplification: 'the lanes of a receipt may be read as they were a moment ago',
    store: onLanes((store, query) => store.query({ ...query, eventual: true })),
  },
  {
    name: 'receipt-from-memory',
    simplification: 'lanes that were read are signed again for a minute',
    store: keptPages(
      (query) => nameOf(query),
      () => true,
    ),
  },
  {
    name: 'receipt-kept-by-hour',
    simplification: 'requests for one hour share what was read, whichever accounts they are of',
    store: keptPages(
      ({ sort, limit }) => nameOf({ sort, limit }),
      (kept, { partition }) => kept.partition.value !== partition.value,
    ),
  },
  {
    name: 'receipt-before-write',
    simplification: 'a receipt counts a charge that is on its way to the store',
    store: (store, process) => {
      const sent = sentIn(process);
      if (process.role === 'gateway')
        return {
          ...passOn(store),
          update: (update) => {
            if (update.table === 'lanes' && update.set !== undefined)
              sent.set(laneName(update.key), update.set);
            return store.update(update);
          },
        };
      const overlay = async (query: Query): Promise<Page> => {
        const page = await store.query(query);
        return { ...page, items: page.items.map((lane) => ({ ...lane, ...sent.get(laneName(lane)) })) };
      };
      return onLanes((_, query) => overlay(query))(store, process);
    },
  },
  {
    name: 'receipt-page-begins-late',
    simplification: 'a further page of receipts leaves out the lane that it begins with',
    store: onLanes(async (store, query) => {
      const page = await store.query(query);
      const isFurther = String(query.sort?.from).endsWith(JUST_BEHIND);
      return isFurther ? { ...page, items: page.items.slice(1) } : page;
    }),
  },
  {
    name: 'receipt-number-ahead',
    simplification: 'a receipt names the number of the charge that comes next',
    issuer: (issuer) => ({
      ...issuer,
      sign: (receipt) =>
        issuer.sign({ ...receipt, lanes: receipt.lanes.map((one) => ({ ...one, n: one.n + 1 })) }),
    }),
  },
  {
    name: 'receipt-told-when-signed',
    simplification: 'the time of a receipt is that of its signature, after the lanes were read',
    issuer: (issuer) => ({
      ...issuer,
      sign: (receipt) => issuer.sign({ ...receipt, told_at: new Date(issuer.clock.now()).toISOString() }),
    }),
  },
  {
    name: 'receipt-of-running-hour',
    simplification: 'the hour of a receipt is the running one, whichever was asked for',
    issuer: (issuer) => ({
      ...issuer,
      sign: (receipt) =>
        issuer.sign({ ...receipt, hour: new Date(issuer.clock.now()).toISOString().slice(0, HOUR_LENGTH) }),
    }),
  },
  {
    name: 'certificate-out-of-its-day',
    simplification: 'a receipt is signed with the key that there is, whatever its day',
    issuer: (issuer, readIssuer) => ({
      ...issuer,
      sign: async (receipt) => {
        const { private_key, certificate } = JSON.parse(checkedIssuer(await readIssuer())) as IssuerSecret;
        const text = receiptText(receipt);
        const key = createPrivateKey({
          key: Buffer.from(private_key, 'base64'),
          format: 'der',
          type: 'pkcs8',
        });
        return {
          receipt: text,
          signature: sign(null, Buffer.from(text), key).toString('base64'),
          certificate,
        };
      },
    }),
  },
];

/** A store from which the function that signs receipts reads lanes in another way. */
function onLanes(read: (store: Store, query: Query) => Promise<Page>): NonNullable<Mutant['store']> {
  return (store, { role }) =>
    role === 'status'
      ? {
          ...passOn(store),
          query: (query) => (query.table === 'lanes' ? read(store, query) : store.query(query)),
        }
      : store;
}

/** Pages that a process keeps for a while, by a name. */
function keptPages(
  nameOfPage: (query: Query) => string,
  isTaken: (kept: Query, query: Query) => boolean,
): NonNullable<Mutant['store']> {
  return (store, process) => {
    const kept = new Map<string, { readonly page: Page; readonly readMs: number; readonly asked: Query }>();
    return onLanes(async (_, query) => {
      const name = nameOfPage(query);
      const known = kept.get(name);
      const nowMs = process.clock.now();
      const isYoung = known !== undefined && nowMs - known.readMs < KEPT_MS;
      if (isYoung && isTaken(known.asked, query)) return known.page;
      const page = await store.query(query);
      kept.set(name, { page, readMs: nowMs, asked: query });
      return page;
    })(store, process);
  };
}

function nameOf(query: Partial<Query>): string {
  return JSON.stringify(query, (_name, value) => (typeof value === 'bigint' ? String(value) : value));
}

function laneName({ account_shard, hour_lane }: Item): string {
  return `${account_shard} ${hour_lane}`;
}

/** What processes of a run have sent to lanes. */
const SENT = new WeakMap<VirtualTime, Map<string, Item>>();

function sentIn({ time }: SimulatedProcess): Map<string, Item> {
  const sent = SENT.get(time) ?? new Map<string, Item>();
  SENT.set(time, sent);
  return sent;
}
