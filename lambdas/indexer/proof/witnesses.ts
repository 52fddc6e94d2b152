import type { Hex } from '../../chain-data/decode/raw-block.ts';
import type { HashFindings, NamedBlock } from '../../chain-data/store/proof-levels.ts';
import type { Ring } from '../../chain-data/store/ring.ts';
import { FINALITY_BLOCKS } from '../../shared/runtime/finality.ts';
import type { OperatorOf } from '../../shared/upstream/operators/operators.ts';
import { independentOf } from '../../shared/upstream/operators/two-operators.ts';
import type { ChainProof } from '../../shared/verify/chain-proof.ts';
import { openKeccak } from '../../shared/verify/keccak.ts';
import { type ReportParts, reportWrongAnswer } from '../../shared/verify/report-wrong-answer.ts';
import { verifyHeader } from '../../shared/verify/verify-block.ts';
import { BlockError } from '../blocks/block-error.ts';
import { readHash, readInteger, readObject } from '../blocks/json-shape.ts';
import { quantityOf } from '../fetch/quantity.ts';
import { sendBatch } from '../fetch/send-batch.ts';
import type { SteadyUpstream, StickyUpstream } from '../fetch/sticky-upstream.ts';
import type { HashWitnesses } from '../follow/follow-step.ts';
import { finalizedBelow } from '../follow/plan-step.ts';
import { CHAIN_ID_CALL, wrongChainError } from '../follow/with-chain-check.ts';

/** The upstreams of one operator. */
type Voice = readonly SteadyUpstream[];

/** What one operator's node has for the hash of a block. */
interface HashVote {
  readonly upstream: string;
  readonly hash: Hex;
}
/** What the votes for the hash of a stored block come to. */
type HashJudgement =
  /** Most have the stored one, or nobody says another. `wrong`: who does. */
  | { readonly kind: 'settled'; readonly wrong: readonly HashVote[] }
  /** Most have another one. */
  | { readonly kind: 'outvoted'; readonly by: HashVote }
  /** As many have another one. */
  | { readonly kind: 'contradicted'; readonly by: HashVote };

/** How far below the newest block the one is whose hash is asked for: half of what makes a block final. */
const DEPTH_BLOCKS = FINALITY_BLOCKS / 2;
/** New blocks, or time in milliseconds with a new block, until the next is asked for. */
const ASK_EVERY_BLOCKS = 64;
const ASK_EVERY_MS = 5_000;
/** Time for an answer, in milliseconds. */
const ANSWER_MS = 3_000;
/** For how long no node has to have answered until a ticket says so, in milliseconds. */
const SILENCE_MS = 600_000;
/** For how long a fill does not ask a node again that did not answer, in milliseconds. */
const UNASKED_MS = 60_000;

interface WitnessParts extends ReportParts {
  readonly node: StickyUpstream;
  /** EIP-155 chain id of the stage file; what a node of another chain says counts for nothing. */
  readonly chainId: number;
  /** What a header has to come out by to count. Undefined: each does. */
  readonly proof: ChainProof | undefined;
  readonly operatorOf: OperatorOf;
}

/**
 * Asks each independent node for the hash of a block that is about to be final. One that has another stops the head before
 * that block is, unless most of all have the stored one; if most have the other, the next read is from one of these. A node
 * that does not answer has no vote.
 */
