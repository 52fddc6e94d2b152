import type { Telemetry } from '../../runtime/telemetry.ts';
import type { ChainUpstreams } from '../chain-upstreams.ts';
import {
  isText,
  type SharedText,
  type SharedTextItem,
  type SharedTextStore,
  shareText,
} from './shared-item.ts';
import { type Hold, readHolds, readReports, type SharedReport, writeReports } from './shared-reports.ts';

/** What was asked longer ago is not shared, in milliseconds: an instance can stand still for an hour. */
const MAX_TELL_MS = 3_000;
/** How often an instance counts the upstreams that an operator holds, in milliseconds. */
const COUNT_HELD_MS = 60_000;
/** Age at which the report of an upstream that this instance does not have is dropped, in milliseconds. */
const MAX_FOREIGN_MS = 3_600_000;

export interface SharedViewOptions {
  readonly chain: string;
  readonly node: Pick<ChainUpstreams, 'view' | 'upstreams' | 'clock' | 'random'>;
  readonly store: SharedTextStore;
  readonly telemetry: Telemetry;
}

/**
 * A chain's view as all instances share it: what each upstream reported last. It is a hint: each instance holds the reports of
 * others against block time as it does its own, by the one rule of heads. An instance that finds it old asks one upstream, and puts
 * what it knows then in the place of just the view that it has read. So of many that ask at once one writes.
 */
export class SharedView {
  readonly #options: SharedViewOptions;
  /** The view as it was last read or written; undefined: there was none, `unread`: the store did not say. */
  #last: SharedText | undefined | 'unread' = 'unread';
  /** When this instance first saw it. Ages rest on that as well: clocks of instances differ. */
  #firstSeenAt = Number.NEGATIVE_INFINITY;
  readonly #item: SharedTextItem;
  /** Upstreams that an operator holds, as this instance has logged them. */
  #held: ReadonlySet<string> = new Set();
  #heldCountedAt = Number.NEGATIVE_INFINITY;

  constructor(options: SharedViewOptions) {
    this.#options = options;
    const { clock } = options.node;
    this.#item = shareText(headsItem(options.chain), { ...options, clock, event: 'chain_view_unavailable' });
  }

  /** Learns what others know. Never rejects. */
  async read(): Promise<void> {
    const { node } = this.#options;
    const before = this.#last;
    const read = await this.#item.read();
    this.#last = read;
    const now = node.clock.now();
    if (read !== 'unread') this.#hold(readHolds(read?.text ?? '', now), now);
    if (read === 'unread' || read === undefined) return;
    if (before === 'unread' || before?.sequence !== read.sequence) this.#firstSeenAt = now;
    this.#take(readReports(read.text), now - Math.max(0, now - read.toldAt, now - this.#firstSeenAt), now);
  }

  /** Tells the others what this instance knows. `askedAt`: when it was asked, in milliseconds since the epoch. Never rejects. */
  async publish(askedAt: number): Promise<void> {
    const { node } = this.#options;
    const read = this.#last;
    const now = node.clock.now();
    if (read === 'unread' || now - askedAt > MAX_TELL_MS) return;
    const reports = [...this.#own(now), ...this.#foreign(readReports(read?.text ?? ''), now)];
    if (reports.length === 0) return;
    const text = writeReports(reports, {
      unheard: this.#unheard(),
      holds: readHolds(read?.text ?? '', now),
    });
    const written = await this.#item.write({ toldAt: now, text }, read);
    if (!isText(written)) return;
    this.#last = written;
    this.#firstSeenAt = now;
  }

  /** `toldAt`: when the view was shared, by this instance's clock. */
  #take(reports: readonly SharedReport[], toldAt: number, now: number): void {
    const { view, upstreams } = this.#options.node;
    for (const upstream of upstreams) {
      const report = reports.find(({ name }) => name === upstream.name);
      if (report !== undefined) view.take(upstream.index, report, toldAt - report.ageMs, now);
    }
  }

  /** Takes upstreams out of use that an operator holds, and back into it. */
  #hold(holds: readonly Hold[], now: number): void {
    const { chain, node, telemetry } = this.#options;
    for (const { name, health } of node.upstreams) {
      const until = holds.find((one) => one.name === name)?.until;
      health.hold(until);
      if (until !== undefined && !this.#held.has(name))
        telemetry.log('warn', 'upstream_held', {
          chain,
          upstream: name,
          durationMs: Math.round(until - now),
        });
      else if (until === undefined && this.#held.has(name))
        telemetry.log('info', 'upstream_hold_over', { chain, upstream: name });
    }
    const held = node.upstreams.filter(({ health }) => health.isHeld);
    this.#held = new Set(held.map(({ name }) => name));
    if (held.length === 0 || now - this.#heldCountedAt < COUNT_HELD_MS) return;
    this.#heldCountedAt = now;
    telemetry.emit({ values: { UpstreamsHeld: held.length }, dimensions: { Chain: chain } }, now);
  }

  #unheard(): readonly string[] {
    const { view, upstreams } = this.#options.node;
    return upstreams.flatMap(({ index, name }) => (view.latestReport(index) === undefined ? [name] : []));
  }

  #own(now: number): readonly SharedReport[] {
    const { view, upstreams } = this.#options.node;
    return upstreams.flatMap(({ index, name, health, lessons }) => {
      const told = view.latestReport(index);
      if (told === undefined) return [];
      const [maxRange, maxBatch] = [lessons.maxRange, lessons.maxBatch].map(finite);
      const measured = { latencyMs: health.p50Ms, maxRange, maxBatch };
      return [{ ...told, name, ageMs: Math.max(0, now - told.at), ...measured }];
    });
  }

  /** Reports of upstreams that other instances have: of another version of the stage. */
  #foreign(reports: readonly SharedReport[], now: number): readonly SharedReport[] {
    const { upstreams } = this.#options.node;
    const isForeign = (one: SharedReport) => upstreams.every(({ name }) => name !== one.name);
    return reports
      .filter(isForeign)
      .map((one) => ({ ...one, ageMs: one.ageMs + Math.max(0, now - this.#firstSeenAt) }))
      .filter(({ ageMs }) => ageMs < MAX_FOREIGN_MS);
  }
}

function finite(size: number): number | undefined {
  return Number.isFinite(size) ? size : undefined;
}

/** What the item is called by which instances share the heads of a chain's upstreams. */
export function headsItem(chain: string): string {
  return `heads ${chain}`;
}
