import type { Hex } from '../../chain-data/decode/raw-block.ts';
import type { NamedBlock } from '../../chain-data/store/proof-levels.ts';
import type { ChainProof } from '../../shared/verify/chain-proof.ts';
import { openKeccak } from '../../shared/verify/keccak.ts';
import { type ReportParts, reportWrongAnswer } from '../../shared/verify/report-wrong-answer.ts';
import { verifyHeader } from '../../shared/verify/verify-block.ts';
import { BlockError } from '../blocks/block-error.ts';
import { readHash, readInteger, readObject } from '../blocks/json-shape.ts';
import { askAside, type NodesByOperator, othersThan } from '../fetch/other-nodes.ts';
import { blockCall, resultOf } from '../fetch/send-batch.ts';
import type { SteadyUpstream } from '../fetch/sticky-upstream.ts';

/** A block, and the upstream whose voice its hash is. */
export interface HeardBlock extends NamedBlock {
  readonly readBy: string;
}

/** The upstreams of one operator. */
type Voice = readonly SteadyUpstream[];

/** What one operator's node has for the hash of a block. */
interface HashVote extends NamedBlock {
  readonly upstream: string;
}

/** What the votes for the hash of a stored block come to. */
type HashJudgement =
  /** Most have the stored one, or nobody says another. `wrong`: who does. */
  | { readonly kind: 'settled'; readonly wrong: readonly HashVote[] }
  /** Most have another one. */
  | { readonly kind: 'outvoted'; readonly by: HashVote }
  /** As many have another one. */
  | { readonly kind: 'contradicted'; readonly by: HashVote };

/** What asking came to, with what stops the head where something does. */
type Outcome = {
  /** What was asked about. */
  readonly block: HeardBlock;
  readonly votes: number;
  /** Whether one of the others answers, and has no such block. */
  readonly isOneBehind: boolean;
} /** `isNamed`: another node has the stored hash, so that it is agreed. */ & (
  | { readonly kind: 'settled'; readonly isNamed: boolean }
  | { readonly kind: 'outvoted'; readonly error: BlockError }
  | { readonly kind: 'contradicted'; readonly by: HashVote }
);

/** A block of which another node has another hash, and no third decides. */
export interface HashContradiction {
  readonly block: NamedBlock;
  /** Names both hashes, and the upstreams that have them. */
  readonly reason: string;
}

/** What is known of the chain as it is stored. */
export interface KnownChain {
  /** The block at a number, and whose voice it is; undefined where that is not known. */
  readonly heard: (number: number) => HeardBlock | undefined;
  /** The highest that nobody contradicted. */
  readonly settled: number;
}

/** Time for an answer, in milliseconds. */
const ANSWER_MS = 3_000;

export interface WitnessParts extends ReportParts, NodesByOperator {
  /** What a header has to come out by to count. Undefined: each does. */
  readonly proof: ChainProof | undefined;
}

/** Asks other nodes for the hash of a block, and tells of what is wrong. Never rejects. */
export async function askOthers(parts: WitnessParts, block: HeardBlock): Promise<Outcome> {
  const { node } = parts;
  const { readBy, number, hash } = block;
  const others = await othersThan(readBy, parts);
  const answers = await Promise.all(others.map((voice) => firstVoteOf(voice, number, parts)));
  const heard = answers.flatMap((vote) => (vote === undefined || vote === 'behind' ? [] : vote));
  const asked = { block, votes: heard.length, isOneBehind: answers.includes('behind') };
  const judged = judgeHash(hash, heard);
  if (judged.kind === 'settled') {
    for (const wrong of judged.wrong) report(parts, wrong, block);
    return { ...asked, kind: 'settled', isNamed: heard.length > judged.wrong.length };
  }
  const { by } = judged;
  if (judged.kind === 'contradicted') return { ...asked, kind: 'contradicted', by };
  report(parts, { ...block, upstream: readBy }, by);
  const winner = others.flat().find(({ name }) => name === by.upstream);
  if (winner !== undefined && node.current().name === readBy) node.moveTo(winner);
  const error = new BlockError('wrong_answer', number, differenceInWords(block, by));
  return { ...asked, kind: 'outvoted', error };
}

/**
 * The same, of an older block where none of the others is as far: of the newest that those have which are behind.
 */
export async function askAsFarAsTheyAre(
  parts: WitnessParts,
  block: HeardBlock,
  { heard, settled }: KnownChain,
): Promise<Outcome> {
  const outcome = await askOthers(parts, block);
  if (outcome.votes > 0 || !outcome.isOneBehind) return outcome;
  const others = await othersThan(block.readBy, parts);
  const newest = await Promise.all(others.map((voice) => firstVoteOf(voice, 'latest', parts)));
  const numbers = newest.flatMap((vote) =>
    vote === undefined || vote === 'behind' || vote.number <= settled
      ? []
      : Math.min(vote.number, block.number),
  );
  const older = heard(Math.min(...numbers));
  return older === undefined ? outcome : askOthers(parts, older);
}

