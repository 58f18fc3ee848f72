import { describe, expect, it } from 'vitest'
import { advertise, assertNotificationBinding, assertResultClaim } from '../../../../src/client/extensions/extension.ts'
import { ClientSession } from '../../../../src/client/session/session.ts'
import { isExtensionIdentifier } from '../../../../src/types/protocol/extension-identifier.ts'
import { ScriptedServer } from '../../../support/scripted-server.ts'

const resolve = () => ({ content: [] })
const handle = () => {}

describe('extension identifiers', () => {
  it.each(['com.example/search', 'io.modelcontextprotocol/tasks', 'acme/x', 'a-b.c1/na_me.2'])(
    '%s is one',
    (identifier) => {
      expect(isExtensionIdentifier(identifier)).toBe(true)
      expect(advertise(identifier)).toEqual({ identifier, settings: {} })
    },
  )

  it.each(['search', '/search', 'com.example/', '1com/x', 'com..example/x', 'com.example/a b', '', 7, undefined])(
    'C-META-06 %s is none',
    (identifier) => {
      expect(isExtensionIdentifier(identifier)).toBe(false)
      expect(() => advertise(identifier as string)).toThrow(TypeError)
    },
  )
})

describe('result claims', () => {
  it.each([
    ['the tag of a finished result', { resultType: 'complete', resolve }],
    ['the tag of a question', { resultType: 'input_required', resolve }],
    ['no tag', { resultType: '', resolve }],
    ['no resolver', { resultType: 'task' } as never],
    ['no version', { resultType: 'task', resolve, protocolVersions: [] }],
    ['a legacy version', { resultType: 'task', resolve, protocolVersions: ['2025-11-25'] as never }],
  ])('cannot have %s', (_what, claim) => {
    expect(() => assertResultClaim(claim)).toThrow(TypeError)
  })

  it('can name modern versions', () => {
    expect(() => assertResultClaim({ resultType: 'task', resolve, protocolVersions: ['2026-07-28'] })).not.toThrow()
  })
})

describe('conflicts', () => {
  const create = (options: ConstructorParameters<typeof ClientSession>[1]) =>
    new ClientSession(new ScriptedServer().channel, options)

  it('two claims of one tag are rejected', () => {
    const extensions = { 'com.example/a': {}, 'com.example/b': {} }
    const claims = [{ resultType: 'task', resolve }]
    expect(() => create({ extensions, resultClaims: { 'com.example/a': claims, 'com.example/b': claims } })).toThrow(
      "'task' is claimed twice",
    )
  })

  it('two bindings of one method are rejected, and so are bindings that lack something', () => {
    const binding = { method: 'acme/tick', handle }
    expect(() => create({ notificationBindings: [binding, binding] })).toThrow("'acme/tick' is bound twice")
    expect(() => assertNotificationBinding({ method: '', handle })).toThrow(TypeError)
    expect(() => assertNotificationBinding({ method: 'acme/tick' } as never)).toThrow(TypeError)
  })
})
