import { expect, it, vi } from 'vitest'
import type { Channel, Receiver } from '../../../src/dispatcher/channel.ts'
import { tapChannel, tapTransport, type WireMessage } from '../../../src/dispatcher/wire-tap.ts'
import { WireRecorder } from '../../../src/testing/wire-recorder.ts'

const REQUEST = { jsonrpc: '2.0', id: 1, method: 'ping' } as const

function fakeChannel() {
  let receiver: Receiver | undefined
  const channel = {
    closeMs: 12_000,
    childStatus: { stderr: ['first line'] },
    start: (given: Receiver) => {
      receiver = given
    },
    send: vi.fn(() => Promise.resolve()),
    release: vi.fn(),
    close: vi.fn(),
  } satisfies Channel
  return { channel, receiver: () => receiver as Receiver }
}

const fakeReceiver = () => ({
  message: vi.fn(() => undefined),
  lost: vi.fn(),
  hold: vi.fn(() => release),
  fault: vi.fn(),
  closed: vi.fn(),
})
const release = () => {}

const ways: [name: string, wrap: (channel: Channel) => Channel][] = [
  ['tapChannel', (channel) => tapChannel(channel, () => {})],
  ['WireRecorder', (channel) => new WireRecorder().wrapChannel(channel)],
]

it.each(ways)('compose K27: %s keeps closeMs, childStatus, release and the hold of the receiver', (_name, wrap) => {
  const { channel, receiver } = fakeChannel()
  const tapped = wrap(channel)
  expect(tapped.closeMs).toBe(12_000)
  channel.childStatus = { stderr: ['first line', 'the last one'] }
  expect(tapped.childStatus).toBe(channel.childStatus)
  const owner = fakeReceiver()
  void tapped.start(owner)
  expect(receiver().hold?.(7)).toBe(release)
  expect(owner.hold).toHaveBeenCalledWith(7)
  tapped.release?.(3)
  expect(channel.release).toHaveBeenCalledWith(3)
})

it.each(ways)('compose K27: %s adds nothing that the channel and the receiver do not have', (_name, wrap) => {
  const { channel, receiver } = fakeChannel()
  const { start, send, close } = channel
  const { hold: _hold, ...owner } = fakeReceiver()
  const tapped = wrap({ start, send, close })
  expect(Object.keys(tapped).sort()).toEqual(['close', 'send', 'start'])
  void tapped.start(owner)
  expect(receiver().hold).toBeUndefined()
})

it.each(ways)('recording changes nothing: %s passes on the waits of both sides', async (_name, wrap) => {
  const { channel, receiver } = fakeChannel()
  const owner = fakeReceiver()
  const wait = Promise.resolve()
  owner.message.mockReturnValue(wait as never)
  const tapped = wrap(channel)
  void tapped.start(owner)
  expect(receiver().message(REQUEST)).toBe(wait)
  const sent = tapped.send(REQUEST)
  expect(sent).toBe(channel.send.mock.results[0]?.value)
  await sent
})

it('shows each message with its direction and the request that it belongs to', async () => {
  const seen: WireMessage[] = []
  const { channel, receiver } = fakeChannel()
  const transport = tapTransport({ kind: 'fake', target: 'a place', open: async () => channel }, (one) =>
    seen.push(one),
  )
  expect(transport).toMatchObject({ kind: 'fake', target: 'a place' })
  const tapped = await transport.open()
  void tapped.start(fakeReceiver())
  await tapped.send(REQUEST)
  void receiver().message({ jsonrpc: '2.0', id: 1, result: {} }, { relatedRequestId: 1 })
  expect(seen).toEqual([
    { direction: 'sent', message: REQUEST, relatedRequestId: undefined },
    { direction: 'received', message: { jsonrpc: '2.0', id: 1, result: {} }, relatedRequestId: 1 },
  ])
})
