import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Most connections of one client address that wait for their client: half of all. */
const MAX_WAITING_PER_ADDRESS = 512;

/**
 * Bounds the connections of each address on which the server has nothing to do, before, between or in the middle of
 * requests: with one more, the one that waits longest is closed, so that nobody can shut others out.
 */
export function boundWaiting(server: Server): void {
  /** By address, in the order in which they began to wait. */
  const waiting = new Map<string, Set<Socket>>();
  const addresses = new WeakMap<Socket, string>();
  const leave = (socket: Socket) => {
    const address = addresses.get(socket) ?? '';
    const others = waiting.get(address);
    others?.delete(socket);
    if (others?.size === 0) waiting.delete(address);
  };
  const wait = (socket: Socket) => {
    if (socket.destroyed) return;
    const address = addresses.get(socket) ?? '';
    const others = waiting.get(address) ?? new Set();
    waiting.set(address, others.add(socket));
    if (others.size <= MAX_WAITING_PER_ADDRESS) return;
    const [longest = socket] = others;
    others.delete(longest);
    longest.destroy();
  };
  server.on('connection', (socket) => {
    addresses.set(socket, String(socket.remoteAddress));
    socket.once('close', () => leave(socket));
    wait(socket);
  });
  server.on('request', (request, response) => {
    request.once('end', () => leave(request.socket));
    response.once('close', () => wait(request.socket));
  });
}
