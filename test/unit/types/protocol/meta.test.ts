import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as keys from '../../../../src/types/protocol/meta.ts'
import { isReservedMetaKey, isValidMetaKey, TRACE_CONTEXT_META_KEYS } from '../../../../src/types/protocol/meta.ts'

const LETTERS = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ']
const ALPHANUMERICS = [...LETTERS, ...'0123456789']

const letter = fc.constantFrom(...LETTERS)
const alphanumeric = fc.constantFrom(...ALPHANUMERICS)
const textOf = (characters: string[]) => fc.string({ unit: fc.constantFrom(...characters), maxLength: 8 })

const label = fc.oneof(
  letter,
  fc.tuple(letter, textOf([...ALPHANUMERICS, '-']), alphanumeric).map((parts) => parts.join('')),
)
const name = fc.oneof(
  fc.constant(''),
  alphanumeric,
  fc.tuple(alphanumeric, textOf([...ALPHANUMERICS, '-', '_', '.']), alphanumeric).map((parts) => parts.join('')),
)
const prefix = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => `${labels.join('.')}/`)
const validKey = fc.tuple(fc.oneof(fc.constant(''), prefix), name).map((parts) => parts.join(''))

/** Strings of the characters that matter, so that many are nearly keys. */
const nearKey = fc.string({ unit: fc.constantFrom('a', 'Z', '0', '-', '_', '.', '/', ' '), maxLength: 6 })

/** The grammar once more, in the words of the specification and character by character. */
function isKeyByTheBook(key: string): boolean {
  const parts = key.split('/')
  if (parts.length > 2) return false
  const isName = (text: string) =>
    text === '' ||
    (ALPHANUMERICS.includes(text[0]!) &&
      ALPHANUMERICS.includes(text.at(-1)!) &&
      [...text].every((character) => [...ALPHANUMERICS, '-', '_', '.'].includes(character)))
  const isLabel = (text: string) =>
    text !== '' &&
    LETTERS.includes(text[0]!) &&
    ALPHANUMERICS.includes(text.at(-1)!) &&
    [...text].every((character) => [...ALPHANUMERICS, '-'].includes(character))
  return isName(parts.at(-1)!) && (parts.length === 1 || parts[0]!.split('.').every(isLabel))
}

describe('isValidMetaKey', () => {
  it('accepts whatever the grammar makes', () => {
    fc.assert(
      fc.property(validKey, (key) => {
        expect(isValidMetaKey(key), key).toBe(true)
      }),
      { seed: 4, numRuns: 500 },
    )
  })

  it('agrees with the grammar of the specification on keys and near keys', () => {
    fc.assert(
      fc.property(fc.oneof({ arbitrary: nearKey, weight: 8 }, validKey, fc.string({ unit: 'grapheme' })), (key) => {
        expect(isValidMetaKey(key), key).toBe(isKeyByTheBook(key))
      }),
      { seed: 5, numRuns: 5000 },
    )
  })

  it.each(['', 'a', '0', 'a.b_c-d', 'com.example/', 'com.example/a', 'x-y.z9/k', 'progressToken'])(
    'accepts %j',
    (key) => {
      expect(isValidMetaKey(key)).toBe(true)
    },
  )

  it.each(['-a', 'a-', '.a', '_a', 'a b', 'a/b/c', '/a', '1a/b', 'a-/b', 'a..b/c', '.a/b', 'a_b/c', 'a\n', 'é', 'a/é'])(
    'refuses %j',
    (key) => {
      expect(isValidMetaKey(key)).toBe(false)
    },
  )

  it('takes time in proportion to the key', () => {
    const length = 1_000_000
    for (const part of ['a', 'a-', 'a.', '-', '.']) {
      const long = part.repeat(length)
      expect(isValidMetaKey(`${long}!`)).toBe(false)
      expect(isValidMetaKey(`${long}!/x`)).toBe(false)
    }
  })
})

describe('isReservedMetaKey', () => {
  it.each(['io.modelcontextprotocol/', 'dev.mcp/x', 'org.modelcontextprotocol.api/x', 'com.mcp.tools/x'])(
    'reserves the prefix of %s',
    (key) => {
      expect(isReservedMetaKey(key)).toBe(true)
    },
  )

  it.each(['com.example.mcp/x', 'mcp/x', 'mcp.dev/x', 'com.mcpx/x', 'com.example/mcp', 'com.mcp', 'dev.mcp', 'x', ''])(
    'leaves %j to others',
    (key) => {
      expect(isReservedMetaKey(key)).toBe(false)
    },
  )

  it('goes by the second label alone', () => {
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 4 }), name, (labels, rest) => {
        const isReserved = labels[1] === 'mcp' || labels[1] === 'modelcontextprotocol'
        expect(isReservedMetaKey(`${labels.join('.')}/${rest}`)).toBe(isReserved)
        expect(isReservedMetaKey(`${[labels[0], 'mcp', ...labels.slice(1)].join('.')}/${rest}`)).toBe(true)
      }),
      { seed: 6, numRuns: 300 },
    )
  })

  it('B-META-01 knows every key of the specification, and each obeys the grammar', () => {
    // Those of this package have its own prefix.
    const texts = Object.values(keys).filter((value) => typeof value === 'string')
    const own = texts.filter((key) => !key.startsWith('mcpwire/'))
    expect(own.length).toBeGreaterThan(10)
    for (const key of [...own, ...TRACE_CONTEXT_META_KEYS]) {
      expect(isReservedMetaKey(key), key).toBe(true)
      expect(isValidMetaKey(key), key).toBe(true)
    }
  })

  it('F059 finds nothing reserved about the names of Object.prototype', () => {
    for (const key of ['__proto__', 'constructor', 'a.__proto__/x', 'a.constructor/x']) {
      expect(isReservedMetaKey(key)).toBe(false)
    }
  })
})
