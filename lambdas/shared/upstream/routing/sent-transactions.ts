import { keccak_256 } from '@noble/hashes/sha3';
import type { Call, UpstreamResponse } from '../../jsonrpc/calls.ts';
import { messageOf } from '../../jsonrpc/error-message.ts';
import type { Clock } from '../../runtime/clock.ts';

const MAX_TRANSACTIONS = 1_000;
/** How long a transaction whose fate is unknown is remembered, in milliseconds. */
const MEMORY_MS = 5 * 60 * 1000;
const RAW_TRANSACTION = /^0x(?:[0-9a-f]{2})+$/i;
/** With its blobs around it, a transaction has another hash than its bytes. */
const BLOB_TRANSACTION = /^0x03/;
/** What nodes say of a transaction that they have already. */
const ALREADY_KNOWN = /already ?known|\bknown transaction|already[ _](?:imported|exists|in )/i;

/** Transactions that were sent and whose arrival is unknown. */
export class SentTransactions {
  readonly #clock: Clock;
  readonly #forgottenAt = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Remembers a transaction that was sent and not answered. */
  remember(call: Call): void {
    const hash = transactionHash(call);
    if (hash === undefined) return;
    this.#forgottenAt.delete(hash);
    this.#forgottenAt.set(hash, this.#clock.now() + MEMORY_MS);
    const [oldest] = this.#forgottenAt.keys();
    if (this.#forgottenAt.size > MAX_TRANSACTIONS && oldest !== undefined) this.#forgottenAt.delete(oldest);
  }

  /**
   * The response to a transaction: its hash, if the node already has it from an earlier attempt of this request
   * (`sentBefore`), or from one that was never answered.
   */
  accept(call: Call, answer: UpstreamResponse, sentBefore: boolean): UpstreamResponse {
    if (call.method !== 'eth_sendRawTransaction' || answer.kind !== 'error') return answer;
    if (!ALREADY_KNOWN.test(messageOf(answer))) return answer;
    const hash = transactionHash(call);
    if (hash === undefined || !(sentBefore || this.#isRemembered(hash))) return answer;
    return { kind: 'result', result: Buffer.from(`"${hash}"`) };
  }

  #isRemembered(hash: string): boolean {
    return (this.#forgottenAt.get(hash) ?? 0) > this.#clock.now();
  }
}

/** Hash of the transaction that a call sends, with `0x`; undefined if the call has none that can be told. */
function transactionHash({ method, params }: Call): string | undefined {
  if (method !== 'eth_sendRawTransaction' || params === undefined) return undefined;
  const json = Buffer.from(params.buffer, params.byteOffset, params.length).toString();
  const [raw] = JSON.parse(json) as readonly unknown[];
  if (typeof raw !== 'string' || !RAW_TRANSACTION.test(raw) || BLOB_TRANSACTION.test(raw)) return undefined;
  const hash = keccak_256(Buffer.from(raw.slice('0x'.length), 'hex'));
  return `0x${Buffer.from(hash).toString('hex')}`;
}
