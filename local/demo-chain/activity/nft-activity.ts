import { type Address, parseEther, zeroAddress } from 'viem';
import { erc721Abi, marketplaceAbi } from '../script/abis.ts';
import type { World } from '../script/world.ts';
import { pickRecipient } from './token-activity.ts';

const SWEEP_GAS = 600_000n;

/** Id of the next NFT: those that were minted so far are counted from 1. */
function nextTokenId({ ledger, contracts }: World): bigint {
  const minted = ledger.transfers.filter(
    ({ token, from }) => token === contracts.nft && from === zeroAddress,
  ).length;
  return BigInt(minted + 1);
}

export function mintNft(world: World): void {
  const { random, script, ledger, contracts, issuer, traders } = world;
  const to = random.pick(traders);
  const tokenId = nextTokenId(world);
  script.call({ from: issuer, to: contracts.nft }, erc721Abi, 'mint', [to, tokenId]);
  ledger.moveNft(contracts.nft, zeroAddress, to, tokenId);
}

/** An NFT, and the trader that has it. */
function pickNft({ random, ledger, traders }: World): { tokenId: bigint; owner: Address } | undefined {
  const owned = [...ledger.nftOwners].filter(([, owner]) => traders.includes(owner));
  if (owned.length === 0) return undefined;
  const [tokenId, owner] = random.pick(owned);
  return { tokenId, owner };
}

export function transferNft(world: World): void {
  const { script, ledger, contracts } = world;
  const nft = pickNft(world);
  if (nft === undefined) return;
  const { tokenId, owner } = nft;
  const to = pickRecipient(world, owner);
  script.call({ from: owner, to: contracts.nft }, erc721Abi, 'transferFrom', [owner, to, tokenId]);
  ledger.moveNft(contracts.nft, owner, to, tokenId);
}

export function burnNft(world: World): void {
  const { script, ledger, contracts } = world;
  const nft = pickNft(world);
  if (nft === undefined) return;
  const { tokenId, owner } = nft;
  script.call({ from: owner, to: contracts.nft }, erc721Abi, 'burn', [tokenId]);
  ledger.moveNft(contracts.nft, owner, zeroAddress, tokenId);
}

/** A trader offers an NFT and another one buys it. */
export function sellNft(world: World): void {
  const { random, script, contracts, traders } = world;
  const nft = pickNft(world);
  if (nft === undefined) return;
  const { tokenId, owner: seller } = nft;
  const buyer = random.pick(traders.filter((trader) => trader !== seller));
  const price = offer(world, seller, tokenId);
  script.call({ from: buyer, to: contracts.marketplace, value: price }, marketplaceAbi, 'buy', [
    contracts.nft,
    tokenId,
  ]);
  recordSale(world, { tokenId, seller, buyer, price });
}

/**
 * A trader buys all that another one offers, and one that is not offered: that purchase is an inner call which fails
 * while the transaction succeeds.
 */
export function sweepNfts(world: World): void {
  const { random, script, ledger, contracts, traders } = world;
  const seller = random.pick(traders);
  const buyer = random.pick(traders.filter((trader) => trader !== seller));
  const tokenIds = [...ledger.nftOwners].filter(([, owner]) => owner === seller).map(([tokenId]) => tokenId);
  const offered = tokenIds.slice(0, 3).map((tokenId) => ({ tokenId, price: offer(world, seller, tokenId) }));
  const missing = nextTokenId(world);
  // The contract pays back what is too much.
  const value = offered.reduce((total, { price }) => total + price, parseEther('1'));
  script.call({ from: buyer, to: contracts.marketplace, value, gas: SWEEP_GAS }, marketplaceAbi, 'sweep', [
    contracts.nft,
    [missing, ...offered.map(({ tokenId }) => tokenId)],
  ]);
  for (const { tokenId, price } of offered) recordSale(world, { tokenId, seller, buyer, price });
}

function offer({ random, script, contracts }: World, seller: Address, tokenId: bigint): bigint {
  const price = random.share(parseEther('1'), 500, 20_000);
  script.call({ from: seller, to: contracts.marketplace }, marketplaceAbi, 'list', [
    contracts.nft,
    tokenId,
    price,
  ]);
  return price;
}

function recordSale(
  { ledger, contracts }: World,
  sale: { tokenId: bigint; seller: Address; buyer: Address; price: bigint },
): void {
  ledger.moveNft(contracts.nft, sale.seller, sale.buyer, sale.tokenId);
  ledger.recordSale(sale);
}
