import { ZERO_ADDRESS } from '../../shared/chain-database/hex.ts';
import { EventReader, MalformedLog } from './event-reader.ts';
import type { Hex, RawLog } from './raw-block.ts';
import type { LogRows, LogSite, NftTransferRow, TokenUri } from './rows.ts';

/** Topics of a `Transfer` by what it is. */
const ERC20_TOPICS = 3;
const ERC721_TOPICS = 4;
const UNINDEXED_TOPICS = 1;
/** Items of one ERC-2309 range; the usual implementation mints no more at once. */
export const MAX_CONSECUTIVE_ITEMS = 5_000;
/** Rows of NFTs that such ranges may bring a block to: logs of ranges cost their sender next to nothing. */
const MAX_CONSECUTIVE_ROWS = 100_000;
/** Bytes of the JSON of a URI that is kept: a row of the RDS Data API has 64 KiB, in which quotes may be escaped twice. */
const MAX_URI_BYTES = 24_576;

/** Addresses that an item goes from and to, its token, and what becomes of its supply. */
type Movement = Pick<NftTransferRow, 'token' | 'from_address' | 'to_address' | 'kind'>;

/**
 * `Transfer`: by the number of its topics one of ERC-20, of ERC-721, or of an NFT older than that. One of ERC-20 has an amount
 * in its data: without it, it is none.
 */
export function decodeTransfer(log: RawLog, site: LogSite, rows: LogRows): void {
  const { length } = log.topics;
  const isIndexed = length === ERC20_TOPICS || length === ERC721_TOPICS;
  const event = new EventReader(log, isIndexed ? length : UNINDEXED_TOPICS);
  const movement = isIndexed
    ? movementOf(log, event.topicAddress(1), event.topicAddress(2))
    : movementOf(log, event.address(0), event.address(1));
  if (length === ERC20_TOPICS) rows.erc20_transfers.push({ ...site, ...movement, amount: event.uint(0) });
  else rows.nft_transfers.push(erc721Row(site, movement, isIndexed ? event.topicUint(3) : event.uint(2), 0));
}

/** `ConsecutiveTransfer` of ERC-2309: a range of items. */
export function decodeConsecutiveTransfer(log: RawLog, site: LogSite, rows: LogRows): void {
  const event = new EventReader(log, 4);
  const first = event.topicUint(1);
  const count = event.uint(0) - first + 1n;
  if (count < 1n || count > MAX_CONSECUTIVE_ITEMS) throw new MalformedLog('range of items');
  if (rows.nft_transfers.length + Number(count) > MAX_CONSECUTIVE_ROWS)
    throw new MalformedLog('more items than are told of one block');
  const movement = movementOf(log, event.topicAddress(2), event.topicAddress(3));
  for (let index = 0; index < Number(count); index += 1) {
    rows.nft_transfers.push(erc721Row(site, movement, first + BigInt(index), index));
  }
}

/** `TransferSingle` of ERC-1155. */
export function decodeTransferSingle(log: RawLog, site: LogSite, rows: LogRows): void {
  const event = new EventReader(log, 4);
  rows.nft_transfers.push(
    erc1155Row(log, site, event, { token_id: event.uint(0), amount: event.uint(1), batch_index: 0 }),
  );
}

/** `TransferBatch` of ERC-1155: a row for each item. Arrays that do not match say nothing that is certain. */
export function decodeTransferBatch(log: RawLog, site: LogSite, rows: LogRows): void {
  const event = new EventReader(log, 4);
  const ids = event.uints(0);
  const amounts = event.uints(1);
  if (ids.length === 0 || ids.length !== amounts.length) throw new MalformedLog('unequal or empty arrays');
  for (const [index, id] of ids.entries()) {
    rows.nft_transfers.push(
      erc1155Row(log, site, event, { token_id: id, amount: amounts[index] ?? 0n, batch_index: index }),
    );
  }
}

/** `URI` of ERC-1155. */
export function decodeUri(log: RawLog, site: LogSite, rows: LogRows): void {
  const event = new EventReader(log, 2);
  rows.nft_uris.push({ ...site, token: log.address, token_id: event.topicUint(1), ...readUri(event) });
}

/** The URI that is the first argument, and the bytes that the contract has of it; null where it is too long to be kept. */
export function readUri(event: EventReader): Pick<TokenUri, 'token_uri' | 'uri_size'> {
  const uri_size = event.textSize(0);
  const uri = uri_size > MAX_URI_BYTES ? null : event.text(0, MAX_URI_BYTES);
  const isKept = uri !== null && Buffer.byteLength(JSON.stringify(uri)) <= MAX_URI_BYTES;
  return { token_uri: isKept ? uri : null, uri_size };
}

function movementOf(log: RawLog, from_address: Hex, to_address: Hex): Movement {
  return { token: log.address, from_address, to_address, kind: kindOf(from_address, to_address) };
}

function erc721Row(site: LogSite, movement: Movement, token_id: bigint, batch_index: number): NftTransferRow {
  return { ...site, ...movement, batch_index, standard: 721, token_id, operator: null, amount: 1n };
}

function erc1155Row(
  log: RawLog,
  site: LogSite,
  event: EventReader,
  { token_id, amount, batch_index }: Pick<NftTransferRow, 'token_id' | 'amount' | 'batch_index'>,
): NftTransferRow {
  const movement = movementOf(log, event.topicAddress(2), event.topicAddress(3));
  const operator = event.topicAddress(1);
  return { ...site, ...movement, batch_index, standard: 1155, token_id, operator, amount };
}

/** A movement from and to the zero address changes no supply. */
function kindOf(from_address: Hex, to_address: Hex): Movement['kind'] {
  if (from_address === to_address) return 'transfer';
  if (from_address === ZERO_ADDRESS) return 'mint';
  return to_address === ZERO_ADDRESS ? 'burn' : 'transfer';
}
