import type { Clock } from '../../shared/runtime/clock.ts';
import type { Sleep } from '../../shared/runtime/sleep.ts';
import type { RetryingClient } from '../fetch/retrying-client.ts';
import type { StickyUpstream } from '../fetch/sticky-upstream.ts';
import { type BlockForm, createNodeReader, type NodeReader } from './node-reader.ts';
import { ofReadableBlocks } from './readable-blocks.ts';
import { withBestHead } from './with-best-head.ts';
import { withChainCheck } from './with-chain-check.ts';
import { withVanishedBlocks } from './with-vanished-blocks.ts';

interface StickyReaderParts {
  readonly connection: StickyUpstream;
  /** The same, asked again where that helps. */
  readonly patient: RetryingClient;
  /** EIP-155 chain id of the stage file. */
  readonly chainId: number;
  readonly form: BlockForm;
  readonly clock: Clock;
  /** Waits, or less if the signal says so; never rejects. */
  readonly wait: Sleep;
}

/**
 * Reads a chain through one upstream of several: one of the right chain, which gives its blocks, and whose
 * head is not behind those of the others. It has to forget whenever another upstream is read.
 */
export function createStickyReader({
  connection,
  patient,
  chainId,
  form,
  clock,
  wait,
}: StickyReaderParts): NodeReader {
  const reader = createNodeReader(
    connection,
    clock,
    { ...form, nodeName: () => connection.current().name },
    wait,
  );
  const moveOn = () => connection.moveOn();
  const right = withChainCheck(reader, patient, chainId, moveOn);
  const readable = ofReadableBlocks(right, connection.others().length + 1, moveOn);
  const best = withBestHead({ reader: readable, node: connection, chainId, clock });
  return {
    ...withVanishedBlocks({ reader: best, node: connection, chainId, clock }),
    forget() {
      right.forget();
      reader.forget();
    },
  };
}
