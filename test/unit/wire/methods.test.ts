// The version gate, held against the specification's own tables of who may send what in which revision.
import { describe, expect, expectTypeOf, it } from 'vitest'
import type {
  NotificationParamsByMethod,
  RequestParamsByMethod,
  ResultByMethod,
} from '../../../src/types/protocol/methods.ts'
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../../../src/types/protocol/versions.ts'
import {
  CHANGE_NOTIFICATIONS,
  inputRequestRow,
  isSpecMethod,
  LIST_CHANGES,
  notificationFacts,
  notificationRow,
  requestFacts,
  requestRow,
  requestsWith,
} from '../../../src/wire/method-rows.ts'
import {
  NOTIFICATIONS,
  type NotificationMethod,
  REQUESTS,
  type RequestMethod,
  type RequestRow,
  type Sender,
} from '../../../src/wire/methods.ts'
import { grammarOf, SHAPES } from '../../../src/wire/shapes/grammar.ts'

const ALL = PROTOCOL_VERSIONS
const LEGACY = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const
const NONE: readonly ProtocolVersion[] = []

/** Method, revisions in which a client sends it, revisions in which a server does. */
type Gate = readonly [string, readonly ProtocolVersion[], readonly ProtocolVersion[]]

const REQUEST_GATES: readonly Gate[] = [
  ['initialize', LEGACY, NONE],
  ['ping', LEGACY, LEGACY],
  ['server/discover', ['2026-07-28'], NONE],
  ['tools/list', ALL, NONE],
  ['tools/call', ALL, NONE],
  ['resources/list', ALL, NONE],
  ['resources/templates/list', ALL, NONE],
  ['resources/read', ALL, NONE],
  ['resources/subscribe', LEGACY, NONE],
  ['resources/unsubscribe', LEGACY, NONE],
  ['subscriptions/listen', ['2026-07-28'], NONE],
  ['prompts/list', ALL, NONE],
  ['prompts/get', ALL, NONE],
  ['completion/complete', ALL, NONE],
  ['logging/setLevel', LEGACY, NONE],
  ['tasks/get', ['2025-11-25'], ['2025-11-25']],
  ['tasks/result', ['2025-11-25'], ['2025-11-25']],
  ['tasks/cancel', ['2025-11-25'], ['2025-11-25']],
  ['tasks/list', ['2025-11-25'], ['2025-11-25']],
  ['sampling/createMessage', NONE, LEGACY],
  ['roots/list', NONE, LEGACY],
  ['elicitation/create', NONE, ['2025-06-18', '2025-11-25']],
]

const NOTIFICATION_GATES: readonly Gate[] = [
  ['notifications/initialized', LEGACY, NONE],
  ['notifications/roots/list_changed', LEGACY, NONE],
  ['notifications/cancelled', ALL, ALL],
  ['notifications/progress', LEGACY, ALL],
  ['notifications/message', NONE, ALL],
  ['notifications/resources/list_changed', NONE, ALL],
  ['notifications/resources/updated', NONE, ALL],
  ['notifications/prompts/list_changed', NONE, ALL],
  ['notifications/tools/list_changed', NONE, ALL],
  ['notifications/elicitation/complete', NONE, ['2025-11-25']],
  ['notifications/tasks/status', ['2025-11-25'], ['2025-11-25']],
  ['notifications/subscriptions/acknowledged', NONE, ['2026-07-28']],
]

