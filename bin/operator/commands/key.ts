import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import type { KeyBounds } from '../../../lambdas/access/contract/key-bounds.ts';
import type { RefusalsDescription } from '../../../lambdas/access/contract/refusals.ts';
import { describeRefusals } from '../../../lambdas/access/store/refusal-store.ts';
import {
  type BoundKey,
  createKey,
  type KeyStatus,
  listKeys,
  setKeyStatus,
  showKey,
  updateKeyBounds,
} from '../../../lambdas/accounts/keys.ts';
import { BOUND_NAMES, type BoundName, notesOn, parseBounds } from '../../../lambdas/accounts/parse-bounds.ts';
import { OPERATIONS } from '../../../lambdas/data/operations/operations.ts';
import { showAccount } from '../../../lambdas/settlement/account-statement.ts';
import {
  ACCOUNT,
  type Arguments,
  type Command,
  type Context,
  type Flag,
  optionalText,
  requiredText,
  valueFlag,
} from '../context/command.ts';
import { listOutcome, retriedReads } from '../context/listing.ts';
import { renderRecord } from '../context/text-table.ts';

const KEY_ID = {
  name: 'key-id',
  summary: 'id of the key, as key list shows it: 64 hexadecimal digits',
} as const;

/** The flags of commands that bound a key. Lists are separated by commas; all kinds must hold. */
const BOUND_FLAGS: Readonly<Record<BoundName, Flag>> = {
  apis: valueFlag('interfaces that it may use: rpc, data, mcp'),
  methods: valueFlag('JSON-RPC methods that it may call, or patterns such as eth_get*'),
  operations: valueFlag('Data API operations that it may use, such as getBlock'),
  contracts: valueFlag('addresses that its JSON-RPC calls may ask of'),
  chains: valueFlag('chains that it may ask of'),
  ips: valueFlag('addresses and CIDR blocks that its requests may come from'),
  'cu-per-second': valueFlag('CU a second, where the plan has more'),
  'cu-per-day': valueFlag('CU that it may draw in a day of UTC'),
  expires: valueFlag('when it ends, in UTC, such as 2027-01-31T12:00Z or 2027-01-31'),
};

export const keyCreate: Command = {
  name: 'key create',
  summary: 'create an API key; it is shown only once',
  positionals: [ACCOUNT],
  flags: { label: valueFlag('what the key is for'), ...BOUND_FLAGS },
  example: 'key create acme --label back-end --ips 10.0.0.0/8',
  async run(context, args) {
    const { store, clock } = context;
    const label = optionalText(args, 'label') ?? '';
    const bounds = boundsOf(context, args);
    const key = await createKey(store, clock, { account: requiredText(args, 'account'), label, bounds });
    const record = renderRecord({
      'api key': key.api_key,
      'key id': key.key_id,
      account: key.account,
      label: key.label,
      created: key.created_at,
      ...boundsRecord(bounds),
    });
    const notes = [...notesOn(bounds), 'Save the key now: it is not stored and cannot be shown again.'];
    return { json: key, text: [record, ...notes].join('\n\n') };
  },
};

export const keyList: Command = {
  name: 'key list',
  summary: 'list all keys of an account',
  positionals: [ACCOUNT],
  example: 'key list acme',
  async run({ store }, args) {
    const { account } = await showAccount(store, requiredText(args, 'account'));
    return listOutcome({
      name: 'keys',
      headings: ['key id', 'key', 'label', 'status', 'created'],
      entries: await listKeys({ store: retriedReads(store) }, account),
      row: ({ key_id, last4, label, status, created_at }) => [
        key_id,
        `...${last4}`,
        label,
        status,
        created_at,
      ],
    });
  },
};

export const keyShow: Command = {
  name: 'key show',
  summary: 'show a key, its bounds, and what they refused in the last 24 hours',
  positionals: [KEY_ID],
  example: 'key show KEY_ID',
  async run({ store, refusals: refusalStore, clock }, args) {
    const key = await showKey(store, requiredText(args, 'key-id'));
    const now = clock.now();
    const refusals = describeRefusals(await refusalStore.read(key.key_id, now), now);
    return {
      json: { ...key, refusals },
      text: renderRecord({ ...keyRecord(key), ...refusalsRecord(refusals) }),
    };
  },
};

const UPDATE_FLAGS = {
  ...BOUND_FLAGS,
  clear: valueFlag('bounds to take away, such as ips,expires'),
} as const;

export const keyUpdate: Command = {
  name: 'key update',
  summary: 'change the bounds of a key; they count within ten seconds',
  positionals: [KEY_ID],
  flags: UPDATE_FLAGS,
  example: 'key update KEY_ID --clear ips',
  async run(context, args) {
    if (Object.keys(UPDATE_FLAGS).every((name) => optionalText(args, name) === undefined))
      throw new InputError('key update needs a bound to set, or --clear');
    const change = (before: Parameters<typeof boundsOf>[2]) => boundsOf(context, args, before);
    const key = await updateKeyBounds(context.store, requiredText(args, 'key-id'), change);
    return { json: key, text: [renderRecord(keyRecord(key)), ...notesOn(key.bounds ?? {})].join('\n\n') };
  },
};

export const keyDisable: Command = statusCommand('disable', 'disable a key at once', 'disabled');
export const keyEnable: Command = statusCommand('enable', 'enable a disabled key', 'active');

function statusCommand(verb: string, summary: string, status: KeyStatus): Command {
  return {
    name: `key ${verb}`,
    summary,
    positionals: [KEY_ID],
    example: `key ${verb} KEY_ID`,
    async run({ store, clock }, args) {
      const key = await setKeyStatus(store, clock, requiredText(args, 'key-id'), status);
      const { key_id, account, label, created_at } = key;
      const text = renderRecord({
        'key id': key_id,
        account,
        label,
        status: key.status,
        created: created_at,
      });
      return { json: key, text };
    },
  };
}

/** The bounds that a command line asks for, changed from those before. Throws {@link InputError} if they cannot be. */
function boundsOf(
  { cache, clock }: Pick<Context, 'cache' | 'clock'>,
  args: Arguments,
  before: KeyBounds = {},
): KeyBounds {
  const written = Object.keys(BOUND_FLAGS).map((name) => [name, optionalText(args, name)] as const);
  const prices = Object.entries(OPERATIONS).map(([id, { computeUnits }]) => [id, computeUnits] as const);
  const boundable = { chains: cache.chains, operations: new Map(prices) };
  const flags = { ...Object.fromEntries(written), clear: optionalText(args, 'clear') };
  return parseBounds(flags, { boundable, nowMs: clock.now() }, before);
}

/** Lines of a record, one for each bound. */
function boundsRecord(bounds: KeyBounds): Readonly<Record<string, string>> {
  const lines = Object.entries(BOUND_NAMES).flatMap(([name, kind]) => {
    const bound = bounds[kind];
    return bound === undefined
      ? []
      : [[name, typeof bound === 'object' ? bound.join(', ') : String(bound)] as const];
  });
  return Object.fromEntries(lines);
}

/** Lines of a record, of what bounds have refused. */
function refusalsRecord({ since, counts, last }: RefusalsDescription): Readonly<Record<string, string>> {
  const reasons = Object.entries(counts).map(([reason, count]) => `${reason} ${count}`);
  return {
    'refused since': `${since}: ${reasons.length === 0 ? 'nothing' : reasons.join(', ')}`,
    ...(last && { 'last refused': `${last.at}, ${last.reason}, from ${last.address}` }),
  };
}

/** Lines of a record of a key that was made. */
function keyRecord(key: BoundKey): Readonly<Record<string, string>> {
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
