import { type Address, zeroAddress } from 'viem';
import { erc1155Abi } from '../script/abis.ts';
import type { World } from '../script/world.ts';
import { pickRecipient } from './token-activity.ts';

const ITEM_IDS: readonly bigint[] = [1n, 2n, 3n, 4n, 2n ** 255n + 7n];

export function mintItem({ random, script, ledger, contracts, issuer, traders }: World): void {
  const to = random.pick(traders);
  const id = random.pick(ITEM_IDS);
  const amount = BigInt(random.integer(1, 100));
  script.call({ from: issuer, to: contracts.items }, erc1155Abi, 'mint', [to, id, amount]);
  ledger.moveItems(contracts.items, { from: zeroAddress, to, id, amount });
}

/** Mints some of every item, and names where one is described. */
export function mintItems({ random, script, ledger, contracts, issuer, traders }: World): void {
  const to = random.pick(traders);
  const amounts = ITEM_IDS.map(() => BigInt(random.integer(1, 100)));
  script.call({ from: issuer, to: contracts.items }, erc1155Abi, 'mintBatch', [to, ITEM_IDS, amounts]);
  for (const [index, id] of ITEM_IDS.entries()) {
    ledger.moveItems(contracts.items, { from: zeroAddress, to, id, amount: amounts[index] ?? 0n });
  }
  script.call({ from: issuer, to: contracts.items }, erc1155Abi, 'announceUri', [
    random.pick(ITEM_IDS),
    `demo://items/${random.bytes(4)}`,
  ]);
}

export function transferItem(world: World): void {
  const { random, script, ledger, contracts } = world;
  const found = pickItems(world)[0];
  if (found === undefined) return;
  const { holder, id, amount: held } = found;
  const to = pickRecipient(world, holder);
  const amount = BigInt(random.integer(1, Number(held)));
  script.call({ from: holder, to: contracts.items }, erc1155Abi, 'safeTransferFrom', [
    holder,
    to,
    id,
    amount,
    '0x',
  ]);
  ledger.moveItems(contracts.items, { from: holder, to, id, amount });
}

/** Moves some of all items that a trader has, which may be one kind only. */
export function transferItems(world: World): void {
  const { random, script, ledger, contracts } = world;
  const items = pickItems(world);
  const holder = items[0]?.holder;
  if (holder === undefined) return;
  const to = pickRecipient(world, holder);
  const moved = items.map(({ id, amount }) => ({ id, amount: BigInt(random.integer(1, Number(amount))) }));
  const ids = moved.map(({ id }) => id);
  const amounts = moved.map(({ amount }) => amount);
  script.call({ from: holder, to: contracts.items }, erc1155Abi, 'safeBatchTransferFrom', [
    holder,
    to,
    ids,
    amounts,
    '0x',
  ]);
  for (const { id, amount } of moved) ledger.moveItems(contracts.items, { from: holder, to, id, amount });
}

export function burnItem(world: World): void {
  const { script, ledger, contracts } = world;
  const found = pickItems(world)[0];
  if (found === undefined) return;
  const { holder, id } = found;
  script.call({ from: holder, to: contracts.items }, erc1155Abi, 'burn', [id, 1n]);
  ledger.moveItems(contracts.items, { from: holder, to: zeroAddress, id, amount: 1n });
}

/** All items that one trader has. */
function pickItems({ random, ledger, traders }: World): { holder: Address; id: bigint; amount: bigint }[] {
  const holder = random.pick(traders);
  return ITEM_IDS.map((id) => ({ holder, id, amount: ledger.itemsOf(holder, id) })).filter(
    ({ amount }) => amount > 0n,
  );
}
