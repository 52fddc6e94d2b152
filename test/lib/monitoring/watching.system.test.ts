/** That alarms and the budget are set as the runbook says, and are on when what they watch is wrong. */
import { testAlarmSettings } from './alarm-settings.ts';
import { testAlarms } from './alarms.ts';
import { testBudget } from './budget.ts';
import { testDatabaseAlarms } from './database-alarms.ts';

describe('how alarms are set', testAlarmSettings);
describe('what alarms make of figures', testAlarms);
describe('alarms of the database', testDatabaseAlarms);
describe('the budget', testBudget);
