/**
 * Installs the packages of the lock file that are missing, and says how far it is: those that a run needs, or with `--all`
 * those of tests too. Node 24 is a package with a lock of its own, for machines that have another one and for tests;
 * `--node` installs that alone. It runs before anything is installed, on the Node of the machine: plain JavaScript,
 * without packages. Nothing that is installed is deleted: a gateway may run from it.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const NODE_FOLDER = 'local/node';
const NODE_MAJOR = '24';
const NODE_LINK = 'node_modules/.bin/node';
/** Names the packages that an install which was cut short has begun. */
const UNFINISHED = 'node_modules/.unfinished';
/** Of the packages for types alone, which npm installs because some of a run could use it. */
const TYPES_ONLY = 'node_modules/typescript';
const LINE_EVERY_MS = 5_000;
/** Time for the registry to answer anything at all. */
const REGISTRY_TIMEOUT_MS = 10_000;
/** A package that came over the network or out of npm's cache. */
const FETCHED = /npm http (?:fetch GET 200|cache) \S+\.tgz/;
/** Last lines of npm that are shown when it fails. */
const SHOWN_LINES = 15;

process.exitCode = await main(process.argv.slice(2));

async function main(options) {
  const isAll = options.includes('--all');
  const code = await provideNode(isAll);
  if (code !== 0 || options.includes('--node')) return code;
  return providePackages(isAll);
}

/** Node 24 where this machine's is another one, or where all has to be as the lock file says. */
async function provideNode(isAll) {
  const name = `node-${process.platform}-${process.arch}`;
  const isOther = process.versions.node.split('.')[0] !== NODE_MAJOR;
  const path = `node_modules/${name}`;
  const { [path]: wanted } = packagesOf(NODE_FOLDER);
  if (wanted !== undefined && (isAll || isOther) && !isThere(NODE_FOLDER, path, wanted)) {
    const code = await install(NODE_FOLDER, 1, `Node ${wanted.version}`, []);
    if (code !== 0) return code;
    // npm is content without an optional package.
    if (!isThere(NODE_FOLDER, path, wanted)) {
      say(
        `npm's cache lacks Node ${wanted.version}, and its registry does not answer: connect, or install Node ${NODE_MAJOR}`,
      );
      return 1;
    }
  }
  if (wanted === undefined && isOther) {
    say(
      `Node ${NODE_MAJOR} is needed, and there is no package of it for ${process.platform} on ${process.arch}: install it`,
    );
    return 1;
  }
  const own = `${NODE_FOLDER}/${path}/bin/node`;
  if (existsSync('node_modules')) link(existsSync(own) ? join('..', '..', own) : process.execPath);
  return 0;
}

/** Lets commands of npm find that Node first. */
function link(target) {
  if (existsSync(NODE_LINK) && readlinkSync(NODE_LINK) === target) return;
  mkdirSync('node_modules/.bin', { recursive: true });
  rmSync(`${NODE_LINK}.new`, { force: true });
  symlinkSync(target, `${NODE_LINK}.new`);
  renameSync(`${NODE_LINK}.new`, NODE_LINK);
}

async function providePackages(isAll) {
  const own = Object.entries(packagesOf('.')).filter(([path, one]) => path !== '' && !one.link);
  const locked = own.filter(([, one]) => !one.optional);
  const fitting = own.filter(([, one]) => one.optional && isForThisMachine(one));
  const forTests = locked.filter(([, one]) => one.dev || one.devOptional);
  // DynamoDB Local, for machines without dynoxide, is among those for tests.
  const needsJava = process.platform !== 'linux' || process.arch !== 'x64';
  // npm would take away what it was once asked for and is not asked for now.
  const takesAll = isAll || needsJava || forTests.some(([path, { dev }]) => dev && existsSync(path));
  const needed = takesAll ? locked : locked.filter((one) => !forTests.includes(one));
  const begun = unfinished();
  const missing = needed.filter(([path, one]) => begun.includes(path) || !isThere('.', path, one));
  if (missing.length === 0 && begun.length === 0) return 0;
  const optional = fitting.filter(([path, one]) => begun.includes(path) || !isThere('.', path, one));
  const paths = [...missing, ...optional].map(([path]) => path);
  // Others come within the package that needs them.
  const count = missing.filter(([, { inBundle }]) => inBundle !== true).length;
  // What is left of a package that was cut short would pass for whole.
  for (const path of paths) if (begun.includes(path)) rmSync(path, { recursive: true, force: true });
  mkdirSync('node_modules', { recursive: true });
  writeFileSync(UNFINISHED, JSON.stringify(paths));
  const code = await install('.', count, `${count} packages`, takesAll ? [] : ['--omit=dev']);
  if (code !== 0) return code;
  if (!takesAll) rmSync(TYPES_ONLY, { recursive: true, force: true });
  rmSync(UNFINISHED);
  return provideNode(isAll);
}

function isForThisMachine({ os = [process.platform], cpu = [process.arch] }) {
  return os.includes(process.platform) && cpu.includes(process.arch);
}

function unfinished() {
  return existsSync(UNFINISHED) ? JSON.parse(readFileSync(UNFINISHED, 'utf8')) : [];
}

/** Whether a package is there in the version of the lock file: npm's own list of what it installed may be older. */
function isThere(folder, path, { version }) {
  try {
    return JSON.parse(readFileSync(join(folder, path, 'package.json'), 'utf8')).version === version;
  } catch {
    return false;
  }
}

function packagesOf(folder) {
  const file = join(folder, 'package-lock.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')).packages ?? {}) : {};
}

async function install(folder, count, what, options) {
  const [registry, proxy] = ['registry', 'https-proxy'].map(settingOfNpm);
  // Only npm knows how to go by way of a proxy.
  const trouble = proxy === 'null' ? await troubleWith(registry) : undefined;
  // Without a registry npm tries for minutes; its cache may have everything all the same.
  const offline = trouble === undefined ? [] : ['--offline'];
  say(`Installing ${what} ...`);
  const npmArguments = [
    'install',
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--loglevel=http',
    ...options,
    ...offline,
  ];
  const code = await run(folder, npmArguments, count);
  if (code !== 0 && trouble !== undefined)
    say(
      `The registry ${registry} does not answer (${trouble}), and npm's cache lacks packages. Connect, or name another one: npm config set registry URL`,
    );
  return code;
}

function settingOfNpm(name) {
  return spawnSync('npm', ['config', 'get', name], { encoding: 'utf8' }).stdout?.trim() ?? '';
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

function run(folder, npmArguments, count) {
  const beganAt = performance.now();
  const seconds = () => `${((performance.now() - beganAt) / 1_000).toFixed(0)} s`;
  const child = spawn('npm', npmArguments, { cwd: folder, stdio: ['ignore', 'inherit', 'pipe'] });
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
