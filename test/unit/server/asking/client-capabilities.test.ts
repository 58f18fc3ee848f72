import { describe, expect, it } from 'vitest'
import { hasClientCapability, missingCapabilities } from '../../../../src/server/asking/client-capabilities.ts'
import type { ClientCapabilities } from '../../../../src/types/protocol/capabilities.ts'

const full: ClientCapabilities = {
  roots: { listChanged: true },
  sampling: { context: {}, tools: {} },
  elicitation: { form: {}, url: {} },
  experimental: { beta: { level: 1, flags: ['a'] } },
  extensions: { 'com.example/x': { any: 'settings' } },
  tasks: { requests: { sampling: { createMessage: {} } } },
}

describe('hasClientCapability', () => {
  it.each<ClientCapabilities>([
    {},
    { roots: {} },
    { roots: { listChanged: true } },
    { sampling: {} },
    { sampling: { tools: {} } },
    { sampling: { context: {} } },
    { elicitation: {} },
    { elicitation: { form: {}, url: {} } },
    { experimental: { beta: { flags: ['a'], level: 1 } } },
    { extensions: { 'com.example/x': {} } },
    { tasks: { requests: { sampling: { createMessage: {} } } } },
    { roots: {}, sampling: { tools: {} }, elicitation: { url: {} } },
  ])('is true for what was declared: %j', (required) => {
    expect(hasClientCapability(full, required)).toBe(true)
  })

  it.each<ClientCapabilities>([
    { roots: {} },
    { sampling: {} },
    { elicitation: {} },
    { experimental: { beta: {} } },
    { extensions: { 'com.example/x': {} } },
  ])('is false when nothing was declared: %j', (required) => {
    expect(hasClientCapability({}, required)).toBe(false)
    expect(hasClientCapability(undefined, required)).toBe(false)
  })

  it('asks for nothing where a flag is false', () => {
    expect(hasClientCapability({ roots: {} }, { roots: { listChanged: false } })).toBe(true)
    expect(hasClientCapability({ roots: {} }, { roots: { listChanged: true } })).toBe(false)
    expect(hasClientCapability({ roots: { listChanged: false } }, { roots: { listChanged: true } })).toBe(false)
  })

  it('reads an empty elicitation as forms, on both sides', () => {
    expect(hasClientCapability({ elicitation: {} }, { elicitation: { form: {} } })).toBe(true)
    expect(hasClientCapability({ elicitation: {} }, { elicitation: { url: {} } })).toBe(false)
    expect(hasClientCapability({ elicitation: { url: {} } }, { elicitation: {} })).toBe(false)
    expect(hasClientCapability({ elicitation: { form: {} } }, { elicitation: {} })).toBe(true)
  })

  it('compares experiments by equality and extensions by identifier', () => {
    expect(hasClientCapability(full, { experimental: { beta: { level: 2, flags: ['a'] } } })).toBe(false)
    expect(hasClientCapability(full, { experimental: { beta: {} } })).toBe(false)
    expect(hasClientCapability(full, { extensions: { 'com.example/x': { other: 1 } } })).toBe(true)
    expect(hasClientCapability(full, { extensions: { 'com.example/y': {} } })).toBe(false)
  })

  it('counts own members only', () => {
    expect(hasClientCapability({ extensions: {} }, { extensions: { constructor: {} } })).toBe(false)
    const declared = JSON.parse('{"extensions":{"__proto__":{}}}')
    const required = JSON.parse('{"extensions":{"__proto__":{}}}')
    expect(hasClientCapability(declared, required)).toBe(true)
    expect(hasClientCapability({ extensions: {} }, required)).toBe(false)
  })

  it.each([null, true, 'yes', []])('takes a malformed declaration for none: %j', (malformed) => {
    const declared = { sampling: malformed, extensions: { x: malformed } } as unknown as ClientCapabilities
    expect(hasClientCapability(declared, { sampling: {} })).toBe(false)
    expect(hasClientCapability(declared, { extensions: { x: {} } })).toBe(false)
  })
})

describe('missingCapabilities', () => {
  it('lists the missing part and nothing else', () => {
    const declared: ClientCapabilities = { sampling: { context: {} }, elicitation: {}, extensions: { a: {} } }
    const required: ClientCapabilities = {
      roots: {},
      sampling: { context: {}, tools: {} },
      elicitation: { form: {}, url: {} },
      extensions: { a: {}, b: { x: 1 } },
    }
    expect(missingCapabilities(declared, required)).toEqual({
      roots: {},
      sampling: { tools: {} },
      elicitation: { url: {} },
      extensions: { b: { x: 1 } },
    })
  })

  it('is undefined when nothing is missing', () => {
    expect(missingCapabilities(full, full)).toBeUndefined()
  })
})
