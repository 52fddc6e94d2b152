import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import { errorField } from '../../../lambdas/shared/runtime/log.ts';
import { type Command, type Outcome, type ReleaseAccess, switchFlag } from '../context/command.ts';
import { renderTable } from '../context/text-table.ts';
import {
  deploymentsUnderWay,
  leave,
  point,
  type ReleasedFunction,
  readReleased,
  type StepBack,
  stopDeployment,
  wayBack,
} from '../release/releases.ts';

const EXIT_FAILED = 1;
const PERCENT = 100;

/** The outcome for one function. */
interface Done extends StepBack {
  readonly failure?: string;
}

export const releaseBack: Command = {
  name: 'release back',
  summary: 'point the functions of the last release at their versions before it, within seconds',
  positionals: [],
  flags: { 'dry-run': switchFlag('show what is live and what was before, and do nothing') },
  example: 'release back --dry-run',
  async run({ releases }, args) {
    if (releases === undefined)
      throw new InputError('only a stack in AWS has releases; deploy an older one again');
    const [functions, deployments] = await Promise.all([
      readReleased(releases),
      deploymentsUnderWay(releases),
    ]);
    const { steps, stuck, staying } = wayBack(functions);
    if (stuck.length > 0)
      throw new InputError(`there is no version to go back to: ${stuck.map(live).join(', ')}`);
    if (args['dry-run'] === true) return outcomeOf(steps, staying, { deployments, isDry: true });
    for (const id of deployments) await stopDeployment(releases, id);
    const now = await readReleased(releases);
    // Each by itself: what keeps one back must not keep back the others.
    const done = await Promise.all(steps.map((step) => goBack(releases, step, now)));
    return outcomeOf(done, staying, { deployments, isDry: false });
  },
};

/** A deployment that was stopped may have moved the alias already. */
async function goBack(
  releases: ReleaseAccess,
  step: StepBack,
  now: readonly ReleasedFunction[],
): Promise<Done> {
  try {
    const released = now.find(({ name }) => name === step.released.name) ?? step.released;
    const isThere = released.version === step.to && released.second === undefined;
    if (!isThere) await point(releases, released, step.to);
    await leave(releases, released, step.from);
    return step;
  } catch (error) {
    return { ...step, failure: errorField(error) };
  }
}

function live({ name, version }: ReleasedFunction): string {
  return `${name} is at version ${version}`;
}

function outcomeOf(
  done: readonly Done[],
  staying: readonly ReleasedFunction[],
  { deployments, isDry }: { readonly deployments: readonly string[]; readonly isDry: boolean },
): Outcome {
  const did = isDry ? 'would be' : 'is';
  const rows = [
    ...done.map(({ released, from, to, failure }) => [
      released.name,
      liveText(released, from),
      versionText(released, to),
      failure ?? (isDry ? 'would go back' : 'back'),
    ]),
    ...staying.map((one) => [one.name, liveText(one, one.version), '-', 'not part of the last release']),
  ];
  const stopped = deployments.map((id) => `Deployment ${id} ${did} stopped.`);
  const isFailed = done.some(({ failure }) => failure !== undefined);
  return {
    json: {
      dry_run: isDry,
      stopped_deployments: deployments,
      functions: done.map(({ released, from, to, failure }) => ({
        function: released.name,
        ...(released.second !== undefined && { second: released.second }),
        from,
        from_made_at: madeAtText(released, from),
        to,
        to_made_at: madeAtText(released, to),
        ...(failure !== undefined && { failure }),
      })),
      unchanged: staying.map(({ name }) => name),
    },
    text: [...stopped, renderTable(['function', 'from', 'to', ''], rows)].join('\n'),
    exitCode: isFailed ? EXIT_FAILED : 0,
  };
}

/** `17 (2026-11-20T23:15:00Z)`. */
function versionText(released: ReleasedFunction, version: number): string {
  const made = madeAtText(released, version);
  return made === undefined ? `${version} (deleted)` : `${version} (${made})`;
}

/** When a version was made, ISO 8601 in seconds; undefined: it is gone. */
function madeAtText(released: ReleasedFunction, version: number): string | undefined {
  const time = released.versions.get(version);
  return time === undefined
    ? undefined
    : `${new Date(time).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length)}Z`;
}

/** `17`, or `16, 10 % 17` while two versions share the requests. */
function liveText(released: ReleasedFunction, newest: number): string {
  const { version, second } = released;
  if (second === undefined) return versionText(released, newest);
  const share = `${Math.round(second.weight * PERCENT)} % ${versionText(released, second.version)}`;
  return `${versionText(released, version)}, ${share}`;
}
