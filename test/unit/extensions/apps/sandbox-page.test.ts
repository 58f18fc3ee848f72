// The sandbox page, its address and its headers, and the frame that it is shown in.
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { mountView } from '../../../../src/extensions/apps/host/mount-view.ts'
import { allowlistOf, policyOf } from '../../../../src/extensions/apps/host/policy.ts'
import { sandboxPage, sandboxUrl } from '../../../../src/extensions/apps/host/sandbox-page.ts'
import { createWindow, DOCUMENT } from './support.ts'

const hostOrigin = 'https://host.example.com'
const base = 'https://sandbox.example.com/view?v=1'

/** Sends the target as it is, which no HTTP client would. */
async function statusOf(port: number, target: string): Promise<number> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${target} HTTP/1.1\r\nHost: sandbox.example.com\r\nConnection: close\r\n\r\n`)
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  return Number(text.split(' ', 2)[1])
}

describe('sandboxPage', () => {
  it('traps X-40 is served with the policy of the view as a header', () => {
    const csp = { connectDomains: ['https://api.example.com'] }
    const url = sandboxUrl(base, csp)
    expect(new URL(url).origin).toBe('https://sandbox.example.com')
    for (const asked of [url, url.slice('https://sandbox.example.com'.length)]) {
      const { headers, html } = sandboxPage(asked, { hostOrigin })
      expect(headers['content-security-policy']).toBe(`${policyOf(csp)}; frame-ancestors ${hostOrigin}`)
      expect(headers['connection-allowlist']).toBe(allowlistOf(csp))
      expect(html).not.toContain('http-equiv')
      expect(html).toContain(JSON.stringify(hostOrigin))
    }
  })

  it('apps A-15 an address with a policy that is none gets the policy that reaches nothing', () => {
    const none = `${policyOf()}; frame-ancestors ${hostOrigin}`
    for (const csp of ['', 'x', '[]', 'null', '{"connectDomains":["*"]}', `"${'x'.repeat(9_000)}"`]) {
      const { headers } = sandboxPage(`/view?csp=${encodeURIComponent(csp)}`, { hostOrigin })
      expect(headers['content-security-policy'], csp.slice(0, 40)).toBe(none)
      expect(headers['connection-allowlist']).toBe('(response-origin);redirects=allow;webrtc=block')
    }
    expect(sandboxUrl(base)).toBe(base)
    expect(sandboxUrl(base, { connectDomains: ["'self'"] })).toBe(base)
  })

  it('traps X-39 shows nothing on the origin of the host itself', () => {
    const { status, html } = sandboxPage(`${hostOrigin}/view`, { hostOrigin })
    expect([status, html]).toEqual([400, expect.stringContaining("on the host's own origin")])
    expect(html).not.toContain('<script>')
  })

  it('answers whatever a request asks for, and never throws because of it', () => {
    const targets = [
      '//[',
      'http://[',
      '//a:99999/',
      'http://a b',
      '//x@:/',
      `${hostOrigin}/`,
      `${hostOrigin}:443/?csp={}`,
    ]
    for (const target of targets) {
      const { status, headers, html } = sandboxPage(target, { hostOrigin })
      expect([target, status, html.includes('<script>')]).toEqual([target, 400, false])
      expect(headers['content-security-policy']).toBe(`${policyOf()}; frame-ancestors ${hostOrigin}`)
    }
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl({ withQueryParameters: true })), (target) => {
        expect([200, 400]).toContain(sandboxPage(target, { hostOrigin }).status)
        expect([200, 400]).toContain(sandboxPage(`//${target}`, { hostOrigin }).status)
      }),
    )
  })

  it('as documented, a server survives requests with an address that is none', async () => {
    vi.stubEnv('PORT', '0')
    const { listening } = await import('../../../../docs/examples/app-sandbox.ts')
    await using _closed = {
      [Symbol.asyncDispose]: () => new Promise<void>((resolve) => listening.close(() => resolve())),
    }
    if (!listening.listening) await once(listening, 'listening')
    const { port } = listening.address() as AddressInfo
    for (const [target, status] of [
      ['//[', 400],
      ['https://chat.example.com/', 400],
      ['/view', 200],
    ] as const) {
      expect(await statusOf(port, target), target).toBe(status)
    }
  })

  it('refuses an origin of the host that is none', () => {
    for (const wrong of ['*', 'null', "https://a.example.com'", '</script>']) {
      expect(() => sandboxPage('/view', { hostOrigin: wrong })).toThrow('is not one')
    }
    expect(() => sandboxPage('/view', { host: hostOrigin } as never)).toThrow('Unknown option "host"')
  })

  it('an address that no server would take is refused', () => {
    const connectDomains = Array.from({ length: 64 }, (_, i) => `https://${'a'.repeat(200)}${i}.example.com`)
    expect(() => sandboxUrl(base, { connectDomains })).toThrow('more than 8000 characters')
  })
})

describe('mountView', () => {
  const view = {
    uri: 'ui://a/b',
    html: DOCUMENT,
    csp: { connectDomains: ['https://a.example.com'] },
    permissions: { camera: {} },
  }

  function createFrame(contentWindow: { postMessage(): void } | null = { postMessage: () => {} }) {
    const set: [string, string][] = []
    return { contentWindow, set, setAttribute: (name: string, value: string) => void set.push([name, value]) }
  }

  it('traps X-41 listens before the frame has its address, which comes last', async () => {
    const self = createWindow(hostOrigin)
    const frame = createFrame()
    let listening = 0
    frame.setAttribute = (name, value) => {
      frame.set.push([name, value])
      if (name === 'src') listening = self.listeners.size
    }
    const host = mountView(frame, { view, sandboxUrl: base, self })
    expect(listening).toBe(1)
    expect(frame.set).toEqual([
      ['sandbox', 'allow-scripts allow-same-origin'],
      ['allow', 'camera'],
      ['referrerpolicy', 'no-referrer'],
      ['src', sandboxUrl(base, view.csp)],
    ])
    await host.close()
    expect(self.listeners.size).toBe(0)
  })

  it('apps A-17, traps X-39 never gives a frame of the host its own origin', () => {
    const frame = createFrame()
    const mount = () => mountView(frame, { view, sandboxUrl: `${hostOrigin}/sandbox`, self: createWindow(hostOrigin) })
    expect(mount).toThrow("is the host's own")
    expect(frame.set).toEqual([])
  })

  it('says that the frame is not in the document', () => {
    const mount = () => mountView(createFrame(null), { view, sandboxUrl: base, self: createWindow(hostOrigin) })
    expect(mount).toThrow('Add it to the document first')
  })
})
