import { describe, expect, it } from 'vitest'
import { declaresMode } from '../../../../src/client/session/capabilities.ts'
import type { Era } from '../../../../src/client/session/era.ts'
import { createHandshakeEra, createUnnegotiatedEra } from '../../../../src/client/session/era-legacy.ts'
import { createModernEra, newestMutualVersion } from '../../../../src/client/session/era-modern.ts'
import type { ClientSessionOptions } from '../../../../src/client/session/session-options.ts'

const source = (options: ClientSessionOptions = {}) => ({ options, annotationsOf: () => [] })
const callbacks: ClientSessionOptions = {
  onSampling: () => ({ role: 'assistant', content: [], model: 'm' }),
  onElicitation: () => ({ action: 'cancel' }),
  onListRoots: () => ({ roots: [] }),
  samplingCapabilities: { tools: {} },
}

describe('capabilities', () => {
  it('C-LIFE-11 follow from the callbacks, as each era spells them', () => {
    const shared = { sampling: { tools: {} }, elicitation: { form: {}, url: {} } }
    expect(createUnnegotiatedEra(source(callbacks)).capabilities).toEqual({ ...shared, roots: { listChanged: true } })
    expect(createModernEra('2026-07-28', source(callbacks)).capabilities).toEqual({ ...shared, roots: {} })
    expect(createModernEra('2026-07-28', source()).capabilities).toEqual({})
  })

  it('declare no sampling for capabilities without a callback', () => {
    expect(createUnnegotiatedEra(source({ samplingCapabilities: { tools: {} } })).capabilities).toEqual({})
  })

  it('always declare an extension that claims nothing', () => {
    const extensions = { 'com.example/a': { v: 1 } }
    for (const era of [
      createUnnegotiatedEra(source({ extensions })),
      createModernEra('2026-07-28', source({ extensions })),
    ]) {
      expect(era.capabilities).toEqual({ extensions })
    }
  })

  it.each([
    [undefined, false, false],
    [{}, true, false],
    [{ form: {} }, true, false],
    [{ url: {} }, false, true],
    [{ form: {}, url: {} }, true, true],
  ])('elicitation %o allows forms: %s, URLs: %s', (elicitation, form, url) => {
    expect([declaresMode(elicitation, 'form'), declaresMode(elicitation, 'url')]).toEqual([form, url])
  })
})

describe('facts', () => {
  const facts = ({ isNegotiated, hasServerRequests, hasOutputSchemas, mirrorsArguments, hasBatches }: Era) => ({
    isNegotiated,
    hasServerRequests,
    hasOutputSchemas,
    mirrorsArguments,
    hasBatches,
  })

  it('of the revisions', () => {
    const handshake = { isNegotiated: true, hasServerRequests: true, mirrorsArguments: false }
    expect(facts(createHandshakeEra('2024-11-05', source()))).toEqual({
      ...handshake,
      hasOutputSchemas: false,
      hasBatches: false,
    })
    expect(facts(createHandshakeEra('2025-03-26', source()))).toEqual({
      ...handshake,
      hasOutputSchemas: false,
      hasBatches: true,
    })
    expect(facts(createHandshakeEra('2025-11-25', source()))).toEqual({
      ...handshake,
      hasOutputSchemas: true,
      hasBatches: false,
    })
    expect(facts(createModernEra('2026-07-28', source()))).toEqual({
      isNegotiated: true,
      hasServerRequests: false,
      hasOutputSchemas: true,
      mirrorsArguments: true,
      hasBatches: false,
    })
  })

  it('nothing is stamped before a revision is negotiated', () => {
    const params = { a: 1 }
    expect(createUnnegotiatedEra(source()).stamp({ method: 'x', params })).toEqual({ params, hints: undefined })
  })
})

describe('newestMutualVersion', () => {
  it.each([
    [['2026-07-28', '2025-11-25'], '2026-07-28'],
    [['2025-11-25'], undefined],
    [['2099-01-01'], undefined],
    [[], undefined],
  ])('of %o is %s', (supported, version) => {
    expect(newestMutualVersion(supported)).toBe(version)
  })
})

describe('modern headers', () => {
  it('are created on first use, and once', () => {
    const era = createModernEra('2026-07-28', source())
    const { hints } = era.stamp({ method: 'tools/call', params: { name: 'x' }, nameParam: 'name' })
    expect(hints?.headers).toMatchObject({ 'Mcp-Name': 'x' })
    expect(hints?.headers).toBe(hints?.headers)
    const unsendable = era.stamp({ method: 'tools/call', params: { name: '\ud800' }, nameParam: 'name' })
    expect(() => unsendable.hints?.headers).toThrow('lone surrogate')
  })

  it('keep other hints, and win over headers of the caller', () => {
    const era = createModernEra('2026-07-28', source())
    const hints = { resumptionToken: 't', headers: { 'Mcp-Method': 'forged', 'X-Trace': '1' } }
    expect(era.stamp({ method: 'tools/list', params: {}, hints }).hints).toEqual({
      resumptionToken: 't',
      headers: { 'Mcp-Method': 'tools/list', 'MCP-Protocol-Version': '2026-07-28', 'X-Trace': '1' },
    })
  })
})
