import type { ChargeOutcome } from '../../../lambdas/access/contract/metering.ts';
import type { SimulatedProcess } from './simulated-process.ts';

/** Weights by the specification, of the methods that the simulated clients call. */
export const WEIGHTS: Readonly<Record<string, number>> = {
  eth_blockNumber: 1,
  eth_chainId: 1,
  eth_getBlockByNumber: 5,
  eth_getBalance: 10,
  eth_call: 20,
  eth_sendRawTransaction: 30,
  eth_getLogs: 50,
  debug_traceTransaction: 200,
};
/** Price of a cached response by the specification. */
export const CACHED_CU = 1;

/** A call of a client. */
export interface ClientCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

const CHAIN_PREFIX = 'c';

/** One request of a client, and all that is known of it apart from the code under test. */
export class ClientRequest {
  readonly number: number;
  readonly account: string;
  readonly calls: readonly ClientCall[];
  /** The process that answers it. */
  readonly process: SimulatedProcess;
  /** Price of the node's responses by the specification, once they have arrived at the process. */
  nodeCu = 0;
  /** Whether it was admitted: only then its client gets what the node has answered. */
  admitted = false;
  /** Charge of its process for it. */
  chargedCu = 0;
  /** Its charges; each has ended when all that belongs to the request is done. */
  readonly charges: { readonly outcome: ChargeOutcome | undefined }[] = [];
  /** Whether the client has got a response, and whether all that belongs to the request is done. */
  ended = false;
  concluded = false;

  constructor(request: Pick<ClientRequest, 'number' | 'account' | 'calls' | 'process'>) {
    this.number = request.number;
    this.account = request.account;
    this.calls = request.calls;
    this.process = request.process;
  }

  /** Price of the responses that the client got. */
  get answeredCu(): number {
    return this.admitted ? this.nodeCu : 0;
  }

  /** Name of the chain that the request asks for. */
  get chain(): string {
    return CHAIN_PREFIX + this.number;
  }

  get body(): Uint8Array {
    const calls = this.calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }));
    return Buffer.from(JSON.stringify(calls.length === 1 ? calls[0] : calls));
  }
}
