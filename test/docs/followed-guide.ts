import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROJECT = join(import.meta.dirname, '..', '..');
const TIMEOUT_MS = 120_000;

/** Programs of the guide that would leave this machine, wait or change the clone: each only notes how it was called. */
const NOTED = ['aws', 'curl', 'git', 'jq', 'npm', 'npx', 'sleep'];
/** Between the words of a call, and behind it. */
const WORD = '\x1f';
const CALL = '\x1e';

/** Types of which a list of the stack's resources has one, for the commands that go through it. */
const KEPT = ['DynamoDB::Table', 'EC2::VPC', 'KMS::Key', 'Logs::LogGroup', 'RDS::DBCluster', 'SQS::Queue'];

/**
 * What stands for each of those programs. An output of the stack is a URL, so that what is built of one can be judged; curl
 * fails without a URL, as the program does.
 */
const PROGRAM = `#!/bin/bash
{ printf '%s' "$(basename "$0")"; printf '${WORD}%s' "$@"; printf '${CALL}'; } >> "$CALLS"
case "$(basename "$0") $*" in
  "npm run --silent site"*) mkdir -p cdk.out/site ;;
  "aws cloudformation describe-stacks"*) echo https://output.test ;;
  "aws cloudformation list-stack-resources"*) printf '%s\\n' ${KEPT.map((type) => `'AWS::${type} kept-Tables-Charges'`).join(' ')} ;;
  "aws "*) echo text-of-aws ;;
  "curl "*) [[ " $* " =~ \\ https?://[a-z0-9] ]] || { echo 'curl: no URL' >&2; exit 3; } ;;
esac
`;

/** A guide, followed by somebody who pastes one block after the other. */
export interface FollowedGuide {
  /** The words of each call of a program that is not run here, in order. */
  readonly calls: readonly (readonly string[])[];
  /** Commands, variables and files that the shell did not find, as it says it. */
  readonly complaints: readonly string[];
  /** Files below config/ at the end. */
  hasFile(path: string): boolean;
  /** Takes the folder away in which the guide was followed. */
  remove(): void;
}

/** The code blocks of a text for a shell. */
export function shellBlocks(text: string): string[] {
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
}

/** Pastes blocks into one shell, in a folder with the stage files of a clone. A variable without a value ends the block. */
export function follow(blocks: readonly string[]): FollowedGuide {
  const folder = mkdtempSync(join(tmpdir(), 'followed-guide-'));
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  for (const name of NOTED) {
    writeFileSync(join(programs, name), PROGRAM);
    chmodSync(join(programs, name), 0o755);
  }
  cpSync(join(PROJECT, 'config'), join(folder, 'config'), { recursive: true });
  const calls = join(folder, 'calls');
  writeFileSync(calls, '');
  const { stderr, error } = spawnSync('bash', ['-u'], {
    input: blocks.join('\n'),
    cwd: folder,
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    env: { PATH: `${programs}:/usr/bin:/bin`, CALLS: calls, LC_ALL: 'C.UTF-8' },
  });
  if (error !== undefined) throw error;
  return {
    calls: readFileSync(calls, 'utf8')
      .split(CALL)
      .slice(0, -1)
      .map((call) => call.split(WORD)),
    complaints: stderr.split('\n').filter((line) => line !== ''),
    hasFile: (path) => existsSync(join(folder, path)),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
