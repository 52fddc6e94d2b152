import pg from 'pg';
import type { PostgresLogin } from '../../local/database/postgres.ts';

const sessions = new Map<string, Promise<pg.Client>>();

/**
 * A session of a test database that looks at what functions have stored. It is there until the server ends: a new one
 * for each look would read the catalogue of all schemas anew.
 */
export function superuserSession(login: PostgresLogin): Promise<pg.Client> {
  const name = JSON.stringify(login);
  const known = sessions.get(name);
  if (known !== undefined) return known;
  const session = connect(login, () => sessions.delete(name));
  sessions.set(name, session);
  return session;
}

async function connect(login: PostgresLogin, onEnd: () => void): Promise<pg.Client> {
  const client = new pg.Client(login);
  // The end of the server is the end of the session.
  client.on('error', onEnd).on('end', onEnd);
  await client.connect();
  return client;
}
