import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** Calls back once the socket can carry bytes: at once for a kept one, after the TLS handshake for `https`. */
export function onConnected(socket: Socket, connected: () => void): void {
  if (!socket.connecting) connected();
  else socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', connected);
}
