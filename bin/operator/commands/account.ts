import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import type { Item } from '../../../lambdas/access/store/store.ts';
import { MAX_GRANTED_CU } from '../../../lambdas/accounts/account-records.ts';
import { createAccount, listAccounts } from '../../../lambdas/accounts/create-account.ts';
import { creditAccount } from '../../../lambdas/accounts/credit-account.ts';
import { debitAccount } from '../../../lambdas/accounts/debit-account.ts';
import { setPlan } from '../../../lambdas/accounts/set-plan.ts';
import { type AccountStatement, showAccount } from '../../../lambdas/settlement/account-statement.ts';
import { CREDITS_AND_DEBITS, isDebit, ledgerRange } from '../../../lambdas/settlement/settlement-ledger.ts';
import {
  ACCOUNT,
  type Arguments,
  type Command,
  type Context,
  neededFlag,
  optionalText,
  requiredText,
  switchFlag,
  valueFlag,
} from '../context/command.ts';
import { listOutcome, retriedReads } from '../context/listing.ts';
import { formatCount, renderRecord, renderTable } from '../context/text-table.ts';

const OPENING_REFERENCE = 'opening';
const GENERATED_ID_BYTES = 6;
const GRANTED_BY = valueFlag('who grants the credit, for its record (default: your login name)');
const CU = { name: 'cu', summary: 'compute units, a whole number in digits' } as const;

export const accountCreate: Command = {
  name: 'account create',
  summary: 'create an account (without ACCOUNT, with a generated id)',
  positionals: [{ ...ACCOUNT, optional: true }],
  flags: {
    plan: valueFlag("plan of the account (default: the gateway's default plan)"),
    credit: valueFlag('compute units that it starts with'),
    reference: valueFlag(`reference of that credit (default: ${OPENING_REFERENCE})`),
    by: GRANTED_BY,
  },
  example: 'account create acme --credit 1000000',
  async run(context, args) {
    const account = optionalText(args, 'account') ?? generatedId();
    const plan = requirePlan(context, optionalText(args, 'plan') ?? context.defaultPlan);
    const cu = optionalText(args, 'credit');
    const reference = optionalText(args, 'reference');
    if (cu === undefined && reference !== undefined) throw new InputError('--reference needs --credit');
    const credit = cu !== undefined && {
      cu: parseComputeUnits(cu, 'credit'),
      reference: reference ?? OPENING_REFERENCE,
      by: grantedBy(args),
    };
    const request = { account, plan, shards: shardsOfPlan(context, plan), ...(credit && { credit }) };
    const created = await createAccount(context.store, context.clock, request);
    return { json: created, text: accountText(created) };
  },
};

export const accountShow: Command = {
  name: 'account show',
  summary: 'show plan, balance and usage that is not yet settled',
  positionals: [ACCOUNT],
  example: 'account show acme',
  async run({ store }, args) {
    const account = await showAccount(store, requiredText(args, 'account'));
    return { json: account, text: accountText(account) };
  },
};

export const accountList: Command = {
  name: 'account list',
  summary: 'list all accounts by id',
  positionals: [],
  example: 'account list',
  async run({ store }) {
    return listOutcome({
      name: 'accounts',
      headings: ['account', 'plan', 'granted', 'charged', 'balance', 'created'],
      entries: listAccounts(retriedReads(store)),
      row: listedAccount,
    });
  },
};

export const accountPlan: Command = {
  name: 'account plan',
  summary: 'put an account on another plan',
  positionals: [ACCOUNT, { name: 'plan', summary: 'name of the plan in the stage file' }],
  example: 'account plan acme free',
  async run(context, args) {
    const plan = requirePlan(context, requiredText(args, 'plan'));
    const change = { plan, shards: shardsOfPlan(context, plan) };
    const account = await setPlan(context.store, context.clock, requiredText(args, 'account'), change);
    return { json: account, text: accountText(account) };
  },
};

export const accountCredit: Command = {
  name: 'account credit',
  summary: 'grant compute units, once per reference',
  positionals: [ACCOUNT, CU],
  flags: {
    reference: neededFlag('what the credit is for; repeating it changes nothing'),
    by: GRANTED_BY,
  },
  example: 'account credit acme 500 --reference order-1',
  async run({ store, clock }, args) {
    const credit = {
      cu: parseComputeUnits(requiredText(args, 'cu'), 'credit'),
      reference: requiredText(args, 'reference'),
      by: grantedBy(args),
    };
    const credited = await creditAccount(store, clock, requiredText(args, 'account'), credit);
    return { json: credited, text: accountText(credited) + appliedNote('Credit', credited) };
  },
};

