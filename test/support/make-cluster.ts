/**
 * Makes the cluster that the databases of the tests are copies of, in the folder that is its argument: with the users
 * of functions, whose passwords the tests know, and a few empty chains.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '../../lambdas/migrate/migrate.ts';
import { addChains, CREDENTIALS, connectAs, MADE_CHAINS } from '../database/migrated-database.ts';
import { serveDatabase } from '../local/database/test-database.ts';

/** What a test wrote need not outlive a power cut, and no test waits for the disk. */
const SETTINGS = 'fsync = off\nfull_page_writes = off\n';

const [folder = ''] = process.argv.slice(2);
const database = await serveDatabase(folder);
await migrate(connectAs(database, 'admin'), { chains: [], migrations: [], credentials: CREDENTIALS });
await addChains(database.postgres.superuser, MADE_CHAINS);
await database.close();
appendFileSync(join(folder, 'cluster', 'postgresql.conf'), SETTINGS);
