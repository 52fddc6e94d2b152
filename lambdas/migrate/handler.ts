import type { CloudFormationCustomResourceEvent, CloudFormationCustomResourceResponse } from 'aws-lambda';
import { errorField } from '../shared/runtime/log.ts';
import type { Telemetry } from '../shared/runtime/telemetry.ts';
import { withRetry } from '../shared/runtime/with-retry.ts';

/** There is one set of schemas; a physical id that never changes tells CloudFormation that nothing is replaced. */
const PHYSICAL_RESOURCE_ID = 'chain-database-schemas';
/** CloudFormation takes a response of 4 KB. */
const MAX_REASON_LENGTH = 1_000;
const RESPONSE_TIMEOUT_MS = 10_000;
const RESPONSE_PAUSES_MS = [0, 0];

export interface MigrateDependencies {
  /** Brings the chains' schemas up to date and names what was applied. */
  migrate(chains: readonly string[]): Promise<readonly string[]>;
  readonly fetch: typeof fetch;
  readonly log: Telemetry['log'];
}

/**
 * Carries out a step of a deployment and tells CloudFormation how it went. The schemas stay when the resource is
 * deleted: they end with the database.
 */
export async function handleDeployment(
  event: CloudFormationCustomResourceEvent,
  dependencies: MigrateDependencies,
): Promise<void> {
  const failure = event.RequestType === 'Delete' ? undefined : await attempt(event, dependencies);
  const response: CloudFormationCustomResourceResponse = {
    PhysicalResourceId: PHYSICAL_RESOURCE_ID,
    StackId: event.StackId,
    RequestId: event.RequestId,
    LogicalResourceId: event.LogicalResourceId,
    ...(failure === undefined
      ? { Status: 'SUCCESS' }
      : { Status: 'FAILED', Reason: failure.slice(0, MAX_REASON_LENGTH) }),
  };
  await respond(event.ResponseURL, response, dependencies);
}

/** The reason why it failed, if it did. */
async function attempt(
  { ResourceProperties }: CloudFormationCustomResourceEvent,
  { migrate, log }: MigrateDependencies,
): Promise<string | undefined> {
  try {
    const applied = await migrate((ResourceProperties.Chains as unknown[]).map(String));
    log('info', 'migrated', { count: applied.length });
    return undefined;
  } catch (error) {
    log('error', 'migration failed', { error: errorField(error) });
    return errorField(error);
  }
}

/** The URL is signed for a request without a content type, which bytes do not get from `fetch`. */
async function respond(
  url: string,
  response: CloudFormationCustomResourceResponse,
  dependencies: MigrateDependencies,
): Promise<void> {
  const body = new TextEncoder().encode(JSON.stringify(response));
  const put = async () => {
    const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
    const { ok, status } = await dependencies.fetch(url, { method: 'PUT', body, signal });
    if (!ok) throw new Error(`CloudFormation's answer is ${status}`);
  };
  await withRetry(put, { pausesMs: RESPONSE_PAUSES_MS });
}
