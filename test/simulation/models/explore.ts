/** A step that is possible in a state, with the state that follows. */
export interface Transition<State> {
  readonly what: string;
  readonly to: State;
}

/** A model: its states are data. What a transition leaves as it is, the next state shares with the one before. */
export interface Model<State> {
  readonly initial: State;
  /**
   * Tells states apart, as their JSON does: the shorter, the faster all of them are visited.
   * `before`: a state with which it shares parts.
   */
  name(state: State, before?: Named<State>): string;
  next(state: State): Iterable<Transition<State>>;
  /** The fault of a state, or of the step to it; undefined: none. */
  fault(state: State, before: State): string | undefined;
}

/** Result of a complete exploration. */
export interface Exploration {
  readonly states: number;
  readonly transitions: number;
  /** The shortest way to a fault, if there is one: what happened, and the fault. */
  readonly violation: { readonly fault: string; readonly trace: readonly string[] } | undefined;
}

/** A state and its name. */
export interface Named<State> {
  readonly state: State;
  readonly name: string;
}

/** A state, and how it was reached first. */
interface Visit<State> extends Named<State> {
  readonly from: Visit<State> | undefined;
  readonly what: string;
}

/** Visits every state that can be reached, the nearest first, until one has a fault. */
export function explore<State>(model: Model<State>): Exploration {
  const first = model.name(model.initial);
  const reached = new Set([first]);
  const visits: Visit<State>[] = [{ state: model.initial, name: first, from: undefined, what: '' }];
  let transitions = 0;
  // The loop continues with what is added meanwhile: the list is the queue of what is still to be visited as well.
  for (const visit of visits) {
    for (const { what, to } of model.next(visit.state)) {
      transitions += 1;
      const fault = model.fault(to, visit.state);
      if (fault !== undefined) {
        const violation = { fault, trace: [...traceOf(visit), what] };
        return { states: reached.size, transitions, violation };
      }
      const name = model.name(to, visit);
      if (reached.has(name)) continue;
      reached.add(name);
      visits.push({ state: to, name, from: visit, what });
    }
  }
  return { states: reached.size, transitions, violation: undefined };
}

function traceOf<State>(last: Visit<State>): string[] {
  const trace: string[] = [];
  for (let visit = last; visit.from !== undefined; visit = visit.from) trace.push(visit.what);
  return trace.reverse();
}

const texts = new WeakMap<object, string>();

/** The JSON of a part of a state. No part is ever changed. */
export function textOf(part: object): string {
  const known = texts.get(part);
  if (known !== undefined) return known;
  const text = JSON.stringify(part);
  texts.set(part, text);
  return text;
}

/** Numbers of parts of states, by their JSON. */
const numbers = new Map<string, number>();
/** Each is one character of a name. */
const MAX_NUMBERS = 65_536;

/** A number for a part of a state: the same for all parts with the same JSON. */
export function numberOf(part: object): number {
  const text = JSON.stringify(part);
  const known = numbers.get(text);
  if (known !== undefined) return known;
  const number = numbers.size;
  if (number === MAX_NUMBERS) throw new Error(`states have more than ${MAX_NUMBERS} parts`);
  numbers.set(text, number);
  return number;
}
