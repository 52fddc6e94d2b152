import type { Call } from '../../shared/jsonrpc/calls.ts';
import { readJson } from '../../shared/jsonrpc/json-values.ts';
import type { Ask } from '../../shared/upstream/operators/two-operators.ts';

/** Most upstreams that are asked for something that their answers do not show. */
const MAX_ANSWERS = 3;

/** A question, and what its answer shows. */
export interface Question<T> {
  readonly call: Call;
  /** Undefined for an answer that does not show what was asked for. `json`: as the upstream sent it. */
  readonly read: (json: unknown) => T | undefined;
  /** Called with the place of an upstream whose answer is wrong. */
  readonly onWrong: (from: number) => void;
}

/** What upstreams have shown for questions, in their order; undefined where none did, or none answered. */
export async function askShown<T>(
  questions: readonly Question<T>[],
  ask: Ask,
): Promise<readonly (T | undefined)[]> {
  const shown: (T | undefined)[] = questions.map(() => undefined);
  let open = questions.map((question, place) => ({ question, place, wrong: new Set<number>() }));
  for (let asked = 0; asked < MAX_ANSWERS && open.length > 0; asked += 1) {
    const responses = await ask(open.map(({ question, wrong }) => unlike(question.call, wrong)));
    open = open.filter(({ question, place, wrong }, index) => {
      const response = responses[index];
      if (response?.kind !== 'result' || response.from === undefined) return false;
      const json = readJson(response.result);
      shown[place] = question.read(json);
      // It was asked again because no other is left.
      if (shown[place] !== undefined || wrong.has(response.from)) return false;
      wrong.add(response.from);
      // Null is no answer.
      if (json !== null) question.onWrong(response.from);
      return true;
    });
  }
  return shown;
}

/** A call that upstreams are asked first which have not answered it. */
function unlike(call: Call, answeredBy: ReadonlySet<number>): Call {
  return answeredBy.size === 0 ? call : { ...call, answeredBy };
}
