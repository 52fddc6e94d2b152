/** That the commands of the operator do on real stores and databases what they say. */
import { testRowSizes } from './fill/row-sizes.ts';
import { testProcess } from './process.ts';
import { testKilledRestore } from './restore/killed-restore.ts';
import { testRestoreTable } from './restore/restore-table.ts';

describe('the process', testProcess);
describe('sizes of rows', testRowSizes);
describe('a restore', testRestoreTable);
describe('a restore that is killed', testKilledRestore);
