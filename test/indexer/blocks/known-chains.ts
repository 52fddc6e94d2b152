import type { RelaxableCheck } from '../../../lambdas/shared/runtime/settings.ts';
import { address, word } from '../../chain-data/decode/raw-blocks.ts';
import { blockHash, makeBlock, type NodeBlockJson, type NodeJson } from '../fetch/node-chain.ts';

export const NUMBER = 6;
const ZERO_ADDRESS = address(0);
const ZERO_BLOOM = `0x${'00'.repeat(256)}`;
const bloomOf = (bits: number) => `0x${bits.toString(16).padStart(512, '0')}`;
const hex = (value: number) => `0x${value.toString(16)}`;

/** Two transactions with a log each. */
const usual = () => makeBlock(NUMBER, 2);

export function withBlock(json: NodeBlockJson, block: NodeJson): NodeBlockJson {
  return { ...json, block: { ...json.block, ...block } };
}

/** The transactions of a block changed, in the block too. */
function withTransactions(json: NodeBlockJson, change: (json: NodeJson) => NodeJson): NodeBlockJson {
  const transactions = json.transactions.map(change);
  return { ...json, transactions, block: { ...json.block, transactions } };
}

function withReceipts(
  json: NodeBlockJson,
  change: (json: NodeJson, index: number) => NodeJson,
): NodeBlockJson {
  return { ...json, receipts: json.receipts.map(change) };
}

function logsOf(receipt: NodeJson): NodeJson[] {
  return receipt.logs as NodeJson[];
}

function without(object: NodeJson, member: string): NodeJson {
  const { [member]: _, ...rest } = object;
  return rest;
}

/** A state sync as bor shows it: a transaction and a receipt that neither roots nor the bloom know. */
function withStateSync(json: NodeBlockJson): NodeBlockJson {
  const place = { blockHash: blockHash(NUMBER), blockNumber: hex(NUMBER), transactionIndex: '0x2' };
  const hash = word(0x5_1a7e);
  const transaction = {
    ...place,
    ...{ hash, type: '0x0', from: ZERO_ADDRESS, to: ZERO_ADDRESS, nonce: '0x0', value: '0x0' },
    ...{ gas: '0x0', gasPrice: '0x0', input: '0x', v: '0x0', r: '0x0', s: '0x0' },
  };
  const log = {
    ...logsOf(json.receipts[0] as NodeJson)[0],
    ...place,
    transactionHash: hash,
    logIndex: '0x2',
  };
  const receipt = {
    ...json.receipts[0],
    ...place,
    transactionHash: hash,
    ...{ gasUsed: '0x0', cumulativeGasUsed: '0x0', logsBloom: bloomOf(1 << 7), logs: [log] },
  };
  const transactions = [...json.transactions, transaction];
  return {
    ...json,
    block: { ...json.block, transactions },
    transactions,
    receipts: [...json.receipts, receipt],
  };
}

/** The receipt of the block itself, as Celo has one whose logs are in the block's bloom. */
function withBlockReceipt(json: NodeBlockJson): NodeBlockJson {
  const place = { blockHash: blockHash(NUMBER), blockNumber: hex(NUMBER), transactionIndex: '0x2' };
  const log = {
    ...logsOf(json.receipts[0] as NodeJson)[0],
    ...place,
    transactionHash: blockHash(NUMBER),
    logIndex: '0x2',
  };
  const receipt = {
    ...json.receipts[0],
    ...place,
    transactionHash: blockHash(NUMBER),
    ...{ gasUsed: '0x0', cumulativeGasUsed: '0x186a0', logsBloom: bloomOf(1 << 7), logs: [log] },
  };
  return {
    ...json,
    block: { ...json.block, logsBloom: bloomOf(3 | (1 << 7)) },
    receipts: [...json.receipts, receipt],
  };
}

