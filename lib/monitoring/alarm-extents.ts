import type { AlarmExtent } from '../config/stage-config.ts';

/** What somebody who only tries the gateway wants to know: that it fails, that its node does, that money is lost or wrong. */
const LEAST = [
  'FailingRequests',
  'NodesDown',
  'LostCharges',
  'BooksDoNotBalance',
  'SettlementLate',
  // Where a chain is indexed.
  'IndexHalted',
] as const;

/** One alarm for each symptom of a stage with customers; what finds its cause is in the log lines and on the dashboard. */
const USUAL = [
  ...LEAST,
  'BillsDisagree',
  'NothingCharged',
  'BillingUnavailable',
  'UnchargedAnswers',
  'ChargesWaiting',
  'AccountBalancesOld',
  'FailedSettlements',
  'NoAudit',
  'LedgerBehindHead',
  'NoHead',
  'AccountConcurrency',
  'ProbeFailing',
  'CertificateExpires',
  'BackupMissing',
  'ChainBehind',
  'DatabaseLost',
  'FailingDataRequests',
  'DatabaseBusy',
] as const;

/** Sections of the runbook whose alarms a stage has; undefined: all of them. */
export const ALARM_SECTIONS: Readonly<Record<AlarmExtent, readonly string[] | undefined>> = {
  least: LEAST,
  usual: USUAL,
  all: undefined,
};
