import type { Command } from '../context/command.ts';
import { openReleases } from '../context/open-releases.ts';
import { renderTable } from '../context/text-table.ts';
import { liveText, madeAtText, sharedText, versionText } from '../release/release-text.ts';
import { versionBefore } from '../release/way-back.ts';

export const releaseShow: Command = {
  name: 'release show',
  summary:
    'show the live versions of the functions, and those before; of a web function how its revisions share the requests',
  positionals: [],
  async run(context) {
    const releases = await openReleases(context);
    const [functions, deployments, web] = await Promise.all([
      releases.functions(),
      releases.deployments(),
      context.openWebReleases?.().then((of) => of.read()),
    ]);
    const rows = functions.map((one) => [
      one.name,
      liveText(one),
      versionText(one, versionBefore(one)),
      String(one.versions.length),
    ]);
    const ofWeb = web === undefined ? [] : [`Web function: ${sharedText(web)}`];
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
        ...(web !== undefined && { web: { ...web, before: web.before ?? null } }),
      },
      text: [renderTable(['function', 'live', 'before', 'versions kept'], rows), ...ofWeb, ...underWay].join(
        '\n',
      ),
    };
  },
};
