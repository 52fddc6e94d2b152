/** An upstream that is further behind the head is not asked for anything new. */
export const MAX_LAG_BLOCKS = 8n;
/** Upstreams whose heads are further apart than this cannot both be right. */
export const MAX_LEAD_BLOCKS = 1_000n;
/** A report speaks against others for this long, in milliseconds. */
const REPORT_MAX_AGE_MS = 10_000;

/** Reports of so short a time are of the same head, in milliseconds: too few blocks come meanwhile to count. */
const SAME_TIME_MS = 500;

/** The newest block of one upstream, as it said. */
interface Report {
  readonly head: bigint;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Blocks that the upstream was behind the view at that time. */
  readonly lag: bigint;
}

/**
 * Where the head of a chain is, by all that this instance has seen of its upstreams. The head never goes back, with
 * one exception: when upstreams that agree contradict it by more than {@link MAX_LEAD_BLOCKS} it was never true, or
 * the chain was started anew.
 */
export class HeadView {
  readonly #reports: (Report | undefined)[];
  readonly #syncing: boolean[];
  #head: bigint | undefined;
  #served = 0n;
  #confirmedAt = Number.NEGATIVE_INFINITY;

  /** `upstreams`: how many there are; they are named by their index. */
  constructor(upstreams: number) {
    this.#reports = new Array<Report | undefined>(upstreams).fill(undefined);
    this.#syncing = new Array<boolean>(upstreams).fill(false);
  }

  /** Number of the newest block; undefined until an upstream has said one. */
  get head(): bigint | undefined {
    return this.#head;
  }

  /** The newest block number that a client was told; 0 if none. */
  get served(): bigint {
    return this.#served;
  }

  /** When an upstream last said where the head is, in milliseconds since the epoch. */
  get confirmedAt(): number {
    return this.#confirmedAt;
  }

  /** The newest block that an upstream has said to have. */
  headOf(upstream: number): bigint | undefined {
    return this.#reports[upstream]?.head;
  }

  /** Blocks that an upstream was behind when it last said where it is; 0 if it never did. */
  lagOf(upstream: number): bigint {
    return this.#reports[upstream]?.lag ?? 0n;
  }

  /** Whether an upstream cannot speak for the newest blocks: it syncs, is behind, or alone with what it says. */
  isBehind(upstream: number, now: number): boolean {
    if (this.#syncing[upstream] === true) return true;
    const report = this.#reports[upstream];
    if (report === undefined || this.#reports.length === 1) return false;
    return report.lag > MAX_LAG_BLOCKS || isOutvoted(report, this.#freshReports(now));
  }

  /** Takes note of the newest block that an upstream has. */
  report(upstream: number, head: bigint, now: number): void {
    this.#reports[upstream] = { head, at: now, lag: 0n };
    const fresh = this.#freshReports(now);
    const believed = fresh.filter((report) => !isOutvoted(report, fresh));
    const highest = maximum(believed.map((report) => report.head));
    if (this.#head === undefined || highest > this.#head) this.#head = highest;
    else if (this.#head > highest + MAX_LEAD_BLOCKS && this.#canContradict(believed))
      this.#startAnew(highest);
    this.#measureLags(now - SAME_TIME_MS);
    if (this.lagOf(upstream) <= MAX_LAG_BLOCKS) this.#confirmedAt = now;
  }

  /** Takes note of whether an upstream is still fetching the chain. */
  reportSyncing(upstream: number, syncing: boolean): void {
    this.#syncing[upstream] = syncing;
  }

  /** Takes note of a block number that a client is told as the newest. */
  serve(head: bigint): void {
    if (head > this.#served) this.#served = head;
  }

  /** Measures how far behind the view those are that have reported since a time. */
  #measureLags(since: number): void {
    const head = this.#head ?? 0n;
    for (const [index, report] of this.#reports.entries()) {
      if (report === undefined || report.at < since) continue;
      this.#reports[index] = { ...report, lag: head > report.head ? head - report.head : 0n };
    }
  }

  #freshReports(now: number): Report[] {
    return this.#reports.filter(
      (report) => report !== undefined && now - report.at < REPORT_MAX_AGE_MS,
    ) as Report[];
  }

  /** One voice against what others once said is not enough, unless there is only one. */
  #canContradict(believed: readonly Report[]): boolean {
    return believed.length >= Math.min(2, this.#reports.length);
  }

  #startAnew(head: bigint): void {
    this.#head = head;
    this.#served = this.#served < head ? this.#served : head;
    this.#measureLags(Number.NEGATIVE_INFINITY);
  }
}

/** Whether at least two others agree that the chain is not nearly as far as a report says, and nobody says it is. */
function isOutvoted(report: Report, fresh: readonly Report[]): boolean {
  const others = fresh.filter((other) => other !== report).map(({ head }) => head);
  if (others.length < 2) return false;
  const highest = maximum(others);
  return highest + MAX_LEAD_BLOCKS < report.head && highest - minimum(others) <= MAX_LEAD_BLOCKS;
}

function maximum(numbers: readonly bigint[]): bigint {
  return numbers.reduce((highest, number) => (number > highest ? number : highest), 0n);
}

function minimum(numbers: readonly bigint[]): bigint {
  return numbers.reduce((lowest, number) => (number < lowest ? number : lowest));
}
