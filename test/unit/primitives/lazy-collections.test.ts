// Collections that have no table while they are empty behave like those that have one.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LazyMap, LazySet } from '../../../src/primitives/lazy-collections.ts'

const steps = fc.array(fc.tuple(fc.constantFrom('add', 'delete', 'clear'), fc.nat(5), fc.nat(9)), { maxLength: 40 })

it('a set', () => {
  fc.assert(
    fc.property(steps, (list) => {
      const lazy = new LazySet<number>()
      const model = new Set<number>()
      for (const [step, value] of list) {
        if (step === 'add') {
          lazy.add(value)
          model.add(value)
        } else if (step === 'delete') expect(lazy.delete(value)).toBe(model.delete(value))
        else {
          lazy.clear()
          model.clear()
        }
        expect([...lazy]).toEqual([...model])
        expect([lazy.size, lazy.has(value)]).toEqual([model.size, model.has(value)])
      }
    }),
  )
})

it('a map', () => {
  fc.assert(
    fc.property(steps, (list) => {
      const lazy = new LazyMap<number, number>()
      const model = new Map<number, number>()
      for (const [step, key, value] of list) {
        if (step === 'add') {
          lazy.set(key, value)
          model.set(key, value)
        } else if (step === 'delete') expect(lazy.delete(key)).toBe(model.delete(key))
        else {
          lazy.clear()
          model.clear()
        }
        expect([...lazy.values()]).toEqual([...model.values()])
        expect([lazy.size, lazy.has(key), lazy.get(key)]).toEqual([model.size, model.has(key), model.get(key)])
      }
    }),
  )
})
