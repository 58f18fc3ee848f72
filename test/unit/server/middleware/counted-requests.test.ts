import { describe, expect, it } from 'vitest'
import type { DispatchContext } from '../../../../src/dispatcher/dispatcher.ts'
import { ConnectionCore, type ConnectionOptions } from '../../../../src/server/connection.ts'
import { createContext } from '../../../../src/server/context.ts'
import { coreOf } from '../../../../src/server/internals.ts'
import { createCallerKey, keyByTarget } from '../../../../src/server/middleware/counted-requests.ts'
import { Server } from '../../../../src/server/server.ts'
import type { AuthInfo } from '../../../../src/types/protocol/auth.ts'

const server = new Server('host')

const DISPATCH = { transport: { kind: 'test', canSendRequest: false } } as DispatchContext

function connection(options: ConnectionOptions = {}) {
  return ConnectionCore.fromEnvelope({ protocolVersion: '2026-07-28', clientCapabilities: {} }, options)
}

function request(name: string, options: ConnectionOptions = {}, auth?: AuthInfo) {
  const dispatch = { transport: { ...DISPATCH.transport, ...(auth && { auth }) } } as DispatchContext
  return createContext(coreOf(server), connection(options), dispatch, 'tools/call', { name })
}

describe('createCallerKey', () => {
  it('knows a verified caller again on any connection', () => {
    const keyOf = createCallerKey()
    const ada = { clientId: 'app', subject: 'ada', scopes: [] }
    expect(keyOf(request('add', { peer: {} }, ada))).toBe(keyOf(request('add', {}, { ...ada, scopes: ['more'] })))
    expect(keyOf(request('add', {}, ada))).not.toBe(keyOf(request('add', {}, { ...ada, subject: 'bob' })))
    expect(keyOf(request('add', {}, ada))).not.toBe(keyOf(request('add', {}, { ...ada, issuer: 'https://other' })))
  })

  it('tells connections apart where nobody is verified', () => {
    const keyOf = createCallerKey()
    const [one, other] = [{}, {}]
    expect(keyOf(request('add', { peer: one }))).toBe(keyOf(request('add', { peer: one })))
    expect(keyOf(request('add', { peer: one }))).not.toBe(keyOf(request('add', { peer: other })))
  })

  it('takes all for one where each request stands for itself, so that a limit still limits', () => {
    const keyOf = createCallerKey()
    expect(keyOf(request('add'))).toBe(keyOf(request('add')))
  })

  it('tells the requests of an extension apart by the param that the extension names', () => {
    const requests = { 'tasks/get': { handle: () => ({}), nameParam: 'taskId' } }
    const extension = { identifier: 'com.example/tasks', protocolVersions: ['2026-07-28'] as const, requests }
    const own = coreOf(new Server('own', { extensions: [extension] }))
    const keyOf = createCallerKey()
    const get = (taskId: string) => keyOf(createContext(own, connection(), DISPATCH, 'tasks/get', { taskId }))
    expect(get('1')).toBe(get('1'))
    expect(get('1')).not.toBe(get('2'))
  })

  it('is short, however long the name', () => {
    expect(createCallerKey()(request('x'.repeat(1_000_000)))?.length).toBeLessThan(400)
    expect(keyByTarget(request('x'.repeat(1_000_000)))?.length).toBeLessThan(400)
  })

  it('cannot be made to collide by a name with delimiters', () => {
    const keyOf = createCallerKey()
    expect(keyOf(request('a","b'))).not.toBe(keyOf(request('a')))
  })
})
