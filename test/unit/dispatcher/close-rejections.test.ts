// A peer that has any number of requests open when its connection is closed.
import { expect, it } from 'vitest'
import type { Channel, Receiver } from '../../../src/dispatcher/channel.ts'
import { MAX_CLOSE_REJECTIONS } from '../../../src/dispatcher/inbound-requests.ts'
import { JSONRPCDispatcher } from '../../../src/dispatcher/jsonrpc-dispatcher.ts'

it('hears of the end by a bounded number of refusals, and all handlers are stopped', async () => {
  const written: unknown[] = []
  let receiver: Receiver | undefined
  const channel: Channel = {
    start: (started) => {
      receiver = started
    },
    send: (message) => {
      written.push(message)
      return undefined
    },
    close: () => {},
  }
  let stopped = 0
  const dispatcher = new JSONRPCDispatcher(channel)
  const running = dispatcher.run(
    ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          stopped += 1
          reject(signal.reason)
        })
      }),
    () => {},
  )
  for (let id = 0; id < 3 * MAX_CLOSE_REJECTIONS; id += 1) {
    void receiver?.message({ jsonrpc: '2.0', id, method: 'wait' }, undefined)
  }
  await dispatcher.close()
  await running
  expect(stopped).toBe(256)
  expect(written).toHaveLength(MAX_CLOSE_REJECTIONS)
})
