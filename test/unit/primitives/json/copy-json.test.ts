import fc from 'fast-check'
import { expect, it } from 'vitest'
import { copyJSON } from '../../../../src/primitives/json/copy-json.ts'

const throughText = (value: unknown) => {
  const text = JSON.stringify(value)
  return text === undefined ? undefined : JSON.parse(text)
}

it('gives what reading the text would give, whatever the value is made of', () => {
  const anything = fc.anything({ withDate: true, withMap: true, withNullPrototype: true, withSparseArray: true })
  const odd = fc.constantFrom(JSON.parse('{"__proto__":{"a":1}}'), { f() {}, g: { toJSON: () => undefined } }, [
    () => 1,
  ])
  fc.assert(
    fc.property(fc.oneof(anything, odd), (value) => {
      let expected: unknown
      try {
        expected = throughText(value)
      } catch {
        expect(() => copyJSON(value)).toThrow(TypeError)
        return
      }
      expect(copyJSON(value)).toStrictEqual(expected)
      expect(JSON.stringify(copyJSON(value))).toBe(JSON.stringify(expected))
    }),
    { seed: 17, numRuns: 500 },
  )
})

it('shares nothing with what was copied, however deep', () => {
  const value = { list: [{ a: { b: 1 } }] }
  const copied = copyJSON(value)
  const [first] = copied.list
  if (first !== undefined) first.a.b = 2
  copied.list.push({ a: { b: 3 } })
  expect(value).toEqual({ list: [{ a: { b: 1 } }] })
  let deep: object = { end: true }
  for (let n = 0; n < 1_000; n += 1) deep = { deep }
  expect(copyJSON(deep)).toEqual(deep)
  expect(Object.getPrototypeOf(copyJSON(JSON.parse('{"__proto__":{"a":1}}')))).toBe(Object.prototype)
})

it('refuses what holds itself, and what throws on the way', () => {
  const loop: { self?: unknown } = {}
  loop.self = [loop]
  expect(() => copyJSON(loop)).toThrow(TypeError)
  expect(() => copyJSON({ n: 1n })).toThrow(TypeError)
})

it('copies no member that every object inherits', () => {
  Object.defineProperty(Object.prototype, 'inherited', { value: 1, enumerable: true, configurable: true })
  const copied = copyJSON({ a: { b: 1 } })
  const keys = [Object.keys(copied), Object.keys(copied.a)]
  Reflect.deleteProperty(Object.prototype, 'inherited')
  expect(keys).toEqual([['a'], ['b']])
})
