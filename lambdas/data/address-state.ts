import type { Clock } from '../shared/runtime/clock.ts';
import type { ChainClient } from '../shared/upstream/routing/chain-client.ts';
import { nodeResults } from './node-results.ts';

/** Time that nodes have to tell of an address, in milliseconds: a client waits, and everything else is there already. */
export const STATE_TIMEOUT_MS = 2_000;
const QUANTITY = /^0x[0-9a-f]{1,64}$/;
const DATA = /^0x(?:[0-9a-f]{2})*$/;
const HEX_RADIX = 16;
/** Code of an account that runs another's code (EIP-7702). */
const DELEGATION = /^0xef0100(?<target>[0-9a-f]{40})$/;

/** Code that calls another contract with all that it is called with (EIP-1167), as it was first and as it is with PUSH0. */
const CLONES = [
  /^0x363d3d373d3d3d363d73(?<target>[0-9a-f]{40})5af43d82803e903d91602b57fd5bf3$/,
  /^0x365f5f375f5f365f73(?<target>[0-9a-f]{40})5af43d5f5f3e5f3d91602a57fd5bf3$/,
];
/** Where a proxy keeps what it runs, or the beacon that says so (EIP-1967). */
const IMPLEMENTATION_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';
const BEACON_SLOT = '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50';
/** `implementation()` of a beacon. */
const IMPLEMENTATION_OF = '0x5c60da1b';
const WORD = /^0x0{24}(?<target>[0-9a-f]{40})$/;
const NO_TARGET = '0'.repeat(40);

/** What nodes tell of an address at a block, as fields of a row; null what they do not tell. */
interface AddressState {
  /** In the smallest unit of the native token, as decimal digits. */
  readonly native_balance: string | null;
  readonly has_code: boolean | null;
  /** `delegated`: an account with a key that runs the code of `delegated_to` (EIP-7702). */
  readonly account_kind: 'eoa' | 'delegated' | 'contract' | null;
  readonly delegated_to: string | null;
  /** What kind of proxy a contract is; null where nodes do not tell. */
  readonly proxy_kind: 'eip1167' | 'eip1967' | 'beacon' | 'none' | null;
  /** The contract whose code a proxy runs. */
  readonly implementation: string | null;
}

type Proxy = Pick<AddressState, 'proxy_kind' | 'implementation'>;

const UNKNOWN_PROXY: Proxy = { proxy_kind: null, implementation: null };
const NO_PROXY: Proxy = { proxy_kind: 'none', implementation: null };
const UNKNOWN_CODE = { has_code: null, account_kind: null, delegated_to: null, ...UNKNOWN_PROXY } as const;
export const UNKNOWN_STATE: AddressState = { native_balance: null, ...UNKNOWN_CODE };

/** Asks the nodes of a chain. Never rejects because of them: nodes keep the state of old blocks only for a while. */
export type ReadAddressState = (chain: string, address: string, block: number) => Promise<AddressState>;

/** The same of the native coin alone: decimal digits, or null. `until`: milliseconds since the epoch. */
export type ReadNativeBalance = (
  chain: string,
  address: string,
  block: number,
  until: number,
) => Promise<string | null>;

/** Reads what addresses have of the native coin from the chains' nodes. */
export function createNativeBalanceReader(nodes: ReadonlyMap<string, ChainClient>): ReadNativeBalance {
  return async (chain, address, block, until) => {
    const node = nodes.get(chain);
    if (node === undefined) return null;
    const [balance] = await nodeResults(node, [['eth_getBalance', [address, quantityOf(block)]]], until);
    return amountOf(balance);
  };
}

/** Reads the state of addresses from the chains' nodes. */
export function createAddressStateReader(
  nodes: ReadonlyMap<string, ChainClient>,
  clock: Clock,
): ReadAddressState {
  return async (chain, address, block) => {
    const node = nodes.get(chain);
    if (node === undefined) return UNKNOWN_STATE;
    const [at, until] = [quantityOf(block), clock.now() + STATE_TIMEOUT_MS];
    const ask: Ask = (calls) =>
      nodeResults(
        node,
        calls.map(([method, ...params]) => [method, [...params, at]]),
        until,
      );
    const [balance, code] = await ask([
      ['eth_getBalance', address],
      ['eth_getCode', address],
    ]);
    return {
      native_balance: amountOf(balance),
      ...(isText(code, DATA) ? await kindOf(address, code, ask) : UNKNOWN_CODE),
    };
  };
}

/** Asks a node calls of a block, each a method and its parameters; undefined what it does not answer. */
type Ask = (
  calls: readonly (readonly [method: string, ...params: unknown[]])[],
) => Promise<readonly unknown[]>;

/** What an account is by its code, and what a contract runs in its place. */
async function kindOf(
  address: string,
  code: string,
  ask: Ask,
): Promise<Omit<AddressState, 'native_balance'>> {
  if (code === '0x') return { has_code: false, account_kind: 'eoa', delegated_to: null, ...NO_PROXY };
  const delegated_to = DELEGATION.exec(code)?.groups?.target;
  if (delegated_to !== undefined)
    return { has_code: true, account_kind: 'delegated', delegated_to: `0x${delegated_to}`, ...NO_PROXY };
  const proxy = await proxyOf(address, code, ask);
  return { has_code: true, account_kind: 'contract', delegated_to: null, ...proxy };
}

/** The proxy that a contract is: by its code, else by what stands in the slots for it, which costs a second look, or a third. */
async function proxyOf(address: string, code: string, ask: Ask): Promise<Proxy> {
  for (const clone of CLONES) {
    const target = clone.exec(code)?.groups?.target;
    if (target !== undefined) return { proxy_kind: 'eip1167', implementation: `0x${target}` };
  }
  const slots = await ask(
    [IMPLEMENTATION_SLOT, BEACON_SLOT].map((slot) => ['eth_getStorageAt', address, slot]),
  );
  const [implementation, beacon] = slots.map(targetOf);
  if (implementation) return { proxy_kind: 'eip1967', implementation };
  if (beacon) {
    const [answer] = await ask([['eth_call', { to: beacon, data: IMPLEMENTATION_OF }]]);
    return { proxy_kind: 'beacon', implementation: targetOf(answer) ?? null };
  }
  return implementation === null && beacon === null ? NO_PROXY : UNKNOWN_PROXY;
}

/** The address in a word; null in one that holds none, undefined where there is no word. */
function targetOf(word: unknown): string | null | undefined {
  if (!isText(word, DATA)) return undefined;
  const target = WORD.exec(word)?.groups?.target ?? NO_TARGET;
  return target === NO_TARGET ? null : `0x${target}`;
}

function amountOf(balance: unknown): string | null {
  return isText(balance, QUANTITY) ? BigInt(balance).toString() : null;
}

function quantityOf(block: number): string {
  return `0x${block.toString(HEX_RADIX)}`;
}

function isText(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value);
}
