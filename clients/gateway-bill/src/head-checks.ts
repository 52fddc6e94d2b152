import {
  type Head,
  headHash,
  isSignedBy,
  NO_HEAD,
  parseHead,
  parseSignedHead,
  type SignedHead,
} from '../../../lambdas/shared/bill/head.ts';
import { rootOfInclusion } from '../../../lambdas/shared/bill/merkle-tree.ts';
import { parsePublishedLists, priceListText } from '../../../lambdas/shared/bill/price-list.ts';
import type { Bill, Stated } from './bill.ts';

/** Time after which a record is below a head. The operator is alarmed when no head was signed for as long. */
const SEALED_WITHIN_MS = 2 * 3_600_000;

/** A published head that could be read. */
export interface ReadHead extends Head {
  readonly signed: SignedHead;
  readonly hash: string;
}

/** Reads published heads; undefined: that one is none. */
export function readHeads(texts: readonly string[]): readonly (ReadHead | undefined)[] {
  return texts.map((text) => {
    const signed = parseSignedHead(text);
    const head = signed && parseHead(signed.head);
    return signed && head && { ...head, signed, hash: headHash(signed.head) };
  });
}

type Heads = ReturnType<typeof readHeads>;

/** What is wrong with the signatures; undefined: nothing. */
export function badSignature({ keys }: Bill, heads: Heads): string | undefined {
  for (const [place, head] of heads.entries()) {
    if (head === undefined) return `head ${place + 1} of the list cannot be read`;
    if (!keys.includes(head.signed.key))
      return `head ${head.number} is signed with a key that --key does not have`;
    if (!isSignedBy(head.signed, head.signed.key)) return `the signature of head ${head.number} is wrong`;
  }
  return undefined;
}

/** What is wrong with the order of the heads; undefined: each names the one before it, and what was seen is there. */
export function badHeads({ seen }: Bill, heads: Heads, notes: string[]): string | undefined {
  for (const [place, head] of heads.entries()) {
    const before = heads[place - 1];
    if (head === undefined) return `head ${place + 1} of the list cannot be read`;
    if (head.number === 1 && head.previous !== NO_HEAD) return 'head 1 names a head before it';
    if (head.lost !== undefined)
      notes.push(
        `Head ${head.number} says that the heads before it were lost: they cannot be shown any more.`,
      );
    if (before === undefined || (head.lost !== undefined && before.number < head.lost)) continue;
    if (head.number !== before.number + 1) return `head ${head.number} comes after head ${before.number}`;
    if (head.previous !== before.hash) return `head ${head.number} does not name head ${before.number}`;
    if (head.sealed_at < before.sealed_at) return `head ${head.number} is older than head ${before.number}`;
  }
  if (seen.head === undefined) return undefined;
  const again = heads.find((head) => head?.number === seen.head?.number);
  const after = heads.find((head) => (head?.lost ?? 0) >= (seen.head?.number ?? 0));
  if (again === undefined && after !== undefined) {
    const isOther = after.lost === seen.head.number && after.previous !== seen.head.hash;
    return isOther
      ? `head ${after.number} does not name head ${seen.head.number}, as it was seen`
      : undefined;
  }
  if (again === undefined) return `head ${seen.head.number}, which was seen before, is gone`;
  if (again.hash !== seen.head.hash) return `head ${again.number} is another one than was seen before`;
  return undefined;
}

/** What is wrong with the price lists; undefined: none was ever changed, and each was published before its hour was over. */
export function badPrices({ priceTexts }: Bill, heads: Heads): string | undefined {
  let before: { readonly texts: readonly string[]; readonly head: ReadHead } | undefined;
  for (const head of heads) {
    if (head?.prices === undefined) continue;
    if (head.prices !== before?.head.prices) {
      const lists = parsePublishedLists(priceTexts.get(head.prices) ?? '', head.prices);
      if (lists === undefined) return `the price lists that head ${head.number} names are not shown`;
      const texts = lists.map(priceListText);
      if (before?.texts.some((text) => !texts.includes(text)))
        return `head ${head.number} names another price list than one before it`;
      const known = before?.head.sealed_at.slice(0, 13) ?? '';
      const late = lists.find(
        (list, place) => !before?.texts.includes(texts[place] ?? '') && list.from <= known,
      );
      if (late !== undefined)
        return `the price list of ${late.from} was put after head ${before?.head.number}, when it had begun`;
      before = { texts, head };
    } else before = { ...before, head };
  }
  return undefined;
}

/** What is wrong with the places of records below heads; undefined: each is below one, or is too new for it. */
export function badPlace(
  { places }: Bill,
  records: readonly Stated[],
  heads: Heads,
  notes: string[],
): string | undefined {
  const byNumber = new Map(heads.map((head) => [head?.number, head]));
  const [first] = heads;
  const newest = Date.parse(heads.at(-1)?.sealed_at ?? '');
  for (const { number, hash, settled_at } of records) {
    const place = places.get(hash);
    if (place === undefined) {
      if (first !== undefined && first.number > 1 && settled_at < first.sealed_at) {
        notes.push(`Record ${number} is older than the heads that were read.`);
        continue;
      }
      if (newest - Date.parse(settled_at) > SEALED_WITHIN_MS) return `record ${number} is below no head`;
      notes.push(`Record ${number} waits for its head: it can still be changed.`);
      continue;
    }
    const head = byNumber.get(place.head);
    const proof = place.proof.map((one) => Buffer.from(one, 'hex'));
    const root = rootOfInclusion({ ...place, leaf: Buffer.from(hash, 'hex'), proof });
    const isBelow = head !== undefined && place.size === head.count && root !== undefined;
    if (!isBelow || Buffer.from(root).toString('hex') !== head.root)
      return `record ${number} is not below head ${place.head}`;
  }
  return undefined;
}
