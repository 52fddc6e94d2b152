import { dispatch } from '../shared/upstream/asking/dispatch.ts';
import type { ChainClient } from '../shared/upstream/routing/chain-client.ts';

/** A call of a node: a method and its parameters. */
type NodeQuestion = readonly [method: string, params: readonly unknown[]];

/** What the nodes of a chain answer to calls, in their order; undefined what they do not. `deadline`: in milliseconds since the epoch. */
export async function nodeResults(
  node: ChainClient,
  questions: readonly NodeQuestion[],
  deadline: number,
): Promise<readonly unknown[]> {
  const calls = questions.map(([method, params], id) => ({
    id: Buffer.from(String(id)),
    method,
    params: Buffer.from(JSON.stringify(params)),
  }));
  const responses = await dispatch(calls, node, deadline);
  return responses.map((response) =>
    response.kind === 'result' ? (JSON.parse(Buffer.from(response.result).toString()) as unknown) : undefined,
  );
}
