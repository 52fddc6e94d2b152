import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isMethodServed } from '../../lambdas/shared/methods/method-facts.ts';
import { loadStageConfig } from '../../lib/config/config.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'config');
/** Methods by which a node acts with keys of its own, or mines. */
const OWN_KEYS = [
  'eth_accounts',
  'eth_coinbase',
  'eth_getWork',
  'eth_mining',
  'eth_sendTransaction',
  'eth_sign',
  'eth_signTransaction',
  'eth_signTypedData',
  'eth_signTypedData_v4',
  'eth_submitHashrate',
  'eth_submitWork',
];
const SERVED = ['eth_sendRawTransaction', 'eth_call', 'eth_getLogs', 'eth_syncing', 'eth_simulateV1'];

describe.each(readdirSync(FOLDER))('the stage file %s', (file) => {
  const { chains } = loadStageConfig(join(FOLDER, file));

  test.each(chains)('keeps the nodes of $chain from signing for callers', ({ methods }) => {
    const served = [...OWN_KEYS, ...SERVED].filter((method) => isMethodServed(method, methods));
    expect(served).toEqual(SERVED);
  });
});
