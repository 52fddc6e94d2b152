import { type Address, createPublicClient, type Hex, http, type PublicClient, parseAbiItem } from 'viem';
import type { DemoTransfer } from '../../../local/demo-chain/script/records.ts';
import { lowerCase } from '../../../local/demo-chain/script/script.ts';

const BATCH_SIZE = 500;
/** Topics of an ERC-20 and of an ERC-721 Transfer, and the bytes of an ERC-20 amount as hex. */
const ERC20_TOPICS = 3;
const ERC721_TOPICS = 4;
const AMOUNT_LENGTH = 66;

const transferEvent = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)');
const singleEvent = parseAbiItem(
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
);
const batchEvent = parseAbiItem(
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
);

/** A transfer as the node tells it; the time of its block is left out. */
export type ReadTransfer = Omit<DemoTransfer, 'timestamp'>;

export function readerOf(url: string): PublicClient {
  return createPublicClient({ transport: http(url, { batch: { batchSize: BATCH_SIZE, wait: 0 } }) });
}

/** All transfers that the logs of a chain announce, in its order. */
export async function readTransfers(reader: PublicClient, items: Address): Promise<ReadTransfer[]> {
  const range = { fromBlock: 0n, toBlock: 'latest' } as const;
  const [transfers, singles, batches] = await Promise.all([
    reader.getLogs({ ...range, event: transferEvent }),
    reader.getLogs({ ...range, event: singleEvent, address: items, strict: true }),
    reader.getLogs({ ...range, event: batchEvent, address: items, strict: true }),
  ]);
  const found = [
    ...transfers.map((log) => ({ log, rows: readTransfer(log) })),
    ...singles.map((log) => {
      const { from, to, id, value } = log.args;
      return { log, rows: [item(log, from, to, id, value)] };
    }),
    ...batches.map((log) => {
      const { from, to, ids, values } = log.args;
      return { log, rows: ids.map((id, index) => item(log, from, to, id, values[index] ?? 0n)) };
    }),
  ];
  const order = ({ log }: { log: Position }) => Number(log.blockNumber) * 1_000_000 + log.logIndex;
  return found.sort((one, other) => order(one) - order(other)).flatMap(({ rows }) => rows);
}

interface Position {
  readonly blockNumber: bigint;
  readonly logIndex: number;
  readonly address: Address;
}

function readTransfer(
  log: Position & { readonly topics: readonly Hex[]; readonly data: Hex },
): ReadTransfer[] {
  const [, from = '0x', to = '0x', tokenId] = log.topics;
  const parties = { blockNumber: Number(log.blockNumber), token: lowerCase(log.address) };
  const row = { ...parties, from: addressIn(from), to: addressIn(to) };
  if (log.topics.length === ERC721_TOPICS) {
    return [{ ...row, standard: 'erc721', amount: 1n, tokenId: BigInt(tokenId ?? 0) }];
  }
  const isErc20 = log.topics.length === ERC20_TOPICS && log.data.length === AMOUNT_LENGTH;
  return isErc20 ? [{ ...row, standard: 'erc20', amount: BigInt(log.data) }] : [];
}

function item(log: Position, from: Address, to: Address, tokenId: bigint, amount: bigint): ReadTransfer {
  const token = lowerCase(log.address);
  const parties = { from: lowerCase(from), to: lowerCase(to) };
  return { blockNumber: Number(log.blockNumber), standard: 'erc1155', token, ...parties, amount, tokenId };
}

function addressIn(topic: Hex): Address {
  return `0x${topic.slice(-40)}`;
}
