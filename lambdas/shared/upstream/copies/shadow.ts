import type { UpstreamResponse } from '../../jsonrpc/calls.ts';
import { requiredBlock } from '../../jsonrpc/required-block.ts';
import { countsOfUpstream } from '../../runtime/metrics.ts';
import { pacedCounts } from '../../runtime/paced-count.ts';
import type { Telemetry } from '../../runtime/telemetry.ts';
import { sameResponse, tellsOfNodes } from '../agreement/fixed-parts.ts';
import type { ChainUpstreams } from '../chain-upstreams.ts';
import { mayShow, shownBlock } from '../head/answered-head.ts';
import { askOwn } from '../routing/ask-head.ts';
import { finalizedBlock } from '../routing/head-tracker.ts';
import type { Upstream } from '../upstream.ts';
import type { Answered } from './broadcast.ts';

/** Longest time that a shadow has for a response, in milliseconds. */
const SHADOW_MS = 2_000;
/** Copies that are on their way in a process at a time: further ones are not sent. */
const MAX_UNDER_WAY = 4;
/** Larger results are not compared, in bytes: they would be kept until the shadow has answered. */
const MAX_COMPARED_BYTES = 256 * 1024;
/** How often differences of a shadow are logged, in milliseconds. */
const TELL_INTERVAL_MS = 60_000;

interface ShadowsOptions {
  readonly chain: string;
  /** The chain's upstreams, whose responses clients got. */
  readonly node: Pick<ChainUpstreams, 'view'>;
  /** The shadows, which have nothing in common with those. */
  readonly shadows: ChainUpstreams;
  /** Share of the calls that each shadow gets, from 0 to 1. */
  readonly shares: readonly number[];
  readonly telemetry: Telemetry;
}

/** What became of a copy. */
type Outcome = 'same' | 'different' | 'unanswered';

/**
 * Sends shadows copies of reads whose results the chain fixes, and compares what they say with what the client got. That is
 * counted and returned to nobody.
 */
export class Shadows {
  readonly #options: ShadowsOptions;
  /** Logs differences: the first of a shadow at once, then at most once a minute. */
  readonly #tellOf: (shadow: string, method: string) => void;
  #underWay = 0;

  constructor(options: ShadowsOptions) {
    this.#options = options;
    const { chain, telemetry, shadows } = options;
    const tell = (
      { upstream, method }: { readonly upstream: string; readonly method: string },
      count: number,
    ) => telemetry.log('warn', 'shadow_differs', { chain, upstream, method, count });
    const count = pacedCounts(shadows.clock, TELL_INTERVAL_MS, tell);
    this.#tellOf = (upstream, method) => count(upstream, { upstream, method });
  }

  /** Sends a sample of calls, and waits for the responses. Never rejects but for a defect. */
  async compare(answered: readonly Answered[]): Promise<void> {
    const { shadows, shares } = this.#options;
    const { upstreams, random } = shadows;
    const sampled = upstreams.flatMap((shadow) =>
      answered.flatMap((one) =>
        random() < (shares[shadow.index] ?? 0) && this.#isFixed(one) ? [{ shadow, one }] : [],
      ),
    );
    await Promise.all(
      sampled.slice(0, MAX_UNDER_WAY - this.#underWay).map(async ({ shadow, one }) => {
        this.#underWay += 1;
        try {
          const outcome = await this.#ask(shadow, one);
          if (outcome !== undefined) this.#count(shadow, one, outcome);
        } finally {
          this.#underWay -= 1;
        }
      }),
    );
  }

  /** Whether a response is of an upstream, and can never be another. */
  #isFixed({ call, response }: Answered): boolean {
    if (response.kind !== 'result' || response.from === undefined) return false;
    if (response.result.length > MAX_COMPARED_BYTES || !tellsOfNodes(call, [response])) return false;
    const { node, shadows } = this.#options;
    const most = node.view.finalityHead(shadows.clock.now());
    const block = blockOf({ call, response });
    return most !== undefined && block !== undefined && block <= finalizedBlock(most);
  }

  /** Undefined: it is not asked. */
  async #ask(shadow: Upstream, { call, response }: Answered): Promise<Outcome | undefined> {
    const { clock } = this.#options.shadows;
    const { health, pace } = shadow;
    const until = clock.now() + SHADOW_MS;
    if (health.mayProbe) health.probing(until);
    else if (!health.usable) return undefined;
    if ((await pace?.admits(1)) === false) return undefined;
    const asked = { upstream: shadow, calls: [call], deadline: until };
    const [said] = (await askOwn(this.#options.shadows, asked, () => true))?.responses ?? [];
    if (said?.kind !== 'result') return 'unanswered';
    return sameResponse(call.method, response, said) ? 'same' : 'different';
  }

  #count(shadow: Upstream, { call }: Answered, outcome: Outcome): void {
    const { chain, telemetry, shadows } = this.#options;
    const values = {
      ShadowCalls: 1,
      ...(outcome === 'different' && { ShadowDifferences: 1 }),
      ...(outcome === 'unanswered' && { ShadowFailures: 1 }),
    };
    telemetry.emit(countsOfUpstream(chain, shadow.name, values), shadows.clock.now());
    if (outcome === 'different') this.#tellOf(shadow.name, call.method);
  }
}

/** The block that a result is of, by its call or as it shows; undefined where neither says. */
function blockOf({
  call,
  response,
}: {
  readonly call: Answered['call'];
  readonly response: UpstreamResponse;
}) {
  const need = requiredBlock(call);
  if (need.kind === 'block') return need.number;
  if (need.kind === 'logs') return need.to;
  if (need.kind !== 'hash' || response.kind !== 'result' || !mayShow(call)) return undefined;
  return shownBlock(call, response.result);
}
