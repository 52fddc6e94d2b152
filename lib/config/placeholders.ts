import { formatPath } from './config-problem.ts';
import type { StageConfig } from './stage-config.ts';

/** Values of the shipped example files that stand for those of an operator, wherever in a value they are. */
const PLACEHOLDERS: readonly RegExp[] = [
  /(?<!\d)111122223333(?!\d)/,
  /(?<![a-z0-9-])example\.com(?![a-z0-9-]|\.[a-z0-9])/i,
  /\bZ0EXAMPLE\b/,
  /\b00000000-0000-0000-0000-000000000000\b/,
];

const OWN_VALUE = 'a value of your own';
/** What to enter in place of a placeholder, by the path of its entry. */
const WHAT_TO_ENTER: readonly (readonly [path: RegExp, value: string])[] = [
  [/^alarms\.(email|pageEmail)$/, 'an address whose mails are read'],
  [/^site\.domain\.certificateArn$/, 'the ARN of an issued certificate of ACM in us-east-1'],
  [/^domain\.certificateArn$/, 'the ARN of an issued certificate of ACM in the region of the stage'],
  [/domain\.hostedZone\.id$/, 'the id of your zone in Route 53, or leave hostedZone out'],
  [/domain\.hostedZone\.name$/, 'the name of your zone in Route 53, or leave hostedZone out'],
  [/domain\.name$/, 'a host name of yours, or leave domain out'],
  [
    /^backup\.copyTo$/,
    'the ARN of a vault of AWS Backup in another region (one of another account needs backup.keyArn too), or leave backup out',
  ],
  [/^chains\[\d+\]\.upstreams\[/, 'the URL of your node, or "secret:NAME" of the secret that holds it'],
];

/**
 * Entries of a stage file that no account can deploy as they are, each as `path: reason` with what to enter: placeholders, and
 * the missing key of copies to another account.
 * @param account the one to deploy to, if it is known
 */
export function placeholders(config: StageConfig, account: string | undefined): string[] {
  const found = textsIn(config, []).flatMap(({ path, text }) => {
    const names = PLACEHOLDERS.flatMap((placeholder) => placeholder.exec(text)?.[0] ?? []);
    if (names.length === 0) return [];
    const enter = WHAT_TO_ENTER.find(([known]) => known.test(path))?.[1] ?? OWN_VALUE;
    return [`${path}: is a placeholder (${names.join(', ')}): enter ${enter}`];
  });
  return [...found, ...missingKey(config, account)];
}

/** AWS Backup takes a plan that copies to another account without a key of the stage's own, and each copy fails. */
function missingKey({ backup }: StageConfig, account: string | undefined): string[] {
  if (backup === undefined || backup.keyArn !== undefined || account === undefined) return [];
  const other = backup.copyTo.split(':')[4];
  if (other === account || PLACEHOLDERS.some((placeholder) => placeholder.test(backup.copyTo))) return [];
  return [
    `backup.keyArn: is required, because backup.copyTo is in account ${other}: enter the ARN of a KMS key that it may use`,
  ];
}

interface TextAtPath {
  readonly path: string;
  readonly text: string;
}

/** Every text of a JSON value. */
function textsIn(value: unknown, path: readonly PropertyKey[]): TextAtPath[] {
  if (typeof value === 'string') return [{ path: formatPath(path), text: value }];
  if (typeof value !== 'object' || value === null) return [];
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value);
  return [...entries].flatMap(([key, one]: [PropertyKey, unknown]) => textsIn(one, [...path, key]));
}