export const accountDebit: Command = {
  name: 'account debit',
  summary: 'take back compute units that were granted, once per reference',
  positionals: [ACCOUNT, CU],
  flags: {
    reference: neededFlag('which debit it is; repeating it changes nothing'),
    reason: neededFlag('why, as the customer reads it'),
    by: { ...GRANTED_BY, summary: 'who takes it back, for its record (default: your login name)' },
    'below-zero': switchFlag('take back more than the balance, too'),
  },
  example: 'account debit acme 200 --reference refund-1 --reason refunded',
  async run({ store, clock }, args) {
    const debit = {
      cu: parseComputeUnits(requiredText(args, 'cu'), 'debit'),
      reference: requiredText(args, 'reference'),
      reason: requiredText(args, 'reason'),
      by: grantedBy(args),
      belowZero: args['below-zero'] === true,
    };
    const debited = await debitAccount(store, clock, requiredText(args, 'account'), debit);
    return { json: debited, text: accountText(debited) + appliedNote('Debit', debited) };
  },
};

export const accountCredits: Command = {
  name: 'account credits',
  summary: 'list what an account was granted and what was taken back, with who did it, by reference',
  positionals: [ACCOUNT],
  example: 'account credits acme',
  async run({ store }, args) {
    const { account } = await showAccount(store, requiredText(args, 'account'));
    const items = ledgerRange({ store: retriedReads(store) }, account, CREDITS_AND_DEBITS);
    const records = await Array.fromAsync(items, creditRecord);
    return listOutcome({
      name: 'credits',
      headings: ['created', 'kind', 'CU', 'reference', 'by', 'reason'],
      empty: 'Nothing was granted yet.',
      entries: records,
      row: ({ created_at, kind, cu, reference, by = '-', reason = '' }) => [
        created_at,
        kind,
        formatCount(cu),
        reference,
        by,
        reason,
      ],
    });
  },
};

function creditRecord(item: Item) {
  return {
    created_at: String(item.created_at),
    kind: isDebit(item) ? 'debit' : 'credit',
    cu: Number(item.cu),
    reference: String(item.reference),
    ...(item.by !== undefined && { by: String(item.by) }),
    ...(item.reason !== undefined && { reason: String(item.reason) }),
  };
}

function listedAccount(statement: AccountStatement): string[] {
  const { account, plan, granted_cu, charged_cu, balance_cu, created_at } = statement;
  return [account, plan, ...[granted_cu, charged_cu, balance_cu].map(formatCount), created_at];
}

/** An account for people. */
function accountText(statement: AccountStatement): string {
  const { account, plan, granted_cu, debited_cu, charged_cu, balance_cu, pending_cu, created_at } = statement;
  const record = renderRecord({
    account,
    plan,
    granted: `${formatCount(granted_cu)} CU`,
    ...(debited_cu > 0 && { debited: `${formatCount(debited_cu)} CU` }),
    charged: `${formatCount(charged_cu)} CU`,
    balance: `${formatCount(balance_cu)} CU`,
    created: created_at,
  });
  const hours = Object.entries(pending_cu).map(([hour, cu]) => [hour, formatCount(cu)]);
  return hours.length === 0 ? record : `${record}\n\n${renderTable(['hour', 'not yet settled, CU'], hours)}`;
}

function appliedNote(
  kind: 'Credit' | 'Debit',
  {
    already_applied: isApplied,
    reference,
  }: { readonly already_applied: boolean; readonly reference: string },
): string {
  return isApplied ? `\n\n${kind} ${reference} was applied before; nothing has changed.` : '';
}

function generatedId(): string {
  return `account-${randomBytes(GENERATED_ID_BYTES).toString('hex')}`;
}

/** The plan, if the gateway has it. */
function requirePlan({ plans }: Context, plan: string): string {
  if (plans.includes(plan)) return plan;
  throw new InputError(`unknown plan ${plan} (plans: ${plans.join(', ')})`);
}

/** Partitions of the lanes of the accounts of a plan. */
function shardsOfPlan({ shards }: Context, plan: string): number {
  return shards[plan] ?? 1;
}

/** A credit or a debit as a person writes it, in digits only. */
function parseComputeUnits(text: string, what: 'credit' | 'debit'): number {
  const cu = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  if (cu >= 1 && cu <= MAX_GRANTED_CU) return cu;
  throw new InputError(`a ${what} must be a whole number of CU from 1 to ${MAX_GRANTED_CU}, in digits`);
}

/** The person who grants a credit. The record keeps it, as a statement without proof. */
function grantedBy(args: Arguments): string | undefined {
  return optionalText(args, 'by') ?? loginName();
}

/** Undefined for a user without a name, as in some containers. */
function loginName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
