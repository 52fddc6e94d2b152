import type { Hex } from './raw-block.ts';
import type { Erc20TransferRow, NftTransferRow, SeenToken } from './rows.ts';

/** The tokens that moved in a block. A contract that moves like several standards is the highest of them. */
export function seenTokens(
  block: number,
  erc20: readonly Erc20TransferRow[],
  nfts: readonly NftTransferRow[],
): SeenToken[] {
  const tokens = new Map<Hex, { standard: SeenToken['standard']; transfers: number }>();
  const see = (address: Hex, standard: SeenToken['standard']) => {
    const token = tokens.get(address);
    if (token === undefined) {
      tokens.set(address, { standard, transfers: 1 });
      return;
    }
    token.transfers += 1;
    if (standard > token.standard) token.standard = standard;
  };
  for (const { token } of erc20) see(token, 20);
  for (const { token, standard } of nfts) see(token, standard);
  return Array.from(tokens, ([address, { standard, transfers }]) => ({
    address,
    standard,
    first_seen_block: block,
    transfer_count: transfers,
  }));
}
