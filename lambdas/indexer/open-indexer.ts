import { connectRdsData, openSharedTextStore, openWaitingStore } from 'gateway-access';
import { decodeBlock } from '../chain-data/decode/decode-block.ts';
import { type DecodeOptions, transferRule } from '../chain-data/decode/decode-logs.ts';
import type { Hex, RawBlock } from '../chain-data/decode/raw-block.ts';
import { openTransferDerivation } from '../chain-data/store/transfer-derivation.ts';
import type { ReadSecret } from '../shared/aws/cached-secrets.ts';
import { connectionTo } from '../shared/chain-database/chain-queries.ts';
import { openChainDatabase } from '../shared/chain-database/open-chain-database.ts';
import { systemClock } from '../shared/runtime/clock.ts';
import { log } from '../shared/runtime/log.ts';
import { type ChainSettings, hasCallBudget } from '../shared/runtime/settings.ts';
import { sleep } from '../shared/runtime/sleep.ts';
import type { Soon } from '../shared/runtime/soon.ts';
import { systemTelemetry } from '../shared/runtime/telemetry.ts';
import type { ChainUpstreams } from '../shared/upstream/chain-upstreams.ts';
import { connectChain, tellOfWrongChain } from '../shared/upstream/connect-chain.ts';
import { indexCallLines, NodeCalls } from '../shared/upstream/connection/node-connection.ts';
import { type OperatorOf, operatorsOf } from '../shared/upstream/operators/operators.ts';
import { SharedView } from '../shared/upstream/sharing/shared-view.ts';
import { proofOf } from '../shared/verify/chain-proof.ts';
import { describeRelaxed, relaxedBy } from './blocks/block-error.ts';
import { openChainIndex } from './chain-index/chain-index.ts';
import { createItemDescriber, MAX_ITEMS } from './describe/describe-items.ts';
import { describeTokens, MAX_TOKENS } from './describe/describe-tokens.ts';
import { linkStocks } from './describe/read-stock-answers.ts';
import { createConfirmWords } from './fetch/confirm-words.ts';
import { createRetryingClient } from './fetch/retrying-client.ts';
import { createStickyUpstream, type StickyUpstream } from './fetch/sticky-upstream.ts';
import type { ReadDeadline } from './follow/chain-reader.ts';
import { createPacedDescriber } from './follow/idle-work.ts';
import { createStickyReader } from './follow/sticky-reader.ts';
import { createBlockVerifier } from './proof/block-verifier.ts';
import type { WitnessParts } from './proof/hash-votes.ts';
import { Witnesses } from './proof/witnesses.ts';

/** Longest time that a database which wakes from its pause is waited for, in milliseconds. */
export const RESUME_WAIT_MS = 40_000;
/** Age at which it is read again which upstreams an operator holds, in milliseconds. */
const HOLDS_MAX_AGE_MS = 10_000;

/** The node and the index of one chain, as a function of the indexer works with them. */
export type Indexer = ReturnType<typeof openIndexer>;

/** Opens the nodes of a chain, once per instance: the first upstream of the stage file is read, or the next that answers. */
export function openNode(chain: ChainSettings, readSecret: ReadSecret) {
  const nodeCalls = new NodeCalls();
  const connected = connectChain(chain, {
    clock: systemClock,
    readSecret,
    telemetry: systemTelemetry,
    nodeCalls,
    // Blocks of another chain would look like a reorganisation, or like a new chain.
    onWrongChain: tellOfWrongChain(chain, systemTelemetry),
    isChainStrict: true,
    callBudget: hasCallBudget(chain) ? { store: openWaitingStore(systemClock), yields: true } : undefined,
    onFailure: (upstream, error) =>
      log('warn', 'upstream_failed', {
        chain: chain.chain,
        upstream,
        reason: error.kind,
        error: error.message,
      }),
  });
  const moved = (upstream: string) => log('warn', 'index_upstream_changed', { chain: chain.chain, upstream });
  const connection = createStickyUpstream(connected.upstreams, moved, followHolds(chain.chain, connected));
  const operatorOf = operatorsOf(chain, readSecret);
  const asking = { node: connection, clock: systemClock, wait: sleep };
  return {
    connection,
    operatorOf,
    /** The same, asked again where that helps, and whose words another node confirms. */
    patient: {
      ...createRetryingClient(connection, systemClock, sleep),
      confirm: createConfirmWords({ ...asking, chain: chain.chain, operatorOf, telemetry: systemTelemetry }),
    },
    /** Emits how many calls were made for it since this was last done. */
    tellNodeCalls: () => {
      for (const line of indexCallLines(nodeCalls)) systemTelemetry.emit(line, systemClock.now());
    },
  };
}

