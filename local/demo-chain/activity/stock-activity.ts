import type { Address } from 'viem';
import { erc20Abi, stockAbi } from '../script/abis.ts';
import type { World } from '../script/world.ts';
import { pickRecipient, transferToken } from './token-activity.ts';

const SHARE = 10n ** 18n;

/** The issuer announces a multiplier. */
export function announceMultiplier(
  { script, ledger, issuer }: World,
  token: Address,
  newMultiplier: bigint,
  effectiveAt: number,
): void {
  script.call({ from: issuer, to: token }, stockAbi, 'setUIMultiplier', [newMultiplier, BigInt(effectiveAt)]);
  ledger.recordMultiplier({ token, newMultiplier, effectiveAt });
}

export function transferStock(world: World): void {
  transferToken(world, world.random.pick(world.contracts.stocks));
}

export function issueStock(world: World): void {
  const { random, script, ledger, contracts, issuer } = world;
  const token = random.pick(contracts.stocks);
  const to = pickRecipient(world, issuer);
  const amount = (BigInt(random.integer(1, 20_000)) * SHARE) / 1_000n;
  script.call({ from: issuer, to: token }, erc20Abi, 'mint', [to, amount]);
  ledger.mint(token, to, amount);
}

export function redeemStock({ random, script, ledger, contracts, traders }: World): void {
  const token = random.pick(contracts.stocks);
  const from = random.pick(traders);
  const amount = random.share(ledger.balanceOf(token, from), 1, 30);
  if (amount === 0n) return;
  script.call({ from, to: token }, erc20Abi, 'burn', [amount]);
  ledger.burn(token, from, amount);
}
