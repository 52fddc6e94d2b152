import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import Client from 'undici/lib/dispatcher/client.js';
import type { Clock } from '../runtime/clock.ts';

/** Time that an idle connection is silent before TCP asks whether the other side is there, in milliseconds. */
const TCP_PROBE_AFTER_MS = 1_000;
/** A server that says how long it keeps a connection is believed but for this, in milliseconds. */
const HINT_MARGIN_MS = 1_000;

/** The connections to one server, and their bounds. */
interface ConnectionsOptions {
  /** Protocol, host and port: `https://host:port`. */
  readonly origin: string;
  readonly clock: Clock;
  /** Most that are open at a time. Further requests wait for one, each within its own time. */
  readonly most: number;
  /** Most that are kept while they are idle; 0: each carries one request. */
  readonly mostIdle: number;
  /** Time after which an idle one is not used again, in milliseconds. */
  readonly idleMs: number;
}

/** What waits for a connection. */
export interface ConnectionUser {
  /** Hands it over: the user gives it back, or drops it. */
  begin(connection: Connection): void;
}

/** A connection that carries one request at a time. It is opened with the first. */
export interface Connection {
  readonly client: Client;
  /** Absent until the first request. */
  socket: Socket | undefined;
  /** Reads of that socket. */
  readonly reads: SocketReads;
  /** Whether the socket is connected, TLS included. */
  isOpen: boolean;
  /** Whether the socket has carried a request before. */
  isUsed: boolean;
  /** Milliseconds since the epoch. */
  idleSince: number;
}

/**
 * The connections to one server, of which the one that was used last is used next. A function that was frozen does not know that its
 * connections are gone, and a write into one is ambiguous: each that was idle for long is closed, however busy the
 * others were.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  /** The one that was used last is at the end. */
  readonly #idle: Connection[] = [];
  readonly #waiting = new Set<ConnectionUser>();
  #mostIdle: number;
  #open = 0;
  /** What a TLS handshake with the server is cut short by. */
  #session: Buffer | undefined;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#mostIdle = options.mostIdle;
  }

  /** Hands over a connection, at once or as soon as there is one. */
  take(user: ConnectionUser): void {
    this.#dropOld();
    const connection = this.#idle.pop();
    if (connection !== undefined) user.begin(connection);
    else if (this.#open < this.#options.most) user.begin(this.#add());
    else this.#waiting.add(user);
  }

  /** Ends the wait for a connection. */
  leave(user: ConnectionUser): void {
    this.#waiting.delete(user);
  }

  /** Takes back a connection whose request has had its whole response. */
  giveBack(connection: Connection): void {
    const { socket } = connection;
    // A server that answers before it has read the request would leave its rest on the connection.
    const mayStay = this.#idle.length < this.#mostIdle && socket?.destroyed === false;
    if (!mayStay || socket.writableLength > 0) {
      this.drop(connection);
      return;
    }
    connection.isUsed = true;
    connection.idleSince = this.#options.clock.now();
    const next = this.#nextUser();
    if (next === undefined) this.#idle.push(connection);
    else next.begin(connection);
  }

  /** Closes a connection, whatever it carries. */
  drop({ client, socket }: Connection): void {
    this.#open -= 1;
    client.destroy(done);
    // One that is still connecting is not the client's yet.
    socket?.destroy();
    const next = this.#nextUser();
    if (next !== undefined) next.begin(this.#add());
  }

  /** Closes the idle ones now, and busy ones with the end of their response. */
  close(): void {
    this.#mostIdle = 0;
    for (const connection of this.#idle.splice(0)) this.drop(connection);
  }

  #nextUser(): ConnectionUser | undefined {
    const [next] = this.#waiting;
    if (next !== undefined) this.#waiting.delete(next);
    return next;
  }

  #dropOld(): void {
    const usedSince = this.#options.clock.now() - this.#options.idleMs;
    while (this.#idle[0] !== undefined && this.#idle[0].idleSince < usedSince)
      this.drop(this.#idle.shift() as Connection);
  }

  #add(): Connection {
    const { origin, mostIdle, idleMs } = this.#options;
    this.#open += 1;
    const reads = new SocketReads(() => connection.socket);
    const connection: Connection = {
      client: new Client(origin, {
        connect: ({ protocol, hostname, port }, opened) => {
          const socket = this.#connect(protocol, hostname, Number(port), reads);
          Object.assign(connection, { socket, isOpen: false, isUsed: false });
          let tell: typeof opened | undefined = opened;
          socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', () => {
            connection.isOpen = true;
            tell?.(null, socket);
            tell = undefined;
          });
          socket.on('error', (error) => {
            tell?.(error, null);
            tell = undefined;
          });
          socket.once('close', () => this.#closed(connection));
        },
        pipelining: mostIdle > 0 ? 1 : 0,
        keepAliveTimeout: idleMs,
        keepAliveMaxTimeout: idleMs,
        keepAliveTimeoutThreshold: HINT_MARGIN_MS,
        // The whole exchange has a time of its own.
        headersTimeout: 0,
        bodyTimeout: 0,
      }),
      socket: undefined,
      reads,
      isOpen: false,
      isUsed: false,
      idleSince: 0,
    };
    return connection;
  }

  #connect(protocol: string, host: string, port: number, reads: SocketReads): Socket {
    const options = {
      host,
      onread: reads.onread,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: TCP_PROBE_AFTER_MS,
    };
    if (protocol !== 'https:') return connectTcp({ ...options, port: port || 80 });
    const socket = connectTls({
      ...options,
      port: port || 443,
      servername: isIP(host) === 0 ? host : '',
      ALPNProtocols: ['http/1.1'],
      session: this.#session,
    });
    return socket.on('session', (session) => {
      this.#session = session;
    });
  }

  /** An idle connection that the server has closed is gone; of a busy one its request finds out. */
  #closed(connection: Connection): void {
    const index = this.#idle.indexOf(connection);
    if (index < 0) return;
    this.#idle.splice(index, 1);
    this.drop(connection);
  }
}

