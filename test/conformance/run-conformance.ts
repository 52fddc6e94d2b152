import { parseArgs } from 'node:util';
import { type Clause, clausesOf, readContract } from '../../api/contract.ts';
import { type AskedClause, type Checks, checkClause, type Outcome, Skipped } from './clause.ts';
import { AUTHENTICATION_CHECKS } from './clauses/authentication.ts';
import { BALANCE_CHECKS } from './clauses/balances.ts';
import { DATA_CHECKS } from './clauses/data-api.ts';
import { FRESHNESS_CHECKS } from './clauses/freshness.ts';
import { CALL_CHECKS, ERROR_CHECKS, METERING_CHECKS } from './clauses/json-rpc.ts';
import { SERVICE_CHECKS } from './clauses/service.ts';
import { objectOf } from './expect-shape.ts';
import { Probe } from './probe.ts';
import { overHttp, type Transport } from './transport.ts';

const HELP = `npm run conformance -- --url URL --key KEY [--chain CHAIN]

Asks a running gateway what its contract says, and prints for each clause whether it holds, differs, or could
not be seen. Spends some 1,500 CU of the key's account; sends no transaction that a node would take.

  --url    base URL, such as http://127.0.0.1:8080; that of the JSON-RPC calls, which ends in /v1/, is as good
  --key    an API key with a balance
  --chain  the chain of the Data API's paths; by default the first that the key may read

Exit code 0 if nothing differs, 1 if something does, 2 if the command is wrong.
`;

/** Every check, by the id of its clause. */
export const CHECKS: Checks = {
  ...SERVICE_CHECKS,
  ...DATA_CHECKS,
  ...FRESHNESS_CHECKS,
  ...BALANCE_CHECKS,
  ...AUTHENTICATION_CHECKS,
  ...CALL_CHECKS,
  ...ERROR_CHECKS,
  ...METERING_CHECKS,
};

/** Every clause that has a check, or says why it cannot be seen, in the order of the contract. */
export const CLAUSES: readonly AskedClause[] = clausesOf(readContract()).flatMap(asked);

function asked({ id, words, unseen }: Clause): AskedClause[] {
  if (unseen === undefined) return CHECKS[id] === undefined ? [] : [{ id, words, check: CHECKS[id] }];
  const check = async () => {
    throw new Skipped(unseen);
  };
  return [{ id, words, check }];
}

/** Runs the command. Resolves to its exit code. `print`: takes lines. */
export async function runConformance(
  commandArguments: readonly string[],
  print: (line: string) => void,
): Promise<number> {
  const options = readOptions(commandArguments);
  if (options === undefined) {
    print(HELP);
    return 2;
  }
  const { url, key } = options;
  const transport = overHttp(url);
  const chain = options.chain ?? (await firstChain(transport, key));
  const probe = new Probe({ transport, key, chain });
  const counts: Record<Outcome['kind'], number> = { holds: 0, differs: 0, skipped: 0 };
  await checkClauses(probe, ({ id, words }, outcome) => {
    counts[outcome.kind] += 1;
    print(`${outcome.kind.padEnd(8)} ${id.padEnd(28)} ${words}`);
    if (outcome.kind !== 'holds') print(`${' '.repeat(38)}${outcome.reason}`);
  });
  print(`${counts.holds} hold, ${counts.differs} differ, ${counts.skipped} could not be seen`);
  return counts.differs === 0 ? 0 : 1;
}

/** Checks each clause, one after the other, and tells what became of it. */
async function checkClauses(
  probe: Probe,
  tell: (clause: AskedClause, outcome: Outcome) => void,
): Promise<void> {
  for (const clause of CLAUSES) tell(clause, await checkClause(clause, probe));
}

interface Options {
  readonly url: string;
  readonly key: string;
  readonly chain: string | undefined;
}

function readOptions(commandArguments: readonly string[]): Options | undefined {
  try {
    const { values } = parseArgs({
      args: [...commandArguments],
      options: { url: { type: 'string' }, key: { type: 'string' }, chain: { type: 'string' } },
    });
    const { url, key, chain } = values;
    return url === undefined || key === undefined ? undefined : { url: baseUrl(url), key, chain };
  } catch {
    return undefined;
  }
}

/** Clauses name whole paths: a client's URL, which has the version in it, would have it twice. */
function baseUrl(url: string): string {
  return url.replace(/\/+$/, '').replace(/\/v1$/, '');
}

/** The first chain of the list that the Data API gives; without one, of the status. */
async function firstChain(transport: Transport, key: string): Promise<string> {
  const probe = new Probe({ transport, key, chain: '' });
  for (const [path, member] of [
    ['/v1/data/chains', 'data'],
    ['/v1/status', 'chains'],
  ] as const) {
    const { json } = await probe
      .send(path, { headers: { 'x-api-key': key } })
      .catch(() => ({ json: undefined }));
    const list = json === undefined ? undefined : (json as Record<string, unknown>)[member];
    if (Array.isArray(list) && list.length > 0) return String(objectOf(list[0], 'a chain').chain);
  }
  return 'example_mainnet';
}
