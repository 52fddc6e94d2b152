/** Synthesises a stage file (first argument) into a folder (second) and prints a SynthesisedStage as JSON. */
import { loadStageConfig } from '../lib/config/config.ts';
import { embeddedChains, embeddedUpstreamParameter } from '../lib/functions/embedded-upstreams.ts';
import { synthesise } from '../lib/synthesise.ts';
import type { SynthesisedStage } from './synthesis.ts';

const [configPath = '', folder = ''] = process.argv.slice(2);
const { chains } = loadStageConfig(configPath);
const synthesised: SynthesisedStage = {
  ...synthesise(configPath, folder),
  embeddedUpstreamParameters: Object.fromEntries(
    embeddedChains(chains).map((chain) => [chain, embeddedUpstreamParameter(chain)]),
  ),
};
process.stdout.write(JSON.stringify(synthesised));
