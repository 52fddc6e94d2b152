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
/** Time between two looks at an object that cannot be read now. */
const WAIT_MS = 5_000;
/**
 * Looks at one object again: while the gateway says that it is busy, beyond the five minutes for which it counts requests; and
 * while it fails or its connection does.
 */
const MAX_LOOKS_AGAIN = { busy: 72, failing: 3, wrong: 0 } as const;
/** Waits of a run together, two hours: twice what {@link MAX_HEADS} and their leaves take at 3,000 requests in five minutes. */
const MAX_WAITS = 1_440;
const BUSY = [429, 503];
const FAILING = [502, 504];
/** Certificates of one day. */
const MAX_CERTIFICATES = 100;
const MAX_CERTIFICATE = 4_096;
const DAY_MS = 86_400_000;
const LEAF = /^[0-9a-f]{64}$/;

/** Reads an object of the heads, by its key; undefined: it is not there. */
type ReadObject = (key: string) => Promise<string | undefined>;

/** What a request for a part came to: its text, if there is such a part, or why it cannot be read. */
type Look =
  | { readonly text: string | undefined }
  | { readonly failure: string; readonly kind: keyof typeof MAX_LOOKS_AGAIN };

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

/**
 * The heads: the address of the gateway that shows them, or a folder with a copy of them.
 * @param print gets a line at the first wait
 */
export function openHeads(place: string, print: (line: string) => void, pause = sleep): ReadObject {
  if (!/^https?:\/\//.test(place))
    return async (key) =>
      readFile(join(place, key), 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw new Error(`${key} of ${place} cannot be read: ${error.message}`);
      });
  const parts = new PartReader(print, pause);
  return async (key) => {
    const address = `${place.replace(/\/$/, '')}${HEADS_PATH}/${publishedPath(key)}`;
    let text: string | undefined;
    try {
      for (let part = 1; part <= MAX_OBJECT_PARTS; part += 1) {
        const next = await parts.read(`${address}?part=${part}`);
        if (next !== undefined) text = `${text ?? ''}${next}`;
        if ((next?.length ?? 0) < PART_BYTES) break;
      }
      return text;
    } catch (error) {
      throw new Error(`${address} cannot be read: ${error instanceof Error ? error.message : error}`);
    }
  };
}

/** Reads parts of objects, each again while the gateway is busy or fails. */
class PartReader {
  readonly #print: (line: string) => void;
  readonly #pause: Sleep;
  #waits = 0;
  #hasRead = false;

  constructor(print: (line: string) => void, pause: Sleep) {
    this.#print = print;
    this.#pause = pause;
  }

  /** Reads one part of an object; undefined: it has no such part. */
  async read(address: string): Promise<string | undefined> {
    const looks = { busy: 0, failing: 0, wrong: 0 };
    for (;;) {
      const look = await lookAt(address);
      if (!('failure' in look)) {
        this.#hasRead = true;
        return look.text;
      }
      const { failure, kind } = look;
      // A wrong address is an error at once.
      const isWrong = kind === 'failing' && !this.#hasRead;
      if (isWrong || looks[kind] === MAX_LOOKS_AGAIN[kind]) throw new Error(failure);
      looks[kind] += 1;
      await this.#wait(failure);
    }
  }

  async #wait(failure: string): Promise<void> {
    if (this.#waits === MAX_WAITS) throw new Error(`${failure}, after ${MAX_WAITS} waits`);
    if (this.#waits === 0) this.#print(`The gateway is asked again every ${WAIT_MS / 1_000} s: ${failure}.`);
    this.#waits += 1;
    await this.#pause(WAIT_MS);
  }
}

async function lookAt(address: string): Promise<Look> {
  try {
    const response = await fetch(address, {
      headers: { 'accept-encoding': 'identity' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'manual',
    });
    const { status, ok, body } = response;
    if (ok) return await lookIn(response);
    await body?.cancel();
    if (status === 404) return { text: undefined };
    const kind = BUSY.includes(status) ? 'busy' : FAILING.includes(status) ? 'failing' : 'wrong';
    return { failure: `status ${status}`, kind };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error), kind: 'failing' };
  }
}

/** Reads a body of at most {@link PART_BYTES} as it is: a short one that is compressed can become a long one. */
async function lookIn({ headers, body }: Response): Promise<Look> {
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding !== 'identity') {
    await body?.cancel();
    return { failure: `content-encoding ${encoding}`, kind: 'wrong' };
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    // To leave the loop cancels what is left.
    if (bytes > PART_BYTES) return { failure: `more than ${PART_BYTES} bytes`, kind: 'wrong' };
    chunks.push(chunk);
  }
  return { text: Buffer.concat(chunks).toString('utf8') };
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
