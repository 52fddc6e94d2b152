import { CALL_GAS, callWord, OWNER_OF } from '../shared/jsonrpc/contract-call.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import type { ChainClient } from '../shared/upstream/routing/chain-client.ts';
import { nodeResults } from './node-results.ts';
import { PERMIT2 } from './resources/approvals.ts';

/** Approvals of a page that the chain is asked for: the newest, or the first by `order`. */
const MAX_ASKED = 50;
/** Time that nodes have, in milliseconds. */
const ALLOWANCE_TIMEOUT_MS = 2_000;
const MS = 1_000;
const HEX_RADIX = 16;
const WORDS = /^0x(?<first>[0-9a-f]{64})(?<second>[0-9a-f]{64})?/;

type Words = readonly (bigint | undefined)[];

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
    const asked = approvals.slice(0, MAX_ASKED);
    const items = asked.filter(({ kind }) => kind === 'approval_of_item');
    const questions = [
      ...asked.map((approval) => questionOf(owner, approval)),
      ...items.map(({ token, token_id }) => ({
        to: token,
        data: OWNER_OF + callWord(BigInt(token_id ?? 0)),
      })),
    ];
    const calls = questions.map(
      (question) => ['eth_call', [{ ...question, gas: CALL_GAS }, `0x${block.toString(HEX_RADIX)}`]] as const,
    );
    const at = clock.now();
    const words = (await nodeResults(node, calls, at + ALLOWANCE_TIMEOUT_MS)).map(wordsOf);
    const owners = new Map(items.map((item, index) => [item, words[asked.length + index]?.[0]]));
    const told = asked.map((approval, index) => {
      const { kind } = approval;
      const allowance =
        kind === 'approval_of_item'
          ? leftOfItem(approval, owner, [words[index]?.[0], owners.get(approval)])
          : leftOf(kind, words[index] ?? [], BigInt(Math.floor(at / MS)));
      if (allowance === undefined) return approval;
      return { ...approval, known_by: 'allowance', allowance: String(allowance), allowance_block: block };
    });
    return [...told, ...approvals.slice(MAX_ASKED)];
  };
}

/** What a contract is asked: `allowance`, `isApprovedForAll` or `getApproved`. */
function questionOf(owner: string, { kind, token, spender, token_id }: Approval) {
  const [from, of, to] = [owner, token, spender].map((address) => callWord(BigInt(address)));
  switch (kind) {
    case 'approval':
      return { to: token, data: `0xdd62ed3e${from}${to}` };
    case 'approval_for_all':
      return { to: token, data: `0xe985e9c5${from}${to}` };
    case 'approval_of_item':
      return { to: token, data: `0x081812fc${callWord(BigInt(token_id ?? 0))}` };
    case 'permit2':
      return { to: PERMIT2, data: `0x927da105${from}${of}${to}` };
  }
}

/** What an amount has left; of Permit2 it ends behind its second word, which a later event may have changed. */
function leftOf(kind: Approval['kind'], [amount, expires]: Words, seconds: bigint): bigint | undefined {
  if (kind !== 'permit2') return amount;
  if (expires === undefined) return undefined;
  return expires < seconds ? 0n : amount;
}

/** Of one item its contract says who is approved and who owns it: a later owner may have approved the same spender. */
function leftOfItem({ spender }: Approval, owner: string, [approved, ownedBy]: Words): bigint | undefined {
  if (approved === undefined || ownedBy === undefined) return undefined;
  return approved === BigInt(spender) && approved !== 0n && ownedBy === BigInt(owner) ? 1n : 0n;
}

/** The first words that a contract returned. */
function wordsOf(returned: unknown): Words {
  const { first, second } = WORDS.exec(String(returned))?.groups ?? {};
  return [first, second].map((word) => (word === undefined ? undefined : BigInt(`0x${word}`)));
}
