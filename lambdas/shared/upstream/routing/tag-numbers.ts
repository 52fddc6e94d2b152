import type { FinalityTag } from '../../jsonrpc/logs-range.ts';
import type { ChainUpstreams } from '../chain-upstreams.ts';
import { chooseUpstream } from '../choose-upstream.ts';
import { askBlocks } from './block-hashes.ts';
import { eligibleUpstreams } from './eligible-upstreams.ts';

/** How long a number stands for its tag, in milliseconds. */
export const TAG_MAX_AGE_MS = 5_000;
/** How long no upstream is asked again after none has said, in milliseconds. */
const UNKNOWN_MAX_AGE_MS = 1_000;
/** Longest time that an upstream has to say, in milliseconds. */
const ASK_TIMEOUT_MS = 1_000;
/** Upstreams that are asked, one after the other, until one says. */
const MAX_ASKED = 2;

/** The numbers of a chain's safe and finalized blocks, as its upstreams say, remembered for seconds. */
export class TagNumbers {
  readonly #node: ChainUpstreams;
  readonly #asked = new Map<
    FinalityTag,
    { readonly until: number; readonly number: Promise<bigint | undefined> }
  >();

  constructor(node: ChainUpstreams) {
    this.#node = node;
  }

  /** Block number, or undefined if no upstream says. `deadline`: in milliseconds since the epoch. */
  async read(tag: FinalityTag, deadline: number): Promise<bigint | undefined> {
    const { clock } = this.#node;
    const asked = this.#asked.get(tag);
    if (asked !== undefined && clock.now() < asked.until) return asked.number;
    const number = this.#ask(tag, deadline);
    this.#asked.set(tag, { until: clock.now() + TAG_MAX_AGE_MS, number });
    if ((await number) === undefined) {
      this.#asked.set(tag, { until: clock.now() + UNKNOWN_MAX_AGE_MS, number });
    }
    return number;
  }

  async #ask(tag: FinalityTag, deadline: number): Promise<bigint | undefined> {
    const { clock, random } = this.#node;
    let [candidates = []] = eligibleUpstreams(this.#node, { kind: 'head' });
    for (let asked = 0; asked < MAX_ASKED; asked++) {
      const upstream = chooseUpstream(candidates, random());
      if (upstream === undefined) return undefined;
      const time = Math.min(deadline, clock.now() + ASK_TIMEOUT_MS);
      const [block] = await askBlocks(this.#node, upstream, [tag], time);
      const number = block?.block;
      if (number !== undefined) return number;
      candidates = candidates.filter((one) => one !== upstream);
    }
    return undefined;
  }
}
