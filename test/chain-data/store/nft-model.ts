import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import type { NftTransferRow } from '../../../lambdas/chain-data/decode/rows.ts';
import { decode } from '../../indexer/bad-input/indexed-chain.ts';
import { ZERO } from '../decode/raw-blocks.ts';

const MAX_UINT = 2n ** 256n - 1n;

/** What an index knows of NFTs, each row as text, in an order of its own. */
export interface NftState {
  readonly owners: readonly string[];
  readonly items: readonly string[];
  readonly standards: readonly string[];
}

/** What these blocks, in any order, say of NFTs: read from the first to the last, one transfer after the other. */
export function nftsOf(blocks: readonly RawBlock[]): NftState {
  const rows = blocks.toSorted((one, other) => one.number - other.number).map(decode);
  const transfers = rows.flatMap(({ nft_transfers }) => nft_transfers);
  const uris = rows.flatMap(({ nft_uris }) => nft_uris);
  const items = new Map<string, { seen: number; uri: string | null; updated: number }>();
  for (const named of [...transfers, ...uris]) {
    const seen = Math.min(items.get(keyOf(named))?.seen ?? named.block_number, named.block_number);
    items.set(keyOf(named), { seen, uri: null, updated: seen });
  }
  for (const uri of uris) {
    const item = items.get(keyOf(uri));
    if (item !== undefined) items.set(keyOf(uri), { ...item, uri: uri.token_uri, updated: uri.block_number });
  }
  const standards = new Map<string, number>();
  const moved = rows.flatMap(({ erc20_transfers, nft_transfers }) => [
    ...erc20_transfers.map(({ token }) => ({ token, standard: 20 })),
    ...nft_transfers,
  ]);
  for (const { token, standard } of moved)
    standards.set(token, Math.max(standards.get(token) ?? 0, standard));
  return {
    owners: ownersOf(transfers).sort(),
    items: [...items].map(([key, { seen, uri, updated }]) => `${key} ${seen} ${updated} ${uri}`).sort(),
    standards: [...standards].map(([token, standard]) => `${token} ${standard}`).sort(),
  };
}

function ownersOf(transfers: readonly NftTransferRow[]): string[] {
  const owners = new Map<string, string>();
  const held = new Map<string, { amount: bigint; received: number }>();
  const single = new Map<string, NftTransferRow>();
  for (const transfer of transfers) {
    const { from_address, to_address, amount, block_number } = transfer;
    const item = keyOf(transfer);
    if (transfer.standard === 721) {
      single.set(item, transfer);
      continue;
    }
    const [from, to] = [`${item} ${from_address}`, `${item} ${to_address}`];
    const sent = held.get(from) ?? { amount: 0n, received: -1 };
    held.set(from, { ...sent, amount: sent.amount - amount });
    held.set(to, { amount: (held.get(to)?.amount ?? 0n) + amount, received: block_number });
  }
  for (const [holding, { amount, received }] of held) {
    if (amount <= 0n || holding.endsWith(ZERO)) continue;
    owners.set(holding, `1155 ${amount > MAX_UINT ? MAX_UINT : amount} ${received}`);
  }
  for (const [item, { to_address, amount, block_number }] of single)
    if (to_address !== ZERO) owners.set(`${item} ${to_address}`, `721 ${amount} ${block_number}`);
  return Array.from(owners, ([holding, state]) => `${holding} ${state}`);
}

function keyOf({ token, token_id }: Pick<NftTransferRow, 'token' | 'token_id'>): string {
  return `${token} ${token_id}`;
}
