import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import { type Command, optionalText } from '../context/command.ts';
import { openReleases } from '../context/open-releases.ts';
import { renderTable } from '../context/text-table.ts';
import { oldVersions } from '../release/way-back.ts';

/** Versions of a function that are kept: the live one, and ways back. */
const DEFAULT_KEPT = 5;
const MIN_KEPT = 2;
const MAX_KEPT = 1_000;

export const releaseClean: Command = {
  name: 'release clean',
  summary: 'delete old versions of the functions; the live one and the one before stay',
  positionals: [],
  flags: {
    keep: { type: 'string', summary: `versions of each function that stay (default: ${DEFAULT_KEPT})` },
    'dry-run': { type: 'boolean', summary: 'say what would be done, and do nothing' },
  },
  async run(context, args) {
    const keep = keptOf(optionalText(args, 'keep'));
    const releases = await openReleases(context);
    const isDry = args['dry-run'] === true;
    const old = (await releases.functions()).map((released) => ({
      released,
      versions: oldVersions(released, keep),
    }));
    for (const { released, versions } of old)
      for (const version of isDry ? [] : versions) await releases.deleteVersion(released, version);
    const rows = old.map(({ released, versions }) => [
      released.name,
      String(released.versions.length - versions.length),
      versions.join(', ') || '-',
    ]);
    return {
      json: {
        dry_run: isDry,
        functions: old.map(({ released, versions }) => ({ function: released.name, deleted: versions })),
      },
      text: renderTable(['function', 'kept', isDry ? 'would be deleted' : 'deleted'], rows),
    };
  },
};

function keptOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_KEPT;
  const keep = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (keep >= MIN_KEPT && keep <= MAX_KEPT) return keep;
  throw new InputError(`--keep must be a number from ${MIN_KEPT} to ${MAX_KEPT}`);
}
