import type { Hex } from '../chain-data/decode/raw-block.ts';
import type { ChainQueries } from '../shared/chain-database/chain-queries.ts';
import { hexList } from '../shared/chain-database/hex.ts';
import { sql } from '../shared/chain-database/sql.ts';
import { GIVEN_TOKENS } from './stock-ledgers.ts';

/** A multiplier that was announced. Times are seconds since the epoch; multipliers have 18 decimals. */
interface Announcement {
  readonly announcedAt: number;
  readonly effectiveAt: number;
  readonly multiplier: bigint;
}
/** What a stock token's contract holds from one announcement to the next. */
interface MultiplierState {
  /** In force before the time. */
  readonly current: bigint;
  /** In force from the time on. */
  readonly next: bigint;
  /** Seconds since the epoch. */
  readonly effectiveAt: number;
}

/** Announcements that figures are made of: those of five years of days. */
export const MAX_ANNOUNCEMENTS = 2_000;
/** Announcements, with one more for each token, that one answer of the RDS Data API has room for. */
const MAX_ROWS = 3_000;

/** A token's multipliers from a log on. */
export interface TokenState {
  readonly token: Hex;
  readonly block: number;
  readonly log: number;
  readonly current: bigint;
  readonly next: bigint;
  readonly effectiveAt: number;
}

/** Tokens by what can be read of them. */
interface ReadableTokens {
  /** Those whose announcements can be read together. */
  readonly groups: readonly (readonly Hex[])[];
  /** Those that have announced more than {@link MAX_ANNOUNCEMENTS}. */
  readonly overLimit: readonly Hex[];
}

/** Parts tokens so that no one's announcements, as of a block, take the room of another's. */
export async function groupTokens(
  chain: ChainQueries,
  tokens: readonly Hex[],
  to: number,
): Promise<ReadableTokens> {
  const { rows } = await chain.query(
    sql`SELECT encode(given.token, 'hex') AS token, (SELECT count(*) FROM (
       SELECT FROM {{schema}}.stock_multipliers AS change
       WHERE change.token = given.token AND change.block_number <= :to LIMIT ${MAX_ANNOUNCEMENTS + 1}
     ) AS counted) AS announcements
     FROM (${GIVEN_TOKENS}) AS given ORDER BY token`,
    { tokens: hexList(tokens), to },
  );
  const groups: Hex[][] = [];
  const overLimit: Hex[] = [];
  let room = 0;
  for (const { token, announcements } of rows) {
    const [id, needed] = [`0x${token}` as const, Number(announcements) + 1];
    if (needed > MAX_ANNOUNCEMENTS + 1) overLimit.push(id);
    else {
      if (needed > room) {
        groups.push([]);
        room = MAX_ROWS;
      }
      groups.at(-1)?.push(id);
      room -= needed;
    }
  }
  return { groups, overLimit };
}

/** What the contracts of tokens of one group held, from their first multiplier to that as of a block. */
export async function readMultipliers(
  chain: ChainQueries,
  tokens: readonly Hex[],
  to: number,
): Promise<TokenState[]> {
  const parameters = { tokens: hexList(tokens) };
  const initials = await chain.query(
    sql`SELECT encode(token, 'hex') AS token, initial_multiplier::text FROM {{schema}}.stock_ledgers
     WHERE token IN (${GIVEN_TOKENS})`,
    parameters,
  );
  const changes = await chain.query(
    sql`SELECT encode(token, 'hex') AS token, block_number, log_index, new_multiplier::text,
            extract(epoch FROM block_time)::bigint AS announced_at,
            extract(epoch FROM effective_at)::bigint AS effective_at
     FROM {{schema}}.stock_multipliers WHERE token IN (${GIVEN_TOKENS}) AND block_number <= :to
     ORDER BY block_number, log_index LIMIT ${MAX_ROWS}`,
    { ...parameters, to },
  );
  const byToken = Map.groupBy(changes.rows, ({ token }) => token);
  return initials.rows.flatMap(({ token, initial_multiplier }) => {
    const initial = BigInt(String(initial_multiplier));
    const announced = byToken.get(token ?? null) ?? [];
    const states = multiplierStates(
      initial,
      announced.map(({ announced_at, effective_at, new_multiplier }) => ({
        announcedAt: Number(announced_at),
        effectiveAt: Number(effective_at),
        multiplier: BigInt(String(new_multiplier)),
      })),
    );
    return [
      { token: `0x${token}` as const, block: -1, log: -1, current: initial, next: initial, effectiveAt: 0 },
      ...states.map((state, index) => ({
        token: `0x${token}` as const,
        block: Number(announced[index]?.block_number),
        log: Number(announced[index]?.log_index),
        ...state,
      })),
    ];
  });
}

/**
 * What a contract holds after each announcement, as the reference contract of ERC-8056 does: what had been
 * announced before becomes current if its time has passed, and is forgotten if not.
 * @param announcements in the order of the chain
 */
export function multiplierStates(initial: bigint, announcements: readonly Announcement[]): MultiplierState[] {
  let state: MultiplierState = { current: initial, next: initial, effectiveAt: 0 };
  return announcements.map(({ announcedAt, effectiveAt, multiplier }) => {
    const current = announcedAt > state.effectiveAt ? state.next : state.current;
    state = { current, next: multiplier, effectiveAt };
    return state;
  });
}
