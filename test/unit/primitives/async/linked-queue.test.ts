import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LinkedQueue, type QueuePlace } from '../../../../src/primitives/async/linked-queue.ts'

it('gives things back in the order they came, whoever leaves in between', () => {
  const step = fc.oneof(fc.constant('push'), fc.constant('shift'), fc.nat({ max: 20 }))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = new LinkedQueue<number>()
      const places: QueuePlace<number>[] = []
      let model: number[] = []
      for (const next of steps) {
        if (next === 'push') {
          model.push(places.length)
          places.push(queue.push(places.length))
        } else if (next === 'shift') {
          expect(queue.shift()).toBe(model.shift())
        } else {
          const place = places[next as number]
          const isIn = place !== undefined && model.includes(place.value)
          expect(place?.leave() ?? false).toBe(isIn)
          model = model.filter((value) => value !== place?.value)
        }
        expect(queue.size).toBe(model.length)
      }
      queue.clear()
      expect([queue.size, queue.shift()]).toEqual([0, undefined])
    }),
  )
})
