import type { RunningGateway } from '../running-gateway.ts';

/** An account of a test, with a key. */
export interface OpenedAccount {
  readonly account: string;
  readonly apiKey: string;
}

/**
 * Opens an account that no other test uses, with a balance that lasts, so that what it is charged is what its test did.
 * @param options of `account create`, beside its credit
 */
export async function openAccount(
  gateway: RunningGateway,
  ...options: readonly string[]
): Promise<OpenedAccount> {
  const run = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await gateway.operator([...words, '--json']);
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  };
  const { account } = await run('account', 'create', '--credit', '1000000', ...options);
  const { api_key: apiKey } = await run('key', 'create', account);
  return { account, apiKey };
}
