// The host's end of the connection to a view: handshake, order, display modes, and what a hostile view gets.
import { describe, expect, it, vi } from 'vitest'
import type { Fault } from '../../../../src/dispatcher/fault.ts'
import { createMemoryChannelPair } from '../../../../src/dispatcher/memory-channel.ts'
import { AppHost } from '../../../../src/extensions/apps/host/app-host.ts'
import { PACKAGE_VERSION } from '../../../../src/types/protocol/package-version.ts'
import { createHost, DOCUMENT, settle } from './support.ts'

const RESULT = { content: [{ type: 'text' as const, text: 'sunny' }] }
const inputOf = (city: string) => ['ui/notifications/tool-input', { arguments: { city } }]

describe('handshake', () => {
  it('answers ui/initialize with version, capabilities of its options and context', async () => {
    const { host, view } = createHost({ onOpenLink: () => {}, context: { theme: 'dark' } })
    expect(await view.initialize({ availableDisplayModes: ['inline', 'pip', 'huge'], tools: {} })).toEqual({
      protocolVersion: '2026-01-26',
      hostInfo: { name: 'mcpwire', version: PACKAGE_VERSION },
      hostCapabilities: { openLinks: {} },
      hostContext: { theme: 'dark', displayMode: 'inline' },
    })
    expect(host.appInfo).toEqual({ name: 'view', version: '1' })
    expect(host.appCapabilities).toEqual({ availableDisplayModes: ['inline', 'pip'], tools: {} })
    await host.close()
  })

  it('declares what it has handlers for', async () => {
    const client = {
      tools: async function* () {},
      callTool: async () => ({}),
      readResource: async () => ({ contents: [] }),
    }
    const csp = { connectDomains: ['https://a.example.com'] }
    const { host, view } = createHost({
      client,
      view: { uri: 'ui://a/b', html: DOCUMENT, csp, permissions: { camera: {} } },
      onMessage: () => {},
      onModelContext: () => {},
      onDownload: () => {},
      onLog: () => {},
    })
    const content = { text: {}, image: {}, audio: {}, resource: {}, resourceLink: {} }
    expect((await view.initialize())['hostCapabilities']).toEqual({
      downloadFile: {},
      serverTools: { listChanged: true },
      serverResources: {},
      logging: {},
      message: content,
      updateModelContext: { ...content, structuredContent: {} },
      sandbox: { csp, permissions: { camera: {} } },
    })
    await host.close()
  })

  it('apps A-18 the view hears nothing before it says that it is initialized', async () => {
    const { host, view } = createHost()
    host.sendPartialInput({ city: 'P' })
    host.sendInput({ city: 'Paris' })
    host.sendResult(RESULT)
    host.sendContext({ theme: 'dark' })
    host.sendToolsChanged()
    const appInfo = { name: 'view', version: '1' }
    expect(await view.request('ui/initialize', { appInfo, appCapabilities: {} })).toMatchObject({
      hostContext: { theme: 'dark' },
    })
    host.sendContext({ locale: 'de' })
    await settle(view)
    expect(view.heard).toEqual([])
    await view.notify('ui/notifications/initialized')
    await host.ready
    await settle(view)
    expect(view.heard).toEqual([
      ['ui/notifications/host-context-changed', { locale: 'de' }],
      inputOf('Paris'),
      ['ui/notifications/tool-result', RESULT],
    ])
    await host.close()
  })

  it('a view that closes before it is initialized gets no teardown, and ready rejects', async () => {
    const { host, view } = createHost()
    const ready = expect(host.ready).rejects.toThrow('The view was closed before it was ready.')
    await settle(view)
    await host.close()
    await ready
    expect(view.heard).toEqual([])
  })

  it('a hostile view can neither initialize twice nor ask for anything before', async () => {
    const { host, view } = createHost({ onOpenLink: () => {} })
    await expect(view.request('ui/open-link', { url: 'https://example.com' })).rejects.toMatchObject({ code: -32600 })
    await expect(view.request('ui/initialize', { appInfo: 7 })).rejects.toMatchObject({ code: -32602 })
    await view.notify('ui/notifications/initialized')
    await settle(view)
    await expect(view.request('ui/open-link', { url: 'https://example.com' })).rejects.toMatchObject({ code: -32600 })
    await view.initialize()
    await expect(view.initialize()).rejects.toMatchObject({ code: -32600 })
    await host.close()
  })

  it('traps X-41, AQ-3 gives the sandbox page its view each time it says that it is ready, until the view is there', async () => {
    const csp = { connectDomains: ['https://a.example.com'] }
    const shown = { uri: 'ui://a/b', html: DOCUMENT, csp, permissions: {} }
    const { host, view } = createHost({ view: shown, sandbox: ['allow-forms'] })
    await view.notify('ui/notifications/sandbox-proxy-ready', {})
    await view.notify('ui/notifications/sandbox-ready', {})
    await settle(view)
    const ready = { html: DOCUMENT, sandbox: 'allow-scripts allow-forms', csp, permissions: {} }
    expect(view.heard).toEqual(Array(2).fill(['ui/notifications/sandbox-resource-ready', ready]))
    await view.initialize()
    await view.notify('ui/notifications/sandbox-proxy-ready', {})
    await settle(view)
    expect(view.heard).toHaveLength(2)
    await host.close()
  })

  it('refuses options that are unknown, of another kind, or let a view leave its frame', () => {
    const [channel] = createMemoryChannelPair()
    expect(() => new AppHost(channel, { onOpenlink: () => {} } as never)).toThrow(
      'The nearest known option is "onOpenLink"',
    )
    expect(() => new AppHost(channel, { onMessage: 7 } as never)).toThrow('must be a function')
    expect(() => new AppHost(channel, { teardownMs: -1 })).toThrow(RangeError)
    expect(() => new AppHost(channel, { sandbox: ['allow-top-navigation'] })).toThrow('"allow-top-navigation"')
  })
})

