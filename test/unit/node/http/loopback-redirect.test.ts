// The page that a browser comes back to: the one right visit counts, all others are answered and forgotten.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { listenForRedirect } from '../../../../src/node/http/loopback-redirect.ts'

const NEVER = new AbortController().signal

async function open(options = {}) {
  const listener = await listenForRedirect(options)
  return { ...listener, [Symbol.asyncDispose]: () => listener.close() }
}

describe('the loopback redirect', () => {
  it('F179 takes the visit with the right state, once', async () => {
    await using page = await open()
    const visit = page.visit('right', NEVER)
    const wrong = await fetch(`${page.uri}?state=wrong&code=a`)
    const right = await fetch(`${page.uri}?state=right&code=b`)
    const again = await fetch(`${page.uri}?state=right&code=c`)
    expect([wrong.status, right.status, again.status]).toEqual([400, 200, 400])
    expect((await visit).get('code')).toBe('b')
  })

  it('F179 answers other pages, methods and hosts without taking them for the visit', async () => {
    await using page = await open()
    const visit = page.visit('right', NEVER)
    const { origin } = new URL(page.uri)
    const statuses = await Promise.all(
      [
        fetch(`${origin}/favicon.ico?state=right`),
        fetch(`${origin}/callback/deeper?state=right`),
        fetch(`${page.uri}?state=right`, { method: 'POST' }),
        fetch(`${page.uri.replace('127.0.0.1', 'localhost')}?state=right`).catch(() => ({ status: 404 })),
      ].map(async (answer) => (await answer).status),
    )
    expect(statuses).toEqual([404, 404, 404, 404])
    await fetch(`${page.uri}?state=right&error=access_denied`)
    expect((await visit).get('error')).toBe('access_denied')
  })

  it('F179 R26 writes nothing of a request into its pages', async () => {
    await using page = await open()
    const visit = page.visit('right', NEVER)
    const response = await fetch(`${page.uri}?state=right&error=<script>alert(1)</script>&error_description=<b>x`)
    expect(await response.text()).not.toMatch(/script|alert|<b>/)
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    await visit
  })

  it('C-AUTH-20 F179 listens on loopback only, at another port where the preferred one is taken', async () => {
    const blocker = createServer()
    await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve))
    const { port } = blocker.address() as AddressInfo
    await using page = await open({ preferredPort: port })
    expect(page.uri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
    expect(new URL(page.uri).port).not.toBe(String(port))
    await expect(listenForRedirect({ uri: `http://127.0.0.1:${port}/back` })).rejects.toThrow('EADDRINUSE')
    await new Promise((resolve) => blocker.close(resolve))
  })

  it.each(['http://0.0.0.0:0/callback', 'http://[::]:0/callback', 'https://127.0.0.1:0/callback'])(
    'C-AUTH-20 F179 never listens for %s, where others could come by or nobody could arrive',
    async (uri) => {
      await expect(open({ uri })).rejects.toThrow('not on this machine')
    },
  )

  it('takes the same port again where it is free', async () => {
    const first = await listenForRedirect()
    const { uri } = first
    await first.close()
    await using again = await open({ preferredPort: Number(new URL(uri).port) })
    expect(again.uri).toBe(uri)
  })

  it('gives up a visit with its signal, and closes twice without complaint', async () => {
    const page = await listenForRedirect()
    const controller = new AbortController()
    const visit = page.visit('right', controller.signal)
    controller.abort(new Error('enough'))
    await expect(visit).rejects.toThrow('enough')
    await page.close()
    await page.close()
    await expect(fetch(page.uri)).rejects.toThrow()
  })
})
