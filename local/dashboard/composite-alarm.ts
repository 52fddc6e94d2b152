import type { Resolver } from '../template/intrinsics.ts';
import { resourcesOfType, type Template, type TemplateResource, unsupported } from '../template/template.ts';
import type { AlarmState, Judgement } from './judge-alarm.ts';

/** Longest rule that CloudWatch takes, in characters, and how deep one may nest here. */
const MAX_CHARACTERS = 10_240;
const MAX_DEPTH = 50;
const TOKEN = /\s*(ALARM|OK|INSUFFICIENT_DATA|TRUE|FALSE|AND|OR|NOT|[()]|"[^"]+")/y;
const STATES = ['ALARM', 'OK', 'INSUFFICIENT_DATA'];

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
  if (text.length > MAX_CHARACTERS) throw unsupported(resource, `a rule of ${text.length} characters`);
  const tokens = tokensOf(resource, text);
  const named = new Set<string>();
  let at = 0;
  let depth = 0;

  function take(expected?: string): string {
    const token = tokens[at] ?? '';
    if (token === '' || (expected !== undefined && token !== expected))
      throw unsupported(resource, `AlarmRule ${text}`);
    at += 1;
    return token;
  }

  function operation(name: 'AND' | 'OR', operand: () => Holds): Holds {
    const operands = [operand()];
    while (tokens[at] === name) {
      at += 1;
      operands.push(operand());
    }
    if (name === 'AND') return (states) => operands.every((holds) => holds(states));
    return (states) => operands.some((holds) => holds(states));
  }

  const either = (): Holds => operation('OR', () => operation('AND', single));

  function single(): Holds {
    depth += 1;
    if (depth > MAX_DEPTH) throw unsupported(resource, `AlarmRule deeper than ${MAX_DEPTH} levels`);
    const holds = conditionOf(take());
    depth -= 1;
    return holds;
  }

  function conditionOf(token: string): Holds {
    if (token === 'NOT') {
      const holds = single();
      return (states) => !holds(states);
    }
    if (token === 'TRUE' || token === 'FALSE') return () => token === 'TRUE';
    if (token === '(') {
      const inner = either();
      take(')');
      return inner;
    }
    if (!STATES.includes(token)) throw unsupported(resource, `AlarmRule ${text}`);
    take('(');
    const arn = take().slice(1, -1);
    take(')');
    named.add(arn);
    return (states) => states.get(arn) === token;
  }

  const holds = either();
  if (at < tokens.length) throw unsupported(resource, `AlarmRule ${text}`);
  return { named, holds };
}

function tokensOf(resource: TemplateResource, text: string): string[] {
  const tokens: string[] = [];
  const trimmed = text.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < trimmed.length) {
    const [, token] = TOKEN.exec(trimmed) ?? [];
    if (token === undefined) throw unsupported(resource, `AlarmRule ${text}`);
    tokens.push(token);
  }
  return tokens;
}
