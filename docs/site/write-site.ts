/** Writes the site of a stage into a folder, to be put where it is served from. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadStageConfig, StageConfigError } from '../../lib/config/config.ts';
import type { StageConfig } from '../../lib/config/stage-config.ts';
import { buildSite } from './build-site.ts';
import { withBaseUrl } from './serve-file.ts';

const USAGE = `Usage: npm run --silent site -- --config FILE [--base-url URL] [--folder DIR]

  --config FILE    stage file
  --base-url URL   address of the gateway, the output BaseUrl of its stack (default: the domain of the stage)
  --folder DIR     where the files go (default cdk.out/site)
  --help           print this
`;
const USAGE_EXIT_CODE = 2;
const HTTP_URL = /^https?:\/\/[^\s/]+(\/[^\s/]+)*$/;

/** A command line that says too little, or something wrong. */
class UsageError extends Error {}

interface SiteOptions {
  /** Stage file. */
  readonly config: string;
  readonly baseUrl: string | undefined;
  readonly folder: string;
}

async function main(commandLine: readonly string[]): Promise<void> {
  const options = readOptions(commandLine);
  if (options === 'help') {
    process.stdout.write(USAGE);
    return;
  }
  const { config: file, folder, baseUrl } = options;
  const config = loadStageConfig(file);
  const files = withBaseUrl(await buildSite(config), baseUrlOf(config, baseUrl));
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  process.stdout.write(`wrote ${Object.keys(files).length} files to ${folder}\n`);
}

/** Reads the command line; `help` if it asks for that. */
function readOptions(commandLine: readonly string[]): SiteOptions | 'help' {
  const values = readValues(commandLine);
  if (values.help) return 'help';
  if (values.config === undefined) throw new UsageError('--config is missing');
  return { config: values.config, baseUrl: values['base-url'], folder: values.folder };
}

function readValues(commandLine: readonly string[]) {
  try {
    return parseArgs({
      args: [...commandLine],
      options: {
        config: { type: 'string' },
        'base-url': { type: 'string' },
        folder: { type: 'string', default: 'cdk.out/site' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function baseUrlOf({ domain }: StageConfig, option: string | undefined): string {
  const baseUrl = option ?? (domain === undefined ? undefined : `https://${domain.name}`);
  if (baseUrl === undefined) throw new UsageError('--base-url is missing: the stage has no domain');
  if (!HTTP_URL.test(baseUrl)) throw new UsageError('--base-url must be a URL without a slash at its end');
  return baseUrl;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError || error instanceof StageConfigError)) throw error;
  process.stderr.write(`${error.message}\n${error instanceof UsageError ? USAGE : ''}`);
  process.exitCode = USAGE_EXIT_CODE;
}
