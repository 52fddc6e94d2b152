import type { Clock } from '../shared/runtime/clock.ts';
import type { ChainClient } from '../shared/upstream/routing/chain-client.ts';
import { dispatch } from '../shared/upstream/routing/dispatch.ts';

/** Time that nodes have to tell of an address, in milliseconds: a client waits, and everything else is there already. */
const STATE_TIMEOUT_MS = 2_000;
const QUANTITY = /^0x[0-9a-f]{1,64}$/;
const DATA = /^0x(?:[0-9a-f]{2})*$/;
const HEX_RADIX = 16;

/** What nodes tell of an address at a block, as fields of a row; null what they do not tell. */
interface AddressState {
  /** In the smallest unit of the native token, as decimal digits. */
  readonly native_balance: string | null;
  readonly has_code: boolean | null;
}

export const UNKNOWN_STATE: AddressState = { native_balance: null, has_code: null };

/** Asks the nodes of a chain. Never rejects because of them: nodes keep the state of old blocks only for a while. */
export type ReadAddressState = (chain: string, address: string, block: number) => Promise<AddressState>;

/** Reads the state of addresses from the chains' nodes. */
export function createAddressStateReader(
  nodes: ReadonlyMap<string, ChainClient>,
  clock: Clock,
): ReadAddressState {
  return async (chain, address, block) => {
    const node = nodes.get(chain);
    if (node === undefined) return UNKNOWN_STATE;
    const params = Buffer.from(JSON.stringify([address, `0x${block.toString(HEX_RADIX)}`]));
    const calls = ['eth_getBalance', 'eth_getCode'].map((method, id) => ({
      id: Buffer.from(String(id)),
      method,
      params,
    }));
    const responses = await dispatch(calls, node, clock.now() + STATE_TIMEOUT_MS);
    const [balance, code] = responses.map((response) =>
      response.kind === 'result'
        ? (JSON.parse(Buffer.from(response.result).toString()) as unknown)
        : undefined,
    );
    return {
      native_balance: isText(balance, QUANTITY) ? BigInt(balance).toString() : null,
      has_code: isText(code, DATA) ? code !== '0x' : null,
    };
  };
}

function isText(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value);
}
