import type { Call } from '../../lambdas/shared/jsonrpc/calls.ts';
import { blockOfValue, hex, transactionOf, valueAt } from '../nodes/simulated-chain.ts';
import { call, type SimulatedGateway, told } from '../nodes/simulated-gateway.ts';

/** Blocks that a response about the newest block may be behind, by the time that it travels and by what lag is let pass. */
const MAX_STALE_BLOCKS = 12;
/** Requests that are on their way at the same time. */
const CLIENTS = 4;
const MAX_THINKING_MS = 40;

/** What went wrong, and what it took. */
export interface Report {
  readonly calls: number;
  readonly attempts: number;
  readonly wrong: readonly string[];
  readonly failed: readonly string[];
  /** Of each call, in milliseconds, in ascending order. */
  readonly latenciesMs: readonly number[];
}

interface Question {
  readonly call: Call;
  /** What is wrong with a response; undefined if nothing is. */
  readonly findFault: (answer: string) => string | undefined;
}

/** Plays a mix of calls by several clients, and checks every response against the chain. */
export async function play(gateway: SimulatedGateway, calls: number): Promise<Report> {
  const wrong: string[] = [];
  const failed: string[] = [];
  const latenciesMs: number[] = [];
  let left = calls;
  const client = async () => {
    while (left > 0) {
      left -= 1;
      await gateway.clock.wait(gateway.random.fraction() * MAX_THINKING_MS);
      const startedAt = gateway.clock.now();
      const question = ask(gateway);
      const [answer] = (await gateway.start([question.call])).map(told);
      latenciesMs.push(gateway.clock.now() - startedAt);
      const described = `${question.call.method} at ${gateway.clock.now()}: ${answer}`;
      if (answer === undefined || !/^["{[]/.test(answer)) failed.push(described);
      else if (question.findFault(answer) !== undefined) {
        wrong.push(`${described}: ${question.findFault(answer)}`);
      }
    }
  };
  await gateway.clock.until(Promise.all(Array.from({ length: CLIENTS }, client)));
  latenciesMs.sort((one, other) => one - other);
  return { calls, attempts: gateway.received().length, wrong, failed, latenciesMs };
}

/** The latency that a share of calls does not pass. */
export function quantile(latenciesMs: readonly number[], share: number): number {
  return latenciesMs[Math.ceil(share * latenciesMs.length) - 1] ?? Number.NaN;
}

function ask(gateway: SimulatedGateway): Question {
  const { random, chain } = gateway;
  const served = Number(gateway.node.view.served);
  const { head } = chain;
  const old = random.integer(1, head - 300);
  const recent = head - random.integer(8, 60);
  const share = random.fraction();
  const exactly = (expected: unknown) => (answer: string) =>
    answer === JSON.stringify(expected) ? undefined : `not ${JSON.stringify(expected)}`;
  const newest = (number: number) => {
    if (number < served) return `before ${served}`;
    return number < head - MAX_STALE_BLOCKS || number > chain.head ? `head is ${chain.head}` : undefined;
  };
  if (share < 0.3) {
    return { call: call('eth_getBlockByNumber', [hex(old), false]), findFault: exactly(chain.block(old)) };
  }
  if (share < 0.4) {
    return {
      call: call('eth_getBlockByNumber', [hex(recent), false]),
      findFault: exactly(chain.block(recent)),
    };
  }
  if (share < 0.5) {
    return { call: call('eth_getBalance', ['0x1', hex(recent)]), findFault: exactly(valueAt('0x1', recent)) };
  }
  if (share < 0.6) {
    const filter = { fromBlock: hex(recent - 20), toBlock: hex(recent) };
    const logs = Array.from({ length: 21 }, (_, index) => hex(recent - 20 + index));
    return { call: call('eth_getLogs', [filter]), findFault: exactly(logs) };
  }
  if (share < 0.7) {
    const hash = transactionOf(recent);
    const receipt = { blockNumber: hex(recent), transactionHash: hash };
    return { call: call('eth_getTransactionReceipt', [hash]), findFault: exactly(receipt) };
  }
  if (share < 0.75) return { call: call('eth_chainId'), findFault: exactly('0x1') };
  if (share < 0.85) {
    return { call: call('eth_blockNumber'), findFault: (answer) => newest(Number(JSON.parse(answer))) };
  }
  if (share < 0.92) {
    return {
      call: call('eth_getBlockByNumber', ['latest', false]),
      findFault: (answer) => newest(Number(JSON.parse(answer).number)),
    };
  }
  const findFault = (answer: string) => {
    const number = blockOfValue(JSON.parse(answer) as string);
    return number < head - MAX_STALE_BLOCKS || number > chain.head ? `head is ${chain.head}` : undefined;
  };
  return { call: call('eth_call', [{ to: '0x1' }, 'latest']), findFault };
}
