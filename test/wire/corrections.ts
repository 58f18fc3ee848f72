// Where our tables differ from the published JSON form, and why: each entry corrects the published form the way we read it.
import type { ProtocolVersion } from '../../src/types/protocol/versions.ts'
import type { Definitions, JSONSchema } from './published.ts'

export interface Correction {
  readonly title: string
  readonly reason: string
  readonly versions: readonly ProtocolVersion[]
  readonly correct: (definitions: Definitions) => void
  /** Values of a published definition about which the published form and our tables disagree. */
  readonly shownBy: { readonly definition: string; readonly values: readonly unknown[] }
}

export const CORRECTIONS: readonly Correction[] = [
  {
    title: 'JSONValue admits null and fractions',
    reason: 'schema.ts says string | number | boolean | null; its JSON form lost null and made numbers integers.',
    versions: ['2026-07-28'],
    correct: (definitions) => replaceTypes(definitions['JSONValue'], ['string', 'number', 'boolean', 'null']),
    shownBy: { definition: 'JSONValue', values: [null, 0.5] },
  },
  {
    title: 'ElicitResult.content admits fractions',
    reason: 'schema.ts says number; a form may ask for one, and its JSON form admits integers only.',
    versions: ['2025-06-18', '2025-11-25', '2026-07-28'],
    correct: (definitions) =>
      replaceTypes(definitions['ElicitResult']?.properties?.['content'], ['string', 'number', 'boolean']),
    shownBy: { definition: 'ElicitResult', values: [{ action: 'accept', content: { height: 1.8 } }] },
  },
  {
    title: 'params that are written in place have the _meta of their base',
    reason: 'Request and Notification declare params._meta; messages that spell out their own params leave it out.',
    versions: ['2024-11-05', '2025-03-26', '2025-06-18'],
    correct: addMetaToInlineParams,
    shownBy: {
      definition: 'CallToolRequest',
      values: [
        { method: 'tools/call', params: { name: 'add', _meta: 'none' } },
        { method: 'tools/call', params: { name: 'add', _meta: { progressToken: {} } } },
      ],
    },
  },
  {
    title: 'params of tasks that are written in place have the _meta of their base',
    reason: 'As above; from 2025-11-25 on most params have a definition, but these do not.',
    versions: ['2025-11-25'],
    correct: addMetaToInlineParams,
    shownBy: { definition: 'GetTaskRequest', values: [{ method: 'tasks/get', params: { taskId: 't', _meta: 1 } }] },
  },
  {
    title: 'notifications/cancelled may come without params',
    reason:
      'With requestId optional, {} fits; absent params count as {} everywhere. Such a notification means nothing.',
    versions: ['2025-11-25'],
    correct(definitions) {
      const definition = definitions['CancelledNotification']
      if (definition) definition.required = ['method']
    },
    shownBy: { definition: 'CancelledNotification', values: [{ method: 'notifications/cancelled' }] },
  },
  {
    title: 'InputRequiredResult is known by its resultType and asks for something',
    reason:
      'Spec, multi round-trip requests: resultType is input_required; at least one of the two members is present.',
    versions: ['2026-07-28'],
    correct(definitions) {
      const definition = definitions['InputRequiredResult']
      if (definition?.properties === undefined) return
      definition.properties['resultType'] = { const: 'input_required' }
      definition.anyOf = [{ required: ['inputRequests'] }, { required: ['requestState'] }]
    },
    shownBy: {
      definition: 'InputRequiredResult',
      values: [{ resultType: 'input_required' }, { resultType: 'complete', requestState: 's' }],
    },
  },
]

/** Puts the types in the place of the list that has `integer` in it, wherever in the schema that list stands. */
function replaceTypes(schema: JSONSchema | undefined, types: string[]): void {
  for (const [keyword, value] of Object.entries(schema ?? {})) {
    if (keyword === 'type' && Array.isArray(value)) Object.assign(schema ?? {}, { type: types })
    else if (typeof value === 'object' && value !== null) replaceTypes(value, types)
  }
}

function addMetaToInlineParams(definitions: Definitions): void {
  for (const { properties } of Object.values(definitions)) {
    const method = properties?.['method']?.const
    const params = properties?.['params']
    if (typeof method !== 'string' || params?.properties === undefined) continue
    const base = method.startsWith('notifications/') ? 'Notification' : 'Request'
    params.properties['_meta'] ??= metaOf(definitions, base)
  }
}

function metaOf(definitions: Definitions, base: string): JSONSchema {
  const inPlace = definitions[base]?.properties?.['params']?.properties?.['_meta']
  return inPlace ?? definitions[`${base}Params`]?.properties?.['_meta'] ?? {}
}
