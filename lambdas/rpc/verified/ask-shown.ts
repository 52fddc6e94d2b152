import { type Call, NULL_ID, type UpstreamResponse } from '../../shared/jsonrpc/calls.ts';

/** Sends calls to upstreams within the time of a request, and answers them in their order. */
export type Ask = (calls: readonly Call[]) => Promise<readonly UpstreamResponse[]>;

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
  const shown = new Map<Question<T>, T>();
  const wrong = new Map<Question<T>, Set<number>>(questions.map((question) => [question, new Set()]));
  let open = questions;
  for (let asked = 0; asked < MAX_ANSWERS && open.length > 0; asked += 1) {
    const responses = await ask(open.map((question) => unlike(question.call, wrong.get(question))));
    open = open.filter((question, place) => {
      const response = responses[place];
      if (response?.kind !== 'result' || response.from === undefined) return false;
      const json = readJson(response.result);
      const found = question.read(json);
      if (found !== undefined) {
        shown.set(question, found);
        return false;
      }
      const liars = wrong.get(question);
      // It was asked again because no other is left.
      if (liars === undefined || liars.has(response.from)) return false;
      liars.add(response.from);
      // Null is no answer.
      if (json !== null) question.onWrong(response.from);
      return true;
    });
  }
  return questions.map((question) => shown.get(question));
}

/** A call of the gateway's own. */
export function ownCall(method: string, params: readonly unknown[]): Call {
  return { id: NULL_ID, method, params: Buffer.from(JSON.stringify(params)) };
}

/** A call that upstreams are asked first which have not answered it. */
function unlike(call: Call, answeredBy: ReadonlySet<number> | undefined): Call {
  return answeredBy === undefined || answeredBy.size === 0 ? call : { ...call, answeredBy };
}

/** What a result says; undefined for what is no JSON. */
export function readJson(result: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(result.buffer, result.byteOffset, result.length).toString());
  } catch {
    return undefined;
  }
}
