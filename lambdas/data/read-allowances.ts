import type { Clock } from '../shared/runtime/clock.ts';
import type { ChainClient } from '../shared/upstream/routing/chain-client.ts';
import { dispatch } from '../shared/upstream/routing/dispatch.ts';
import { PERMIT2 } from './resources/approvals.ts';

/** Approvals of a page that the chain is asked for: the newest, or the first by `order`. */
const MAX_ASKED = 50;
/** Time that nodes have, in milliseconds. */
const ALLOWANCE_TIMEOUT_MS = 2_000;
const HEX_RADIX = 16;
const WORD_DIGITS = 64;
const WORDS = /^0x(?<first>[0-9a-f]{64})/;

/** An approval as its event says it. */
interface Approval {
  readonly kind: 'approval' | 'approval_of_item' | 'approval_for_all' | 'permit2';
  readonly token: string;
  readonly spender: string;
  readonly token_id: string | null;
}

/** Adds to approvals what the nodes of a chain say of them at a block. Never rejects because of them. */
export type ReadAllowances = (
  chain: string,
  owner: string,
  approvals: readonly Approval[],
  block: number,
) => Promise<readonly Approval[]>;

/** Reads what is left of approvals from the chains' nodes. */
export function createAllowanceReader(nodes: ReadonlyMap<string, ChainClient>, clock: Clock): ReadAllowances {
  return async (chain, owner, approvals, block) => {
    const node = nodes.get(chain);
    if (node === undefined) return approvals;
    const calls = approvals.slice(0, MAX_ASKED).map((approval, id) => ({
      id: Buffer.from(String(id)),
      method: 'eth_call',
      params: Buffer.from(JSON.stringify([questionOf(owner, approval), `0x${block.toString(HEX_RADIX)}`])),
    }));
    const responses = await dispatch(calls, node, clock.now() + ALLOWANCE_TIMEOUT_MS);
    return approvals.map((approval, index) => {
      const response = responses[index];
      const text = response?.kind === 'result' ? Buffer.from(response.result).toString() : '""';
      const first = WORDS.exec(String(JSON.parse(text)))?.groups?.first;
      if (first === undefined) return approval;
      const allowance = String(leftOf(approval, BigInt(`0x${first}`)));
      return { ...approval, known_by: 'allowance', allowance, allowance_block: block };
    });
  };
}

/** What a contract is asked: `allowance`, `isApprovedForAll` or `getApproved`. */
function questionOf(owner: string, { kind, token, spender, token_id }: Approval) {
  const [from, of, to] = [owner, token, spender].map((address) => wordOf(BigInt(address)));
  switch (kind) {
    case 'approval':
      return { to: token, data: `0xdd62ed3e${from}${to}` };
    case 'approval_for_all':
      return { to: token, data: `0xe985e9c5${from}${to}` };
    case 'approval_of_item':
      return { to: token, data: `0x081812fc${wordOf(BigInt(token_id ?? 0))}` };
    case 'permit2':
      return { to: PERMIT2, data: `0x927da105${from}${of}${to}` };
  }
}

/** Of one item who is approved is told, in place of how much. */
function leftOf({ kind, spender }: Approval, told: bigint): bigint {
  if (kind !== 'approval_of_item') return told;
  return told === BigInt(spender) && told !== 0n ? 1n : 0n;
}

function wordOf(value: bigint): string {
  return value.toString(HEX_RADIX).padStart(WORD_DIGITS, '0');
}
