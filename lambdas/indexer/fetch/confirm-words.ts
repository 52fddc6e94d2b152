import { hexNumber } from '../../shared/jsonrpc/json-values.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { Sleep } from '../../shared/runtime/sleep.ts';
import type { Telemetry } from '../../shared/runtime/telemetry.ts';
import { quantityOrNull } from '../blocks/json-shape.ts';
import { callInBatches, contractBatches } from './call-in-batches.ts';
import { NodeError } from './node-error.ts';
import { createTurns, type NodesByOperator } from './other-nodes.ts';
import { type ConfirmWords, createRetryingClient } from './retrying-client.ts';
import type { BatchOptions, NodeCall, NodeResponse } from './send-batch.ts';
import type { SteadyUpstream } from './sticky-upstream.ts';

/** Time that another node has to confirm what one says, in milliseconds. */
const CONFIRM_MS = 5_000;
const NOTHING = '0x';
const NEWEST = 'latest';
const ZERO = /^0x0*$/;
/** The operator of the node that is read; others have their places. */
const OWN_VOICE = -1;

interface ConfirmParts extends NodesByOperator {
  readonly chain: string;
  readonly clock: Clock;
  readonly wait: Sleep;
  readonly telemetry: Pick<Telemetry, 'log'>;
}

/** Asks one node; nothing where it cannot be asked. */
type AskNode = (calls: readonly NodeCall[]) => Promise<readonly NodeResponse[]>;

/** What an operator says. */
interface Vote {
  readonly voice: number;
  readonly word: string;
}

/** A call that is to be confirmed, and who said what so far: the node that is read first. */
interface Poll {
  readonly call: NodeCall;
  readonly votes: Vote[];
}

/**
 * Confirms the words of the node that is read which no root holds, and which amounts are made with: the first word counts that
 * two operators say. Each further operator is asked for what those before it did not decide.
 */
export function createConfirmWords(parts: ConfirmParts): ConfirmWords {
  const { chain, node, telemetry } = parts;
  const turns = createTurns(parts);
  return async (calls, answers, options) => {
    const polls = pollsOf(calls, answers);
    if (polls.size === 0) return answers;
    const first = node.current();
    for await (const { other, operator: voice } of turns.othersThan(first.name)) {
      const open = [...polls.values()].filter(({ votes }) => isOpen(votes, voice));
      if (open.length === 0) continue;
      const both = [first, other].map(
        (one): AskNode =>
          (asked) =>
            saidBy(one, asked, options, parts),
      );
      const said = await saidBy(other, callsOf(open), options, parts);
      if (said.every(isSilence)) turns.silence(other);
      const against = await compareAtOneBlock(castVotes(open, said, voice), both, voice);
      if (against.length === 0) continue;
      const reason = `${first.name} and ${other.name} say otherwise of ${against.length} of ${open.length} calls`;
      // No figure: a contract can be written to say otherwise at each node.
      telemetry.log('warn', 'words_contradicted', { chain, upstream: first.name, reason });
    }
    return answers.map((answer, place) => concluded(answer, polls.get(place)?.votes ?? []));
  };
}

function callsOf(polls: readonly Poll[]): readonly NodeCall[] {
  return polls.map(({ call }) => call);
}

/** A poll for each place in which the node that is read says a word. */
function pollsOf(calls: readonly NodeCall[], answers: readonly NodeResponse[]): ReadonlyMap<number, Poll> {
  return new Map(
    answers.flatMap((answer, place): [number, Poll][] => {
      const word = wordOf(answer);
      return word === undefined
        ? []
        : [[place, { call: calls[place] as NodeCall, votes: [{ voice: OWN_VOICE, word }] }]];
    }),
  );
}

/** Whether an operator can decide what others did not. */
function isOpen(votes: readonly Vote[], voice: number): boolean {
  return agreed(votes) === undefined && votes.every((vote) => vote.voice !== voice);
}

/** Adds the votes of an operator. @returns those in which it contradicts the node that is read */
function castVotes(open: readonly Poll[], said: readonly NodeResponse[], voice: number): readonly Poll[] {
  return open.filter(({ votes }, index) => {
    const word = wordOf(said[index]);
    if (word !== undefined) votes.push({ voice, word });
    return word !== undefined && word !== votes[0]?.word;
  });
}

/**
 * Asks both again where they differ of the newest state, at the newest block that both have: they may only be some blocks apart. Zero
 * decides nothing there, as a contract that is not initialised yet says it.
 * @returns those in which they still differ
 */
async function compareAtOneBlock(
  against: readonly Poll[],
  both: readonly AskNode[],
  voice: number,
): Promise<readonly Poll[]> {
  const newest = against.filter(({ call }) => call.params[1] === NEWEST);
  if (newest.length === 0) return against;
  const told = await Promise.all(both.map((ask) => ask([{ method: 'eth_blockNumber', params: [] }])));
  const heads = told.flatMap(([head]) => numberOf(head) ?? []);
  if (heads.length < both.length) return against;
  const block = hexNumber(heads.reduce((one, head) => (head < one ? head : one)));
  const calls = callsOf(newest).map(({ method, params }) => ({ method, params: [params[0], block] }));
  const [own = [], others = []] = await Promise.all(both.map((ask) => ask(calls)));
  const alike = newest.filter(({ votes }, index) => {
    const word = wordOf(own[index]);
    if (word === undefined || ZERO.test(word) || word !== wordOf(others[index])) return false;
    votes.push({ voice: OWN_VOICE, word }, { voice, word });
    return true;
  });
  return against.filter((poll) => !alike.includes(poll));
}

function numberOf(answer: NodeResponse | undefined): bigint | undefined {
  if (answer === undefined || 'error' in answer) return undefined;
  return quantityOrNull(answer.result) ?? undefined;
}

/** The word that two operators say, each of which votes once, or again with another. */
function agreed(votes: readonly Vote[]): string | undefined {
  return votes.find(({ word }, index) => votes.slice(0, index).some((one) => one.word === word))?.word;
}

function concluded(answer: NodeResponse, votes: readonly Vote[]): NodeResponse {
  if (votes.length < 2) return answer;
  const word = agreed(votes);
  if (word === undefined) return { error: new NodeError('contradicted', 'no two operators say the same') };
  return word === wordOf(answer) ? answer : { result: word };
}

/** What a node says; nothing where it cannot be asked. */
async function saidBy(
  { connection, pace }: SteadyUpstream,
  calls: readonly NodeCall[],
  options: BatchOptions,
  { clock, wait }: Pick<ConfirmParts, 'clock' | 'wait'>,
): Promise<readonly NodeResponse[]> {
  const client = createRetryingClient({ ...connection, pace }, clock, wait);
  const deadline = Math.min(options.deadline, clock.now() + CONFIRM_MS);
  try {
    return await callInBatches(client, calls, contractBatches(), { ...options, deadline });
  } catch (error) {
    if (error instanceof NodeError) return [];
    throw error;
  }
}

/** Whether a node did not answer: one call that takes too long is an answer to `callInBatches`. */
function isSilence(answer: NodeResponse): boolean {
  return 'error' in answer && (answer.error.kind === 'timeout' || answer.error.kind === 'unavailable');
}

/** What a contract returned, in lower case; undefined where that is an error or nothing. */
function wordOf(answer: NodeResponse | undefined): string | undefined {
  if (answer === undefined || 'error' in answer || typeof answer.result !== 'string') return undefined;
  return answer.result === NOTHING ? undefined : answer.result.toLowerCase();
}
