import { describe, expect, it, vi } from 'vitest'
import { connectPeer } from '../../../../src/client/session/peer.ts'
import type { Channel } from '../../../../src/dispatcher/channel.ts'
import { ignoreAll, refuseAll } from '../../../support/peers.ts'

describe('a channel under a session', () => {
  it('has the time to close that it asks for', async () => {
    vi.useFakeTimers()
    try {
      const channel: Channel = {
        start: () => {},
        send: () => undefined,
        close: () => new Promise((resolve) => setTimeout(resolve, 8_000)),
        closeMs: 10_000,
      }
      const { dispatcher } = connectPeer(channel, { onFault: undefined, hearsProgress: false })
      let hasEnded = false
      void dispatcher.run(refuseAll, ignoreAll)
      void dispatcher.close().then(() => {
        hasEnded = true
      })
      await vi.advanceTimersByTimeAsync(7_000)
      expect(hasEnded).toBe(false)
      await vi.advanceTimersByTimeAsync(1_500)
      expect(hasEnded).toBe(true)
    } finally {
      vi.useRealTimers()
    }
  })
})
