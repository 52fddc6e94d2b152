import { removeRunFolder } from './run-folder.ts';

/** After the last test file of a run. */
// biome-ignore lint/style/noDefaultExport: jest calls the default export
export default removeRunFolder;
