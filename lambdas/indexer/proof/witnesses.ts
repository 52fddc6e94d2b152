import type { RawBlock } from '../../chain-data/decode/raw-block.ts';
import type { Cursor } from '../../chain-data/store/cursor.ts';
import type { HashFindings, NamedBlock } from '../../chain-data/store/proof-levels.ts';
import { FINALITY_BLOCKS, finalizedBelow } from '../../shared/runtime/finality.ts';
import type { ReportParts } from '../../shared/verify/report-wrong-answer.ts';
import { BlockError } from '../blocks/block-error.ts';
import type { ChainIndex } from '../chain-index/chain-index.ts';
import { createTurns, othersThan } from '../fetch/other-nodes.ts';
import {
  askAsFarAsTheyAre,
  askOthers,
  askWhoHas,
  contradictionOf,
  firstDifference,
  type HashContradiction,
  type HeardBlock,
  type KnownChain,
  reportContradiction,
  voteOf,
  type WitnessParts,
} from './hash-votes.ts';

/** How far below the newest block the one is whose hash is asked for: half of what makes a block final. */
const DEPTH_BLOCKS = FINALITY_BLOCKS / 2;
/** New blocks, or time in milliseconds with a new block, until the next is asked for. */
const ASK_EVERY_BLOCKS = 64;
const ASK_EVERY_MS = 5_000;
/** For how long no node has to have answered until a ticket says so, in milliseconds. */
const SILENCE_MS = 600_000;
/** For how long most nodes have to have what the one that is read has replaced until another is read, in milliseconds. */
const OUTVOTED_MS = 4_000;
/** The same until the one that is read is followed, where as many nodes have it as do not. */
const EVEN_MS = 60_000;
/** Changes of the node that is read of which it is remembered whose blocks are whose. */
const MAX_CHANGES = 16;

/** A block, and the name of the upstream that sent it. */
type ReadBlock = NamedBlock & Pick<RawBlock, 'readBy'>;
type StoredChain = Pick<ChainIndex, 'ring' | 'contradicted'>;

/**
 * Asks each independent node for the hash of a block that is about to be final. One that has another stops the head before
 * that block is, unless most of all have the stored one; if most have the other, the next read is from one of these. A node
 * that does not answer has no vote.
 */
export class Witnesses {
  /**
   * Whether another node has the hash of a block that is about to be stored below the cursor.
   * @throws {BlockError} where one has another, and no third node the same
   */
  readonly names: ReturnType<typeof createNamer>;
  readonly #parts: WitnessParts;
  readonly #noteVotes: (votes: number) => void;
  readonly #readers: ReturnType<typeof createReaders>;
  #asked = { head: Number.NEGATIVE_INFINITY, at: Number.NEGATIVE_INFINITY };
  /** The highest block whose hash nobody contradicted. */
  #settled: number | undefined;
  #pending: Promise<void> | undefined;
  #contradiction: HashContradiction | undefined;
  #outvoted: BlockError | undefined;
  #findings: HashFindings = {};
  /** A stored block that the node which is read has replaced, and since when, in milliseconds since the epoch. */
  #doubt: { readonly hash: string; readonly since: number } | undefined;
  #isRestored = false;

  constructor(parts: WitnessParts) {
    this.#parts = parts;
    this.#noteVotes = createSilenceWatch(parts);
    this.#readers = createReaders(parts);
    this.names = createNamer(parts);
  }

