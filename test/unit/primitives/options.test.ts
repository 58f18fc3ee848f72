import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkKeys, editDistance, type KnownKeys, nearestKey, pickKeys } from '../../../src/primitives/options.ts'

interface Options {
  timeoutMs?: number
  maxBytes?: number
  onFault?: () => void
}

const KEYS: KnownKeys<Options> = { timeoutMs: true, maxBytes: true, onFault: true }
const check = (options: object) => () => checkKeys('work()', options, KEYS)
const word = fc.string({ maxLength: 12 })

describe('checkKeys', () => {
  it('lets known keys pass, whatever their values', () => {
    expect(check({})).not.toThrow()
    expect(check({ timeoutMs: 1, maxBytes: undefined })).not.toThrow()
  })

  it.each([
    ['timeoutMS', 'timeoutMs'],
    ['timeout', 'timeoutMs'],
    ['tiemoutMs', 'timeoutMs'],
    ['maxByte', 'maxBytes'],
    ['onfault', 'onFault'],
  ])('says that %s is probably %s', (given, meant) => {
    const message = `Unknown option "${given}" for work(). The nearest known option is "${meant}".`
    expect(check({ [given]: 1 })).toThrow(new TypeError(message))
  })

  it('lists the options where none is near', () => {
    expect(check({ colour: 'red' })).toThrow(
      new TypeError('Unknown option "colour" for work(). Known options: timeoutMs, maxBytes, onFault.'),
    )
  })

  it.each([
    ['name', 'mode'],
    ['handler', 'title'],
    ['args', 'run'],
    ['url', 'run'],
    ['id', 'run'],
  ])('does not take %s for %s', (given, known) => {
    expect(() => checkKeys('work()', { [given]: 1 }, { [known]: true })).toThrow(
      new TypeError(`Unknown option "${given}" for work(). Known options: ${known}.`),
    )
  })

  it('refuses unknown keys that are undefined, and names of the prototype', () => {
    for (const key of ['timeout', 'toString', 'constructor', '__proto__', 'hasOwnProperty']) {
      expect(check(Object.fromEntries([[key, undefined]])), key).toThrow(TypeError)
    }
  })

  it('shows a key of any length and any characters in one line', () => {
    const key = `\u001b[31m\n${'x'.repeat(10_000)}`
    const shown = (() => {
      try {
        check({ [key]: 1 })()
        return ''
      } catch (error) {
        return (error as Error).message
      }
    })()
    expect(shown.length).toBeLessThan(300)
    expect(shown).not.toMatch(/\p{Cc}/u)
  })

  it.each([
    [null, 'null'],
    ['text', 'a string'],
    [[1], 'an array'],
    [() => {}, 'a function'],
    [7, 'a number'],
  ] as const)('refuses %j in the place of options', (options, kind) => {
    expect(check(options as unknown as object)).toThrow(
      new TypeError(`The options of work() must be an object, not ${kind}.`),
    )
  })

  it('gives advice for keys that have it, in place of the nearest key', () => {
    const advised = () => checkKeys('work()', { era: 1 } as object, KEYS, { era: 'Use "mode".' })
    expect(advised).toThrow(new TypeError('Unknown option "era" for work(). Use "mode".'))
  })
})

describe('pickKeys', () => {
  it('keeps the known keys alone', () => {
    const options = { timeoutMs: 1, disabled: true, autoApprove: [] }
    expect(pickKeys<Options>(options, KEYS)).toEqual({ timeoutMs: 1 })
  })
})

describe('editDistance', () => {
  it('counts missing, added, changed and swapped letters', () => {
    expect(editDistance('args', 'arg')).toBe(1)
    expect(editDistance('arg', 'args')).toBe(1)
    expect(editDistance('argz', 'args')).toBe(1)
    expect(editDistance('arsg', 'args')).toBe(1)
    expect(editDistance('ARGS', 'args')).toBe(0.5)
    expect(editDistance('args', 'args')).toBe(0)
  })

  it('is a distance: the same both ways, and at most the longer length', () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        const distance = editDistance(a, b)
        expect(distance).toBe(editDistance(b, a))
        expect(distance).toBeLessThanOrEqual(
          Math.max(a.length, b.length, a.toLowerCase().length, b.toLowerCase().length),
        )
        expect(editDistance(a, a)).toBe(0)
      }),
    )
  })

  it('finds a known key after one mistake in it', () => {
    const names = Object.keys(KEYS)
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat({ max: 20 }), fc.constantFrom('x', 'q', ''), (name, at, letter) => {
        const i = at % name.length
        expect(nearestKey(name.slice(0, i) + letter + name.slice(i + 1), names)).toBe(name)
      }),
    )
  })
})
