import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import { errorField } from '../../../lambdas/shared/runtime/log.ts';
import type { Command, Outcome } from '../context/command.ts';
import { openReleases } from '../context/open-releases.ts';
import { renderTable } from '../context/text-table.ts';
import type { ReleaseAccess, ReleasedFunction } from '../release/release-access.ts';
import { madeAtText, versionText } from '../release/release-text.ts';
import { type StepBack, wayBack } from '../release/way-back.ts';

const EXIT_FAILED = 1;

/** The outcome for one function. */
interface Done extends StepBack {
  readonly failure?: string;
}

export const releaseBack: Command = {
  name: 'release back',
  summary: 'point the functions of the last release at their versions before it, within seconds',
  positionals: [],
  flags: { 'dry-run': { type: 'boolean', summary: 'say what would be done, and do nothing' } },
  async run(context, args) {
    const releases = await openReleases(context);
    const [functions, deployments] = await Promise.all([releases.functions(), releases.deployments()]);
    const { steps, stuck, staying } = wayBack(functions);
    if (stuck.length > 0)
      throw new InputError(`there is no version to go back to: ${stuck.map(live).join(', ')}`);
    if (args['dry-run'] === true) return outcomeOf(steps, staying, { deployments, isDry: true });
    for (const id of deployments) await releases.stopDeployment(id);
    const now = await releases.functions();
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
    const isThere = released.alias.version === step.to && released.alias.second === undefined;
    if (!isThere) await releases.point(released, step.to);
    await releases.leave(released, step.from);
    return step;
  } catch (error) {
    return { ...step, failure: errorField(error) };
  }
}

function live({ name, alias }: ReleasedFunction): string {
  return `${name} is at version ${alias.version}`;
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
      versionText(released, from),
      versionText(released, to),
      failure ?? (isDry ? 'would go back' : 'back'),
    ]),
    ...staying.map((one) => [
      one.name,
      versionText(one, one.alias.version),
      '-',
      'not part of the last release',
    ]),
  ];
  const stopped = deployments.map((id) => `Deployment ${id} ${did} stopped.`);
  const isFailed = done.some(({ failure }) => failure !== undefined);
  return {
    json: {
      dry_run: isDry,
      stopped_deployments: deployments,
      functions: done.map(({ released, from, to, failure }) => ({
        function: released.name,
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
