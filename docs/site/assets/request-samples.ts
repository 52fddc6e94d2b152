/** What a form asks for, as the page and the script of the reference both write it down: nothing here knows of pages. */

/** One way to write the same thing, such as the call in curl. */
export interface Sample {
  readonly label: string;
  readonly code: string;
}

/** An operation of the Data API, and where its parameters go. */
interface DataRequest {
  readonly kind: 'data';
  readonly id: string;
  /** Below the base URL, with its placeholders. */
  readonly path: string;
  /** Parameters that a program writes as they are: numbers, true and false. */
  readonly bare: readonly string[];
  /** What the form begins with for the chain. */
  readonly chain: string;
}

/** A method of JSON-RPC, whose parameters are in their order. */
interface RpcRequest {
  readonly kind: 'rpc';
  readonly method: string;
}

/** Balances of an address on several chains: a request of each. */
interface PortfolioRequest {
  readonly kind: 'portfolio';
}

export type TriedRequest = DataRequest | RpcRequest;

/** The fields of a form in their order, and what stands in each; an empty one is left out. */
export type Entered = readonly (readonly [name: string, value: string])[];

/** The request itself. */
interface SentRequest {
  /** Below the base URL. */
  readonly path: string;
  /** Absent: it is a GET. */
  readonly body?: string;
}

const RPC_PATH = '/v1/';
const PAGE_ROWS = 500;
const MAX_LINE_CHARACTERS = 58;
const PYTHON_WORDS: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };
const STRING_OR_WORD = /"(?:[^"\\]|\\.)*"|\b(true|false|null)\b/g;

/** What a form sends for what is entered. */
export function requestOf(request: TriedRequest, entered: Entered): SentRequest {
  if (request.kind === 'rpc') return { path: RPC_PATH, body: layOut(callOf(request, entered)) };
  const isInPath = ([name]: Entered[number]) => request.path.includes(`{${name}}`);
  const path = entered
    .filter(isInPath)
    .reduce((filled, [name, value]) => filled.replace(`{${name}}`, () => encoded(value)), request.path);
  const query = entered
    .filter((field) => field[1] !== '' && !isInPath(field))
    .map(([name, value]) => `${name}=${encoded(value)}`);
  return { path: query.length === 0 ? path : `${path}?${query.join('&')}` };
}

/** What the form of a portfolio sends: a request for each chain that is named, once. */
export function portfolioRequests(entered: Entered): { readonly chain: string; readonly path: string }[] {
  return chainsIn(entered).map((chain) => ({ chain, path: balancesPath(encoded(chain), entered) }));
}

function chainsIn(entered: Entered): string[] {
  const [, chains = ''] = entered.find(([name]) => name === 'chains') ?? [];
  return [...new Set(chains.split(',').map((chain) => chain.trim()))].filter((chain) => chain !== '');
}

function balancesPath(chain: string, entered: Entered): string {
  return `/v1/data/${chain}/addresses/${encoded(addressIn(entered))}/balances/usd?limit=${PAGE_ROWS}`;
}

function addressIn(entered: Entered): string {
  return entered.find(([name]) => name === 'address')?.[1] ?? '';
}

/** The same request in each language. No sample holds a key: each reads it from the environment. @param base of the gateway */
export function samplesOf(
  request: TriedRequest | PortfolioRequest,
  entered: Entered,
  base: string,
): Sample[] {
  if (request.kind === 'portfolio') return portfolioSamples(entered, base);
  return request.kind === 'rpc' ? rpcSamples(request, entered, base) : dataSamples(request, entered, base);
}

/** JSON with what fits a line on one. */
export function layOut(value: unknown, indent = ''): string {
  const flat = flatten(value);
  if (typeof value !== 'object' || value === null || indent.length + flat.length <= MAX_LINE_CHARACTERS)
    return flat;
  const inner = `${indent}  `;
  if (Array.isArray(value) && value.length === 1) return `[${layOut(value[0], indent)}]`;
  if (Array.isArray(value))
    return `[\n${value.map((one) => inner + layOut(one, inner)).join(',\n')}\n${indent}]`;
  const members = Object.entries(value).map(
    ([name, one]) => `${inner}${JSON.stringify(name)}: ${layOut(one, inner)}`,
  );
  return `{\n${members.join(',\n')}\n${indent}}`;
}

