import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  numberToHex,
  padHex,
  toEventSelector,
} from 'viem';
import { erc20Abi, logEmitterAbi, rebasingAbi } from '../script/abis.ts';
import { UNIT_INDEX } from '../script/ledger.ts';
import type { OddLogKind } from '../script/records.ts';
import type { World } from '../script/world.ts';
import { pickRecipient, transferToken } from './token-activity.ts';

const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
const TRANSFER_BATCH = toEventSelector('TransferBatch(address,address,address,uint256[],uint256[])');
const LARGE_LOG_BYTES = 64 * 1024;
const LARGE_LOG_GAS = 6_000_000n;
const LARGE_CALLDATA_BYTES = 120 * 1024;
const LARGE_CALLDATA_GAS = 8_000_000n;
const FEE_DIVISOR = 100n;
/** Code that creates nothing but a failure. */
const FAILING_CREATION = '0x60006000fd';
/** Code that creates a contract of one byte, which stops. */
const SMALL_CREATION = '0x6001600081600a8239f300';
const SMALL_CREATION_GAS = 200_000n;
/** Enough to start a token transfer, too little to end it. */
const TOO_LITTLE_GAS = 30_000n;

/** Moves one of the tokens whose metadata or balances are hard to read. */
export function transferOddToken(world: World): void {
  const { bytes32Symbol, invalidUtf8Symbol, nulSymbol, noMetadata, unreadable, rebasing } =
    world.contracts.odd;
  const tokens = [bytes32Symbol, invalidUtf8Symbol, nulSymbol, noMetadata, unreadable, rebasing];
  transferToken(world, world.random.pick(tokens));
}

/** The receiver gets a hundredth less than the event says. */
export function transferWithFee(world: World): void {
  const { random, script, ledger, contracts, issuer, traders } = world;
  const token = contracts.odd.feeOnTransfer;
  const from = random.pick(traders);
  const to = pickRecipient(world, from);
  const amount = random.share(ledger.balanceOf(token, from), 1, 200);
  script.call({ from, to: token }, erc20Abi, 'transfer', [to, amount]);
  ledger.transfer(token, from, to, amount);
  ledger.divert(token, to, issuer, amount / FEE_DIVISOR);
}

/** All balances grow or shrink by up to 5 %, without an event. */
export function rebase({ random, script, ledger, contracts, issuer }: World): void {
  const token = contracts.odd.rebasing;
  const index = random.share(UNIT_INDEX, 9_500, 10_500);
  script.call({ from: issuer, to: token }, rebasingAbi, 'rebase', [index]);
  ledger.rebase(token, index);
}

/** One contract emits the Transfer of a fungible and of a non-fungible token. */
export function emitMixedTransfers(world: World): void {
  const { random, ledger, contracts, traders } = world;
  const from = random.pick(traders);
  const to = pickRecipient(world, from);
  const parties = [TRANSFER, padHex(from, { size: 32 }), padHex(to, { size: 32 })];
  const value = BigInt(random.integer(1, 1_000_000));
  emitLog(world, parties, word(value));
  ledger.announce('erc20', { token: contracts.odd.logEmitter, from, to, value });
  emitLog(world, [...parties, word(value)], '0x');
  ledger.announce('erc721', { token: contracts.odd.logEmitter, from, to, value });
}

/** Logs that a decoder must not trip over. */
export function emitOddLogs(world: World): void {
  const { ledger, traders } = world;
  const [party = '0x', other = '0x'] = traders.map((trader) => padHex(trader, { size: 32 }));
  const arrays = [{ type: 'uint256[]' }, { type: 'uint256[]' }] as const;
  const batch = [TRANSFER_BATCH, party, party, other];
  const logs: readonly (readonly [OddLogKind, readonly Hex[], Hex])[] = [
    ['transfer without indexed fields', [TRANSFER], concatHex([party, other, word(1n)])],
    ['transfer with two topics', [TRANSFER, party], concatHex([other, word(1n)])],
    ['transfer without an amount', [TRANSFER, party, other], '0x'],
    ['batch of unequal arrays', batch, encodeAbiParameters(arrays, [[1n, 2n], [1n]])],
    ['empty batch', batch, encodeAbiParameters(arrays, [[], []])],
    ['no topics', [], '0xdead'],
  ];
  for (const [kind, topics, data] of logs) {
    emitLog(world, topics, data);
    ledger.recordOddLog(kind);
  }
}

export function emitLargeLog(world: World): void {
  emitLog(world, [word(1n)], filled(LARGE_LOG_BYTES), LARGE_LOG_GAS);
  world.ledger.recordOddLog('64 KB of data');
}

export function sendLargeCalldata({ random, script, traders, receivers }: World): void {
  const to = random.pick([...receivers.keys()]);
  const data = filled(LARGE_CALLDATA_BYTES);
  script.send({ from: random.pick(traders), to, data, gas: LARGE_CALLDATA_GAS });
}

/** A transaction that is mined and fails, for one of several reasons. */
export function fail(world: World): void {
  const { random, script, ledger, contracts, issuer, traders } = world;
  const from = random.pick(traders);
  const transfer = (amount: bigint) =>
    encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [issuer, amount] });
  const { garnet, dollar, nft } = contracts;
  const failures = [
    { to: garnet, data: transfer(ledger.totalSupply(garnet) + 1n) },
    { to: dollar, data: transfer(1n), gas: TOO_LITTLE_GAS },
    { to: nft, data: transfer(1n) },
    { data: FAILING_CREATION, gas: SMALL_CREATION_GAS },
  ] as const;
  script.send({ from, ...random.pick<(typeof failures)[number]>(failures), fails: true });
}

export function createContract({ random, script, traders }: World): void {
  script.send({ from: random.pick(traders), data: SMALL_CREATION, gas: SMALL_CREATION_GAS });
}

function emitLog(
  { random, script, contracts, traders }: World,
  topics: readonly Hex[],
  data: Hex,
  gas?: bigint,
): void {
  const call = encodeFunctionData({ abi: logEmitterAbi, functionName: 'emitLog', args: [topics, data] });
  const request = { from: random.pick(traders), to: contracts.odd.logEmitter, data: call };
  script.send(gas === undefined ? request : { ...request, gas });
}

function word(value: bigint): Hex {
  return numberToHex(value, { size: 32 });
}

function filled(bytes: number): Hex {
  return `0x${'5a'.repeat(bytes)}`;
}
