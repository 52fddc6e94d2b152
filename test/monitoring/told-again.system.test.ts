import { type MetricName, metricNamespace, renderMetrics } from '../../lambdas/shared/runtime/metrics.ts';
import { parseEmbeddedMetrics } from '../../local/dashboard/embedded-metrics.ts';
import { synthesisedOnce } from '../support/synthesised-once.ts';
import { emitted, STAGE } from './many-chains.ts';
import { type Emit, PlayedAlarms } from './played-alarms.ts';

const SOUND_MINUTES = 20;
/** In which the first member is over its bound, then both, and then the second: no alarm here looks back for longer. */
const EACH_MINUTES = 30;
const RESPONSES = 100;

/** Emits so many runs of a function, each with these values. */
function ran(emit: Emit, name: string, values: object): void {
  const run = { of: { Function: name, Version: '1' }, values: { RunTime: 5, ...values } };
  for (const one of parseEmbeddedMetrics(renderMetrics({ run }, 0, metricNamespace(STAGE))))
    emit(one, new Array(RESPONSES).fill(one.value));
}

/** Counts a fault of a chain that is not well. */
const faultOf = (name: MetricName) => (emit: Emit, Chain: string, isWell: boolean) => {
  if (!isWell) emitted(emit, { [name]: 1 }, { Chain });
};

/** A minute of a member of each alarm, that is well or over its bound. */
const MEMBERS: Readonly<Record<string, (emit: Emit, member: string, isWell: boolean) => void>> = {
  nodecallshigh: (emit, Chain, isWell) =>
    emitted(emit, { Calls: RESPONSES, NodeCalls: RESPONSES * (isWell ? 1 : 5) }, { Chain }),
  upstreamtakenout: faultOf('UpstreamsTakenOut'),
  upstreamheld: faultOf('UpstreamsHeld'),
  upstreamsdisagree: faultOf('UpstreamsDisagree'),
  wronganswers: faultOf('WrongAnswers'),
  prooflost: faultOf('ProofLost'),
  blocksunproven: faultOf('UnprovenBlocks'),
  hashcontradicted: faultOf('HashContradictions'),
  witnessessilent: faultOf('SilentWitnesses'),
  derivationssetaside: faultOf('DerivationsSetAside'),
  billsdisagree: (emit, name, isWell) => ran(emit, name, isWell ? {} : { BillsDisagree: 1 }),
  nothingcharged: (emit, name, isWell) => ran(emit, name, { ChargedComputeUnits: isWell ? 20 : 0 }),
  requestsnotfound: (emit, name, isWell) => ran(emit, name, isWell ? {} : { NotFoundAnswers: 1 }),
};

test.each([
  ['nodecallshigh', 'ticket', 'example_mainnet', 'example_testnet'],
  ['upstreamtakenout', 'ticket', 'example_mainnet', 'example_testnet'],
  ['upstreamheld', 'ticket', 'example_mainnet', 'example_testnet'],
  ['upstreamsdisagree', 'ticket', 'example_mainnet', 'example_testnet'],
  ['wronganswers', 'ticket', 'example_mainnet', 'example_testnet'],
  ['prooflost', 'ticket', 'example_mainnet', 'example_testnet'],
  ['blocksunproven', 'page', 'example_mainnet', 'example_testnet'],
  ['hashcontradicted', 'page', 'example_mainnet', 'example_testnet'],
  ['witnessessilent', 'ticket', 'example_mainnet', 'example_testnet'],
  ['derivationssetaside', 'ticket', 'example_mainnet', 'example_testnet'],
  ['billsdisagree', 'page', 'rpc', 'mcp'],
  ['nothingcharged', 'page', 'rpc', 'data'],
  ['requestsnotfound', 'page', 'rpc', 'status'],
])(
  '%s is a %s for %s, and one more for %s while the first is still on',
  (section, severity, first, second) => {
    const played = new PlayedAlarms(
      synthesisedOnce('example-production').folder,
      new RegExp(`^${section}\\b`),
    );
    const play = (minutes: number, over: readonly string[]) =>
      played.play(minutes, (emit) => {
        for (const member of [first, second]) MEMBERS[section]?.(emit, member, !over.includes(member));
      });
    play(SOUND_MINUTES, []);
    expect(played.told).toEqual([]);
    play(EACH_MINUTES, [first]);
    play(EACH_MINUTES, [first, second]);
    play(EACH_MINUTES, [second]);
    expect(played.told.map((one) => `${one.severity} ${one.name} ${one.state}`)).toEqual([
      `${severity} ${section} ${first} ALARM`,
      `${severity} ${section} ${second} ALARM`,
      `${severity} ${section} ${first} OK`,
    ]);
  },
);
