import type { Clock } from '../../shared/runtime/clock.ts';
import type { Sleep } from '../../shared/runtime/sleep.ts';
import type { Telemetry } from '../../shared/runtime/telemetry.ts';
import type { OperatorOf } from '../../shared/upstream/operators/operators.ts';
import { independentOf } from '../../shared/upstream/operators/two-operators.ts';
import { BatchSize, callInBatches } from './call-in-batches.ts';
import { NodeError } from './node-error.ts';
import { type ConfirmWords, createRetryingClient } from './retrying-client.ts';
import type { BatchOptions, NodeCall, NodeResponse } from './send-batch.ts';
import type { SteadyUpstream, StickyUpstream } from './sticky-upstream.ts';

/** Time that another node has to confirm what one says, in milliseconds. */
const CONFIRM_MS = 5_000;
/** For how long a node that did not is not asked again, in milliseconds. */
const SILENT_MS = 60_000;
const START_BATCH_CALLS = 40;
const MAX_BATCH_CALLS = 200;
const NOTHING = '0x';

interface ConfirmParts {
  readonly chain: string;
  readonly node: StickyUpstream;
  readonly operatorOf: OperatorOf;
  readonly clock: Clock;
  readonly wait: Sleep;
  readonly telemetry: Pick<Telemetry, 'log'>;
}

/** Confirms the words of the node that is read which no root holds, and which amounts are made with. */
export function createConfirmWords(parts: ConfirmParts): ConfirmWords {
  const { chain, node, operatorOf, clock, telemetry } = parts;
  const silentUntil = new Map<string, number>();
  return async (calls, answers, options) => {
    const said = answers.flatMap((answer, place) => (wordOf(answer) === undefined ? [] : [place]));
    if (said.length === 0) return answers;
    const { name } = node.current();
    const voices = await independentOf(name, [node.current(), ...node.others()], operatorOf);
    const awake = voices.flat().filter((one) => clock.now() >= (silentUntil.get(one.name) ?? 0));
    for (const other of awake) {
      const asked = said.map((place) => calls[place] as NodeCall);
      const others = await saidBy(other, asked, options, parts);
      if (others === undefined) {
        silentUntil.set(other.name, clock.now() + SILENT_MS);
        continue;
      }
      const byPlace = new Map(said.map((place, index) => [place, others[index]]));
      const isContradicted = (answer: NodeResponse, place: number) => {
        const word = wordOf(byPlace.get(place));
        return word !== undefined && word !== wordOf(answer);
      };
      const times = answers.filter(isContradicted).length;
      if (times === 0) return answers;
      const reason = `${name} and ${other.name} say otherwise of ${times} of ${said.length} calls`;
      // No figure: a contract can be written to say otherwise at each node.
      telemetry.log('warn', 'words_contradicted', { chain, upstream: name, reason });
      const error = new NodeError('contradicted', reason);
      return answers.map((answer, place) => (isContradicted(answer, place) ? { error } : answer));
    }
    return answers;
  };
}

/** Undefined where the node cannot be asked. */
async function saidBy(
  { connection, pace }: SteadyUpstream,
  calls: readonly NodeCall[],
  options: BatchOptions,
  { clock, wait }: Pick<ConfirmParts, 'clock' | 'wait'>,
): Promise<readonly NodeResponse[] | undefined> {
  const client = createRetryingClient({ ...connection, pace }, clock, wait);
  const deadline = Math.min(options.deadline, clock.now() + CONFIRM_MS);
  try {
    const size = new BatchSize(START_BATCH_CALLS, MAX_BATCH_CALLS);
    return await callInBatches(client, calls, size, { ...options, deadline });
  } catch (error) {
    if (error instanceof NodeError) return undefined;
    throw error;
  }
}

/** What a contract returned, in lower case; undefined where that is an error or nothing. */
function wordOf(answer: NodeResponse | undefined): string | undefined {
  if (answer === undefined || 'error' in answer || typeof answer.result !== 'string') return undefined;
  return answer.result === NOTHING ? undefined : answer.result.toLowerCase();
}
