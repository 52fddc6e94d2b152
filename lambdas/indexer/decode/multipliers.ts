const ONE = 10n ** 18n;

/** A multiplier that a stock token announced. Times are seconds since the epoch. */
export interface MultiplierChange {
  /** Time of the block that announced it. */
  readonly announcedAt: number;
  readonly effectiveAt: number;
  /** 18 decimals. */
  readonly multiplier: bigint;
}

/** A multiplier and when it came into force, in seconds since the epoch. */
export interface MultiplierStep {
  readonly from: number;
  readonly multiplier: bigint;
}

/**
 * Which multiplier was in force when, as the reference contract of ERC-8056 has it. A change is pending until its time;
 * one that is announced before then takes its place. `changes`: in the order of the chain.
 * @returns steps in order of time; the first is the initial multiplier, from ever
 */
export function multiplierSteps(initial: bigint, changes: readonly MultiplierChange[]): MultiplierStep[] {
  const steps: MultiplierStep[] = [{ from: Number.NEGATIVE_INFINITY, multiplier: initial }];
  let current = initial;
  let pending: MultiplierChange | undefined;
  for (const [index, change] of changes.entries()) {
    if (pending !== undefined && change.announcedAt > pending.effectiveAt) current = pending.multiplier;
    const next = changes[index + 1];
    const inForce = change.announcedAt >= change.effectiveAt;
    addStep(steps, change.announcedAt, inForce ? change.multiplier : current);
    if (!inForce && (next === undefined || change.effectiveAt < next.announcedAt))
      addStep(steps, change.effectiveAt, change.multiplier);
    pending = change;
  }
  return steps;
}

/** The multiplier in force at a time in seconds since the epoch; without any step, amounts are not scaled. */
export function multiplierAt(steps: readonly MultiplierStep[], time: number): bigint {
  return steps.findLast(({ from }) => from <= time)?.multiplier ?? ONE;
}

/** Whether each change was replaced before it took effect. `changes`: in the order of the chain. */
export function supersededChanges(changes: readonly MultiplierChange[]): boolean[] {
  return changes.map(({ effectiveAt }, index) => {
    const next = changes[index + 1];
    return next !== undefined && next.announcedAt <= effectiveAt;
  });
}

/** What a raw amount is in shares; rounded down, as the contract does. */
export function uiAmount(raw: bigint, multiplier: bigint): bigint {
  return (raw * multiplier) / ONE;
}

/** Steps of the same time become the last of them; one that changes nothing is none. */
function addStep(steps: MultiplierStep[], from: number, multiplier: bigint): void {
  if (steps.at(-1)?.from === from) steps.pop();
  if (steps.at(-1)?.multiplier !== multiplier) steps.push({ from, multiplier });
}
