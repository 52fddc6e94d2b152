import { type Address, encodeFunctionData } from 'viem';
import { erc20Abi, stockAbi } from '../script/abis.ts';
import type { DemoAnnouncement } from '../script/demo-chain.ts';
import type { World } from '../script/world.ts';
import { STOCKS } from './stock-listings.ts';
import { pickRecipient, transferToken } from './token-activity.ts';

const SHARE = 10n ** 18n;

/** The multiplier of a stock token and what was announced of it, after ERC-8056. */
export class StockMultiplier {
  readonly announcements: DemoAnnouncement[] = [];
  private former: bigint;
  private next: bigint;
  private effectiveAt = 0;

  constructor(initial: bigint) {
    this.former = initial;
    this.next = initial;
  }

  /** @param time in seconds */
  inForce(time: number): bigint {
    return time >= this.effectiveAt ? this.next : this.former;
  }

  announce({ number, timestamp }: World['script']['block'], multiplier: bigint, effectiveAt: number): void {
    const oldMultiplier = this.inForce(timestamp);
    const announced = { oldMultiplier, newMultiplier: multiplier, setAt: timestamp, effectiveAt };
    this.announcements.push({ blockNumber: number, ...announced });
    if (timestamp > this.effectiveAt) this.former = this.next;
    this.next = multiplier;
    this.effectiveAt = effectiveAt;
  }
}

/** The multipliers of the plan's stock tokens, in the order of their listings. */
export function stockMultipliers(): readonly [StockMultiplier, StockMultiplier] {
  return [new StockMultiplier(STOCKS[0].initialMultiplier), new StockMultiplier(STOCKS[1].initialMultiplier)];
}

/** The issuer announces a multiplier. */
export function announceMultiplier(
  { script, issuer }: World,
  token: Address,
  multiplier: StockMultiplier,
  { next, effectiveAt }: { readonly next: bigint; readonly effectiveAt: number },
): void {
  const args = [next, BigInt(effectiveAt)] as const;
  const data = encodeFunctionData({ abi: stockAbi, functionName: 'setUIMultiplier', args });
  script.send({ from: issuer, to: token, data });
  multiplier.announce(script.block, next, effectiveAt);
}

export function transferStock(world: World): void {
  transferToken(world, world.random.pick(world.contracts.stocks));
}

export function issueStock(world: World): void {
  const { random, script, ledger, contracts, issuer } = world;
  const token = random.pick(contracts.stocks);
  const to = pickRecipient(world, issuer);
  const amount = (BigInt(random.integer(1, 20_000)) * SHARE) / 1_000n;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'mint', args: [to, amount] });
  script.send({ from: issuer, to: token, data });
  ledger.mint(token, to, amount);
}

export function redeemStock({ random, script, ledger, contracts, traders }: World): void {
  const token = random.pick(contracts.stocks);
  const from = random.pick(traders);
  const amount = random.share(ledger.balanceOf(token, from), 1, 30);
  if (amount === 0n) return;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'burn', args: [amount] });
  script.send({ from, to: token, data });
  ledger.burn(token, from, amount);
}
