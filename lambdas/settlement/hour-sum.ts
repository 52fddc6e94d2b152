import { createHash } from 'node:crypto';
import type { SummedLanes } from '../access/accounts/lane-hours.ts';
import { accountShard, hourLane } from '../access/charge/lane.ts';
import { sumUsage } from '../access/charge/usage-text.ts';
import type { MethodUsage } from '../access/contract/metering.ts';
import { parseLaneLeaf } from '../shared/bill/lane-leaf.ts';
import { leafHash, TreeRoot } from '../shared/bill/merkle-tree.ts';
import { digestLine } from './hour-lanes.ts';
import type { ShardLeaves } from './shard-leaves.ts';

/** What the lanes of one hour of an account have come to. What is not needed of every hour is worked out when it is asked for. */
export interface HourSum {
  readonly hour: string;
  /** Compute units. */
  readonly cu: bigint;
  /** Number of lanes. */
  readonly lanes: number;
  /** SHA-256 over what each lane has come to, as {@link digestLine} tells it. */
  digest(): string;
  /** What the lanes were charged for: adds up to `cu`. Throws an Error if that of one cannot be read. */
  usage(): readonly MethodUsage[];
}

/** The sum of an hour, with its leaves. */
export class HourLeaves implements HourSum {
  readonly hour: string;
  readonly cu: bigint;
  readonly lanes: number;
  readonly #account: string;
  readonly #shards: readonly ShardLeaves[];

  constructor(account: string, { hour, cu, lanes, sinks }: SummedLanes<ShardLeaves>) {
    this.#account = account;
    this.hour = hour;
    this.cu = cu;
    this.lanes = lanes;
    this.#shards = sinks;
  }

  digest(): string {
    const digest = createHash('sha256');
    const names = new Map(this.#shards.map((leaves) => [accountShard(this.#account, leaves.shard), leaves]));
    // The lines are in the order of their texts, in which shard 10 comes before shard 2.
    for (const [name, leaves] of [...names].sort(([one], [other]) => (`${one} ` < `${other} ` ? -1 : 1))) {
      for (const text of leaves.texts()) {
        const { lane = '', total = 0 } = parseLaneLeaf(text) ?? {};
        digest.update(digestLine(name, hourLane(this.hour, lane), total));
      }
    }
    return digest.digest('hex');
  }

  usage(): readonly MethodUsage[] {
    return sumUsage(this.#shards.flatMap((leaves) => leaves.usage()));
  }

  /** Root of the RFC 9162 tree over the leaves, in the order of shard and lane; hex. */
  root(): string {
    const tree = new TreeRoot();
    for (const leaves of this.#shards) for (const text of leaves.texts()) tree.add(leafHash(text));
    return tree.root().toString('hex');
  }

  /** The leaves as they are kept, shard by shard. */
  bytes(): ReturnType<ShardLeaves['bytes']>[] {
    return this.#shards.map((leaves) => leaves.bytes());
  }
}