export function createWitnesses(parts: WitnessParts): HashWitnesses {
  const { clock } = parts;
  let asked = { head: Number.NEGATIVE_INFINITY, at: Number.NEGATIVE_INFINITY };
  /** The highest block whose hash nobody contradicted. */
  let settled: number | undefined;
  let pending: Promise<void> | undefined;
  let contradiction: Contradiction | undefined;
  let outvoted: BlockError | undefined;
  let findings: HashFindings = {};
  const noteVotes = createSilenceWatch(parts);

  const ask = async (block: NamedBlock, others: readonly Voice[], chain: Ring): Promise<void> => {
    const outcome = await askOthers(parts, block, others);
    noteVotes(outcome.votes);
    // Silence takes nothing back: only who names the stored hash does.
    if (contradiction !== undefined && outcome.kind === 'settled' && !outcome.isNamed) {
      reportContradiction(parts, contradiction);
      pending = undefined;
      return;
    }
    outvoted = outcome.kind === 'outvoted' ? outcome.error : undefined;
    contradiction =
      outcome.kind === 'contradicted'
        ? (contradiction ?? (await firstDifference(parts, outcome, chain, settled ?? 0)))
        : undefined;
    if (contradiction !== undefined) {
      reportContradiction(parts, contradiction);
      findings = { contradicted: contradiction.block };
    }
    if (outcome.kind === 'settled') {
      settled = block.number;
      if (outcome.isNamed) findings = { named: block };
    }
    pending = undefined;
  };

  return {
    async highest(cursor, page, ring) {
      const head = page.at(-1)?.number ?? cursor.number;
      if (head < asked.head || settled === undefined) settled = finalizedBelow(cursor.number);
      if (pending === undefined && isDue(head, asked, clock.now(), contradiction !== undefined)) {
        asked = { head, at: clock.now() };
        const number = Math.max(0, head - DEPTH_BLOCKS);
        const chain = withPage(await ring(), page);
        const hash = chain.get(number);
        const others = await othersOf(parts);
        const held = contradiction && chain.get(contradiction.block.number);
        const isGone = held !== undefined && held !== contradiction?.block.hash;
        if (isGone || others.length === 0) contradiction = undefined;
        if (hash === undefined || others.length === 0) settled = head - DEPTH_BLOCKS;
        else pending = ask({ number, hash }, others, chain);
      }
      if (head > settled + FINALITY_BLOCKS) await pending;
      if (outvoted !== undefined) {
        const error = outvoted;
        outvoted = undefined;
        throw error;
      }
      return contradiction && { number: settled + FINALITY_BLOCKS, error: contradiction.error };
    },
    takeFindings() {
      const taken = findings;
      findings = {};
      return taken;
    },
    names: createNamer(parts),
  };
}

/** Whether the next block is asked for, of this head: while there is a contradiction, of the same head again. */
function isDue(
  head: number,
  asked: { readonly head: number; readonly at: number },
  now: number,
  isContradicted: boolean,
): boolean {
  const isLater = now - asked.at >= ASK_EVERY_MS;
  if (isContradicted) return isLater;
  if (head < asked.head) return true;
  return head > asked.head && (isLater || head - asked.head >= ASK_EVERY_BLOCKS);
}

/** The hashes of stored blocks and of a page that follows them. */
function withPage(ring: Ring, page: readonly NamedBlock[]): Ring {
  return new Map([...ring, ...page.map(({ number, hash }) => [number, hash] as const)]);
}

/** Makes what asks for the hashes of filled blocks: one node, and all others only where that has another hash. */
function createNamer(parts: WitnessParts): HashWitnesses['names'] {
  const { clock } = parts;
  const unaskedUntil = new Map<string, number>();
  return async (block) => {
    const others = await othersOf(parts);
    for (const other of others.flat()) {
      if (clock.now() < (unaskedUntil.get(other.name) ?? 0)) continue;
      const vote = await voteOf(other, block.number, parts);
      if (vote?.hash === block.hash) return true;
      if (vote === undefined) {
        unaskedUntil.set(other.name, clock.now() + UNASKED_MS);
        continue;
      }
      const outcome = await askOthers(parts, block, others);
      if (outcome.kind === 'settled') return outcome.isNamed;
      if (outcome.kind === 'contradicted') reportContradiction(parts, outcome);
      throw outcome.error;
    }
    return false;
  };
}

/** Makes what is called with the number of votes of each question, and says so once there were none for too long. */
function createSilenceWatch({ chain, clock, telemetry }: ReportParts): (votes: number) => void {
  let votedAt: number | undefined;
  let isLogged = false;
  return (votes) => {
    if (votes > 0) isLogged = false;
    if (votes > 0 || votedAt === undefined) votedAt = clock.now();
    const silentMs = clock.now() - votedAt;
    if (silentMs < SILENCE_MS) return;
    telemetry.emit({ values: { SilentWitnesses: 1 }, dimensions: { Chain: chain } }, clock.now());
    if (!isLogged) telemetry.log('warn', 'index_witnesses_silent', { chain, durationMs: silentMs });
    isLogged = true;
  };
}

/** What asking came to, with what stops the head where something does. */
type Outcome = {
  readonly votes: number;
} /** `isNamed`: another node has the stored hash, so that it is agreed. */ & (
  | { readonly kind: 'settled'; readonly isNamed: boolean }
  | { readonly kind: 'outvoted'; readonly error: BlockError }
  | ({ readonly kind: 'contradicted' } & Contradiction)
);

/** A block of which another node has another hash, and no third decides. */
interface Contradiction {
  readonly block: NamedBlock;
  readonly by: HashVote;
  readonly error: BlockError;
}

