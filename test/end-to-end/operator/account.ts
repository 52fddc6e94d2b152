import type { RunningGateway } from '../running-gateway.ts';

/** An account of a test, with a key. */
export interface OpenedAccount {
  readonly account: string;
  readonly apiKey: string;
}

/** How an account is opened. */
interface AccountOptions {
  /** Compute units; 0: none. @default a balance that lasts */
  readonly credit?: number;
  /** @default that of the stage */
  readonly plan?: string;
}

/** Runs a command of the operator and reads what it prints as JSON. Throws an Error with what it says if it fails. */
export async function operate(gateway: RunningGateway, ...words: readonly string[]) {
  const { code, stdout, stderr } = await gateway.operator([...words, '--json']);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** Opens an account that no other test uses, so that what it is charged is what its test did. */
export async function openAccount(
  gateway: RunningGateway,
  { credit = 1_000_000, plan }: AccountOptions = {},
): Promise<OpenedAccount> {
  const { account } = await operate(
    gateway,
    ...['account', 'create'],
    ...(credit > 0 ? ['--credit', String(credit)] : []),
    ...(plan === undefined ? [] : ['--plan', plan]),
  );
  const { api_key: apiKey } = await operate(gateway, 'key', 'create', account);
  return { account, apiKey };
}
