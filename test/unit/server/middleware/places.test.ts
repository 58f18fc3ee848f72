import { expect, it } from 'vitest'
import { createDeferred } from '../../../../src/primitives/async/promises.ts'
import { Place, WaitingLine } from '../../../../src/server/middleware/places.ts'
import { settle } from '../../../support/peers.ts'

const { signal } = new AbortController()

it('is free while a question is open, and brought back by the first answer', async () => {
  const line = new WaitingLine(1, 0)
  const place = new Place(line, signal)
  await place.take()
  expect(line.isFull).toBe(true)
  const [one, other] = [createDeferred(), createDeferred()]
  const asking = [place.leftWhile(() => one.promise), place.leftWhile(() => other.promise)]
  expect(line.isFull).toBe(false)
  one.resolve()
  await asking[0]
  expect(line.isFull).toBe(true)
  other.resolve()
  await asking[1]
  place.end()
  expect(line.takePlace()).toBe(true)
  expect(line.isFull).toBe(true)
})

it('is not taken again by a call that has ended', async () => {
  const line = new WaitingLine(1, 0)
  const place = new Place(line, signal)
  await place.take()
  const answer = createDeferred()
  const asking = place.leftWhile(() => answer.promise)
  place.end()
  answer.resolve()
  await asking
  expect(line.isFull).toBe(false)
})

it('is given on by a call that ends while it waits to go on', async () => {
  const line = new WaitingLine(1, 0)
  const place = new Place(line, signal)
  await place.take()
  const answer = createDeferred()
  const asking = place.leftWhile(() => answer.promise)
  expect(line.takePlace()).toBe(true)
  answer.resolve()
  await settle()
  place.end()
  line.giveBack()
  await asking
  expect(line.isFull).toBe(false)
})

it('passes on that the call was cancelled while it waits to go on', async () => {
  const stop = new AbortController()
  const line = new WaitingLine(1, 0)
  const place = new Place(line, stop.signal)
  await place.take()
  const asking = place.leftWhile(async () => 'answer')
  expect(line.takePlace()).toBe(true)
  await settle()
  stop.abort(new Error('enough'))
  await expect(asking).rejects.toThrow('enough')
  place.end()
  line.giveBack()
  expect(line.isFull).toBe(false)
})
