import { randomInt } from 'node:crypto';

/**
 * An address of this machine for a program that answers every caller: on Linux, each of 127.0.0.0/8 is one. A page
 * would have to try 16 million addresses, each with thousands of ports.
 */
export function hiddenHost(): string {
  return `127.${randomInt(1, 255)}.${randomInt(0, 256)}.${randomInt(1, 255)}`;
}