/** Which other nodes have a block, one of each operator, and how many have another in its place. */
export async function askWhoHas(
  parts: WitnessParts,
  reader: string,
  { number, hash }: NamedBlock,
): Promise<{ readonly has: readonly SteadyUpstream[]; readonly lacks: number }> {
  const others = await othersThan(reader, parts);
  const answers = await Promise.all(others.map((voice) => firstVoteOf(voice, number, parts)));
  const votes = answers.flatMap((vote) => (typeof vote === 'object' ? vote : []));
  const holders = votes.flatMap((vote) => (vote.hash === hash ? vote.upstream : []));
  const has = others.flat().filter(({ name }) => holders.includes(name));
  return { has, lacks: votes.length - has.length };
}

export function contradictionOf(block: HeardBlock, by: HashVote): HashContradiction {
  return { block, reason: differenceInWords(block, by) };
}

/** Counts and logs a contradiction, which a page says. */
export function reportContradiction(
  { node, chain, clock, telemetry }: WitnessParts,
  { reason }: HashContradiction,
): void {
  const { name } = node.current();
  telemetry.log('error', 'index_hash_contradicted', { chain, upstream: name, reason });
  telemetry.emit({ values: { HashContradictions: 1 }, dimensions: { Chain: chain } }, clock.now());
}

function differenceInWords({ readBy, number, hash }: HeardBlock, by: HashVote): string {
  return `block ${number} is ${hash} by ${readBy}, and ${by.hash} by ${by.upstream}`;
}

/**
 * The contradiction at the lowest block that is found to differ, by halving, as far as the other node answers.
 */
export async function firstDifference(
  parts: WitnessParts,
  { block, by: found }: { readonly block: HeardBlock; readonly by: HashVote },
  { heard, settled }: KnownChain,
): Promise<HashContradiction> {
  const other = parts.node.others().find(({ name }) => name === found.upstream);
  let [same, first, by] = [settled, block, found];
  while (other !== undefined && first.number - same > 1) {
    const middle = heard((same + first.number) >> 1);
    const vote = middle && (await voteOf(other, middle.number, parts));
    if (middle === undefined || vote === undefined || vote === 'behind') break;
    if (vote.hash === middle.hash) same = middle.number;
    else [first, by] = [middle, vote];
  }
  return contradictionOf(first, by);
}

/** What the first upstream says, in their order, that answers: together they have one vote. */
async function firstVoteOf(
  voice: Voice,
  number: number | 'latest',
  parts: WitnessParts,
): Promise<HashVote | 'behind' | undefined> {
  const votes = await Promise.all(voice.map((upstream) => voteOf(upstream, number, parts)));
  return votes.find((vote) => typeof vote === 'object') ?? votes.find((vote) => vote !== undefined);
}

function report(parts: ReportParts, wrong: HashVote, right: NamedBlock): void {
  const reason = `block ${wrong.number}: ${wrong.upstream} has the hash ${wrong.hash}, most nodes have ${right.hash}`;
  reportWrongAnswer(parts, { upstream: wrong.upstream, kind: 'hash', reason });
}

/** Undefined where a node does not answer, or contradicts itself; `behind` where it lacks the block. */
export async function voteOf(
  upstream: SteadyUpstream,
  asked: number | 'latest',
  parts: WitnessParts,
): Promise<HashVote | 'behind' | undefined> {
  const { proof, clock } = parts;
  const { name } = upstream;
  try {
    const deadline = clock.now() + ANSWER_MS;
    const [answer] = await askAside(upstream, [blockCall(asked)], { deadline });
    const block = resultOf(answer);
    if (block === null) return 'behind';
    const header = readObject(block, 'block');
    const hash: Hex = readHash(header.hash, 'block.hash');
    const number = readInteger(header.number, 'block.number');
    if (asked !== 'latest' && asked !== number) return undefined;
    const vote = { upstream: name, number, hash };
    if (proof === undefined || number < proof.from) return vote;
    if (verifyHeader(await openKeccak(), header).kind !== 'wrong') return vote;
    const reason = `block ${number}: header of ${name} is wrong`;
    reportWrongAnswer(parts, { upstream: name, kind: 'header', reason });
    return undefined;
  } catch {
    return undefined;
  }
}

/**
 * Judges the hash of a stored block, which is the vote of the node that is read.
 * @param votes one of each other operator; one that is silent has none
 */
export function judgeHash(stored: Hex, votes: readonly HashVote[]): HashJudgement {
  const counts = new Map<Hex, number>([[stored, 1]]);
  for (const { hash } of votes) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  const wrong = votes.filter(({ hash }) => hash !== stored);
  const by = wrong.toSorted((a, b) => (counts.get(b.hash) ?? 0) - (counts.get(a.hash) ?? 0))[0];
  const own = counts.get(stored) ?? 0;
  const most = by === undefined ? 0 : (counts.get(by.hash) ?? 0);
  if (by === undefined || own > most) return { kind: 'settled', wrong };
  return { kind: most > own ? 'outvoted' : 'contradicted', by };
}
