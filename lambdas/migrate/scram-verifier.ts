import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

const ITERATIONS = 4_096;
const SALT_BYTES = 16;
const KEY_BYTES = 32;
/** Passwords are made by Secrets Manager of printable ASCII, which SASLprep leaves as it is. */
const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

/**
 * What PostgreSQL stores of a password (RFC 5802, SCRAM-SHA-256): enough to check one, not enough to log in with.
 * @throws TypeError for a password that is not printable ASCII
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(SALT_BYTES)): string {
  if (!PRINTABLE_ASCII.test(password)) throw new TypeError('a password must be printable ASCII');
  const salted = pbkdf2Sync(password, salt, ITERATIONS, KEY_BYTES, 'sha256');
  const key = (name: string) => createHmac('sha256', salted).update(name).digest();
  const storedKey = createHash('sha256').update(key('Client Key')).digest('base64');
  const serverKey = key('Server Key').toString('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