describe('the tool call', () => {
  it('apps A-19 input once, no partial input after it, and before the result', async () => {
    const { host, view } = createHost()
    await view.initialize()
    expect(() => host.sendResult(RESULT)).toThrow('Call sendInput() before sendResult()')
    host.sendPartialInput({ city: 'Pa' })
    host.sendPartialInput({ city: 'Par' })
    host.sendInput({ city: 'Paris' })
    expect(() => host.sendInput({ city: 'Rome' })).toThrow('Call sendInput() once')
    expect(() => host.sendPartialInput({ city: 'Pari' })).toThrow('before sendInput()')
    host.sendResult(RESULT)
    expect(() => host.sendResult(RESULT)).toThrow('Call sendResult() once')
    host.sendCancelled('too late')
    await settle(view)
    expect(view.heard).toEqual([
      ['ui/notifications/tool-input-partial', { arguments: { city: 'Pa' } }],
      ['ui/notifications/tool-input-partial', { arguments: { city: 'Par' } }],
      inputOf('Paris'),
      ['ui/notifications/tool-result', RESULT],
    ])
    await host.close()
  })

  it('apps A-19 a cancelled call says so, in every state, and a result that comes later is dropped', async () => {
    for (const isRunning of [false, true]) {
      const { host, view } = createHost()
      await view.initialize()
      if (isRunning) host.sendInput({ city: 'Paris' })
      host.sendCancelled('user')
      host.sendCancelled()
      host.sendInput()
      host.sendResult(RESULT)
      await settle(view)
      const cancelled = ['ui/notifications/tool-cancelled', { reason: 'user' }]
      expect(view.heard).toEqual(isRunning ? [inputOf('Paris'), cancelled] : [cancelled])
      await host.close()
    }
  })
})

describe('display modes', () => {
  const modes = ['inline', 'fullscreen', 'pip'] as const

  it('apps A-21 switches only to modes that the view declared and the host offers, and answers with the mode in force', async () => {
    const asked: string[] = []
    const { host, view } = createHost({
      context: { availableDisplayModes: ['inline', 'fullscreen'] },
      onDisplayMode: (mode) => {
        asked.push(mode)
        return mode
      },
    })
    await view.initialize({ availableDisplayModes: ['inline', 'fullscreen', 'pip'] })
    const request = (mode: unknown) => view.request('ui/request-display-mode', { mode })
    expect(await request('pip')).toEqual({ mode: 'inline' })
    expect(await request('huge')).toEqual({ mode: 'inline' })
    expect(await request(undefined)).toEqual({ mode: 'inline' })
    expect(await request('fullscreen')).toEqual({ mode: 'fullscreen' })
    expect(await request('fullscreen')).toEqual({ mode: 'fullscreen' })
    expect(asked).toEqual(['fullscreen'])
    expect(host.context.displayMode).toBe('fullscreen')
    expect(view.heard).toEqual([['ui/notifications/host-context-changed', { displayMode: 'fullscreen' }]])
    await host.close()
  })

  it('apps A-21 a view that declared no mode, or a host without a handler, stays as it is', async () => {
    const silent = createHost({ onDisplayMode: (mode) => mode })
    await silent.view.initialize()
    expect(await silent.view.request('ui/request-display-mode', { mode: 'pip' })).toEqual({ mode: 'inline' })
    const plain = createHost()
    await plain.view.initialize({ availableDisplayModes: modes })
    expect(await plain.view.request('ui/request-display-mode', { mode: 'pip' })).toEqual({ mode: 'inline' })
    await silent.host.close()
    await plain.host.close()
  })

  it('apps A-21 the host itself cannot switch to a mode that the view did not declare', async () => {
    const { host, view } = createHost({ onDisplayMode: () => 'pip' })
    await view.initialize({ availableDisplayModes: ['inline', 'fullscreen'] })
    expect(() => host.sendContext({ displayMode: 'pip' })).toThrow('Use one of: inline, fullscreen.')
    expect(await view.request('ui/request-display-mode', { mode: 'fullscreen' })).toEqual({ mode: 'inline' })
    host.sendContext({ displayMode: 'fullscreen' })
    expect(host.context.displayMode).toBe('fullscreen')
    await host.close()
  })
})

