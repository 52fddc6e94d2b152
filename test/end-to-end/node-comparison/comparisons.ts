/** A value that the Data API tells otherwise than the node. */
export interface Difference {
  /** What was compared, such as `transactions`. */
  readonly kind: string;
  /** Where, such as `0x12… gas_used`. */
  readonly place: string;
  readonly told: string;
  readonly said: string;
}

/** Rule that explains a difference; this one says that none does. */
const UNEXPLAINED = 'unexplained';

/** Values of the Data API beside those of the node: how many were compared, and which differ, by cause. */
export class Comparisons {
  readonly #counts = new Map<string, number>();
  readonly #differences = new Map<string, Difference[]>();

  /** Values that were compared, by what they are of. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Differences by their cause. */
  get differences(): ReadonlyMap<string, readonly Difference[]> {
    return this.#differences;
  }

  /** Those that no rule explains. */
  get unexplained(): readonly Difference[] {
    return this.#differences.get(UNEXPLAINED) ?? [];
  }

  /**
   * Compares values by name, each by itself.
   * @param told by the Data API
   * @param said by the node, in the form of the Data API
   * @param cause the rule that explains a difference here
   */
  compare(
    { kind, place }: { readonly kind: string; readonly place: string },
    told: Readonly<Record<string, unknown>>,
    said: Readonly<Record<string, unknown>>,
    cause = UNEXPLAINED,
  ): void {
    for (const [name, value] of Object.entries(said)) {
      this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
      const [one, other] = [JSON.stringify(told[name] ?? null), JSON.stringify(value ?? null)];
      if (one === other) continue;
      const difference = { kind, place: `${place} ${name}`, told: shorten(one), said: shorten(other) };
      this.#differences.set(cause, [...(this.#differences.get(cause) ?? []), difference]);
    }
  }
}

/** Characters of a value that are kept of a difference. */
const MAX_KEPT = 80;

function shorten(text: string): string {
  return text.length <= MAX_KEPT ? text : `${text.slice(0, MAX_KEPT)}...`;
}
