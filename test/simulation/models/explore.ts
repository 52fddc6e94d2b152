/** What can happen next in a state, with the state that follows. */
export interface Transition<State> {
  readonly what: string;
  readonly to: State;
}

/** A model: its states are data that JSON can tell apart. */
export interface Model<State> {
  readonly initial: State;
  next(state: State): Iterable<Transition<State>>;
  /** What is wrong with a state, or with how it came about; undefined: nothing. */
  fault(state: State, before: State): string | undefined;
}

/** What a complete exploration has found. */
export interface Exploration {
  readonly states: number;
  readonly transitions: number;
  /** The shortest way to a fault, if there is one: what happened, and the fault. */
  readonly violation: { readonly fault: string; readonly trace: readonly string[] } | undefined;
}

interface Origin {
  readonly parent: string;
  readonly what: string;
}

/** Visits every state that can be reached, the nearest first, until one has a fault. */
export function explore<State>(model: Model<State>): Exploration {
  const origins = new Map<string, Origin | undefined>([[JSON.stringify(model.initial), undefined]]);
  let transitions = 0;
  // A map keeps the order in which keys came in, so it is the queue of what is still to be visited as well.
  for (const key of origins.keys()) {
    const state = JSON.parse(key) as State;
    for (const { what, to } of model.next(state)) {
      transitions += 1;
      const reached = JSON.stringify(to);
      const found = model.fault(to, state);
      if (found !== undefined) {
        const trace = [...traceOf(origins, key), what];
        return { states: origins.size, transitions, violation: { fault: found, trace } };
      }
      if (!origins.has(reached)) origins.set(reached, { parent: key, what });
    }
  }
  return { states: origins.size, transitions, violation: undefined };
}

function traceOf(origins: ReadonlyMap<string, Origin | undefined>, key: string): string[] {
  const trace: string[] = [];
  for (let origin = origins.get(key); origin !== undefined; origin = origins.get(origin.parent)) {
    trace.push(origin.what);
  }
  return trace.reverse();
}
