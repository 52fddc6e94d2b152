/** That each part of a local run does, by itself, what the service of AWS does that it stands for. */
import { testApi } from './api.ts';
import { testDataApi } from './database/data-api.ts';
import { testDataApiTimes } from './database/data-api-times.ts';
import { testPostgres } from './database/postgres.ts';
import { testFunctions } from './functions.ts';
import { testAnvil } from './processes/anvil.ts';
import { testDynamoDb } from './processes/dynamodb.ts';
import { testTables } from './tables.ts';

describe('functions', testFunctions);
describe('the API', testApi);
describe('the node', testAnvil);
describe('DynamoDB', testDynamoDb);
describe('tables', testTables);
describe('PostgreSQL', testPostgres);
describe('the RDS Data API', testDataApi);
describe('times of the RDS Data API', testDataApiTimes);
