import { emptyLogRows } from '../chain-data/decode/decode-logs.ts';
import { MalformedLog } from '../chain-data/decode/event-reader.ts';
import { EXCHANGES } from '../chain-data/decode/exchanges.ts';
import { isoTime } from '../chain-data/decode/iso-time.ts';
import type { PoolCreation } from '../chain-data/decode/pool-events.ts';
import type { RawLog } from '../chain-data/decode/raw-block.ts';
import type { LogSite, PoolRow } from '../chain-data/decode/rows.ts';
import { lockCoverage } from '../chain-data/store/coverage.ts';
import { insertRows } from '../chain-data/store/load-blocks.ts';
import { forgetPools } from '../chain-data/store/pool-claims.ts';
import type { ChainQueries } from '../shared/chain-database/chain-queries.ts';
import { loadRows } from '../shared/chain-database/load-rows.ts';
import { joinSql, type Sql, sql, sqlBytes, sqlIndexed, sqlText } from '../shared/chain-database/sql.ts';
import type { DexProtocol, DexSettings } from '../shared/runtime/settings.ts';

/** Claims that one step puts right. */
const MAX_CLAIMS = 500;

const CREATED = Object.entries(EXCHANGES).map(([protocol, { creation }]) => ({ protocol, creation }));
/** SQL: the event by which the factories of each protocol make a pool. */
const CREATIONS = joinSql(
  CREATED.map(({ protocol, creation }) => sql`(${sqlText(protocol)}, ${sqlBytes(creation.topic)})`),
  ', ',
);
/** SQL: the id of the pool that such an event names. */
const POOL_IDS = joinSql(
  CREATED.map(({ protocol, creation }) => sql`WHEN ${sqlText(protocol)} THEN ${poolIdSql(creation)}`),
  ' ',
);

function poolIdSql({ poolId }: PoolCreation): Sql {
  // An address is the last 20 bytes of its word of 32.
  return poolId === 'topic1'
    ? sql`log.topic1`
    : sql`substring(log.data FROM ${poolId.dataWord * 32 + 13} FOR 20)`;
}

/** The list as a text, in which equal lists are equal. */
function listText(exchanges: readonly DexSettings[]): string {
  const entries = exchanges.map(({ protocol, factory }) => `${protocol} ${factory.toLowerCase()}`);
  return [...new Set(entries)].sort().join(', ');
}

/** Whether all that is derived is so with this list. */
export async function isAdopted(chain: ChainQueries, exchanges: readonly DexSettings[]): Promise<boolean> {
  const { rows } = await chain.query(sql`SELECT factories FROM {{schema}}.rollup_origin`);
  return rows[0]?.factories === listText(exchanges);
}

/**
 * Makes the list of the stage file the one that counts, where nothing is derived: pools that a listed factory made, but
 * another contract claimed first, become those of the factory. To be done in a transaction that holds the cursor.
 * @returns whether all of them are; if not, the next step continues
 */
export async function adoptFactories(
  chain: ChainQueries,
  exchanges: readonly DexSettings[],
): Promise<boolean> {
  await lockCoverage(chain);
  await chain.query(sql`DELETE FROM {{schema}}.dex_factories`);
  await loadRows(chain, {
    table: sql`{{schema}}.dex_factories`,
    columns: { protocol: 'text', factory: 'bytea' },
    rows: exchanges.map(({ protocol, factory }) => [protocol, factory.toLowerCase()]),
  });
  const claims = await hijackedPools(chain);
  await forgetPools(chain, claims);
  await insertRows(chain, 'dex_pools', claims);
  if (claims.length === MAX_CLAIMS) return false;
  await chain.query(sql`UPDATE {{schema}}.rollup_origin SET factories = :list`, {
    list: listText(exchanges),
  });
  return true;
}

/** What listed factories said of pools that are stored as those of others, as their logs have it. */
async function hijackedPools(chain: ChainQueries): Promise<PoolRow[]> {
  const { rows } = await chain.query(
    sql`SELECT DISTINCT ON (pool.pool_id) listed.protocol, log.block_number, log.log_index, log.tx_index,
            encode(log.tx_hash, 'hex') AS tx_hash, extract(epoch FROM log.block_time)::bigint AS time,
            encode(log.address, 'hex') AS address, encode(log.topic0, 'hex') AS topic0,
            encode(log.topic1, 'hex') AS topic1, encode(log.topic2, 'hex') AS topic2,
            encode(log.topic3, 'hex') AS topic3, encode(log.data, 'hex') AS data
     FROM {{schema}}.dex_factories AS listed
     JOIN (VALUES ${CREATIONS}) AS made (protocol, topic0)
       ON made.protocol = listed.protocol
     JOIN {{schema}}.logs AS log ON ${sqlIndexed(sql`log.address`, sql`listed.factory`)} AND log.topic0 = made.topic0
     JOIN {{schema}}.dex_pools AS pool ON pool.pool_id = CASE listed.protocol
       ${POOL_IDS} END
     WHERE NOT EXISTS (SELECT FROM {{schema}}.dex_factories AS own
                       WHERE own.protocol = pool.protocol AND own.factory = pool.factory)
     ORDER BY pool.pool_id, log.block_number, log.log_index LIMIT ${MAX_CLAIMS}`,
  );
  return rows.flatMap(
    ({ protocol, block_number, log_index, tx_index, tx_hash, time, address, data, ...row }) => {
      const topics = [row.topic0, row.topic1, row.topic2, row.topic3].flatMap((topic) =>
        topic === null || topic === undefined ? [] : [`0x${topic}` as const],
      );
      const log: RawLog = { address: `0x${address}`, logIndex: Number(log_index), topics, data: `0x${data}` };
      const site: LogSite = {
        block_number: Number(block_number),
        log_index: Number(log_index),
        tx_index: Number(tx_index),
        tx_hash: `0x${tx_hash}`,
        block_time: isoTime(Number(time)),
      };
      return poolOf(protocol as DexProtocol, log, site);
    },
  );
}

function poolOf(protocol: DexProtocol, log: RawLog, site: LogSite): PoolRow[] {
  const rows = emptyLogRows();
  try {
    EXCHANGES[protocol].creation.decode(log, site, rows);
  } catch (error) {
    if (!(error instanceof MalformedLog)) throw error;
  }
  return rows.dex_pools;
}
