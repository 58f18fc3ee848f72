// `resources/list` where templates bring along resources of their own: made for each request, because only they know.
import type { ServerRequestContext } from '../server/context.ts'
import type { ListResourcesResult, Resource } from '../types/resources.ts'
import { Context } from './context.ts'
import type { Host } from './host.ts'
import { type Place, pageFrom, startOf } from './pages.ts'
import type { CompiledResource, ListedResource } from './resource.ts'

type Registered = Place & { readonly item: CompiledResource }
type Listed = Place & { readonly listed: Resource }

const LIST = 'resources'

/** In the order of registration; a uri that comes up again is left out. */
export async function listWithTemplates(
  host: Host,
  request: ServerRequestContext,
  registered: readonly Registered[],
  templates: readonly Registered[],
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const ctx = new Context(host, request)
  const fixed = registered.map(({ item, ...place }): Listed => ({ ...place, listed: item.listed as Resource }))
  const listed = await Promise.all(templates.map((template) => listTemplate(host, template, ctx)))
  // By order, so that a place is before or behind another one whatever it is a place of.
  const places = withoutRepeats([...fixed, ...listed.flat()].sort((a, b) => a.order - b.order))
  const { items, nextCursor } = pageFrom(LIST, places, startOf(LIST, places, cursor), host.pageSize)
  const resources = items.map((item) => item.listed)
  return nextCursor === undefined ? { resources } : { resources, nextCursor }
}

/** A template whose list fails costs only its own resources. */
async function listTemplate(host: Host, { item, order }: Registered, ctx: Context): Promise<Listed[]> {
  const places: Listed[] = []
  try {
    for await (const resource of (await item.template?.list?.(ctx)) ?? []) {
      places.push({ key: resource.uri, order, index: places.length, listed: complete(item, resource) })
    }
    return places
  } catch (error) {
    const message = `The list function of the template ${JSON.stringify(item.key)} failed`
    host.server.faults.report({ kind: 'handler-failed', message, method: ctx.request.method, error })
    return []
  }
}

function complete({ mimeType }: CompiledResource, resource: ListedResource): Resource {
  return { name: resource.uri, ...(mimeType !== undefined && { mimeType }), ...resource }
}

function withoutRepeats(places: readonly Listed[]): Listed[] {
  const first = new Map<string, Listed>()
  for (const place of places) if (!first.has(place.key)) first.set(place.key, place)
  return [...first.values()]
}
