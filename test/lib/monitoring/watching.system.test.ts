/** That alarms and the budget are set as the runbook says, and the database has those of its size. */
import { testAlarmSettings } from './alarm-settings.ts';
import { testBudget } from './budget.ts';
import { testDatabaseAlarms } from './database-alarms.ts';

describe('how alarms are set', testAlarmSettings);
describe('alarms of the database', testDatabaseAlarms);
describe('the budget', testBudget);