/** A form of blocks as a chain's nodes tell them. */
export interface ChainForm {
  readonly name: string;
  readonly json: NodeBlockJson;
  /** The check that the chain must do without. Absent: it passes them all. */
  readonly check?: RelaxableCheck;
}

/** Logs numbered from 0 in each transaction, of which the first has two. */
function numberedByTransaction(): NodeBlockJson {
  return withReceipts(usual(), (receipt, index) => {
    const [log] = logsOf(receipt);
    const logs = index === 0 ? [log, { ...log, logIndex: '0x1' }] : [{ ...log, logIndex: '0x0' }];
    return { ...receipt, logs };
  });
}

const extraBits = withBlock(usual(), { logsBloom: bloomOf(3 | (1 << 20)) });
const noBlockBloom = withBlock(usual(), { logsBloom: ZERO_BLOOM });
const noReceiptBlooms = withReceipts(usual(), (receipt) => ({ ...receipt, logsBloom: ZERO_BLOOM }));
const surplusReceipt = { ...usual(), receipts: makeBlock(NUMBER, 3).receipts };
const lacking = (member: string) => ({ ...usual(), block: without(usual().block, member) });

/** Forms of blocks in the wild. */
export const CHAIN_FORMS: readonly ChainForm[] = [
  { name: 'Ethereum', json: usual() },
  {
    name: 'before Byzantium: a root and no status',
    json: withReceipts(usual(), (receipt) => ({ ...without(receipt, 'status'), root: word(8) })),
  },
  {
    name: 'types from 0x64 to above 0xff',
    json: withTransactions(usual(), (one) => ({ ...one, type: one.nonce === '0x0' ? '0x64' : '0x7001' })),
  },
  { name: 'Polygon before its fork: state syncs', json: withStateSync(usual()), check: 'stateSync' },
  {
    name: 'zkSync 66774537: a bloom and no transaction',
    json: withBlock(makeBlock(NUMBER, 0), { logsBloom: bloomOf(5) }),
    check: 'extraBloomBits',
  },
  { name: 'Cronos below 2,693,800: bits of no log', json: extraBits, check: 'extraBloomBits' },
  {
    name: 'Celo before its move: a receipt of the block',
    json: withBlockReceipt(usual()),
    check: 'blockReceipt',
  },
  { name: 'Hedera: logs numbered by transaction', json: numberedByTransaction(), check: 'logIndex' },
  { name: 'Aurora, Neon, stratus: blocks without blooms', json: noBlockBloom, check: 'zeroBloom' },
  { name: 'receipts without blooms', json: noReceiptBlooms, check: 'extraBloomBits' },
  {
    name: 'a bloom of other logs',
    json: withBlock(usual(), { logsBloom: bloomOf(1 << 20) }),
    check: 'logsBloom',
  },
  { name: 'a receipt of no transaction', json: surplusReceipt, check: 'receiptCount' },
  ...['miner', 'size', 'extraData', 'receiptsRoot', 'logsBloom'].map(
    (member): ChainForm => ({ name: `no ${member}`, json: lacking(member), check: 'missingMembers' }),
  ),
  {
    name: 'receipts without bloom',
    json: withReceipts(usual(), (receipt) => without(receipt, 'logsBloom')),
    check: 'missingMembers',
  },
  {
    name: 'no cumulativeGasUsed',
    json: withReceipts(usual(), (receipt) => ({ ...receipt, cumulativeGasUsed: null })),
    check: 'missingMembers',
  },
  {
    name: 'transactions without blockHash',
    json: withTransactions(usual(), (transaction) => without(transaction, 'blockHash')),
    check: 'missingMembers',
  },
  { name: 'Tron: stateRoot 0x', json: withBlock(usual(), { stateRoot: '0x' }), check: 'missingMembers' },
  {
    name: 'times in milliseconds',
    json: withBlock(usual(), { timestamp: '0x18bcfe56800' }),
    check: 'millisecondTimes',
  },
];
