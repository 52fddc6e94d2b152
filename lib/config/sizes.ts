import * as z from 'zod';
import { must } from './fields.ts';

const SIZES = ['trial', 'startup', 'production'] as const;
type Size = (typeof SIZES)[number];

/** What the other entries of a stage file are as long as they do not say it. */
export const size = z.enum(SIZES, must(SIZES.map((one) => `"${one}"`).join(', '))).default('production');

/** Requests per second of each route of a trial: a flood without a key costs at most some 6 USD a day. */
const TRIAL_REQUESTS_PER_SECOND = 20;
/** Of the whole account, in USD: a notification, no bound. */
const TRIAL_BUDGET_USD = 50;
const TRIAL_MAX_ACU = 4;
const TRIAL_BATCH_MINUTES = 60;
/** Days for which a start-up's heads are locked: those for which customers can check a bill by its leaves. */
const STARTUP_LOCK_DAYS = 40;

type Entries = Readonly<Record<string, unknown>>;

/** The defaults of a size; `asked` is what the stage file says. */
const DEFAULTS: Readonly<Record<Size, (asked: Entries) => Entries>> = {
  trial: ({ indexing, alarms }) => ({
    removal: 'destroy',
    firewall: { enabled: false },
    throttling: { requestsPerSecond: TRIAL_REQUESTS_PER_SECOND, burst: 2 * TRIAL_REQUESTS_PER_SECOND },
    functions: { reserveConcurrency: false },
    database: { enabled: entry(indexing, 'enabled') === true, minAcu: 0, maxAcu: TRIAL_MAX_ACU },
    indexing: { batchMinutes: TRIAL_BATCH_MINUTES },
    objectives: { enabled: false },
    heads: { lockDays: 0 },
    alarms: {
      extent: 'least',
      // A budget notifies an address.
      ...(entry(alarms, 'email') !== undefined && { monthlyBudgetUsd: TRIAL_BUDGET_USD }),
    },
  }),
  startup: () => ({
    objectives: { enabled: false },
    heads: { lockDays: STARTUP_LOCK_DAYS },
    alarms: { extent: 'usual' },
  }),
  production: () => ({}),
};

/** A stage file with the defaults of its size below what it says; an unknown size, and what is no object, is left as it is. */
export function withSizeDefaults(content: unknown): unknown {
  const asked = entry(content, 'size');
  const known = SIZES.find((one) => one === asked);
  return known !== undefined && isEntries(content) ? merged(DEFAULTS[known](content), content) : content;
}

function merged(defaults: Entries, asked: Entries): Entries {
  const names = Object.keys({ ...defaults, ...asked });
  return Object.fromEntries(
    names.map((name) => {
      const [usual, said] = [defaults[name], asked[name]];
      if (!Object.hasOwn(asked, name)) return [name, usual];
      return [name, isEntries(usual) && isEntries(said) ? merged(usual, said) : said];
    }),
  );
}

function entry(value: unknown, name: string): unknown {
  return isEntries(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isEntries(value: unknown): value is Entries {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
