// `resources/list` with templates that list their own resources. Made for each request, since the templates may answer differently.
import { copyJSON } from '../../primitives/json/copy-json.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { givenOf } from '../../primitives/options.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { ListResourcesResult, Resource } from '../../types/features/resources.ts'
import type { ProtocolVersion } from '../../types/protocol/versions.ts'
import { grammarOf } from '../../wire/shapes/grammar.ts'
import { formatMisfit } from '../../wire/shapes/misfit.ts'
import { type Context, createHandlerContext } from '../handlers/context.ts'
import type { Host } from '../handlers/host.ts'
import { type Place, pageFrom, startOf } from '../lists/pages.ts'
import type { CompiledResource, ListedResource } from './resource.ts'

type Registered = Place & { readonly item: CompiledResource }
type Listed = Place & { readonly listed: Resource }

const LIST = 'resources'

/** In the order of registration. Only the first resource of each uri is listed. */
export async function listWithTemplates(
  host: Host,
  request: ServerRequestContext,
  registered: readonly Registered[],
  templates: readonly Registered[],
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const ctx = createHandlerContext(host, request)
  const fixed = registered.map(({ item, ...place }): Listed => ({ ...place, listed: item.listed as Resource }))
  const list = () => Promise.all(templates.map((template) => listTemplate(host, template, ctx)))
  const listed = await (host.ambient === undefined ? list() : host.ambient.run(ctx, list))
  // Cursors need one order for fixed and listed resources.
  const places = withoutRepeats([...fixed, ...listed.flat()].sort((a, b) => a.order - b.order))
  const { items, nextCursor } = pageFrom(LIST, places, startOf(LIST, places, cursor), host.pageSize)
  const resources = items.map((item) => item.listed)
  return nextCursor === undefined ? { resources } : { resources, nextCursor }
}

/** If the list function fails, only its resources are missing; an invalid item is left out. */
async function listTemplate(host: Host, { item, order }: Registered, ctx: Context): Promise<Listed[]> {
  const places: Listed[] = []
  const problems: string[] = []
  const report = (problem: string, error?: unknown) => {
    const message = `The list function of the template ${JSON.stringify(item.key)} ${problem}`
    host.server.faults.report({ kind: 'handler-failed', message, method: ctx.request.method, error })
  }
  try {
    for await (const resource of (await item.template?.list?.(ctx)) ?? []) {
      const listed = toListedResource(item, resource, ctx.protocolVersion)
      if (typeof listed === 'string') problems.push(listed)
      else places.push({ key: listed.uri, order, listed })
    }
  } catch (error) {
    report('failed', error)
    return []
  }
  const count = problems.length
  if (count > 0) report(`gave ${count === 1 ? 'an item' : `${count} items`} that cannot be listed: ${problems[0]}`)
  return places
}

/** The resource as it is listed, or what is wrong with it. */
function toListedResource(
  { mimeType }: CompiledResource,
  given: ListedResource,
  version: ProtocolVersion,
): Resource | string {
  if (!isPlainObject(given)) return 'expected an object'
  try {
    const resource = copyJSON({ name: given.uri, ...(mimeType !== undefined && { mimeType }), ...givenOf(given) })
    const misfit = grammarOf(version).misfit('Resource', resource)
    return misfit === undefined ? resource : formatMisfit(misfit)
  } catch {
    return 'it has no JSON form'
  }
}

function withoutRepeats(places: readonly Listed[]): Listed[] {
  const first = new Map<string, Listed>()
  for (const place of places) if (!first.has(place.key)) first.set(place.key, place)
  return [...first.values()]
}
