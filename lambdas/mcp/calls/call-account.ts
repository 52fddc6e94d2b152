import { isBlamelessStatus, type RefusalStore, type Store } from 'gateway-access';
import { FREE_HEADERS } from '../../rpc/response/refusal-error.ts';
import { showAccountView } from '../../settlement/account-statement.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { errorField, log } from '../../shared/runtime/log.ts';
import type { StageSettings } from '../../shared/runtime/settings.ts';
import { describeAccount } from '../../status/describe-account.ts';
import { ACCOUNT_LISTS, listAccountRecords } from '../../status/list-account-records.ts';
import { readRefusals } from '../../status/read-refusals.ts';
import type { ToolArguments } from '../tools/tool.ts';
import type { CallContext } from './call-data.ts';
import { refusedResponse, type ToolResponse } from './tool-response.ts';

export interface AccountDependencies {
  readonly store: Store;
  readonly refusals: Pick<RefusalStore, 'read'>;
  readonly settings: Pick<StageSettings, 'plans' | 'defaultPlan'>;
  readonly clock: Clock;
}

/** Tells of the account of the key what `GET /v1/account` and the lists below it tell: free, and limited as they are. */
export async function callAccount(
  name: string,
  values: ToolArguments,
  { holder, requestId }: CallContext,
  { store, refusals, settings, clock }: AccountDependencies,
): Promise<ToolResponse> {
  const { account } = holder;
  const list = ACCOUNT_LISTS.find(({ operationId }) => operationId === name);
  try {
    if (list === undefined) {
      const [statement, refused] = await Promise.all([
        showAccountView(store, clock, account),
        readRefusals(holder, refusals, clock),
      ]);
      return found({ data: describeAccount(statement, settings, holder, refused) });
    }
    const query = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, [String(value)]]));
    const response = await listAccountRecords({ store }, list, { account, query });
    return response.ok ? found(response.body) : refusedResponse(400, 'bad_request', response.message);
  } catch (error) {
    log('warn', 'account_unavailable', { requestId, error: errorField(error) });
    const refused = refusedResponse(503, 'billing_unavailable', 'billing data temporarily unavailable');
    return { ...refused, isBlameless: isBlamelessStatus(refused.status) };
  }
}

function found(body: object): ToolResponse {
  const pieces = [Buffer.from(JSON.stringify(body))];
  return { status: 200, headers: FREE_HEADERS, body: pieces, isError: false, isBlameless: false };
}
