import type { Command } from '../context/command.ts';
import { openReleases } from '../context/open-releases.ts';
import { renderTable } from '../context/text-table.ts';
import { liveText, madeAtText, versionText } from '../release/release-text.ts';
import { versionBefore } from '../release/way-back.ts';

export const releaseShow: Command = {
  name: 'release show',
  summary: 'show the live versions of the functions, and those before',
  positionals: [],
  async run(context) {
    const releases = await openReleases(context);
    const [functions, deployments] = await Promise.all([releases.functions(), releases.deployments()]);
    const rows = functions.map((one) => [
      one.name,
      liveText(one),
      versionText(one, versionBefore(one)),
      String(one.versions.length),
    ]);
    const underWay = deployments.map((id) => `Under way: deployment ${id}`);
    return {
      json: {
        functions: functions.map((one) => ({
          function: one.name,
          live: one.alias.version,
          made_at: madeAtText(one, one.alias.version),
          ...(one.alias.second !== undefined && { second: one.alias.second }),
          before: versionBefore(one) ?? null,
          versions: one.versions.map(({ version }) => version),
          left: one.left,
        })),
        deployments,
      },
      text: [renderTable(['function', 'live', 'before', 'versions kept'], rows), ...underWay].join('\n'),
    };
  },
};