function done(): void {}

/** Bytes that a socket reads at a time, as many as Node reads by itself. */
const READ_BYTES = 64 * 1024;
/** What every socket reads into whose bytes have no place yet: they are copied before anything else is read. */
const SHARED_MEMORY = Buffer.allocUnsafeSlow(READ_BYTES);

/** What knows where bytes belong before they are read. */
export interface ReadPlace {
  /** Memory for the bytes that follow `waitingBytes` which are read and not yet added; undefined if it is absent. */
  placeAfter(waitingBytes: number): Buffer | undefined;
}

/**
 * Reads of a socket. Node allocates memory for each, which is copied into that of the body and is garbage from then on: of a
 * large body as much again as the body itself. Here a body whose length is known is read into its own memory.
 */
class SocketReads {
  /** Set while a body comes that has memory. */
  place: ReadPlace | undefined;
  /** Reads that wait until there is room for what they belong to, and whether they do. */
  readonly #heldBack: Buffer[] = [];
  #isHeldBack = false;
  readonly #socket: () => Socket | undefined;
  readonly onread: OnReadOpts = {
    buffer: () => this.place?.placeAfter(this.#socket()?.readableLength ?? 0) ?? SHARED_MEMORY,
    callback: (bytes, memory) => this.#push(bytes, memory as Buffer),
  };

  /** @param socket the one that was made with `onread`, once it is */
  constructor(socket: () => Socket | undefined) {
    this.#socket = socket;
  }

  /** Reads no further: what the other side sends stays with it, but for one read. */
  holdBack(): void {
    this.#isHeldBack = true;
  }

  /** Reads on. */
  goOn(): void {
    this.#isHeldBack = false;
    for (const read of this.#heldBack.splice(0)) this.#socket()?.push(read);
  }

  /** Whether the socket continues reading. */
  #push(bytes: number, memory: Buffer): boolean {
    const inMemory = memory.subarray(0, bytes);
    const read = memory === SHARED_MEMORY ? Buffer.from(inMemory) : inMemory;
    if (!this.#isHeldBack) return this.#socket()?.push(read) ?? false;
    this.#heldBack.push(read);
    return false;
  }
}