  /**
   * The highest block that may be stored, and why: the one above makes final what an independent node contradicts. Undefined
   * where nobody contradicts.
   * @param page blocks that follow the cursor
   * @throws {BlockError} `wrong_answer` where most nodes have another hash than the one that is read
   */
  async highest(cursor: Pick<Cursor, 'number'>, page: readonly ReadBlock[], stored: StoredChain) {
    this.#readers.note(page);
    const head = page.at(-1)?.number ?? cursor.number;
    const isShorter = head < this.#asked.head;
    const settled = (isShorter ? undefined : this.#settled) ?? finalizedBelow(cursor.number);
    this.#settled = settled;
    if (!this.#isRestored) this.#contradiction = restored(await stored.contradicted());
    this.#isRestored = true;
    if (this.#pending === undefined && this.#isDue(head)) await this.#begin(head, page, stored);
    await this.#settle(head);
    // The answer was to the question of another page.
    const isOpen = this.#contradiction === undefined && this.#outvoted === undefined;
    if (isOpen && this.#asked.head !== head && this.#wouldSettle(head)) {
      await this.#begin(head, page, stored);
      await this.#settle(head);
    }
    const outvoted = this.#outvoted;
    this.#outvoted = undefined;
    if (outvoted !== undefined) throw outvoted;
    const contradiction = this.#contradiction;
    return contradiction && { number: this.#settled + FINALITY_BLOCKS, error: errorOf(contradiction) };
  }

  /**
   * Whether a stored block that the node which is read has replaced is rolled back: where most nodes that answer have another
   * in its place, or for long enough as many.
   * @param isFinal it is below what reorganisations may replace: the index would halt. @default false
   */
  async isReplaced(block: NamedBlock, isFinal = false): Promise<boolean> {
    const { node, clock } = this.#parts;
    const { has, lacks } = await askWhoHas(this.#parts, node.current().name, block);
    const isAlone =
      has.length + lacks === 0 && (await othersThan(node.current().name, this.#parts)).length === 0;
    const since = this.#doubt?.hash === block.hash ? this.#doubt.since : clock.now();
    const waitedMs = clock.now() - since;
    // The node that is read lacks it as well.
    const isOutvoted = has.length > lacks + 1;
    const isMost = lacks > 0 && has.length <= lacks;
    const isEvenForLong = !isOutvoted && waitedMs >= EVEN_MS;
    // What is final stands with whoever has it: one node alone halts no index.
    const stands = isFinal && has.length > lacks;
    if (isAlone || isMost || (isEvenForLong && !stands)) {
      this.#doubt = undefined;
      return true;
    }
    const [holder] = has;
    const isLeft = isEvenForLong || (isOutvoted && waitedMs >= OUTVOTED_MS);
    if (isLeft && holder !== undefined) node.moveTo(holder);
    this.#doubt = { hash: block.hash, since };
    return false;
  }

  /** What other nodes said of hashes since this was last asked. */
  takeFindings(): HashFindings {
    const taken = this.#findings;
    this.#findings = {};
    return taken;
  }

  /** Whether blocks up to this one make final what nobody was asked for yet. */
  #wouldSettle(head: number): boolean {
    return head > (this.#settled ?? 0) + FINALITY_BLOCKS;
  }

  /** Waits for an answer where blocks up to this one need it. */
  async #settle(head: number): Promise<void> {
    if (this.#wouldSettle(head)) await this.#pending;
  }

  /** Whether the next block is asked for, of this head: while there is a contradiction, of the same head again. */
  #isDue(head: number): boolean {
    const asked = this.#asked;
    const isLater = this.#parts.clock.now() - asked.at >= ASK_EVERY_MS;
    if (this.#contradiction !== undefined) return isLater;
    if (head < asked.head) return true;
    return head > asked.head && (isLater || head - asked.head >= ASK_EVERY_BLOCKS);
  }

  /** Asks for the block below a head, of a chain that is stored with a page; unless nobody can be asked. */
  async #begin(head: number, page: readonly ReadBlock[], stored: StoredChain): Promise<void> {
    this.#asked = { head, at: this.#parts.clock.now() };
    const hashes = new Map([
      ...(await stored.ring()),
      ...page.map((block) => [block.number, block.hash] as const),
    ]);
    const heard: KnownChain['heard'] = (number) => {
      const hash = hashes.get(number);
      return hash && { number, hash, readBy: this.#readers.of(number) };
    };
    const number = Math.max(0, head - DEPTH_BLOCKS);
    const block = heard(number);
    const isAlone = (await othersThan(this.#readers.of(number), this.#parts)).length === 0;
    const held = this.#contradiction && hashes.get(this.#contradiction.block.number);
    const isGone = held !== undefined && held !== this.#contradiction?.block.hash;
    if (isGone || isAlone) this.#contradiction = undefined;
    if (block === undefined || isAlone) this.#settled = head - DEPTH_BLOCKS;
    else
      this.#pending = this.#ask(block, heard).finally(() => {
        this.#pending = undefined;
      });
  }

  async #ask(block: HeardBlock, heard: KnownChain['heard']): Promise<void> {
    const known = { heard, settled: this.#settled ?? 0 };
    const outcome = await askAsFarAsTheyAre(this.#parts, block, known);
    this.#noteVotes(outcome.votes);
    const named = outcome.kind === 'settled' && outcome.isNamed ? outcome.block : undefined;
    const contradiction = this.#contradiction;
    // Silence takes nothing back: only who names the stored hash does.
    if (contradiction !== undefined && outcome.kind === 'settled' && !isAbove(named, contradiction)) {
      reportContradiction(this.#parts, contradiction);
      return;
    }
    this.#outvoted = outcome.kind === 'outvoted' ? outcome.error : undefined;
    this.#contradiction = undefined;
    if (outcome.kind === 'contradicted') {
      this.#contradiction = contradiction ?? (await firstDifference(this.#parts, outcome, known));
      reportContradiction(this.#parts, this.#contradiction);
      this.#findings = { contradicted: this.#contradiction.block };
    }
    if (outcome.kind === 'settled') this.#settled = block.number;
    if (named !== undefined) this.#findings = { named };
  }
}

function isAbove(named: NamedBlock | undefined, { block }: HashContradiction): boolean {
  return named !== undefined && named.number >= block.number;
}

function errorOf({ block, reason }: HashContradiction): BlockError {
  return new BlockError('contradicted', block.number, reason);
}

/** A contradiction that was stored: who contradicted is not. */
function restored(block: NamedBlock | undefined): HashContradiction | undefined {
  return block && { block, reason: `block ${block.number} is ${block.hash}, and another node had another` };
}

/** Remembers which node's blocks are from which number on, as pages come. */
function createReaders({ node }: WitnessParts) {
  let changes: { readonly from: number; readonly name: string }[] = [];
  return {
    note(page: readonly ReadBlock[]): void {
      const [first] = page;
      changes = changes.filter(({ from }) => first === undefined || from < first.number);
      for (const { number, readBy } of page)
        if (readBy !== undefined && readBy !== changes.at(-1)?.name)
          changes.push({ from: number, name: readBy });
      changes = changes.slice(-MAX_CHANGES);
    },
    of: (number: number): string =>
      changes.findLast(({ from }) => from <= number)?.name ?? node.current().name,
  };
}

/** Makes what asks for the hashes of filled blocks: one node, and all others only where that has another hash. */
function createNamer(parts: WitnessParts) {
  const { node } = parts;
  const turns = createTurns(parts);
  return async ({ number, hash, readBy = node.current().name }: ReadBlock): Promise<boolean> => {
    const block = { number, hash, readBy };
    for await (const { other } of turns.othersThan(readBy)) {
      const vote = await voteOf(other, number, parts);
      if (vote === undefined || vote === 'behind') {
        turns.silence(other);
        continue;
      }
      if (vote.hash === hash) return true;
      const outcome = await askOthers(parts, block);
      if (outcome.kind === 'settled') return outcome.isNamed;
      if (outcome.kind === 'outvoted') throw outcome.error;
      const contradiction = contradictionOf(block, outcome.by);
      reportContradiction(parts, contradiction);
      throw errorOf(contradiction);
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
