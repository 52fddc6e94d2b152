import { isStoreUnavailable } from '../../../lambdas/access/store/store.ts';
import { handleRequest } from '../../../lambdas/rpc/handle-request.ts';
import { deadlineOf } from '../../../lambdas/rpc/response/deadline.ts';
import { simulatedChain } from '../simulated-chain.ts';
import type { World } from '../world.ts';
import type { ClientRequest } from './client-request.ts';
import type { Instance } from './instance.ts';
import { SimulatedNode } from './simulated-node.ts';

const FUNCTION_TIMEOUT_MS = 29_000;
const UPSTREAM_TIMEOUT_MS = 10_000;

/**
 * Serves one request of a client as the deployed function does: authenticate, then all of `handleRequest`, with a
 * simulated node in place of cache and upstreams.
 */
export async function serveRequest(
  world: World,
  { process, meter }: Instance,
  apiKey: string,
  request: ClientRequest,
): Promise<void> {
  const { machine, witness, mutant } = world;
  const holder = await meter.authenticate(apiKey).catch((error: unknown) => {
    if (!isStoreUnavailable(error)) throw error;
    return 'unavailable' as const;
  });
  if (holder === 'unavailable' || holder === undefined) {
    machine.tally.add(`authentication: ${holder ?? 'unknown'}`);
    return witness.seeAnswer(request, undefined);
  }
  const node = new SimulatedNode(world.node, process, (cu) => {
    request.nodeCu = cu;
  });
  const handle = mutant?.handleRequest?.(handleRequest) ?? handleRequest;
  const answer = await handle(
    {
      holder,
      chain: simulatedChain(request.chain),
      body: request.body,
      deadline: deadlineOf(process.clock.now(), FUNCTION_TIMEOUT_MS, UPSTREAM_TIMEOUT_MS),
    },
    witness.watch(meter, request),
    node,
  );
  if (answer === undefined || (answer.admitted !== true && !(await meter.isActive(holder)))) {
    return witness.seeAnswer(request, undefined);
  }
  const conclude = async () => {
    await Promise.all([answer.conclude?.(), meter.storeDue()]);
    request.concluded = true;
    witness.seeConclusion(request);
  };
  if (world.metering.storeBeforeAnswer) await conclude();
  witness.seeAnswer(request, answer);
  world.receipts.noteAnswer(request.account);
  if (!world.metering.storeBeforeAnswer) await conclude();
}
