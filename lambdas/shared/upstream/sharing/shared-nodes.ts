import {
  type ClaimSubject,
  counts,
  lacksWord,
  lastSaidAt,
  type NodeClaim,
  readClaims,
  valid,
  type Witness,
  withoutClaim,
  withWord,
  writeClaims,
} from './node-claims.ts';
import { isText, type SharedTextItem, shareText } from './shared-item.ts';
import type { SharedViewOptions } from './shared-view.ts';

/** Least time between two looks at what others say, in milliseconds. */
const READ_INTERVAL_MS = 10_000;
/**
 * Time within which a process tells what the others do not say, in milliseconds: at a random moment of it, and no more than
 * once. So 5,000 processes that learn something in one moment write 250 times a second at the most, of two units each.
 */
const TELL_INTERVAL_MS = 20_000;
/** Digits and letters of the name by which a process is distinguished from others. */
const NAME_LENGTH = 6;
const NAME_BASE = 36;

/**
 * What processes share of a chain's nodes: which are out of use, and which lack a method. What two
 * processes say is true for all until their words are too old, or one tells the contrary from a response of its own; what
 * one says makes the others quicker to believe it. What a process was answered itself comes first.
 */
export class SharedNodes {
  readonly #options: SharedViewOptions;
  readonly #item: SharedTextItem;
  /** Names this process. */
  readonly #by: string;
  #claims: readonly NodeClaim[] = [];
  #readAfter = Number.NEGATIVE_INFINITY;
  #tellAfter = Number.NEGATIVE_INFINITY;
  /** When pending news is written; undefined while nothing is. */
  #tellAt: number | undefined;

  constructor(options: SharedViewOptions) {
    this.#options = options;
    const { chain, node } = options;
    const asking = { ...options, clock: node.clock, event: 'chain_nodes_unavailable' };
    this.#item = shareText(nodesItem(chain), asking);
    this.#by = Math.floor(node.random() * NAME_BASE ** NAME_LENGTH).toString(NAME_BASE);
  }

  /** Learns what others say, if it has not for ten seconds. Never rejects. */
  async read(): Promise<void> {
    const { node } = this.#options;
    if (node.clock.now() < this.#readAfter) return;
    this.#readAfter = node.clock.now() + READ_INTERVAL_MS;
    const read = await this.#item.read();
    if (read !== 'unread') this.#take(readClaims(read?.text ?? ''));
  }

  /** Tells what this process knows and the others do not say, or say otherwise; at its time. Never rejects. */
  async publish(): Promise<void> {
    const { node } = this.#options;
    const now = node.clock.now();
    if (this.#changed(this.#claims, now) === undefined) {
      this.#tellAt = undefined;
      return;
    }
    this.#tellAt ??= Math.max(this.#tellAfter, now + node.random() * TELL_INTERVAL_MS);
    if (now < this.#tellAt) return;
    this.#tellAt = undefined;
    this.#tellAfter = now + TELL_INTERVAL_MS;
    const read = await this.#item.read({ isNow: true });
    if (read === 'unread') return;
    this.#take(readClaims(read?.text ?? ''));
    const changed = this.#changed(this.#claims, now);
    if (changed === undefined) return;
    const written = await this.#item.write({ toldAt: now, text: writeClaims(changed) }, read);
    if (isText(written)) this.#claims = changed;
  }

  #take(claims: readonly NodeClaim[]): void {
    const { upstreams, clock } = this.#options.node;
    this.#claims = valid(claims, clock.now());
    for (const upstream of upstreams) {
      const own = this.#claims.filter((claim) => claim.upstream === upstream.name);
      for (const claim of own) upstream.health.heard({ ...claim, at: lastSaidAt(claim) }, counts(claim));
    }
  }

  /** The claims as this process would have them; undefined if it has nothing to change. */
  #changed(claims: readonly NodeClaim[], now: number): readonly NodeClaim[] | undefined {
    const { upstreams } = this.#options.node;
    const missing = upstreams.flatMap((upstream) =>
      upstream.health.own.flatMap(({ at, ...held }) => {
        const subject: ClaimSubject = { upstream: upstream.name, ...held };
        const witness: Witness = { by: this.#by, at: Math.round(at) };
        return lacksWord(claims, subject, witness, now) ? [{ subject, witness }] : [];
      }),
    );
    const wrong = claims.filter((claim) => {
      const upstream = upstreams.find(({ name }) => name === claim.upstream);
      return counts(claim) && upstream !== undefined && upstream.health.deniedAt(claim) > lastSaidAt(claim);
    });
    if (missing.length + wrong.length === 0) return undefined;
    const kept = wrong.reduce(withoutClaim, claims);
    return missing.reduce((all, { subject, witness }) => withWord(all, subject, witness), kept);
  }
}

/** What the item is called by which processes share what they know of a chain's nodes. */
export function nodesItem(chain: string): string {
  return `nodes ${chain}`;
}
