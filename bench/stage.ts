import type { StageConfigInput } from '../lib/config/stage-config.ts';
import { type RunningGateway, startGateway } from '../test/end-to-end/running-gateway.ts';

/** The chain of a stage that benchmarks use. */
export const CHAIN = 'bench';
/** Plan without a limit that a benchmark could reach. */
export const WIDE_PLAN = 'wide';

/** A stage with one chain, whose one key may ask as often as it can. */
const STAGE: StageConfigInput = {
  stage: 'bench',
  chains: [{ chain: CHAIN, name: 'Bench', chainId: 1, default: true, upstreams: ['embedded'] }],
  plans: { [WIDE_PLAN]: { bucketCapacity: 1_000_000_000, refillPerSecond: 1_000_000_000, shards: 1 } },
  defaultPlan: WIDE_PLAN,
  demo: { creditCu: 1_000_000_000_000 },
  alarms: { enabled: false },
  removal: 'destroy',
};

/** The stage of benchmarks, with what is otherwise in one. */
export function benchStage(changes: Partial<StageConfigInput> = {}): StageConfigInput {
  return { ...STAGE, ...changes };
}

/** Chains whose nodes are at these URLs of this machine, by name; the first one is the default. */
export function chainsAt(nodes: Readonly<Record<string, string>>): StageConfigInput['chains'] {
  return Object.entries(nodes).map(([chain, url], index) => ({
    chain,
    name: chain,
    chainId: 1,
    default: index === 0,
    upstreams: [url],
    privateUpstreams: true,
  }));
}

/** Starts the stage as a person starts it, and stops it when the work has ended, or this process. */
export async function withGateway<Result>(
  changes: Partial<StageConfigInput>,
  work: (gateway: RunningGateway) => Promise<Result>,
): Promise<Result> {
  const gateway = await startGateway({ config: benchStage(changes) });
  const interrupt = () => gateway.process.kill('SIGINT');
  process.once('exit', interrupt);
  try {
    return await work(gateway);
  } finally {
    process.off('exit', interrupt);
    await gateway.stop();
  }
}
