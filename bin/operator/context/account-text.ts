import type { AccountStatement } from '../../../lambdas/settlement/account-statement.ts';
import { formatComputeUnits } from './compute-units.ts';
import { renderRecord, renderTable } from './text-table.ts';

/** An account for people. */
export function accountText(statement: AccountStatement): string {
  const { account, plan, granted_cu, debited_cu, charged_cu, balance_cu, pending_cu, created_at } = statement;
  const record = renderRecord({
    account,
    plan,
    granted: `${formatComputeUnits(granted_cu)} CU`,
    ...(debited_cu > 0 && { debited: `${formatComputeUnits(debited_cu)} CU` }),
    charged: `${formatComputeUnits(charged_cu)} CU`,
    balance: `${formatComputeUnits(balance_cu)} CU`,
    created: created_at,
  });
  const hours = Object.entries(pending_cu).map(([hour, cu]) => [hour, formatComputeUnits(cu)]);
  return hours.length === 0 ? record : `${record}\n\n${renderTable(['hour', 'not yet settled, CU'], hours)}`;
}
