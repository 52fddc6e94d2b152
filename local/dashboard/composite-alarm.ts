import type { Resolver } from '../template/intrinsics.ts';
import { resourcesOfType, type Template, type TemplateResource, unsupported } from '../template/template.ts';
import type { AlarmState, Judgement } from './judge-alarm.ts';

const TOKEN = /(?<state>ALARM|OK|INSUFFICIENT_DATA)\s*\(\s*(?<arn>"[^"]+")\s*\)|[A-Z]+|[()\s]|./gs;
/** What a rule is made of beside the states of alarms, as JavaScript has it. */
const WORDS: Readonly<Record<string, string>> = {
  AND: '&&',
  OR: '||',
  NOT: '!',
  TRUE: 'true',
  FALSE: 'false',
};

/** The states of other alarms by their ARNs. */
type States = ReadonlyMap<string, AlarmState>;

type Holds = (states: States) => boolean;

/** A condition on the states of other alarms. */
interface AlarmRule {
  /** ARNs of the alarms that it names. */
  readonly named: ReadonlySet<string>;
  readonly holds: Holds;
}

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
  readonly rule: AlarmRule;
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
      rule: parseRule(resource, String(resolve(AlarmRule))),
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
  const named = [...rule.named];
  const known = named.filter((arn) => states.get(arn) !== 'NOT_AVAILABLE');
  if (known.length === 0 && named.length > 0)
    return { state: 'NOT_AVAILABLE', reason: 'none of its alarms is available locally' };
  const on = named.filter((arn) => states.get(arn) === 'ALARM');
  const reason =
    on.length === 0 ? 'none of its alarms is on' : `on: ${on.map((arn) => arn.split(':').at(-1)).join(', ')}`;
  return { state: rule.holds(states) ? 'ALARM' : 'OK', reason };
}

/** Parses a rule, in which NOT binds before AND, and AND before OR. */
function parseRule(resource: TemplateResource, text: string): AlarmRule {
  const named = new Set<string>();
  const script = text.replace(TOKEN, (token, state, arn) => {
    if (arn === undefined && /[()\s]/.test(token)) return token;
    if (arn === undefined) return WORDS[token] ?? '#';
    named.add(JSON.parse(arn));
    return `is(${arn}, "${state}")`;
  });
  try {
    const rule = new Function('is', `'use strict'; return (${script});`);
    return { named, holds: (states) => rule((arn: string, state: string) => states.get(arn) === state) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw unsupported(resource, `AlarmRule ${text}`);
  }
}
