import { billKeys } from './bill/bill-keys.ts';
import { ledgerRestore } from './bill/ledger-restore.ts';
import { seal } from './bill/seal.ts';
import { accountCreate } from './commands/account-create.ts';
import { accountCredit } from './commands/account-credit.ts';
import { accountCredits } from './commands/account-credits.ts';
import { accountDebit } from './commands/account-debit.ts';
import { accountList } from './commands/account-list.ts';
import { accountPlan } from './commands/account-plan.ts';
import { accountRebuild } from './commands/account-rebuild.ts';
import { accountShow } from './commands/account-show.ts';
import { accountUsage } from './commands/account-usage.ts';
import { audit } from './commands/audit.ts';
import { backfill } from './commands/backfill.ts';
import { cacheClear } from './commands/cache-clear.ts';
import { exportRangeCommand } from './commands/export-range.ts';
import { keyCreate } from './commands/key-create.ts';
import { keyList } from './commands/key-list.ts';
import { keyShow } from './commands/key-show.ts';
import { keyDisable, keyEnable } from './commands/key-status.ts';
import { keyUpdate } from './commands/key-update.ts';
import { priceList } from './commands/price-list.ts';
import { releaseBack } from './commands/release-back.ts';
import { releaseClean } from './commands/release-clean.ts';
import { releaseShow } from './commands/release-show.ts';
import { restore } from './commands/restore.ts';
import { settle } from './commands/settle.ts';
import { settlements } from './commands/settlements.ts';
import type { Command } from './context/command.ts';

/** Every command of the operator CLI. */
export const COMMANDS: readonly Command[] = [
  accountCreate,
  accountShow,
  accountCredit,
  accountCredits,
  accountDebit,
  accountList,
  accountPlan,
  accountRebuild,
  keyCreate,
  keyList,
  keyShow,
  keyUpdate,
  keyDisable,
  keyEnable,
  accountUsage,
  settle,
  settlements,
  seal,
  billKeys,
  ledgerRestore,
  audit,
  priceList,
  restore,
  backfill,
  exportRangeCommand,
  cacheClear,
  releaseShow,
  releaseBack,
  releaseClean,
];
