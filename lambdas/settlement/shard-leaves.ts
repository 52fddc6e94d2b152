import { gunzipSync, gzipSync } from 'node:zlib';
import type { LaneSink } from '../access/accounts/lane-hours.ts';
import { addUsage } from '../access/charge/usage-text.ts';
import type { MethodUsage } from '../access/contract/metering.ts';
import type { Item } from '../access/store/store.ts';
import { laneLeafText } from '../shared/bill/lane-leaf.ts';
import { COMPRESSION, LINE_END, leafOf } from './frozen-leaves.ts';
import { laneUsage } from './hour-lanes.ts';

/** Length of leaves that wait to be compressed together: some 200 of them. */
const MAX_WAITING = 16 * 1024;

/**
 * The leaves of one shard in one hour. Of a lane its leaf is kept, and what it paid for is added up. Many leaves are kept
 * compressed, some 50 bytes each: a lane as it is stored has up to a kibibyte.
 */
export class ShardLeaves implements LaneSink {
  readonly shard: number;
  readonly #hour: string;
  readonly #usage = new Map<string, MethodUsage>();
  readonly #packed: Buffer[] = [];
  #waiting: string[] = [];
  #waitingLength = 0;
  #failure: unknown;

  constructor(shard: number, hour: string) {
    this.shard = shard;
    this.#hour = hour;
  }

  add(lane: Item): void {
    const text = laneLeafText(leafOf(lane, this.#hour));
    this.#waiting.push(text);
    this.#waitingLength += text.length + LINE_END.length;
    this.#addUsage(lane);
    if (this.#waitingLength < MAX_WAITING) return;
    this.#packed.push(gzipSync(this.#waitingText(), COMPRESSION));
    this.#waiting = [];
    this.#waitingLength = 0;
  }

  /** What the lanes were charged for. Throws an Error if that of one cannot be read. */
  usage(): readonly MethodUsage[] {
    if (this.#failure !== undefined) throw this.#failure;
    return [...this.#usage.values()];
  }

  /** The leaves as texts, by the names of the lanes. */
  *texts(): Generator<string> {
    for (const packed of this.#packed) yield* gunzipSync(packed).toString('latin1').trimEnd().split(LINE_END);
    yield* this.#waiting;
  }

  /** The same as bytes: members of gzip, and the text that is not compressed yet. */
  bytes(): { readonly packed: readonly Buffer[]; readonly waiting: string } {
    return { packed: this.#packed, waiting: this.#waitingText() };
  }

  /** Usage of a code that this release does not know matters only if the hour has something new. */
  #addUsage(lane: Item): void {
    try {
      for (const line of laneUsage([lane])) addUsage(this.#usage, line);
    } catch (error) {
      this.#failure ??= error;
    }
  }

  #waitingText(): string {
    return this.#waiting.map((text) => text + LINE_END).join('');
  }
}
