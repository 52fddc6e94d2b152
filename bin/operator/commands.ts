import { accountCreate } from './account-create.ts';
import { accountCredit } from './account-credit.ts';
import { accountList } from './account-list.ts';
import { accountPlan } from './account-plan.ts';
import { accountRebuild } from './account-rebuild.ts';
import { accountShow } from './account-show.ts';
import { accountUsage } from './account-usage.ts';
import { audit } from './audit.ts';
import { backfill } from './backfill.ts';
import { cacheClear } from './cache-clear.ts';
import type { Command } from './command.ts';
import { keyCreate } from './key-create.ts';
import { keyList } from './key-list.ts';
import { keyDisable, keyEnable } from './key-status.ts';
import { settle } from './settle.ts';
import { settlements } from './settlements.ts';

/** Every command of the operator CLI. */
export const COMMANDS: readonly Command[] = [
  accountCreate,
  accountShow,
  accountCredit,
  accountList,
  accountPlan,
  accountRebuild,
  keyCreate,
  keyList,
  keyDisable,
  keyEnable,
  accountUsage,
  settle,
  settlements,
  audit,
  backfill,
  cacheClear,
];
