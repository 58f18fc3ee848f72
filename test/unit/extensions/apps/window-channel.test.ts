// The channel to another window: whose messages it takes, and which.
import { describe, expect, it } from 'vitest'
import type { Fault } from '../../../../src/dispatcher/fault.ts'
import { JSONRPCDispatcher } from '../../../../src/dispatcher/jsonrpc-dispatcher.ts'
import { type WindowChannelOptions, windowChannel } from '../../../../src/extensions/apps/host/window-channel.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'
import { createWindow } from './support.ts'

const HOST = 'https://host.example.com'
const SANDBOX = 'https://sandbox.example.com'

function open(options: Partial<WindowChannelOptions> = {}) {
  const self = createWindow(HOST)
  const sent: [message: unknown, origin: string][] = []
  const peer = { postMessage: (message: unknown, origin: string) => void sent.push([message, origin]) }
  const channel = windowChannel(peer, { origin: SANDBOX, self, ...options })
  const faults: Fault[] = []
  const heard: [string, JSONObject | undefined][] = []
  const dispatcher = new JSONRPCDispatcher(channel, { onFault: (fault) => faults.push(fault) })
  const ended = dispatcher.run(
    (_ctx, _method, params) => ({ echo: params }),
    (_ctx, method, params) => void heard.push([method, params]),
  )
  const deliver = (data: unknown, source: unknown = peer, origin = SANDBOX) => self.deliver({ data, source, origin })
  return { self, peer, sent, faults, heard, dispatcher, deliver, ended }
}

const hello = (params: unknown = {}) => ({ jsonrpc: '2.0', method: 'hello', params })

describe('windowChannel', () => {
  it('apps A-22 takes messages of its window and origin alone, and sends to that origin alone', async () => {
    const { peer, sent, heard, faults, deliver } = open()
    deliver(hello({ from: 'other window' }), { postMessage: () => {} })
    deliver(hello({ from: 'nobody' }), null)
    expect(faults).toEqual([])
    deliver(hello({ from: 'other origin' }), peer, 'https://evil.example.com')
    deliver(hello({ from: 'opaque origin' }), peer, 'null')
    expect(faults).toMatchObject([{ kind: 'invalid-message' }, { kind: 'invalid-message' }])
    deliver(hello({ from: 'view' }))
    deliver({ jsonrpc: '2.0', id: 1, method: 'ask', params: { a: 1 } })
    await expect.poll(() => sent).toEqual([[{ jsonrpc: '2.0', id: 1, result: { echo: { a: 1 } } }, SANDBOX]])
    expect(heard).toEqual([['hello', { from: 'view' }]])
  })

  it('apps A-17, traps X-39 refuses the origin of the host itself, and what is no origin', () => {
    const self = createWindow(HOST)
    const peer = { postMessage: () => {} }
    expect(() => windowChannel(peer, { origin: HOST, self })).toThrow("is the host's own")
    for (const origin of [
      '*',
      'null',
      '',
      'sandbox.example.com',
      `${SANDBOX}/`,
      'data:text/html,x',
      'https://Sandbox.example.com',
    ]) {
      expect(() => windowChannel(peer, { origin, self }), origin).toThrow(
        'Write it as in "https://sandbox.example.com"',
      )
    }
    expect(() => windowChannel(null as never, { origin: SANDBOX, self })).toThrow('needs a window')
    expect(() => windowChannel(peer, { origins: SANDBOX } as never)).toThrow('The nearest known option is "origin"')
  })

  const cycle: unknown[] = []
  cycle.push(cycle)
  let shared: unknown = 'x'
  for (let i = 0; i < 40; i += 1) shared = [shared, shared]
  it.each<[string, unknown]>([
    ['text', '{"jsonrpc":"2.0","method":"hello"}'],
    ['nothing', undefined],
    ['null', null],
    ['a list', [hello()]],
    ['a map', new Map()],
    ['a message without jsonrpc', { method: 'hello' }],
    ['a cycle', hello({ cycle })],
    ['a small value that unfolds', hello({ shared })],
    ['a long text', hello({ text: 'x'.repeat(5_000) })],
    ['a sparse list', hello({ list: new Array(1_000_000) })],
    ['a big integer', hello({ n: 1n })],
    ['bytes', hello({ bytes: new Uint8Array(8) })],
    ['a date', hello({ date: new Date() })],
    ['not a number', hello({ n: Number.NaN })],
  ])('apps A-22 a hostile view that sends %s is not heard', (_what, data) => {
    const { heard, faults, deliver } = open({ maxMessageBytes: 4_096 })
    deliver(data)
    expect(heard).toEqual([])
    expect(faults).toMatchObject([{ kind: 'invalid-message' }])
  })

  it('apps A-22 answers a request that it refuses, so that the view does not wait', () => {
    const { sent, deliver } = open({ maxMessageBytes: 4_096 })
    deliver({ jsonrpc: '2.0', id: 'a', method: 'ask', params: { text: 'x'.repeat(5_000) } })
    expect(sent).toMatchObject([[{ id: 'a', error: { code: -32600 } }, SANDBOX]])
  })

  it('keeps __proto__ and undefined as data, and leaves out members that are undefined', () => {
    const { heard, deliver } = open()
    deliver({ ...hello(JSON.parse('{"__proto__":{"polluted":true}}')), extra: undefined })
    expect(Object.keys(heard[0]?.[1] ?? {})).toEqual(['__proto__'])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('bounds what waits while the receiver is busy', async () => {
    const self = createWindow(HOST)
    const peer = { postMessage: () => {} }
    const channel = windowChannel(peer, { origin: SANDBOX, self })
    let resume = () => {}
    const taken: unknown[] = []
    const faults: Fault[] = []
    void channel.start({
      message: (message) => {
        taken.push(message)
        return taken.length === 1 ? new Promise<void>((resolve) => (resume = resolve)) : undefined
      },
      lost: () => {},
      fault: (fault) => faults.push(fault),
      closed: () => {},
    })
    for (let i = 0; i < 1_100; i += 1) self.deliver({ data: hello({ i }), source: peer, origin: SANDBOX })
    expect(taken).toHaveLength(1)
    expect(faults).toHaveLength(75)
    resume()
    await expect.poll(() => taken.length).toBe(1_025)
  })

  it('stops listening when it is closed, any number of times', async () => {
    const { self, dispatcher, ended } = open()
    expect(self.listeners.size).toBe(1)
    await dispatcher.close()
    await dispatcher.close()
    await ended
    expect(self.listeners.size).toBe(0)
  })
})
