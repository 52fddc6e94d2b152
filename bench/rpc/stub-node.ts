/**
 * A node that costs as little as possible. `fork`ed with the bytes of a trace and the time of a response in milliseconds: it
 * answers `debug_trace*` with a trace of about so many bytes, `eth_getBlockByNumber` with a block and everything else with
 * `"0x1"`, each after that time; and every message with a {@link ProcessState}.
 */
import { createServer, type ServerResponse } from 'node:http';
import { answerStates } from '../worker.ts';

const HASH = `0x${'ab'.repeat(32)}`;
const ADDRESS = `0x${'cd'.repeat(20)}`;

const FRAME = JSON.stringify({
  type: 'CALL',
  from: ADDRESS,
  to: ADDRESS,
  gas: '0x5208',
  gasUsed: '0x5208',
  input: HASH,
  output: HASH,
});
const BLOCK = JSON.stringify({
  number: '0x1b4',
  hash: HASH,
  parentHash: HASH,
  stateRoot: HASH,
  miner: ADDRESS,
  gasLimit: '0x1c9c380',
  gasUsed: '0x0',
  timestamp: '0x55ba467c',
  transactions: [HASH, HASH, HASH, HASH],
});

const [traceBytes, delayMs = 0] = process.argv.slice(2).map(Number);
const trace = Buffer.from(renderTrace(traceBytes ?? 0));
const block = Buffer.from(BLOCK);
const quantity = Buffer.from('"0x1"');

interface StubCall {
  readonly id: number;
  readonly method: string;
}

function renderTrace(bytes: number): string {
  const frames = Array<string>(Math.max(1, Math.round(bytes / (FRAME.length + 1)))).fill(FRAME);
  return `{"type":"CALL","calls":[${frames.join(',')}]}`;
}

function resultOf(method: string): Buffer {
  if (method.startsWith('debug_trace')) return trace;
  return method === 'eth_getBlockByNumber' ? block : quantity;
}

function renderResponse({ id, method }: StubCall): Buffer[] {
  return [Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":`), resultOf(method), Buffer.from('}')];
}

function respond(request: Buffer, response: ServerResponse): void {
  const calls = JSON.parse(request.toString()) as StubCall | StubCall[];
  const pieces = Array.isArray(calls)
    ? calls.flatMap((call, index) => [Buffer.from(index === 0 ? '[' : ','), ...renderResponse(call)])
    : renderResponse(calls);
  if (Array.isArray(calls)) pieces.push(Buffer.from(']'));
  const length = pieces.reduce((bytes, piece) => bytes + piece.length, 0);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
  response.cork();
  for (const piece of pieces) response.write(piece);
  response.end();
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const answer = () => respond(Buffer.concat(chunks), response);
    if (delayMs > 0) setTimeout(answer, delayMs);
    else answer();
  });
});
answerStates(server);
