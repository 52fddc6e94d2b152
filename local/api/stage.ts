import {
  isTemplateObject,
  refuseUnknown,
  resourcesOfType,
  type Template,
  type TemplateResource,
  unsupported,
} from '../template/template.ts';
import { unsupportedInTemplate } from './context.ts';

/** The deployed stage of the REST API. */
interface Stage {
  readonly apiId: string;
  readonly name: string;
  /** Whether bodies are bytes, which travel in base64, and not text: the binary media types all types, or none. */
  readonly bodiesAreBinary: boolean;
  /** Format of a line of the access log; undefined: absent. */
  readonly accessLogFormat: string | undefined;
  /** Requests per second and burst of all methods together; undefined: not limited. */
  readonly throttling: { readonly requestsPerSecond: number; readonly burst: number } | undefined;
}

/** Reads the one stage of the template's one REST API. */
export function readStage(template: Template): Stage {
  const apis = resourcesOfType(template, 'AWS::ApiGateway::RestApi');
  const stages = resourcesOfType(template, 'AWS::ApiGateway::Stage');
  const [api] = apis;
  const [stage] = stages;
  if (api === undefined || stage === undefined || apis.length + stages.length > 2) {
    throw new Error(`${template.stackName}: a local run needs one REST API with one stage`);
  }
  return {
    apiId: api.logicalId,
    name: String(stage.properties.StageName),
    bodiesAreBinary: readBinaryMediaTypes(api),
    accessLogFormat: readAccessLogFormat(stage),
    throttling: readThrottling(stage),
  };
}

function readBinaryMediaTypes(api: TemplateResource): boolean {
  const types = api.properties.BinaryMediaTypes ?? [];
  if (!Array.isArray(types) || types.some((type) => type !== '*/*')) {
    throw unsupported(api, `BinaryMediaTypes ${JSON.stringify(types)}`);
  }
  return types.length > 0;
}

function readAccessLogFormat(stage: TemplateResource): string | undefined {
  const setting = stage.properties.AccessLogSetting;
  if (!isTemplateObject(setting) || setting.Format === undefined) return undefined;
  const format = String(setting.Format);
  const foreign = unsupportedInTemplate(format);
  if (foreign !== undefined) throw unsupported(stage, `${foreign} in AccessLogSetting.Format`);
  return format;
}

function readThrottling(stage: TemplateResource): Stage['throttling'] {
  const settings = stage.properties.MethodSettings ?? [];
  if (!Array.isArray(settings)) throw unsupported(stage, 'MethodSettings that is not a list');
  for (const setting of settings.filter(isTemplateObject)) {
    refuseUnknown(stage, 'MethodSettings', setting, [
      'DataTraceEnabled',
      'HttpMethod',
      'LoggingLevel',
      'MetricsEnabled',
      'ResourcePath',
      'ThrottlingBurstLimit',
      'ThrottlingRateLimit',
    ]);
    const { HttpMethod, ResourcePath, ThrottlingBurstLimit, ThrottlingRateLimit } = setting;
    if (ThrottlingRateLimit === undefined && ThrottlingBurstLimit === undefined) continue;
    if (HttpMethod !== '*' || ResourcePath !== '/*') throw unsupported(stage, 'throttling of single methods');
    return { requestsPerSecond: Number(ThrottlingRateLimit), burst: Number(ThrottlingBurstLimit) };
  }
  return undefined;
}

/** Makes the check whether a request at a time in milliseconds is within the stage's throttling. */
export function createThrottle(limits: Stage['throttling']): (now: number) => boolean {
  if (limits === undefined) return () => true;
  let tokens = limits.burst;
  let filledAt = 0;
  return (now) => {
    tokens = Math.min(
      limits.burst,
      tokens + (Math.max(0, now - filledAt) / 1_000) * limits.requestsPerSecond,
    );
    filledAt = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}
