import { describe, expect, it } from 'vitest'
import { brand } from '../../../../src/types/errors/errors.ts'

class Lantern {}
brand(Lantern, 'Lantern')

class TallLantern extends Lantern {}

/** What a second copy of a package would define. */
function lanternOfAnotherCopy() {
  class Lantern {}
  brand(Lantern, 'Lantern')
  return Lantern
}

describe('brand', () => {
  it('leaves instances and strangers as they were', () => {
    expect(new Lantern()).toBeInstanceOf(Lantern)
    for (const stranger of [{}, [], undefined, null, 'Lantern', 7, Symbol.for('mcpwire.Lantern'), () => {}]) {
      expect(stranger instanceof Lantern).toBe(false)
    }
  })

  it('F212 recognises the instances of another copy, both ways', () => {
    const Other = lanternOfAnotherCopy()
    expect(new Other()).toBeInstanceOf(Lantern)
    expect(new Lantern()).toBeInstanceOf(Other)
  })

  it('tells names apart', () => {
    class Torch {}
    brand(Torch, 'Torch')
    expect(new Torch() instanceof Lantern).toBe(false)
    expect(new Lantern() instanceof Torch).toBe(false)
  })

  it('leaves classes that a user derives with the ordinary instanceof', () => {
    expect(new TallLantern()).toBeInstanceOf(Lantern)
    expect(new TallLantern()).toBeInstanceOf(TallLantern)
    expect(new Lantern() instanceof TallLantern).toBe(false)
  })

  it('answers no for a revoked proxy and for one that throws', () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    expect(proxy instanceof Lantern).toBe(false)
    const hostile = new Proxy(
      {},
      {
        has() {
          throw new Error('no questions')
        },
      },
    )
    expect(hostile instanceof Lantern).toBe(false)
  })

  it('names the class without a trace on its instances', () => {
    const lantern = new Lantern()
    expect((lantern as { name?: string }).name).toBe('Lantern')
    expect(Object.keys(lantern)).toEqual([])
    expect(JSON.stringify(lantern)).toBe('{}')
  })
})
