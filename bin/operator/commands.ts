import {
  accountCreate,
  accountCredit,
  accountCredits,
  accountDebit,
  accountList,
  accountPlan,
  accountShow,
} from './commands/account.ts';
import { accountRebuild } from './commands/account-rebuild.ts';
import { audit } from './commands/audit.ts';
import { backfill } from './commands/backfill.ts';
import { billKeys, ledgerRestore, seal } from './commands/bill.ts';
import { cacheClear, exportRangeCommand } from './commands/chain.ts';
import { keyCreate, keyDisable, keyEnable, keyList, keyShow, keyUpdate } from './commands/key.ts';
import { releaseBack, releaseClean, releaseShow } from './commands/release.ts';
import { restore } from './commands/restore.ts';
import { settle, settlements } from './commands/settlement.ts';
import { accountUsage } from './commands/usage.ts';
import type { Command } from './context/command.ts';

/** Every command of the operator CLI, by what people do with it. */
export const COMMAND_GROUPS: Readonly<Record<string, readonly Command[]>> = {
  'Accounts and what they use': [
    accountCreate,
    accountShow,
    accountList,
    accountPlan,
    accountCredit,
    accountDebit,
    accountCredits,
    accountUsage,
  ],
  Keys: [keyCreate, keyList, keyShow, keyUpdate, keyDisable, keyEnable],
  'Settlement and bills': [settle, settlements, seal, billKeys],
  'Books that are checked and restored': [audit, accountRebuild, ledgerRestore, restore],
  'Chains: their past, and their cache': [backfill, exportRangeCommand, cacheClear],
  'Releases of a stage': [releaseShow, releaseBack, releaseClean],
};
