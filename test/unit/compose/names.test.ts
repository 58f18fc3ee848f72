// The names that components get in front: prefixes, the limit of 64 characters, and what is refused.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkNamespace, cutName, joinName, readNaming } from '../../../src/compose/composite/names.ts'
import { prefixUri, unprefixUri } from '../../../src/compose/composite/uris.ts'

const naming = readNaming('the test')

describe('names of several sources', () => {
  it.each(['_', '__', '-', '.'] as const)('compose N01 the namespace stands before %s and the name', (separator) => {
    expect(joinName('files', 'read', readNaming('x', { separator }))).toBe(`files${separator}read`)
  })

  it('compose N01 without a namespace the name stays', () => {
    expect(joinName(undefined, 'read', naming)).toBe('read')
  })

  it('compose N01 another separator is refused', () => {
    expect(() => readNaming('createGateway()', { separator: '/' as never })).toThrow(
      "The option naming.separator of createGateway() must be one of '_', '__', '-', '.', not \"/\".",
    )
  })

  it('compose N03 a name of 64 characters stays, one of 65 ends in a digest that never changes', () => {
    expect(cutName('a'.repeat(64), 64)).toBe('a'.repeat(64))
    expect(cutName('a'.repeat(65), 64)).toBe(`${'a'.repeat(57)}_mnjwdr`)
  })

  it('compose N03 compose G005 every name fits, and different names stay different', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(name, name, fc.integer({ min: 16, max: 128 }), (one, other, max) => {
        expect(cutName(one, max).length).toBeLessThanOrEqual(max)
        expect(cutName(one, max)).toBe(cutName(one, max))
        if (one !== other && one.length > max && other.length > max)
          expect(cutName(one, max)).not.toBe(cutName(other, max))
        expect(encodeURIComponent(cutName(one, max))).not.toBe('')
      }),
    )
  })

  it.each(['', 'a b', 'ä', 'a/b', 'x'.repeat(49)])(
    'compose N04 compose G001 the namespace %j is refused',
    (namespace) => {
      expect(() => checkNamespace('mount()', namespace)).toThrow(RangeError)
    },
  )

  it('compose N04 a namespace that is no text is a TypeError', () => {
    expect(() => checkNamespace('mount()', 7)).toThrow('The namespace of mount() must be a string, not a number.')
  })

  it.each([
    ['notes://today', 'notes://ns/today'],
    ['file:///etc/hosts', 'file://ns//etc/hosts'],
    ['notes://{id}/x', 'notes://ns/{id}/x'],
    ['mailto:ada@example.com', 'ns+mailto:ada@example.com'],
  ])('compose N05 %s becomes %s and back', (own, front) => {
    expect(prefixUri('ns', own)).toBe(front)
    expect(unprefixUri('ns', front)).toBe(own)
  })

  it('compose N05 every URI comes back, and no other namespace takes it', () => {
    const uri = fc.oneof(
      fc.webUrl(),
      fc.string().map((rest) => `urn:${rest}`),
    )
    fc.assert(
      fc.property(uri, (own) => {
        expect(unprefixUri('ns', prefixUri('ns', own))).toBe(own)
        expect(unprefixUri('other', prefixUri('ns', own))).toBeUndefined()
      }),
    )
  })

  it('a limit that no model API has is refused', () => {
    expect(() => readNaming('x', { maxLength: 129 })).toThrow(RangeError)
    expect(() => readNaming('x', { maxLength: 15 })).toThrow(RangeError)
    expect(() => readNaming('x', { seperator: '_' } as never)).toThrow('separator')
  })
})
