/**
 * Synthesises stage files (second argument and those after it) into folders that are named after them, in the folder that
 * is the first argument, and prints their assemblies as JSON: a list in the order of the files.
 */
import { basename, join } from 'node:path';
import { synthesise } from '../../lib/synthesise.ts';

const [folder = '', ...files] = process.argv.slice(2);
const assemblies = files.map((file) => synthesise(file, join(folder, basename(file, '.json'))));
process.stdout.write(JSON.stringify(assemblies));
