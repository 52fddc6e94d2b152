import type { Resolver } from '../template/intrinsics.ts';
import { resourcesOfType, type Template, type TemplateResource, unsupported } from '../template/template.ts';
import { type Integration, readIntegration } from './integrations.ts';

/** A resource of the REST API that has methods. */
interface LocalRoute {
  readonly resourceId: string;
  /** Path template, such as `/v1/{credential}`. */
  readonly resourcePath: string;
  /** Integrations by HTTP method or `ANY`. */
  readonly methods: ReadonlyMap<string, Integration>;
}

export interface RouteMatch {
  readonly route: LocalRoute;
  /** Values of the path variables, percent-encoded as they were sent. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

/** Finds the resource for a path; undefined: absent. */
type Router = (path: string) => RouteMatch | undefined;

interface RouteNode {
  route?: LocalRoute;
  readonly fixed: Map<string, RouteNode>;
  variable?: { readonly name: string; readonly node: RouteNode };
  greedy?: { readonly name: string; readonly node: RouteNode };
}

/**
 * Makes the router of a template's REST API: a fixed segment wins over a variable, a variable over a greedy one. A
 * slash at the end and repeated slashes at the beginning do not matter; resources without methods do not exist.
 */
export function createRouter(template: Template, resolve: Resolver): Router {
  const root: RouteNode = { fixed: new Map() };
  for (const route of readRoutes(template, resolve)) {
    nodeFor(root, segmentsOf(route.resourcePath)).route = route;
  }
  return (path) => {
    const found = find(root, segmentsOf(path), []);
    return found && { route: found.route, pathParameters: Object.fromEntries(found.parameters) };
  };
}

function segmentsOf(path: string): readonly string[] {
  const trimmed = path.replace(/^\/+/, '').replace(/\/+$/, '');
  return trimmed === '' ? [] : trimmed.split('/');
}

function nodeFor(root: RouteNode, segments: readonly string[]): RouteNode {
  let node = root;
  for (const segment of segments) {
    const [, name, plus] = /^\{(.+?)(\+?)\}$/.exec(segment) ?? [];
    const child: RouteNode = { fixed: new Map() };
    if (name === undefined) {
      const known = node.fixed.get(segment) ?? child;
      node.fixed.set(segment, known);
      node = known;
    } else if (plus === '+') {
      node.greedy ??= { name, node: child };
      node = node.greedy.node;
    } else {
      node.variable ??= { name, node: child };
      node = node.variable.node;
    }
  }
  return node;
}

type Found = { readonly route: LocalRoute; readonly parameters: readonly (readonly [string, string])[] };

function find(
  node: RouteNode,
  segments: readonly string[],
  parameters: Found['parameters'],
): Found | undefined {
  const [segment, ...rest] = segments;
  if (segment === undefined) return node.route && { route: node.route, parameters };
  const fixed = node.fixed.get(segment);
  const { variable, greedy } = node;
  return (
    (fixed && find(fixed, rest, parameters)) ||
    (variable && segment !== '' && find(variable.node, rest, [...parameters, [variable.name, segment]])) ||
    (greedy && find(greedy.node, [], [...parameters, [greedy.name, segments.join('/')]])) ||
    undefined
  );
}

function readRoutes(template: Template, resolve: Resolver): readonly LocalRoute[] {
  const methods = new Map<string, Map<string, Integration>>();
  for (const method of resourcesOfType(template, 'AWS::ApiGateway::Method')) {
    const { AuthorizationType, HttpMethod, ResourceId } = method.properties;
    if (AuthorizationType !== 'NONE')
      throw unsupported(method, `AuthorizationType ${String(AuthorizationType)}`);
    const resourceId = String(resolve(ResourceId));
    const ofResource = methods.get(resourceId) ?? new Map();
    ofResource.set(String(HttpMethod), readIntegration(template, resolve, method));
    methods.set(resourceId, ofResource);
  }
  return [...methods].map(([resourceId, ofResource]) => ({
    resourceId,
    resourcePath: pathOf(template, resolve, resourceId),
    methods: ofResource,
  }));
}

/** The root has no resource of its own in a template, only an attribute of the API. */
function pathOf(template: Template, resolve: Resolver, resourceId: string): string {
  const resource = template.resources.get(resourceId);
  if (resource === undefined) return '/';
  return `${parentPath(template, resolve, resource)}/${String(resource.properties.PathPart)}`;
}

function parentPath(template: Template, resolve: Resolver, resource: TemplateResource): string {
  const path = pathOf(template, resolve, String(resolve(resource.properties.ParentId)));
  return path === '/' ? '' : path;
}
