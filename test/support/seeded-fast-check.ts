/** fast-check for all tests (jest.config.ts), with one seed: a run that fails fails again, on every machine. */
import * as fastCheck from '../../node_modules/fast-check/lib/cjs/fast-check.js';

/** Variable with another seed, to look for what this one does not find: `random`, or an integer. */
const SEED_VARIABLE = 'PROPERTY_SEED';
const SEED = 20_261_120;

const chosen = process.env[SEED_VARIABLE] ?? SEED;
if (chosen !== 'random') fastCheck.configureGlobal({ seed: Number(chosen) });

// biome-ignore lint/style/noDefaultExport: it stands for a module that has one
export default fastCheck;