describe('the version gate', () => {
  const revisionsOf = (lookUp: typeof requestRow | typeof notificationRow, method: string, from: Sender) =>
    ALL.filter((version) => lookUp(method, version, from) !== undefined)

  it.each(REQUEST_GATES)('admits the request %s', (method, fromClient, fromServer) => {
    expect(revisionsOf(requestRow, method, 'client')).toEqual(fromClient)
    expect(revisionsOf(requestRow, method, 'server')).toEqual(fromServer)
    expect(revisionsOf(notificationRow, method, 'client')).toEqual([])
  })

  it.each(NOTIFICATION_GATES)('admits %s', (method, fromClient, fromServer) => {
    expect(revisionsOf(notificationRow, method, 'client')).toEqual(fromClient)
    expect(revisionsOf(notificationRow, method, 'server')).toEqual(fromServer)
    expect(revisionsOf(requestRow, method, 'server')).toEqual([])
  })

  it('has no row that is not in the lists above', () => {
    expect(Object.keys(REQUESTS).sort()).toEqual(REQUEST_GATES.map(([method]) => method).sort())
    expect(Object.keys(NOTIFICATIONS).sort()).toEqual(NOTIFICATION_GATES.map(([method]) => method).sort())
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('F055 has no method named %s', (method) => {
    expect(isSpecMethod(method)).toBe(false)
    for (const version of ALL) {
      expect(requestRow(method, version, 'client')).toBeUndefined()
      expect(notificationRow(method, version, 'server')).toBeUndefined()
      expect(inputRequestRow(method, version)).toBeUndefined()
    }
  })

  it('F055 takes no row from a polluted prototype', () => {
    Object.defineProperty(Object.prototype, 'evil/method', { value: REQUESTS.ping, configurable: true })
    try {
      expect(requestRow('evil/method', '2025-11-25', 'client')).toBeUndefined()
      expect(notificationRow('evil/method', '2025-11-25', 'client')).toBeUndefined()
      expect(isSpecMethod('evil/method')).toBe(false)
    } finally {
      Reflect.deleteProperty(Object.prototype, 'evil/method')
    }
  })

  it.each(['Tools/call', 'TOOLS/CALL', 'tools/call\u0000', 'tools/li\u017ft', 'tas\u212as/get', ' ping', ''])(
    'F061 goes by the exact name: %j',
    (method) => {
      expect(isSpecMethod(method)).toBe(false)
      for (const version of ALL) expect(requestRow(method, version, 'client')).toBeUndefined()
    },
  )

  it('tells the methods of the specification from those of vendors', () => {
    expect(isSpecMethod('initialize')).toBe(true)
    expect(isSpecMethod('notifications/cancelled')).toBe(true)
    expect(isSpecMethod('acme/frobnicate')).toBe(false)
  })
})

describe('every row', () => {
  const rows = [...Object.entries(REQUESTS), ...Object.entries(NOTIFICATIONS)]

  it.each(rows)('%s names shapes that exist wherever it does', (method, { params }) => {
    for (const version of ALL) {
      const row =
        requestRow(method, version, 'client') ??
        requestRow(method, version, 'server') ??
        notificationRow(method, version, 'server') ??
        notificationRow(method, version, 'client')
      if (row === undefined) continue
      expect(grammarOf(version).has(params)).toBe(true)
      if ('result' in row) expect(grammarOf(version).has(String(row.result))).toBe(true)
    }
  })
})

describe('facts', () => {
  it.each<[keyof RequestRow, readonly RequestMethod[]]>([
    [
      'cacheable',
      ['server/discover', 'tools/list', 'resources/list', 'resources/templates/list', 'resources/read', 'prompts/list'],
    ],
    ['mayAskForInput', ['tools/call', 'resources/read', 'prompts/get']],
    ['paged', ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list', 'tasks/list']],
    [
      'safe',
      [
        'ping',
        'server/discover',
        'tools/list',
        'resources/list',
        'resources/templates/list',
        'resources/read',
        'prompts/list',
      ],
    ],
    ['beforeHandshake', ['initialize', 'ping']],
    ['inline', ['initialize']],
    ['urgent', ['ping']],
    ['claimable', ['tools/call']],
    ['longRunning', ['tools/call']],
    ['staysOpen', ['subscriptions/listen']],
    ['untimed', ['initialize', 'ping', 'server/discover', 'subscriptions/listen', 'tasks/result']],
    ['counted', ['tools/call', 'resources/read', 'prompts/get', 'completion/complete']],
    ['content', ['tools/call', 'resources/read', 'prompts/get', 'tasks/result']],
  ])('%s holds for %s', (fact, methods) => {
    expect(requestsWith(fact)).toEqual(methods)
    for (const method of methods) expect(requestFacts(method)?.[fact]).toBe(true)
  })

  it('says of each change which notification announces it and what it makes stale', () => {
    const stale = Object.entries(CHANGE_NOTIFICATIONS).map(([change, { invalidates }]) => [change, invalidates])
    expect(Object.fromEntries(stale)).toEqual({
      toolsListChanged: ['tools/list'],
      promptsListChanged: ['prompts/list'],
      resourcesListChanged: ['resources/list', 'resources/templates/list'],
      resourceUpdated: ['resources/read'],
    })
    expect(LIST_CHANGES).toEqual(['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'])
    for (const { change, method } of Object.values(CHANGE_NOTIFICATIONS)) {
      expect(notificationFacts(method)?.change).toBe(change)
    }
  })

  it('has no facts about the methods of extensions, nor about names that objects inherit', () => {
    for (const method of ['acme/do', 'constructor', '__proto__', 'toString']) {
      expect(requestFacts(method)).toBeUndefined()
      expect(notificationFacts(method)).toBeUndefined()
    }
  })

  it('marks as cacheable exactly what has a ttlMs on the wire', () => {
    for (const [method, row] of Object.entries(REQUESTS)) {
      if (requestRow(method, '2026-07-28', 'client') === undefined) continue
      const shape = SHAPES['2026-07-28'][row.result]?.()
      const members = typeof shape === 'object' && shape.kind === 'object' ? Object.keys(shape.members) : []
      expect(members.includes('ttlMs'), method).toBe('cacheable' in row)
    }
  })

  it('knows what Mcp-Name repeats', () => {
    const named = Object.entries(REQUESTS).flatMap(([method, row]) =>
      'nameParam' in row ? [[method, row.nameParam]] : [],
    )
    expect(Object.fromEntries(named)).toEqual({ 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' })
  })

  it('agrees with the types by method', () => {
    expectTypeOf<RequestMethod>().toEqualTypeOf<keyof RequestParamsByMethod>()
    expectTypeOf<RequestMethod>().toEqualTypeOf<keyof ResultByMethod>()
    expectTypeOf<NotificationMethod>().toEqualTypeOf<keyof NotificationParamsByMethod>()
  })

  it('knows the three kinds of input request', () => {
    const kinds = (version: ProtocolVersion) =>
      Object.keys(REQUESTS).filter((method) => inputRequestRow(method, version) !== undefined)
    expect(kinds('2026-07-28').sort()).toEqual(['elicitation/create', 'roots/list', 'sampling/createMessage'])
    expect(kinds('2025-11-25')).toEqual([])
  })
})
