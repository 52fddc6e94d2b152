import { type UpstreamEntry, upstreamReference } from '../../../lambdas/shared/runtime/settings.ts';
import type { StageConfig } from '../../../lib/config/stage-config.ts';
import { asked } from '../context/ask-aws.ts';
import { type Check, type Finding, fails, itHolds, type Subject, unknown } from './line.ts';

const SECRET_PREFIX = 'secret:';
const REFUSED = [401, 403];
const OK = 200;
const NODE_TIMEOUT_MS = 5_000;
/** Of a response that names a chain and a block, at most. */
const MAX_NODE_BYTES = 65_536;

/** Asks a node; resolves to the status and the body of its response. Rejects without a response. */
export type AskNode = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
) => Promise<{ readonly status: number; readonly body: string }>;

/** Asks a node over HTTP. */
export const askNode: AskNode = async (url, headers, body) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(NODE_TIMEOUT_MS),
  });
  const text = await response.text();
  return { status: response.status, body: text.slice(0, MAX_NODE_BYTES) };
};

/** A line for each node: its chain and its head, if nodes may be asked. */
export function nodeChecks({ chains }: StageConfig, node: AskNode | undefined): Check[] {
  return chains.flatMap(({ chain, chainId, upstreams }) =>
    upstreams.map(
      (entry, index): Check => ({
        name: `node ${index + 1} of ${chain}`,
        async look(subject) {
          if (node === undefined) return unknown('it was not asked', 'add --ask-nodes');
          const [url, headers] = await resolved(entry, subject);
          if (url === 'embedded')
            return fails(
              'it is the node of a local run',
              `chains[…].upstreams of ${chain}: the URL of your node`,
            );
          const mend = `chains[…].upstreams of ${chain}, or its secret: the URL of a node of chain ${chainId}`;
          // The reason of a request that fails can have the URL in it.
          return judge(node, { url, headers, chainId, mend }).catch(() =>
            unknown('it does not answer this machine'),
          );
        },
      }),
    ),
  );
}

interface Asked {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly chainId: number;
  readonly mend: string;
}

async function judge(node: AskNode, { url, headers, chainId, mend }: Asked): Promise<Finding> {
  const call = async (id: number, method: string) => {
    const { status, body } = await node(
      url,
      headers,
      JSON.stringify({ jsonrpc: '2.0', id, method, params: [] }),
    );
    return { status, result: status === OK ? JSON.parse(body).result : undefined };
  };
  const { status, result } = await call(1, 'eth_chainId');
  if (REFUSED.includes(status)) return fails(`it answers ${status}: its key is wrong`, mend);
  if (typeof result !== 'string') return unknown(`it answers ${status}, and names no chain`);
  if (Number(result) !== chainId) return fails(`it is of chain ${Number(result)}, not ${chainId}`, mend);
  const head = (await call(2, 'eth_blockNumber')).result;
  return typeof head === 'string'
    ? itHolds(`chain ${chainId}, block ${Number(head)}, as seen from this machine`)
    : unknown('it names no newest block');
}

/** URL and headers of an upstream, with what its secrets hold. */
async function resolved(entry: UpstreamEntry, subject: Subject) {
  const headers = typeof entry === 'string' ? {} : (entry.headers ?? {});
  const values = await Promise.all(
    Object.entries(headers).map(async ([name, value]) => [name, await readValue(value, subject)] as const),
  );
  return [await readValue(upstreamReference(entry), subject), Object.fromEntries(values)] as const;
}

async function readValue(text: string, { ask, region }: Subject): Promise<string> {
  if (!text.startsWith(SECRET_PREFIX)) return text;
  const parameters = { SecretId: text.slice(SECRET_PREFIX.length) };
  const body = await asked(ask, { service: 'secretsmanager', action: 'GetSecretValue', region, parameters });
  const value = JSON.parse(body ?? '{}').SecretString;
  if (typeof value !== 'string') throw new Error('its secret holds no text');
  return value;
}
