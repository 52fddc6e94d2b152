import type { KeyBounds } from '../../../lambdas/access/contract/key-bounds.ts';
import type { RefusalsDescription } from '../../../lambdas/access/contract/refusals.ts';
import type { BoundKey } from '../../../lambdas/accounts/keys.ts';
import { BOUND_NAMES, type BoundName, parseBounds } from '../../../lambdas/accounts/parse-bounds.ts';
import { OPERATIONS } from '../../../lambdas/data/operations/operations.ts';
import { type Arguments, type Context, type Flag, optionalText } from './command.ts';

/** The flags of commands that bound a key. Lists are separated by commas; all kinds must hold. */
export const BOUND_FLAGS: Readonly<Record<BoundName, Flag>> = {
  apis: { type: 'string', summary: 'interfaces that it may use: rpc, data, mcp' },
  methods: { type: 'string', summary: 'JSON-RPC methods that it may call, or patterns such as eth_get*' },
  operations: { type: 'string', summary: 'Data API operations that it may use, such as getBlock' },
  contracts: { type: 'string', summary: 'addresses that its JSON-RPC calls may ask of' },
  chains: { type: 'string', summary: 'chains that it may ask of' },
  ips: { type: 'string', summary: 'addresses and CIDR blocks that its requests may come from' },
  'cu-per-second': { type: 'string', summary: 'CU a second, where the plan has more' },
  'cu-per-day': { type: 'string', summary: 'CU that it may draw in a day of UTC' },
  expires: { type: 'string', summary: 'when it ends, in UTC, such as 2027-01-31T12:00Z or 2027-01-31' },
};

/** The bounds that a command line asks for, changed from those before. Throws {@link InputError} if they cannot be. */
export function boundsOf(
  { cache, clock }: Pick<Context, 'cache' | 'clock'>,
  args: Arguments,
  before: KeyBounds = {},
): KeyBounds {
  const written = Object.keys(BOUND_FLAGS).map((name) => [name, optionalText(args, name)] as const);
  const prices = Object.entries(OPERATIONS).map(([id, { computeUnits }]) => [id, computeUnits] as const);
  const boundable = { chains: cache?.chains, operations: new Map(prices) };
  const flags = { ...Object.fromEntries(written), clear: optionalText(args, 'clear') };
  return parseBounds(flags, { boundable, nowMs: clock.now() }, before);
}

/** Lines of a record, one for each bound. */
export function boundsRecord(bounds: KeyBounds): Readonly<Record<string, string>> {
  const lines = Object.entries(BOUND_NAMES).flatMap(([name, kind]) => {
    const bound = bounds[kind];
    return bound === undefined
      ? []
      : [[name, typeof bound === 'object' ? bound.join(', ') : String(bound)] as const];
  });
  return Object.fromEntries(lines);
}

/** Lines of a record, of what bounds have refused. */
export function refusalsRecord({
  since,
  counts,
  last,
}: RefusalsDescription): Readonly<Record<string, string>> {
  const reasons = Object.entries(counts).map(([reason, count]) => `${reason} ${count}`);
  return {
    'refused since': `${since}: ${reasons.length === 0 ? 'nothing' : reasons.join(', ')}`,
    ...(last && { 'last refused': `${last.at}, ${last.reason}, from ${last.address}` }),
  };
}

/** Lines of a record of a key that was made. */
export function keyRecord(key: BoundKey): Readonly<Record<string, string>> {
  const { key_id, account, label, last4, status, created_at, bounds } = key;
  return {
    'key id': key_id,
    key: `...${last4}`,
    account,
    label,
    status,
    created: created_at,
    ...(bounds === undefined ? { bounds: 'unreadable: the key is refused' } : boundsRecord(bounds)),
  };
}
