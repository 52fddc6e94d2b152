/** Loaded before a program: it takes this machine for another one, whose kernel tells nothing of processes. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [platform, arch] = (process.env.OTHER_MACHINE ?? '').split('/');
Object.defineProperty(process, 'platform', { value: platform });
Object.defineProperty(process, 'arch', { value: arch });

const isHidden = (path: unknown) => /^\/proc(\/|$)/.test(String(path));
const { existsSync, readFileSync, readdirSync } = fs;

function refuse(path: unknown): never {
  throw Object.assign(new Error(`ENOENT: no such file or directory, '${path}'`), { code: 'ENOENT' });
}

fs.existsSync = (path) => !isHidden(path) && existsSync(path);
fs.readFileSync = ((path: fs.PathOrFileDescriptor, ...options: [never]) =>
  isHidden(path) ? refuse(path) : readFileSync(path, ...options)) as typeof readFileSync;
fs.readdirSync = ((path: fs.PathLike, ...options: [never]) =>
  isHidden(path) ? refuse(path) : readdirSync(path, ...options)) as typeof readdirSync;
syncBuiltinESMExports();
