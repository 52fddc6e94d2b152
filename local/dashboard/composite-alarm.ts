import type { Resolver } from '../template/intrinsics.ts';
import { resourcesOfType, type Template, type TemplateResource, unsupported } from '../template/template.ts';
import type { AlarmState, Judgement } from './judge-alarm.ts';

/** Longest rule that CloudWatch takes, in characters. */
const MAX_CHARACTERS = 10_240;
/** The state of one alarm that a rule asks for. */
const CONDITION = /\b(ALARM|OK|INSUFFICIENT_DATA)\("([^"]+)"\)/g;
/** Innermost parentheses once it is known which conditions hold: a stack of ours puts them around all of AND, and all of OR. */
const INNERMOST = /\(([01](?: AND [01])*|[01](?: OR [01])*)\)/g;

/** The states of other alarms by their ARNs. */
type States = ReadonlyMap<string, AlarmState>;

/** Keeps the actions of a composite alarm back while another alarm is on. Times are in seconds. */
interface Suppressor {
  readonly arn: string;
  /** For which a composite alarm that goes off waits for the other one to go off. */
  readonly waitSeconds: number;
  /** For which it still waits once the other one has ended. */
  readonly extensionSeconds: number;
}

/** A composite alarm of the template. */
export interface CompositeDefinition {
  readonly logicalId: string;
  readonly arn: string;
  readonly description: string;
  /** Whether it has an action, and does not only explain others. */
  readonly tells: boolean;
  /** A condition on the states of other alarms. */
  readonly rule: string;
  readonly suppressor: Suppressor | undefined;
}

/**
 * The composite alarms of a template.
 * @throws UnsupportedTemplateError for a rule that is not understood
 */
export function readCompositeAlarms(template: Template, resolve: Resolver): CompositeDefinition[] {
  return resourcesOfType(template, 'AWS::CloudWatch::CompositeAlarm').map((resource) => {
    const { AlarmActions, AlarmDescription, AlarmRule, ...rest } = resource.properties;
    const { ActionsSuppressor, ActionsSuppressorWaitPeriod, ActionsSuppressorExtensionPeriod } = rest;
    return {
      logicalId: resource.logicalId,
      arn: String(resolve({ 'Fn::GetAtt': [resource.logicalId, 'Arn'] })),
      description: String(resolve(AlarmDescription ?? '')),
      tells: Array.isArray(AlarmActions),
      rule: readRule(resource, String(resolve(AlarmRule))),
      suppressor:
        ActionsSuppressor === undefined
          ? undefined
          : {
              arn: String(resolve(ActionsSuppressor)),
              waitSeconds: Number(ActionsSuppressorWaitPeriod),
              extensionSeconds: Number(ActionsSuppressorExtensionPeriod),
            },
    };
  });
}

/** Judges a composite alarm by the states of those that it names, by their ARNs; one that no run can know is off. */
export function judgeComposite({ rule }: CompositeDefinition, states: States): Judgement {
  const named = [...new Set([...rule.matchAll(CONDITION)].map(([, , arn = '']) => arn))];
  const known = named.filter((arn) => states.get(arn) !== 'NOT_AVAILABLE');
  if (known.length === 0 && named.length > 0)
    return { state: 'NOT_AVAILABLE', reason: 'none of its alarms is available locally' };
  const on = named.filter((arn) => states.get(arn) === 'ALARM');
  const reason =
    on.length === 0 ? 'none of its alarms is on' : `on: ${on.map((arn) => arn.split(':').at(-1)).join(', ')}`;
  return { state: truthOf(rule, states) === '1' ? 'ALARM' : 'OK', reason };
}

function readRule(resource: TemplateResource, rule: string): string {
  if (rule.length > MAX_CHARACTERS) throw unsupported(resource, `a rule of ${rule.length} characters`);
  if (!/^[01]$/.test(truthOf(rule, new Map()))) throw unsupported(resource, `AlarmRule ${rule}`);
  return rule;
}

/** `1` if a rule holds, and `0` if not; of one that is not understood, something else is left. */
function truthOf(rule: string, states: States): string {
  const bit = (holds: boolean) => (holds ? '1' : '0');
  let rest = `(${rule.replaceAll(CONDITION, (_, state, arn: string) => bit(states.get(arn) === state))})`;
  // Each round has fewer parentheses than the one before.
  for (let before = ''; before !== rest; ) {
    before = rest;
    rest = before.replaceAll(INNERMOST, (_, operands: string) =>
      bit(operands.includes('AND') ? !operands.includes('0') : operands.includes('1')),
    );
  }
  return rest;
}
