import type { ReadAhead } from '../../lambdas/access/pending-accounts.ts';
import type { Item } from '../../lambdas/access/store.ts';
import type { World } from './world.ts';

/** Chance that a run reads ahead, and that it then sees an account as it was an earlier time. */
const READ_AHEAD_RATE = 0.5;
const STALE_RATE = 0.3;
/** Chance that an account is left out. */
const MISSING_RATE = 0.1;

/** Eventually consistent readings of accounts: some of long ago. */
export class StaleReads {
  readonly #world: World;
  readonly #seen = new Map<string, Item>();

  constructor(world: World) {
    this.#world = world;
  }

  /** The reading ahead of one run of settlement, or none. */
  option(): { readonly readAhead?: ReadAhead } {
    if (!this.#world.machine.random.chance(READ_AHEAD_RATE)) return {};
    return { readAhead: async (accounts) => new Map(accounts.flatMap((account) => this.#read(account))) };
  }

  #read(account: string): [string, Item][] {
    const { machine, store } = this.#world;
    const { random } = machine;
    const before = this.#seen.get(account);
    if (random.chance(MISSING_RATE)) return [];
    if (before !== undefined && random.chance(STALE_RATE)) return [[account, before]];
    const item = store.items('accounts').find((candidate) => candidate.account === account);
    if (item === undefined) return [];
    this.#seen.set(account, item);
    return [[account, item]];
  }
}
