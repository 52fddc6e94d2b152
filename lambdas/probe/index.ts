import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSecret } from 'gateway-access';
import { systemClock } from '../shared/runtime/clock.ts';
import {
  INDEXED_CHAIN_VARIABLE,
  PROBE_SECRET_VARIABLE,
  PROBE_URL_VARIABLE,
  RELEASED_FUNCTIONS_VARIABLE,
  requireVariable,
} from '../shared/runtime/environment.ts';
import { errorField } from '../shared/runtime/log.ts';
import { sleep } from '../shared/runtime/sleep.ts';
import { systemTelemetry } from '../shared/runtime/telemetry.ts';
import { runProbe } from './handler.ts';
import { judgeRelease } from './judge-release.ts';
import { connectReleases, type HookEvent } from './release-hook.ts';
import { proxyEvent, RELEASE_FILE, type ReleaseFile } from './release-request.ts';

/** Time in which a release is judged: what is left of the function's is for one last request and for saying so. */
const JUDGED_WITHIN_MS = 240_000;

const secret = requireVariable(PROBE_SECRET_VARIABLE);
const url = requireVariable(PROBE_URL_VARIABLE);
const releases = connectReleases();
const parts = {
  url,
  dataChain: process.env[INDEXED_CHAIN_VARIABLE],
  readKey: () => readSecret(secret),
  fetch,
  clock: systemClock,
  telemetry: systemTelemetry,
};

/** Asks the stage by its public name, every minute. CodeDeploy calls it before a new version gets requests. */
export const handler = async (event: Partial<HookEvent>): Promise<void> => {
  const { DeploymentId, LifecycleEventHookExecutionId } = event;
  if (DeploymentId === undefined || LifecycleEventHookExecutionId === undefined) return runProbe(parts);
  const isWell = await judge(DeploymentId).catch((error: unknown) => {
    systemTelemetry.log('error', 'release_not_compared', { error: errorField(error) });
    return false;
  });
  await releases.conclude({ DeploymentId, LifecycleEventHookExecutionId }, isWell ? 'Succeeded' : 'Failed');
};

async function judge(deploymentId: string): Promise<boolean> {
  const { functionName, oldVersion, newVersion } = await releases.readDeployment(deploymentId);
  const named = requireVariable(RELEASED_FUNCTIONS_VARIABLE)
    .split(',')
    .map((one) => one.split('='));
  const target = named.find(([, name]) => name === functionName)?.[0] ?? '';
  const file = join(requireVariable('LAMBDA_TASK_ROOT'), RELEASE_FILE);
  const { requests, values, declared } = JSON.parse(readFileSync(file, 'utf8')) as ReleaseFile;
  const { [target]: asked } = requests;
  if (asked === undefined) throw new Error('the deployment is of another function');
  const key = await readSecret(secret);
  return judgeRelease({
    target,
    requests: asked,
    values,
    declared,
    ask: (version, request, known) =>
      releases.invoke(
        functionName,
        version === 'old' ? oldVersion : newVersion,
        proxyEvent(request, known, { key, requestId: randomUUID() }),
      ),
    pause: sleep,
    endsAt: systemClock.now() + JUDGED_WITHIN_MS,
    clock: systemClock,
    telemetry: systemTelemetry,
  });
}