/** Learns which upstreams an operator holds, of what all functions share, once in some seconds. */
function followHolds(chain: string, node: ChainUpstreams): () => Soon<void> {
  const view = new SharedView({ chain, node, store: openSharedTextStore(), telemetry: systemTelemetry });
  let readAfter = -Infinity;
  return () => {
    const now = systemClock.now();
    if (now < readAfter) return undefined;
    readAfter = now + HOLDS_MAX_AGE_MS;
    return view.read();
  };
}

/** What is read of a chain's blocks by its settings, and what verifies them. What is not checked is said once per instance. */
function openForm(settings: ChainSettings, proving: WitnessParts) {
  const { chain, relaxedChecks = [], traces = true } = settings;
  if (relaxedChecks.length > 0)
    log('info', 'index_checks_relaxed', { chain, reason: describeRelaxed(relaxedChecks) });
  const { proof } = proving;
  if (proof === undefined) log('info', 'index_unverified', { chain });
  const isRelaxed = relaxedBy(relaxedChecks);
  const verifier = proof && createBlockVerifier({ ...proving, proof, isRelaxed, wait: sleep });
  return { form: { traces, isRelaxed }, verifier };
}

/** What verifying blocks, and asking other nodes for their hashes, have in common. */
function openProving(chain: ChainSettings, node: StickyUpstream, operatorOf: OperatorOf): WitnessParts {
  return {
    ...{ chain: chain.chain, node, operatorOf, proof: proofOf(chain) },
    ...{ clock: systemClock, telemetry: systemTelemetry },
  };
}

/** Opens what indexes a chain, once per instance. */
export function openIndexer(chain: ChainSettings, readSecret: ReadSecret) {
  const node = openNode(chain, readSecret);
  const proving = openProving(chain, node.connection, node.operatorOf);
  const reader = createStickyReader({
    connection: node.connection,
    ...openForm(chain, proving),
    clock: systemClock,
    wait: sleep,
  });
  const database = openChainDatabase({ connect: connectRdsData, resumeWaitMs: RESUME_WAIT_MS });
  const connection = connectionTo(database, chain.chain);
  const asking = { chain: connection, node: node.patient };
  const describeNewTokens = createPacedDescriber(systemClock, MAX_TOKENS, (atMost, options) =>
    describeTokens(asking, atMost, options),
  );
  const describeNewItems = createPacedDescriber(systemClock, MAX_ITEMS, createItemDescriber(asking));
  const options = decodeOptionsOf(chain);
  let linked = chain.stocks === undefined;
  return {
    reader,
    witnesses: new Witnesses(proving),
    index: openChainIndex(connection, options),
    connection,
    /** What decoded transfers are derived by. */
    transferRule: transferRule(options),
    decode: (block: RawBlock) => decodeBlock(block, options),
    transfers: openTransferDerivation(connection, options),
    /** Asks some new tokens, and some new items of NFT collections, what they say of themselves. */
    async describe(options: ReadDeadline) {
      const asked = await describeNewTokens(options);
      // The stage file may know more than it did, and tokens may have come.
      if (chain.stocks !== undefined && (!linked || asked > 0)) await linkStocks(connection, chain.stocks);
      linked = true;
      await describeNewItems(options);
    },
    tellNodeCalls: node.tellNodeCalls,
  };
}

/**
 * What is believed of contracts because the stage file says so: that one is the wrapped native token, whose deposits and
 * withdrawals are transfers, and that some say who trades. Nothing is believed of a contract that only looks like one.
 */
function decodeOptionsOf({
  quotes,
  entryPoints,
}: Pick<ChainSettings, 'quotes' | 'entryPoints'>): DecodeOptions {
  const wrapped = quotes?.wrappedNative?.toLowerCase() as Hex | undefined;
  return {
    wrappedNative: new Set(wrapped && [wrapped]),
    entryPoints: entryPoints?.map((address) => address.toLowerCase()),
  };
}
