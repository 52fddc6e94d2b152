import type { Hex } from '../../chain-data/decode/raw-block.ts';
import { type BlockTimes, firstAfter, type Moment } from './block-times.ts';
import type { Decimal } from './decimal.ts';

/** An answer that is older bounds nothing any more, in seconds: longer than any holiday of an exchange. */
const MAX_BOUND_SECONDS = 7 * 24 * 60 * 60;

/** What an oracle answered. */
interface Answer {
  readonly block: number;
  /** When the oracle says that it found it, in seconds since the epoch. */
  readonly time: number;
  /** USD for one raw unit. */
  readonly usd: Decimal;
}

/** The oracle of a token. */
export interface Feed {
  /** An answer is fresh for so many seconds. */
  readonly heartbeat: number;
  /** Whether the token says that its oracle is paused. */
  readonly isPaused: boolean;
  /** The last before the step, and those of the step, in the order of the chain; one of a block. */
  readonly answers: readonly Answer[];
}

export type Feeds = ReadonlyMap<Hex, Feed>;

/** What an oracle says at a moment. */
export interface Spoken {
  readonly usd: Decimal;
  /** Otherwise the answer is of before a pause, or of before the exchange closed. */
  readonly isFresh: boolean;
}

/** What the oracle of a token says at the end of a block; undefined where it has none, or has said nothing for a week. */
export function spokenAt(feed: Feed | undefined, now: Moment): Spoken | undefined {
  const answer = feed?.answers.findLast(({ block }) => block <= now.block);
  if (feed === undefined || answer === undefined) return undefined;
  const age = now.time - answer.time;
  if (age > MAX_BOUND_SECONDS) return undefined;
  return { usd: answer.usd, isFresh: age >= 0 && age <= feed.heartbeat && !feed.isPaused };
}

/** Where a step prices tokens anew because of their oracles: at an answer, and where one is not fresh any more. */
export function feedMoments(
  feeds: Feeds,
  times: BlockTimes,
): readonly { readonly token: Hex; readonly at: Moment }[] {
  const found = [...feeds].flatMap(([token, { heartbeat, answers }]) =>
    answers.flatMap((answer, index) => {
      const next = answers[index + 1]?.block ?? Number.POSITIVE_INFINITY;
      const time = times.times[answer.block - times.from];
      const begins = time === undefined ? [] : [{ block: answer.block, time }];
      const ends = [heartbeat, MAX_BOUND_SECONDS].flatMap(
        (age) => firstAfter(times, answer.time + age) ?? [],
      );
      return [...begins, ...ends.filter(({ block }) => block > answer.block && block < next)].map((at) => ({
        token,
        at,
      }));
    }),
  );
  return found.sort((one, other) => one.at.block - other.at.block);
}
