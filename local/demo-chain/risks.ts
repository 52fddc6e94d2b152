import { maxUint256 } from 'viem';
import { createLure } from './deployment.ts';
import { erc20Abi } from './script/abis.ts';
import { lowerCase } from './script/script.ts';
import type { World } from './script/world.ts';

/** What each account gets of the airdrop. */
const LURE = 1_000n * 10n ** 18n;
/** An address that never does anything. */
const STRANGER = lowerCase(`0x${'5a'.repeat(20)}`);

/** What happens on a chain with risks, by the part of its blocks that is past, in permille: early enough to be final. */
export const RISKS: readonly (readonly [permille: number, event: (world: World) => void])[] = [
  [560, airdropLure],
  [570, approveStranger],
];

/** The last trader makes a token whose name is a lure, and gives some of it to everybody. */
function airdropLure({ script, ledger, traders, issuer }: World): void {
  const lurer = traders.at(-1) ?? issuer;
  const token = createLure(script, lurer);
  for (const to of [issuer, ...traders]) {
    script.call({ from: lurer, to: token }, erc20Abi, 'mint', [to, LURE]);
    ledger.mint(token, to, LURE);
  }
}

/** The first trader lets a stranger take all its dollars, and a part of its garnet. */
function approveStranger({ script, ledger, contracts, traders, issuer }: World): void {
  const from = traders[0] ?? issuer;
  const { dollar, garnet } = contracts;
  const amounts = [
    [dollar, maxUint256],
    [garnet, ledger.balanceOf(garnet, from) / 2n],
  ] as const;
  for (const [to, amount] of amounts) {
    script.call({ from, to }, erc20Abi, 'approve', [STRANGER, amount]);
  }
}
