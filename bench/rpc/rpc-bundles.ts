import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { ACCESS_PACKAGE, HTTP_CLIENT } from '../../lib/functions/bundle.ts';
import { type Figure, median } from '../figures.ts';
import type { Stage } from './rpc-stage.ts';

/** Fresh processes of each kind; they take turns. */
const PROCESSES = 9;
const BYTES_PER_KIB = 1_024;

/** What the Lambda runtime has defined before it loads a function that streams. */
const RUNTIME_GLOBALS =
  'globalThis.awslambda = { streamifyResponse: (handler) => handler, HttpResponseStream: {} };';
const EMPTY_SCRIPT = `${RUNTIME_GLOBALS} console.log(performance.now());`;
/** Loads the function, and prints the processor time that it takes, in milliseconds. */
const LOADING_SCRIPT = `${RUNTIME_GLOBALS}
const before = process.cpuUsage();
require(process.argv[1]);
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1_000);
process.exit();`;
/** Most processor time that loading the function and its layer may take, in milliseconds. */
const MOST_LOADING_MS = 90;

type Environment = Readonly<Record<string, string>>;

/** Sizes of the function's bundle and of the layer. */
export async function measureSizes({ rpc }: Stage): Promise<Figure[]> {
  const [layer = ''] = rpc.moduleFolders;
  return [
    await measureSize('function rpc, gzip', join(rpc.codeFolder, 'index.js')),
    await measureSize('layer gateway-access, gzip', join(layer, ACCESS_PACKAGE, 'index.js')),
    await measureSize('client of HTTP in the layer, gzip', join(layer, HTTP_CLIENT)),
  ];
}

/** Time from the start of a process to its end, with the function and its layer loaded, beside an empty script. */
export async function measureLoading(stage: Stage, environment: Environment): Promise<Figure[]> {
  const emptyMs: number[] = [];
  const wholeMs: number[] = [];
  const loadingMs: number[] = [];
  for (let round = 0; round < PROCESSES; round += 1) {
    emptyMs.push((await timeProcess(EMPTY_SCRIPT, stage, environment)).wallMs);
    const loading = await timeProcess(LOADING_SCRIPT, stage, environment);
    wholeMs.push(loading.wallMs);
    loadingMs.push(loading.printed);
  }
  const baseline = { name: 'empty script', value: median(emptyMs) };
  return [
    { name: 'process that loads function and layer', value: median(wholeMs), unit: 'ms', baseline },
    { name: 'processor time of require()', value: median(loadingMs), unit: 'ms', most: MOST_LOADING_MS },
  ];
}

async function measureSize(name: string, path: string): Promise<Figure> {
  const code = await readFile(path);
  return {
    name,
    value: gzipSync(code).length / BYTES_PER_KIB,
    unit: 'KiB',
    baseline: { name: 'minified', value: code.length / BYTES_PER_KIB },
  };
}

/** Runs a script as CommonJS in the environment of the function. `printed`: the number that it printed. */
async function timeProcess(script: string, { rpc }: Stage, environment: Environment) {
  const startedMs = performance.now();
  const bundle = join(rpc.codeFolder, 'index.js');
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script, bundle], {
    env: environment,
  });
  return { wallMs: performance.now() - startedMs, printed: Number(stdout) };
}
