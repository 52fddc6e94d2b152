import { randomBytes } from 'node:crypto';
import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import { FRONT_SECRET_FIELDS } from '../../../lib/config/function-config.ts';
import { type Command, requiredText } from '../context/command.ts';
import { openWebReleases } from '../context/open-releases.ts';
import { renderRecord } from '../context/text-table.ts';
import { sharedText } from '../release/release-text.ts';

const ALL = 100;
const PERCENT = /^(?:100|[1-9]?\d)$/;

export const releaseWeight: Command = {
  name: 'release weight',
  summary:
    'give the newest revision of a web function so many percent of the requests, and the one before the rest',
  positionals: [{ name: 'percent' }],
  async run(context, args) {
    const percent = requiredText(args, 'percent');
    if (!PERCENT.test(percent)) throw new InputError('percent must be a whole number from 0 to 100');
    const releases = await openWebReleases(context);
    const { revision, before } = await releases.read();
    if (before === undefined)
      throw new InputError('no revision is held: run release hold before the deployment');
    if (before === revision) throw new InputError(`nothing was deployed since ${revision} is held`);
    await releases.share(before, Number(percent));
    const shared = { revision, before, percent: Number(percent) };
    return { json: shared, text: sharedText(shared) };
  },
};

export const releaseHold: Command = {
  name: 'release hold',
  summary: 'keep all requests of a web function at its revision, whatever is deployed next',
  positionals: [],
  async run(context) {
    const releases = await openWebReleases(context);
    const { revision, before, percent } = await releases.read();
    if (percent < ALL && before !== revision)
      throw new InputError(
        `a release is under way: ${percent} % of the requests go to ${revision}; end it with release weight 100, or 0`,
      );
    await releases.share(revision, 0);
    const held = { revision, before: revision, percent: 0 };
    return { json: held, text: sharedText(held) };
  },
};

/** As many as the secret has that the stack makes, all of them letters and digits. */
const SECRET_BYTES = 24;
/** A process goes by a value that it has read for so long, at most. */
const KNOWN_WITHIN_MINUTES = 15;

export const frontSecretRenew: Command = {
  name: 'front-secret renew',
  summary: 'make a new secret between the API and its web function, in the field that is not sent',
  positionals: [],
  async run({ frontSecret }) {
    if (frontSecret === undefined) throw new InputError('this gateway has no web function');
    const field = FRONT_SECRET_FIELDS.find((one) => one !== frontSecret.sent);
    if (field === undefined) throw new InputError(`the field ${frontSecret.sent} is not known`);
    const fields = JSON.parse(await frontSecret.read()) as Record<string, string>;
    await frontSecret.write(
      JSON.stringify({ ...fields, [field]: randomBytes(SECRET_BYTES).toString('hex') }),
    );
    const renewed = { renewed: field, sent: frontSecret.sent, known_within_minutes: KNOWN_WITHIN_MINUTES };
    return {
      json: renewed,
      text: renderRecord({
        renewed: field,
        sent: frontSecret.sent,
        next: `in ${KNOWN_WITHIN_MINUTES} minutes, deploy with functions.rpc.frontSecret "${field}"`,
      }),
    };
  },
};
