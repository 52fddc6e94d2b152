import type { Queries } from '../shared/chain-database/chain-database.ts';
import { chainSchema } from '../shared/chain-database/chain-schema.ts';
import { finalizedBelow } from '../shared/runtime/finality.ts';
import { iso } from './plan/sql-text.ts';
import type { Meta } from './response/render-body.ts';

/** A chain of the stage. */
export interface StageChain {
  readonly chain: string;
  readonly chainId: number;
  readonly isDefault: boolean;
  /** Contracts whose user operations count. @default those of ERC-4337 */
  readonly entryPoints?: readonly string[] | undefined;
}

/** The chain that a request names, or the default one; undefined if there is no such chain. */
export function stageChainNamed(
  chains: readonly StageChain[],
  name: string | undefined,
): StageChain | undefined {
  return chains.find(({ chain, isDefault }) => (name === undefined ? isDefault : chain === name));
}

/** The chains of which something is indexed, and what is to be said of the response. */
interface IndexedChains {
  readonly data: readonly { readonly chain: string; readonly chain_id: number }[];
  readonly meta: Omit<Meta, 'queryMs'>;
}

/** Reads in one statement which chains are indexed: none where there is no database. The head is the default chain's, or that of the first indexed one. */
export async function listIndexedChains(
  database: Queries | undefined,
  chains: readonly StageChain[],
  now: number,
): Promise<IndexedChains> {
  const heads = chains.map(
    ({ chain }, index) =>
      `SELECT ${index} AS place, block_number, ${iso('updated_at')} AS refreshed_at
       FROM ${chainSchema(chain)}.cursors WHERE name = 'indexed' AND block_number >= 0`,
  );
  const statement = heads.length === 0 ? undefined : `${heads.join(' UNION ALL ')} ORDER BY place`;
  const { rows } = (statement && (await database?.query(statement))) || { rows: [] };
  const indexed = rows.flatMap((row) => {
    const chain = chains[Number(row.place)];
    return chain === undefined ? [] : [{ ...chain, row }];
  });
  const leading = indexed.find(({ isDefault }) => isDefault) ?? indexed[0];
  const head = Number(leading?.row.block_number ?? 0);
  return {
    data: indexed.map(({ chain, chainId }) => ({ chain, chain_id: chainId })),
    meta: {
      asOfBlock: head,
      finalizedBlock: finalizedBelow(head),
      coverage: leading === undefined ? 'none' : 'full',
      refreshedAt: leading === undefined ? new Date(now).toISOString() : String(leading.row.refreshed_at),
      rowsRead: rows.length,
    },
  };
}