describe('the end', () => {
  it('apps A-20, AQ-5 asks the view to tear down, waits for its answer, and then closes', async () => {
    const { host, view } = createHost()
    await view.initialize()
    let answer = () => {}
    view.onTeardown = () => new Promise((resolve) => (answer = () => resolve({})))
    let isClosed = false
    const closed = host.close('user').then(() => (isClosed = true))
    await expect.poll(() => view.heard).toMatchObject([['ui/resource-teardown', { reason: 'user' }]])
    await settle(view)
    expect(isClosed).toBe(false)
    answer()
    await closed
    await host.close()
    expect(view.heard).toHaveLength(1)
    host.sendInput({})
    host.sendContext({ theme: 'dark' })
  })

  it('apps A-20 does not wait for a view that never answers', async () => {
    const { host, view } = createHost({ teardownMs: 20 })
    await view.initialize()
    view.onTeardown = () => new Promise(() => {})
    await host.close()
    expect(view.heard).toHaveLength(1)
  })

  it('apps A-25 tools of a view, a draft, are not offered: none is listed, called or kept', async () => {
    const { host, view } = createHost()
    await view.initialize({ tools: { listChanged: true } })
    await view.notify('notifications/tools/list_changed')
    await settle(view)
    expect(view.heard).toEqual([])
    expect(host).not.toHaveProperty('tools')
    await host.close()
  })
})

describe('sizes', () => {
  it('traps X-47 of a storm of sizes the host hears the last', async () => {
    vi.useFakeTimers()
    try {
      const sizes: unknown[] = []
      const { host, view } = createHost({ onSize: (size) => sizes.push(size) })
      await view.initialize()
      for (let height = 1; height <= 500; height += 1) await view.notify('ui/notifications/size-changed', { height })
      await view.notify('ui/notifications/size-changed', { width: 300 })
      for (const bad of [-1, 1e9, Number.NaN, '100', null]) {
        await view.notify('ui/notifications/size-changed', { height: bad })
      }
      await settle(view)
      expect(sizes).toEqual([])
      await vi.advanceTimersByTimeAsync(16)
      expect(sizes).toEqual([{ width: 300, height: 500 }])
      await vi.advanceTimersByTimeAsync(1_000)
      expect(sizes).toHaveLength(1)
      await host.close()
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('floods', () => {
  it.each([
    ['log messages', 'notifications/message', 100],
    ['wishes to close', 'ui/notifications/request-teardown', 10],
  ])(
    'of a flood of %s the host hears a bounded number in a second, and that others were dropped',
    async (_what, method, limit) => {
      vi.useFakeTimers()
      try {
        let heard = 0
        const faults: unknown[] = []
        const hear = () => {
          heard += 1
        }
        const onFault = ({ kind, method: of }: Fault) => void faults.push([kind, of])
        const { host, view } = createHost({ onLog: hear, onCloseRequest: hear, onFault })
        await view.initialize()
        const flood = async () => {
          for (let n = 0; n < 1_000; n += 1) await view.notify(method, { level: 'info', data: n })
          await settle(view)
        }
        await flood()
        expect(heard).toBe(limit)
        await vi.advanceTimersByTimeAsync(999)
        await flood()
        expect(heard).toBe(limit)
        expect(faults).toEqual([['overflow', method]])
        await vi.advanceTimersByTimeAsync(1)
        await flood()
        expect(heard).toBe(2 * limit)
        expect(faults).toEqual([
          ['overflow', method],
          ['overflow', method],
        ])
        await host.close()
      } finally {
        vi.useRealTimers()
      }
    },
  )
})

it('reports callbacks that are async and reject, and the view goes on', async () => {
  const faults: Fault[] = []
  const fail = (name: string) => () => Promise.reject(new Error(name))
  const { host, view } = createHost({
    onLog: fail('onLog'),
    onCloseRequest: fail('onCloseRequest'),
    onSize: fail('onSize'),
    onFault: (fault) => faults.push(fault),
  })
  await view.initialize()
  await view.notify('notifications/message', { level: 'info', data: 1 })
  await view.notify('ui/notifications/request-teardown', {})
  await view.notify('ui/notifications/size-changed', { width: 5, height: 5 })
  await vi.waitFor(() => {
    const expected = ['onLog', 'onCloseRequest', 'onSize'].map((name) => `${name} of the AppHost threw an error.`)
    expect(faults.map(({ message }) => message)).toEqual(expected)
  })
  expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(['callback-failed']))
  await settle(view)
  await host.close()
})
