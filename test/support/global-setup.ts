import { openRunFolder } from './run-folder.ts';

/** Before the first test file of a run. */
// biome-ignore lint/style/noDefaultExport: jest calls the default export
export default openRunFolder;
