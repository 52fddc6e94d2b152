import type { Clock } from '../shared/runtime/clock.ts';
import type { ChainClient } from '../shared/upstream/routing/chain-client.ts';
import { dispatch } from '../shared/upstream/routing/dispatch.ts';

/** Time that nodes have to tell of an address, in milliseconds: a client waits, and everything else is there already. */
const STATE_TIMEOUT_MS = 2_000;
const QUANTITY = /^0x[0-9a-f]{1,64}$/;
const DATA = /^0x(?:[0-9a-f]{2})*$/;
const HEX_RADIX = 16;
/** Code of an account that runs another's code (EIP-7702). */
const DELEGATION = /^0xef0100(?<target>[0-9a-f]{40})$/;

/** What nodes tell of an address at a block, as fields of a row; null what they do not tell. */
interface AddressState {
  /** In the smallest unit of the native token, as decimal digits. */
  readonly native_balance: string | null;
  readonly has_code: boolean | null;
  /** `delegated`: an account with a key that runs the code of `delegated_to` (EIP-7702). */
  readonly account_kind: 'eoa' | 'delegated' | 'contract' | null;
  readonly delegated_to: string | null;
}

const UNKNOWN_CODE = { has_code: null, account_kind: null, delegated_to: null } as const;
export const UNKNOWN_STATE: AddressState = { native_balance: null, ...UNKNOWN_CODE };

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
      ...(isText(code, DATA) ? kindOf(code) : UNKNOWN_CODE),
    };
  };
}

/** What an account is by its code. */
function kindOf(code: string): Omit<AddressState, 'native_balance'> {
  if (code === '0x') return { has_code: false, account_kind: 'eoa', delegated_to: null };
  const delegated_to = DELEGATION.exec(code)?.groups?.target;
  return delegated_to === undefined
    ? { has_code: true, account_kind: 'contract', delegated_to: null }
    : { has_code: true, account_kind: 'delegated', delegated_to: `0x${delegated_to}` };
}

function isText(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value);
}
