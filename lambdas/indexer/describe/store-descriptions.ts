import { lockCoverage } from '../../chain-data/store/coverage.ts';
import { SEED_MULTIPLIERS } from '../../chain-data/store/multipliers.ts';
import { REGISTER_STOCKS } from '../../chain-data/store/tokens.ts';
import type { ChainConnection, ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { hexDigits } from '../../shared/chain-database/hex.ts';
import { loadRows } from '../../shared/chain-database/load-rows.ts';
import { joinSql, sql, sqlName } from '../../shared/chain-database/sql.ts';
import type { TokenMetadata } from '../fetch/read-token-metadata.ts';
import type { StockAnswers } from './read-stock-answers.ts';

const UNKNOWN_ISSUER = 'unknown';
/** Columns that stay as they are where a token does not tell them, and their types: no parameter can be null. */
const TOLD_TYPES = { name: 'text', symbol: 'text', decimals: 'smallint' } as const;
const SET_SUPPLY = sql`total_supply = CASE WHEN supply_block IS NULL THEN nullif(:supply, '')::numeric ELSE total_supply END`;
const COUNT_ATTEMPT = sql`metadata_attempts = metadata_attempts + 1`;
/** Of a token of which operators say different things, which is no attempt of its own. */
const PUT_OFF = sql`described_at = now()`;

/** Of an ERC-20 that moved as an NFT does; its transfers follow (`recastTransfers`). */
const SET_ERC20 = sql`standard = 20, amounts = 'due'`;

/**
 * Stores what tokens said of themselves, the supply until a snapshot reads it; a token that a reorganisation has taken
 * meanwhile stays away. What a token that is asked again does not say any more stays as it was.
 */
export async function storeMetadata(
  chain: ChainQueries,
  described: readonly (TokenMetadata & { readonly isErc20?: boolean })[],
): Promise<void> {
  for (const one of described) {
    const told = Object.entries(TOLD_TYPES).flatMap(([column, type]) => {
      const value = one[column as keyof typeof TOLD_TYPES];
      return value === null ? [] : { column, type, value };
    });
    const assignments = told.map(({ column, type }) => {
      const name = sqlName(column);
      return sql`${name} = (:${name})::${sqlName(type)}`;
    });
    if (one.isErc20 === true) assignments.push(SET_ERC20);
    assignments.push(one.isContradicted === true ? PUT_OFF : COUNT_ATTEMPT);
    const supply = one.total_supply?.toString() ?? '';
    await chain.query(
      sql`UPDATE {{schema}}.tokens SET ${joinSql([...assignments, SET_SUPPLY], ', ')}, metadata_status = :status
       WHERE address = decode(:address, 'hex')`,
      {
        ...Object.fromEntries(told.map(({ column, value }) => [column, value])),
        ...{ supply, status: one.metadata_status, address: hexDigits(one.address) },
      },
    );
  }
}

/**
 * Registers tokenised stocks. The first multiplier makes no event: it is what the first announcement replaced, or, if
 * none was made, what the token says now; one that is being stored is waited for.
 */
export async function storeStocks(
  connection: ChainConnection,
  stocks: readonly (StockAnswers & { readonly metadata: TokenMetadata | undefined })[],
): Promise<void> {
  if (stocks.length === 0) return;
  await connection.transaction(async (chain) => {
    await lockCoverage(chain);
    await loadRows(chain, {
      table: sql`{{schema}}.stock_tokens`,
      columns: {
        token: 'bytea',
        issuer: 'text',
        uid: 'bytea',
        name: 'text',
        symbol: 'text',
        decimals: 'smallint',
        initial_multiplier: 'numeric',
        oracle_paused: 'boolean',
        registered_block: 'bigint',
        updated_block: 'bigint',
      },
      rows: stocks.map(({ address, uid, multiplier, oraclePaused, metadata }) => [
        address,
        UNKNOWN_ISSUER,
        uid,
        metadata?.name ?? null,
        metadata?.symbol ?? null,
        metadata?.decimals ?? null,
        multiplier,
        oraclePaused,
        0,
        0,
      ]),
      onConflict: sql`(token) DO UPDATE SET uid = EXCLUDED.uid, name = EXCLUDED.name, symbol = EXCLUDED.symbol,
        decimals = EXCLUDED.decimals, oracle_paused = EXCLUDED.oracle_paused`,
    });
    await chain.query(REGISTER_STOCKS);
    await chain.query(SEED_MULTIPLIERS);
  });
}
