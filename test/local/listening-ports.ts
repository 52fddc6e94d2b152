import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** State of a listening socket in `/proc/net/tcp`. */
const LISTENING = '0A';

/** Where a process listens. */
export interface ListeningPort {
  readonly host: string;
  readonly port: number;
  /** Name of the program. */
  readonly program: string;
}

/** Where a process and all that it has started listen by TCP. Linux only. */
export function listeningPorts(pid: number): ListeningPort[] {
  const programs = programsBySocket(pid);
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .flatMap(([, local = '', , state, , , , , , inode = '']) => {
        const program = programs.get(inode);
        const [host = '', port = ''] = local.split(':');
        if (state !== LISTENING || program === undefined) return [];
        return [{ host: addressOf(host), port: Number.parseInt(port, 16), program }];
      }),
  );
}

/** Programs of a tree of processes by their sockets' inodes. */
function programsBySocket(root: number): ReadonlyMap<string, string> {
  const programs = new Map<string, string>();
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  const parents = new Map(pids.map((pid) => [pid, parentOf(pid)]));
  const isOurs = (pid: string | undefined): boolean =>
    pid === String(root) || (pid !== undefined && isOurs(parents.get(pid)));
  for (const pid of pids.filter(isOurs)) {
    for (const inode of socketsOf(pid)) programs.set(inode, readFileSync(`/proc/${pid}/comm`, 'utf8').trim());
  }
  return programs;
}

function parentOf(pid: string): string | undefined {
  try {
    return /^PPid:\s(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

function socketsOf(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${descriptor}`)) ?? [];
      return inode === undefined ? [] : [inode];
    });
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** An IPv4 address of `/proc/net/tcp`, which has its bytes in the machine's order; others as they are. */
function addressOf(hexadecimal: string): string {
  if (hexadecimal.length !== 8) return hexadecimal;
  const bytes = hexadecimal.match(/../g) ?? [];
  return bytes
    .reverse()
    .map((byte) => Number.parseInt(byte, 16))
    .join('.');
}