/** Asks other nodes for the hash of a block, and tells of what is wrong. Never rejects. */
async function askOthers(parts: WitnessParts, block: NamedBlock, others: readonly Voice[]): Promise<Outcome> {
  const { node } = parts;
  const { name } = node.current();
  const answers = await Promise.all(others.map((voice) => firstVoteOf(voice, block.number, parts)));
  const heard = answers.flatMap((vote) => vote ?? []);
  const votes = heard.length;
  const judged = judgeHash(block.hash, heard);
  if (judged.kind === 'settled') {
    for (const wrong of judged.wrong) report(parts, wrong, block);
    return { kind: 'settled', votes, isNamed: votes > judged.wrong.length };
  }
  if (judged.kind === 'contradicted')
    return { kind: 'contradicted', votes, ...contradictionOf(parts, block, judged.by) };
  const { upstream, hash } = judged.by;
  report(parts, { upstream: name, hash: block.hash }, { ...block, hash });
  const winner = others.flat().find((other) => other.name === upstream);
  if (winner !== undefined && node.current().name === name) node.moveTo(winner);
  const words = differenceInWords(name, block, judged.by);
  return { kind: 'outvoted', votes, error: new BlockError('wrong_answer', block.number, words) };
}

function contradictionOf({ node }: WitnessParts, block: NamedBlock, by: HashVote): Contradiction {
  const words = differenceInWords(node.current().name, block, by);
  return { block, by, error: new BlockError('contradicted', block.number, words) };
}

/** Counts and logs a contradiction, which a page says. */
function reportContradiction(
  { node, chain, clock, telemetry }: WitnessParts,
  { block, by }: Contradiction,
): void {
  const { name } = node.current();
  const reason = differenceInWords(name, block, by);
  telemetry.log('error', 'index_hash_contradicted', { chain, upstream: name, reason });
  telemetry.emit({ values: { HashContradictions: 1 }, dimensions: { Chain: chain } }, clock.now());
}

function differenceInWords(upstream: string, { number, hash }: NamedBlock, by: HashVote): string {
  return `block ${number} is ${hash} by ${upstream}, and ${by.hash} by ${by.upstream}`;
}

/**
 * The contradiction at the lowest block that is found to differ, by halving, as far as the other node answers.
 * @param chain hashes of the stored blocks
 * @param settled the highest that nobody contradicted
 */
async function firstDifference(
  parts: WitnessParts,
  contradiction: Contradiction,
  chain: Ring,
  settled: number,
): Promise<Contradiction> {
  const other = parts.node.others().find(({ name }) => name === contradiction.by.upstream);
  let [same, first, by] = [settled, contradiction.block, contradiction.by];
  while (other !== undefined && first.number - same > 1) {
    const number = (same + first.number) >> 1;
    const hash = chain.get(number);
    const vote = hash && (await voteOf(other, number, parts));
    if (hash === undefined || vote === undefined) break;
    if (vote.hash === hash) same = number;
    else [first, by] = [{ number, hash }, vote];
  }
  return first === contradiction.block ? contradiction : contradictionOf(parts, first, by);
}

/** What the first upstream says, in their order, that answers: together they have one vote. */
async function firstVoteOf(voice: Voice, number: number, parts: WitnessParts): Promise<HashVote | undefined> {
  const votes = await Promise.all(voice.map((upstream) => voteOf(upstream, number, parts)));
  return votes.find((vote) => vote !== undefined);
}

/** The upstreams of each other operator than that of the node that is read. */
function othersOf({ node, operatorOf }: WitnessParts): Promise<readonly Voice[]> {
  return independentOf(node.current().name, [node.current(), ...node.others()], operatorOf);
}

function report(parts: ReportParts, wrong: HashVote, block: NamedBlock): void {
  const reason = `block ${block.number}: ${wrong.upstream} has the hash ${wrong.hash}, most nodes have ${block.hash}`;
  reportWrongAnswer(parts, { upstream: wrong.upstream, kind: 'hash', reason });
}

/** Undefined where a node does not answer, lacks the block, is of another chain, or contradicts itself. */
async function voteOf(
  { name, connection }: SteadyUpstream,
  number: number,
  parts: WitnessParts,
): Promise<HashVote | undefined> {
  const { chainId, proof, clock } = parts;
  const calls = [CHAIN_ID_CALL, { method: 'eth_getBlockByNumber', params: [quantityOf(number), false] }];
  try {
    const { responses } = await sendBatch(connection, calls, { deadline: clock.now() + ANSWER_MS });
    const [chain, block] = responses.map((answer) => ('result' in answer ? answer.result : undefined));
    if (wrongChainError(chain, chainId) !== undefined) return undefined;
    const header = readObject(block, 'block');
    const hash: Hex = readHash(header.hash, 'block.hash');
    if (readInteger(header.number, 'block.number') !== number) return undefined;
    if (proof === undefined || number < proof.from) return { upstream: name, hash };
    if (verifyHeader(await openKeccak(), header).kind !== 'wrong') return { upstream: name, hash };
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
