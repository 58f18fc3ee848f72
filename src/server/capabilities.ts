// What a server says it can do: derived from what it has handlers for.
import { isPlainObject } from '../primitives/json/objects.ts'
import type { ServerCapabilities } from '../types/protocol/capabilities.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import type { Server } from './server.ts'

/** As told in the result of `initialize`. */
export function handshakeCapabilities(server: Server): ServerCapabilities {
  return derive(server, {
    listChanged: server.subscriptions !== undefined,
    subscribe: has(server, 'resources/subscribe'),
  })
}

/** As told in the result of `server/discover`: changes are announced exactly when someone can listen for them. */
export function modernCapabilities(server: Server): ServerCapabilities {
  const canListen = has(server, 'subscriptions/listen')
  return derive(server, { listChanged: canListen, subscribe: canListen })
}

interface ChangeFacts {
  readonly listChanged: boolean
  readonly subscribe: boolean
}

function derive(server: Server, { listChanged, subscribe }: ChangeFacts): ServerCapabilities {
  const changes = listChanged ? { listChanged } : {}
  const derived: ServerCapabilities = {
    ...(has(server, 'tools/list') && { tools: changes }),
    ...(has(server, 'resources/list', 'resources/read', 'resources/templates/list') && {
      resources: subscribe ? { ...changes, subscribe } : changes,
    }),
    ...(has(server, 'prompts/list') && { prompts: changes }),
    ...(has(server, 'completion/complete') && { completions: {} }),
    ...(has(server, 'logging/setLevel') && { logging: {} }),
    ...(server.extensions !== undefined && { extensions: server.extensions.settings }),
  }
  return merge(derived as JSONObject, server.declaredCapabilities as JSONObject) as ServerCapabilities
}

function has(server: Server, ...methods: string[]): boolean {
  return methods.some((method) => server.requestHandler(method) !== undefined)
}

/** What the author declared goes over what was derived, member by member. */
function merge(derived: JSONObject, declared: JSONObject): JSONObject {
  const merged = { ...derived }
  for (const [key, value] of Object.entries(declared)) {
    const current = merged[key]
    merged[key] = isPlainObject(current) && isPlainObject(value) ? merge(current, value) : value
  }
  return merged
}
