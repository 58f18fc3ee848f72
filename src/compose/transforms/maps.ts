// `transform`: a transform of an author's own, made of small maps.
import type { MaybePromise } from '../../primitives/async/promises.ts'
import { checkKeys } from '../../primitives/options.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { Prompt } from '../../types/features/prompts.ts'
import type { Resource, ResourceTemplate } from '../../types/features/resources.ts'
import type { Tool } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { ComponentList } from '../sources/lists.ts'
import type { Transform } from '../sources/transform.ts'
import type { ComponentMap } from './layer-maps.ts'
import { MapLayer } from './map-layer.ts'

/** Maps of `transform()`. Each returns another form of what it is given, or `undefined` to hide it; it changes nothing in place. */
export interface TransformMaps {
  /** Tools. With a second parameter it is called for each caller, and lists become private. */
  tool?: ((tool: Tool, request: ServerRequestContext) => Tool | undefined) | undefined
  /** Resources, as `tool`. */
  resource?: ((resource: Resource, request: ServerRequestContext) => Resource | undefined) | undefined
  /** Resource templates, as `tool`. */
  template?: ((template: ResourceTemplate, request: ServerRequestContext) => ResourceTemplate | undefined) | undefined
  /** Prompts, as `tool`. */
  prompt?: ((prompt: Prompt, request: ServerRequestContext) => Prompt | undefined) | undefined
  /** Runs around each call of a tool. `params` have the name that the inner source knows. */
  call?:
    | ((
        params: JSONObject,
        next: (params: JSONObject) => MaybePromise<JSONObject>,
        request: ServerRequestContext,
      ) => MaybePromise<JSONObject>)
    | undefined
}

/**
 * A transform of your own, made of small maps.
 *
 * @example
 * ```ts
 * import { transform } from 'mcpwire/transforms'
 * server.transform(transform({ tool: (tool) => ({ ...tool, title: tool.name.toUpperCase() }) }))
 * ```
 */
export function transform(maps: TransformMaps): Transform {
  const keys = {
    tool: 'function',
    resource: 'function',
    template: 'function',
    prompt: 'function',
    call: 'function',
  } as const
  checkKeys('transform()', maps, keys)
  const { tool, resource, template, prompt, call } = maps
  const given = {
    'tools/list': tool,
    'resources/list': resource,
    'resources/templates/list': template,
    'prompts/list': prompt,
  }
  const defined = Object.fromEntries(Object.entries(given).filter(([, map]) => map !== undefined))
  const isPerCaller = Object.values(defined).some((map) => (map?.length ?? 0) > 1)
  return (source) =>
    new MapLayer(source, { maps: defined as Partial<Record<ComponentList, ComponentMap>>, call, isPerCaller })
}
