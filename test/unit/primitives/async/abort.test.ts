// One signal that follows several.
import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { followAny } from '../../../../src/primitives/async/abort.ts'

describe('followAny', () => {
  it('aborts with the first of its signals, and with its reason', () => {
    const [one, two] = [new AbortController(), new AbortController()]
    const { signal } = followAny([one.signal, two.signal])
    two.abort('second')
    one.abort('first')
    expect(signal.reason).toBe('second')
  })

  it('is aborted from the start where one of them is', () => {
    const { signal } = followAny([new AbortController().signal, AbortSignal.abort('early')])
    expect(signal.reason).toBe('early')
  })

  it('leaves nothing behind when it is stopped', () => {
    const controller = new AbortController()
    const followed = Array.from({ length: 100 }, () => followAny([controller.signal]))
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1)
    for (const { stop } of followed) stop()
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
    controller.abort()
    expect(followed.some(({ signal }) => signal.aborted)).toBe(false)
  })
})
