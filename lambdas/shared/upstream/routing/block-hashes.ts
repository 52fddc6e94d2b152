import { ownCall, type UpstreamResponse } from '../../jsonrpc/calls.ts';
import { hexNumber } from '../../jsonrpc/json-values.ts';
import { type ResponseFacts, readFacts } from '../../jsonrpc/response-facts.ts';
import type { ChainUpstreams } from '../chain-upstreams.ts';
import type { Upstream } from '../upstream.ts';
import { chooseSome, eligibleUpstreams } from './able-upstreams.ts';
import { askOwn } from './ask-head.ts';
import type { SendOutcome } from './send-calls.ts';

/** Longest time that an upstream has to show blocks, in milliseconds. */
const ASK_TIMEOUT_MS = 1_000;

/** The hashes that upstreams show for blocks of a chain. */
export interface BlockHashes {
  /**
   * Asks some upstreams, or as many as there are. Each answers in the order of the numbers; undefined for a block that it
   * does not show.
   */
  ask(numbers: readonly bigint[], upstreams: number): Promise<readonly (readonly (string | undefined)[])[]>;
}

/** Asks the upstreams of a chain, chosen at random. Those that are out of use, behind or limited are not asked. */
export function createBlockHashes(node: ChainUpstreams): BlockHashes {
  return {
    async ask(numbers, upstreams) {
      const [best = []] = eligibleUpstreams(node, { kind: 'head' });
      const usable = best.filter(({ health }) => health.usable);
      const asked = chooseSome(usable, upstreams, node.random);
      const tags = numbers.map(hexNumber);
      const until = node.clock.now() + ASK_TIMEOUT_MS;
      const shown = await Promise.all(asked.map((upstream) => askBlocks(node, upstream, tags, until)));
      return shown.map((blocks) => blocks.map((block) => block?.hashes[0]));
    },
  };
}

/**
 * Asks an upstream to show blocks, each by a number or a tag. What it does not show is undefined.
 * `deadline`: in milliseconds since the epoch.
 */
export async function askBlocks(
  node: ChainUpstreams,
  upstream: Upstream,
  blocks: readonly string[],
  deadline: number,
): Promise<readonly (ResponseFacts | undefined)[]> {
  const calls = blocks.map((block) => ownCall('eth_getBlockByNumber', [block, false]));
  const answered = ({ responses }: SendOutcome) => responses.every(({ kind }) => kind !== 'failed');
  const outcome = await askOwn(node, { upstream, calls, deadline }, answered);
  return blocks.map((_, place) => factsOf(outcome?.responses[place]));
}

function factsOf(response: UpstreamResponse | undefined): ResponseFacts | undefined {
  return response?.kind === 'result' ? readFacts(response.result, 'number') : undefined;
}
