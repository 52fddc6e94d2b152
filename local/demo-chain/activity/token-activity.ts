import { type Address, parseEther } from 'viem';
import { erc20Abi, stockAbi, wrappedNativeAbi } from '../script/abis.ts';
import type { World } from '../script/world.ts';

const DOLLAR = 10n ** 6n;
const SHARE = 10n ** 18n;
/** Legacy transactions among those that move the native token, in percent. */
const LEGACY_PERCENT = 40;

/** Another trader, or an account that only receives. */
export function pickRecipient({ random, traders, receivers }: World, sender: Address): Address {
  return random.pick([...traders, ...receivers.keys()].filter((account) => account !== sender));
}

/** Moves a part of what a trader has of a token. */
export function transferToken(world: World, token: Address): void {
  const { random, script, ledger, traders } = world;
  const from = random.pick(traders);
  const to = pickRecipient(world, from);
  const amount = random.share(ledger.balanceOf(token, from), 1, 200);
  if (amount === 0n) return;
  script.call({ from, to: token }, erc20Abi, 'transfer', [to, amount]);
  ledger.transfer(token, from, to, amount);
}

export function transferCommonToken(world: World): void {
  const { dollar, garnet, wrappedNative } = world.contracts;
  transferToken(world, world.random.pick([dollar, dollar, garnet, wrappedNative]));
}

/** A trader approves tokens for another one, which transfers them. */
export function transferByAllowance(world: World): void {
  const { random, script, ledger, contracts, traders } = world;
  const token = contracts.garnet;
  const owner = random.pick(traders);
  const spender = random.pick(traders.filter((trader) => trader !== owner));
  const amount = random.share(ledger.balanceOf(token, owner), 1, 100);
  if (amount === 0n) return;
  script.call({ from: owner, to: token }, erc20Abi, 'approve', [spender, amount]);
  script.call({ from: spender, to: token }, erc20Abi, 'transferFrom', [owner, spender, amount]);
  ledger.transfer(token, owner, spender, amount);
}

export function mintDollars(world: World): void {
  const { random, script, ledger, contracts, issuer } = world;
  const to = pickRecipient(world, issuer);
  const amount = BigInt(random.integer(1_000, 50_000)) * DOLLAR;
  script.call({ from: issuer, to: contracts.dollar }, erc20Abi, 'mint', [to, amount]);
  ledger.mint(contracts.dollar, to, amount);
}

export function burnGarnet({ random, script, ledger, contracts, traders }: World): void {
  const from = random.pick(traders);
  const amount = random.share(ledger.balanceOf(contracts.garnet, from), 1, 50);
  if (amount === 0n) return;
  script.call({ from, to: contracts.garnet }, erc20Abi, 'burn', [amount]);
  ledger.burn(contracts.garnet, from, amount);
}

export function wrapNative({ random, script, ledger, contracts, traders }: World): void {
  const from = random.pick(traders);
  const value = random.share(parseEther('1'), 100, 50_000);
  script.call({ from, to: contracts.wrappedNative, value }, wrappedNativeAbi, 'deposit', []);
  ledger.wrap(contracts.wrappedNative, from, value);
}

export function unwrapNative({ random, script, ledger, contracts, traders }: World): void {
  const from = random.pick(traders);
  const amount = random.share(ledger.balanceOf(contracts.wrappedNative, from), 1, 100);
  if (amount === 0n) return;
  script.call({ from, to: contracts.wrappedNative }, wrappedNativeAbi, 'withdraw', [amount]);
  ledger.wrap(contracts.wrappedNative, from, -amount);
}

/** Sends the native token to an account that only receives. */
export function sendNative({ random, script, traders, receivers }: World): void {
  const from = random.pick(traders);
  const to = random.pick([...receivers.keys()]);
  const value = random.share(parseEther('1'), 1, 10_000);
  script.send({ from, to, value, legacy: random.chance(LEGACY_PERCENT) });
  receivers.set(to, (receivers.get(to) ?? 0n) + value);
}

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
