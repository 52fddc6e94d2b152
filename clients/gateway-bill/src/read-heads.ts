import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Certificate,
  certificateKey,
  isCertified,
  parseCertificate,
  toSignedCertificate,
  utcDay,
} from '../../../lambdas/shared/bill/certificate.ts';
import {
  headKey,
  headLeavesKey,
  LATEST_HEAD,
  parseHead,
  parseSignedHead,
  priceListsKey,
} from '../../../lambdas/shared/bill/head.ts';
import { inclusionProof } from '../../../lambdas/shared/bill/merkle-tree.ts';
import {
  FIRST_PRICE_LIST,
  type PriceList,
  parsePublishedLists,
} from '../../../lambdas/shared/bill/price-list.ts';
import {
  HEADS_PATH,
  MAX_OBJECT_PARTS,
  PART_BYTES,
  publishedPath,
} from '../../../lambdas/shared/bill/published-path.ts';
import { parseObject } from '../../../lambdas/shared/bill/signed-text.ts';
import { type Sleep, sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import { type HeadPlace, type SettlementRow, type StoredReceipt, statedRecords } from './bill.ts';

/** Heads of two years. */
const MAX_HEADS = 20_000;
const TIMEOUT_MS = 30_000;
/** Time between two looks where the gateway says that it was asked too much, or that it cannot read now. */
const WAIT_MS = 5_000;
/** Such looks at one object: beyond the five minutes for which a gateway counts requests. */
const MAX_WAITS = 72;
/** Certificates of one day. */
const MAX_CERTIFICATES = 100;
const MAX_CERTIFICATE = 4_096;
const DAY_MS = 86_400_000;
const LEAF = /^[0-9a-f]{64}$/;

/** Reads an object of the heads, by its key; undefined: it is not there. */
type ReadObject = (key: string) => Promise<string | undefined>;

/**
 * Reads the certificates that withdraw those of receipts: later ones of the same day, and all of the next. What is not
 * there, or is signed with an unknown key, withdraws nothing.
 */
export async function readWithdrawals(
  read: ReadObject,
  receipts: readonly StoredReceipt[],
  keys: readonly string[],
): Promise<readonly Certificate[]> {
  const days = new Set<string>();
  for (const { signed } of receipts) {
    const day = signed && parseCertificate(signed.certificate.certificate)?.day;
    if (day === undefined) continue;
    days.add(day);
    days.add(utcDay(Date.parse(day) + DAY_MS));
  }
  const found: Certificate[] = [];
  for (const day of days)
    for (let revision = 1; revision <= MAX_CERTIFICATES; revision += 1) {
      const text = await read(certificateKey({ day, revision }));
      if (text === undefined) break;
      const signed = toSignedCertificate(parseObject(text, MAX_CERTIFICATE));
      const isGiven = signed !== undefined && keys.includes(signed.key) && isCertified(signed);
      const certificate = isGiven ? parseCertificate(signed.certificate) : undefined;
      if (certificate?.withdraws === true) found.push(certificate);
    }
  return found;
}

/** The published heads, and where records are below them. */
interface PublishedHeads {
  readonly heads: readonly string[];
  readonly places: ReadonlyMap<string, HeadPlace>;
  readonly prices: readonly PriceList[];
  readonly priceTexts: ReadonlyMap<string, string>;
}

/** The heads: the address of the gateway that shows them, or a folder with a copy of them. */
export function openHeads(place: string, pause = sleep): ReadObject {
  if (!/^https?:\/\//.test(place))
    return async (key) =>
      readFile(join(place, key), 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw new Error(`${key} of ${place} cannot be read: ${error.message}`);
      });
  return async (key) => {
    const address = `${place.replace(/\/$/, '')}${HEADS_PATH}/${publishedPath(key)}`;
    let text: string | undefined;
    try {
      for (let part = 1; part <= MAX_OBJECT_PARTS; part += 1) {
        const next = await readPart(`${address}?part=${part}`, pause);
        if (next !== undefined) text = `${text ?? ''}${next}`;
        if ((next?.length ?? 0) < PART_BYTES) break;
      }
      return text;
    } catch (error) {
      throw new Error(`${address} cannot be read: ${error instanceof Error ? error.message : error}`);
    }
  };
}

/** Reads one part of an object, which is ASCII, again where the gateway asks for it; undefined: it has no such part. */
async function readPart(address: string, pause: Sleep): Promise<string | undefined> {
  for (let wait = 0; ; wait += 1) {
    const response = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' });
    if (response.status === 404) return undefined;
    if (response.ok) {
      const bytes = Number(response.headers.get('content-length') ?? Number.NaN);
      if (!(bytes <= PART_BYTES)) throw new Error(`more than ${PART_BYTES} bytes, or no length`);
      return response.text();
    }
    await response.body?.cancel();
    if (![429, 503].includes(response.status) || wait === MAX_WAITS)
      throw new Error(`status ${response.status}`);
    await pause(WAIT_MS);
  }
}

/**
 * Reads all heads from `first` on to the newest, and the leaves of those that records can be below. An error
 * says that there are none.
 */
export async function readPublished(
  read: ReadObject,
  settlements: readonly SettlementRow[],
  first = 1,
): Promise<PublishedHeads> {
  const latest = await read(LATEST_HEAD);
  const last = headOf(latest)?.number;
  if (last === undefined) throw new Error(`there is no head: ${LATEST_HEAD} is missing, or cannot be read`);
  if (last - first >= MAX_HEADS) throw new Error(`more than ${MAX_HEADS} heads: begin with --from`);
  const heads: string[] = [];
  for (let number = first; number <= last; number += 1) {
    const text = (await read(headKey(number))) ?? '';
    // What comes before is lost, and this head says so.
    if (headOf(text)?.lost !== undefined) heads.splice(0, heads.lastIndexOf('') + 1);
    heads.push(text);
  }
  return { heads, places: await placesBelow(read, heads, settlements), ...(await readPrices(read, heads)) };
}

/** The price lists that heads name. What is missing is found when they are checked. */
async function readPrices(
  read: ReadObject,
  heads: readonly string[],
): Promise<Pick<PublishedHeads, 'prices' | 'priceTexts'>> {
  const priceTexts = new Map<string, string>();
  let prices: readonly PriceList[] = [FIRST_PRICE_LIST];
  for (const text of heads) {
    const hash = headOf(text)?.prices;
    if (hash === undefined || priceTexts.has(hash)) continue;
    const published = (await read(priceListsKey(hash))) ?? '';
    priceTexts.set(hash, published);
    prices = parsePublishedLists(published, hash) ?? prices;
  }
  return { prices, priceTexts };
}

async function placesBelow(
  read: ReadObject,
  heads: readonly string[],
  settlements: readonly SettlementRow[],
): Promise<ReadonlyMap<string, HeadPlace>> {
  const records = statedRecords({ settlements });
  const open = new Set(records.map(({ hash }) => hash));
  const oldest = records.reduce((time, { settled_at }) => (settled_at < time ? settled_at : time), '9');
  const places = new Map<string, HeadPlace>();
  for (const text of heads) {
    const head = headOf(text);
    if (open.size === 0 || head === undefined || head.sealed_at < oldest) continue;
    const leaves = ((await read(headLeavesKey(head.root))) ?? '').trimEnd().split('\n');
    if (!leaves.every((leaf) => LEAF.test(leaf))) continue;
    const hashes = leaves.map((leaf) => Buffer.from(leaf, 'hex'));
    for (const [index, leaf] of leaves.entries()) {
      if (!open.delete(leaf)) continue;
      const proof = inclusionProof(hashes, index).map((hash) => hash.toString('hex'));
      places.set(leaf, { head: head.number, index, size: leaves.length, proof });
    }
  }
  return places;
}

function headOf(text: string | undefined) {
  const signed = text === undefined ? undefined : parseSignedHead(text);
  return signed && parseHead(signed.head);
}
