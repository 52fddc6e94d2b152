import type { BillCheck, ToldBill } from '../../../lambdas/access/bill-check.ts';
import type { ProcessMeter } from '../../../lambdas/access/meter.ts';
import { isStoreUnavailable } from '../../../lambdas/access/store/store.ts';
import { rpcPrice } from '../../../lambdas/rpc/billing/price-again.ts';
import { handleRequest } from '../../../lambdas/rpc/handle-request.ts';
import { deadlineOf } from '../../../lambdas/rpc/response/render-response.ts';
import type { RpcResponse } from '../../../lambdas/rpc/response/rpc-response.ts';
import { FIRST_PRICE_LIST } from '../../../lambdas/shared/bill/price-list.ts';
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
  { process, meter, bills }: Instance,
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
  const charges: ReturnType<BillCheck['charged']>[] = [];
  const noting: ProcessMeter = {
    ...meter,
    charge: (of, cu, usage, hour) => {
      const charge = meter.charge(of, cu, usage, hour);
      charges.push(bills.charged(cu, charge.lane));
      return charge;
    },
  };
  const handle = mutant?.handleRequest?.(handleRequest) ?? handleRequest;
  const answer = await handle(
    {
      holder,
      chain: simulatedChain(request.chain),
      body: request.body,
      deadline: deadlineOf(process.clock.now(), FUNCTION_TIMEOUT_MS, UPSTREAM_TIMEOUT_MS),
    },
    witness.watch(noting, request),
    node,
  );
  if (answer === undefined || (answer.admitted !== true && !(await meter.isActive(holder)))) {
    return witness.seeAnswer(request, undefined);
  }
  checkBill(world, request, answer, (told) =>
    bills.brokenRule({ charges, told, hasCalledNodes: node.wasCalled }),
  );
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

/** Finds fault with a bill as a deployed function does, with the price of each and not of some. */
function checkBill(
  { machine, witness, mutant }: World,
  request: ClientRequest,
  { headers, body }: RpcResponse,
  ruleOf: (told: ToldBill) => ReturnType<BillCheck['brokenRule']>,
): void {
  const { 'X-Cache': cacheMarks, 'X-CU-Billed': billedCu = '0', 'X-CU-Lane': lane } = headers;
  const told = { billedCu: Number(billedCu), lane, cacheMarks };
  const price = rpcPrice({ asked: request.body, cacheMarks, body }, FIRST_PRICE_LIST);
  const isPriced = price?.least === told.billedCu && price.most === told.billedCu;
  const rule = ruleOf(told) ?? (isPriced ? undefined : 'price');
  machine.tally.add('bills checked');
  if (rule === undefined) return;
  machine.tally.add('bills that disagree');
  if (mutant === undefined) witness.blame(`the bill of request ${request.number} disagrees: ${rule}`);
}
