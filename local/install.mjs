/**
 * Installs the packages of the lock file where they are missing, and says how far it is. It runs before anything is
 * installed, on the Node of the machine: plain JavaScript, without packages.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';

const LOCK = 'package-lock.json';
/** What npm writes when everything is in place. */
const INSTALLED = 'node_modules/.package-lock.json';
const LINE_EVERY_MS = 5_000;
/** Time for the registry to answer anything at all. */
const REGISTRY_TIMEOUT_MS = 10_000;
/** A package that came over the network or out of npm's cache. */
const FETCHED = /npm http (?:fetch GET 200|cache) \S+\.tgz/;
/** Last lines of npm that are shown when it fails. */
const SHOWN_LINES = 15;

process.exitCode = isInstalled() ? 0 : await install();

/** Whether each package that this machine needs is there in the version of the lock file. */
function isInstalled() {
  if (!existsSync(INSTALLED)) return false;
  const there = packagesOf(INSTALLED);
  return needed().every(([path, { version }]) => there[path]?.version === version);
}

/** Packages of the lock file, but for optional ones, which other machines need. */
function needed() {
  return Object.entries(packagesOf(LOCK)).filter(([path, one]) => path !== '' && !one.optional && !one.link);
}

function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
}

async function install() {
  const registry = spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).stdout?.trim() ?? '';
  const trouble = await troubleWith(registry);
  // Without a registry npm tries for minutes; its cache may have everything all the same.
  const offline = trouble === undefined ? [] : ['--offline'];
  const count = needed().length;
  say(`Installing ${count} packages ...`);
  const code = await run(['ci', '--no-audit', '--no-fund', '--loglevel=http', ...offline], count);
  if (code !== 0 && trouble !== undefined)
    say(
      `The registry ${registry} does not answer (${trouble}), and npm's cache lacks packages. Connect, or name another one: npm config set registry URL`,
    );
  return code;
}

/** Why a registry does not answer; undefined: it does. */
async function troubleWith(registry) {
  try {
    await fetch(registry, { method: 'HEAD', signal: AbortSignal.timeout(REGISTRY_TIMEOUT_MS) });
    return undefined;
  } catch (error) {
    return error.cause?.code ?? error.name;
  }
}

function run(npmArguments, count) {
  const beganAt = performance.now();
  const seconds = () => `${((performance.now() - beganAt) / 1_000).toFixed(0)} s`;
  const child = spawn('npm', npmArguments, { stdio: ['ignore', 'inherit', 'pipe'] });
  let [fetched, last, cut] = [0, [], ''];
  const lines = setInterval(() => {
    const state = fetched < count ? `${fetched} of ${count} fetched` : 'all fetched, unpacking';
    say(`Installing: ${state}, ${seconds()}`);
  }, LINE_EVERY_MS);
  child.stderr.setEncoding('utf8').on('data', (text) => {
    const lines = (cut + text).split('\n');
    cut = lines.pop();
    fetched += lines.filter((line) => FETCHED.test(line)).length;
    last = [...last, ...lines.filter((line) => line !== '' && !line.startsWith('npm http'))].slice(
      -SHOWN_LINES,
    );
  });
  return new Promise((resolve) => {
    const end = (code, why) => {
      clearInterval(lines);
      say(code === 0 ? `Installed in ${seconds()}.` : [...last, why].join('\n'));
      resolve(code);
    };
    child.on('error', (error) => end(1, `npm does not start: ${error.message}`));
    child.on('close', (code, signal) =>
      end(code ?? 1, `npm ended with ${signal ?? `exit code ${code}`} after ${seconds()}.`),
    );
  });
}

function say(line) {
  process.stderr.write(`${line}\n`);
}