/** JSON on one line, with a space after each comma and colon. */
function flatten(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flatten).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${flatten(one)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function portfolioSamples(entered: Entered, base: string): Sample[] {
  const chains = chainsIn(entered);
  return [
    {
      label: 'curl',
      code: `for chain in ${chains.map((chain) => `'${encoded(chain)}'`).join(' ')}; do
  curl -s '${base}'"${balancesPath('$chain', entered)}" \\
    -H "x-api-key: $GATEWAY_KEY"
done`,
    },
    {
      label: 'TypeScript',
      code: `const { chains, complete } = await client.portfolio(${quoted(addressIn(entered))}, {
  chains: [${chains.map(quoted).join(', ')}],
});`,
    },
  ];
}

function dataSamples(request: DataRequest, entered: Entered, base: string): Sample[] {
  const url = base + requestOf(request, entered).path;
  const members = entered
    .filter(([name, value]) => value !== '' && (name !== 'chain' || value !== request.chain))
    .map(([name, value]) => `\n  ${name}: ${request.bare.includes(name) ? value : quoted(value)},`);
  const parameters = members.length === 0 ? '' : `, {${members.join('')}\n}`;
  return [
    { label: 'curl', code: `curl -s '${url}' \\\n  -H "x-api-key: $GATEWAY_KEY"` },
    { label: 'TypeScript', code: `const { data } = await client.get('${request.id}'${parameters});` },
    {
      label: 'JavaScript',
      code: `const response = await fetch('${url}', {
  headers: { 'x-api-key': process.env.GATEWAY_KEY },
});
const { data, next_cursor, meta } = await response.json();`,
    },
    {
      label: 'Python',
      code: `import os, requests

response = requests.get('${url}',
    headers={'x-api-key': os.environ['GATEWAY_KEY']})
data = response.json()['data']`,
    },
    { label: 'Go', code: go(`http.NewRequest("GET", "${url}", nil)`, '') },
  ];
}

function rpcSamples(request: RpcRequest, entered: Entered, base: string): Sample[] {
  const { method } = request;
  const { params = [] } = callOf(request, entered);
  const list = layOut(params);
  const argument = params.length === 0 ? '' : `,\n  params: ${layOut(params, '  ')}`;
  const call = layOut(callOf(request, entered), '  ');
  const goBody = call.includes('`') ? JSON.stringify(call) : `\`${call}\``;
  return [
    {
      label: 'curl',
      code: `curl -s ${base}${RPC_PATH} \\
  -H "x-api-key: $GATEWAY_KEY" \\
  -d '${call.replaceAll("'", "'\\''")}'`,
    },
    { label: 'viem', code: `await client.request({\n  method: ${quoted(method)}${argument},\n});` },
    { label: 'ethers', code: `await provider.send(${quoted(method)}, ${list});` },
    {
      label: 'Python',
      code: `import os, requests

response = requests.post('${base}${RPC_PATH}',
    headers={'x-api-key': os.environ['GATEWAY_KEY']},
    json=${inPython(call)})
result = response.json()['result']`,
    },
    {
      label: 'Go',
      code: go(
        `http.NewRequest("POST", "${base}${RPC_PATH}", strings.NewReader(body))`,
        `body := ${goBody}\n`,
        '\nrequest.Header.Set("content-type", "application/json")',
      ),
    },
  ];
}

function callOf({ method }: RpcRequest, entered: Entered) {
  const last = entered.findLastIndex(([, value]) => value !== '');
  const params = entered.slice(0, last + 1).map(([, value]) => (value === '' ? null : jsonOr(value)));
  return { jsonrpc: '2.0', id: 1, method, ...(params.length > 0 && { params }) };
}

/** A value as JSON, or the text itself: nobody should have to quote an address. */
function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function go(request: string, before: string, after = ''): string {
  return `${before}request, err := ${request}
if err != nil {
  log.Fatal(err)
}
request.Header.Set("x-api-key", os.Getenv("GATEWAY_KEY"))${after}
response, err := http.DefaultClient.Do(request)`;
}

/** A segment or value of a URL that may stand between quotes in a shell, too; lists keep their commas. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll("'", '%27').replaceAll('%2C', ',').replaceAll('%3A', ':');
}

/** A text of JavaScript. */
function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

function inPython(json: string): string {
  return json.replaceAll(STRING_OR_WORD, (whole, word?: string) => PYTHON_WORDS[word ?? ''] ?? whole);
}
