// The pages on which users connect an account: what they say, who may use them, and when they end.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { memoryTokenStore } from '../../../src/exports/auth.ts'
import type { UrlElicitationRequiredError } from '../../../src/exports/index.ts'
import type { HttpExchange } from '../../../src/http/exchange.ts'
import { Tickets } from '../../../src/proxy/sign-in/tickets.ts'
import { walkLogin } from '../../support/login.ts'
import {
  ADA,
  BOB,
  Browser,
  connectTo,
  type FrontOptions,
  failureOf,
  front,
  keysOf,
  protectedSource,
  textOf,
} from './sign-in-support.ts'

afterEach(() => void vi.useRealTimers())

describe('the sign-in page', () => {
  async function asked(options: FrontOptions = {}) {
    const source = await protectedSource('modern')
    const at = await front(source.url, options)
    const pageOf = async (token: string) => {
      const client = await connectTo(at.url, token, {
        mode: 'legacy',
        onElicitation: async () => ({ action: 'decline' }),
      })
      await client.listTools()
      const error = (await failureOf(client.callTool('connect_account'))) as UrlElicitationRequiredError
      return { client, page: error.elicitations[0]?.url ?? '' }
    }
    return { ...at, source, pageOf }
  }

  it('compose A06 says what is connected for whom, and leads to the source with PKCE and the exact address', async () => {
    const { pageOf, callbackUrl, source } = await asked()
    const { page } = await pageOf(ADA)
    const browser = new Browser()
    const response = await browser.get(page)
    const html = await response.text()
    expect(html).toContain('Connect source for ada?')
    expect(html).not.toContain('<script')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(response.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Lax; Max-Age=600$/)
    const login = await browser.begin(page)
    expect(login.origin).toBe(source.authorization.issuer)
    expect(login.searchParams.get('redirect_uri')).toBe(callbackUrl)
    expect(login.searchParams.get('code_challenge_method')).toBe('S256')
    expect(login.searchParams.get('state')).toMatch(/^[\w-]{43}$/)
    expect(login.searchParams.get('resource')).toBe(source.url)
  })

  it('compose A06 a state is good once, and only in the browser that was asked', async () => {
    const { pageOf, stores } = await asked()
    const { page } = await pageOf(ADA)
    const browser = new Browser()
    const login = await browser.begin(page)
    const back = await walkLogin(login, login.origin)
    // Somebody else was sent the address with the code.
    expect((await new Browser().get(back)).status).toBe(403)
    expect((await browser.get(back)).status).toBe(404)
    expect(await keysOf(stores)).toEqual([])
    expect((await browser.get(page)).status).toBe(404)
  })

  it('compose A06 does not begin without the page: other sites cannot press its button', async () => {
    const { pageOf, stores } = await asked()
    const { page } = await pageOf(ADA)
    const ofOther = new Browser()
    await ofOther.get(page)
    const url = new URL(page)
    url.searchParams.set('go', 'x'.repeat(43))
    expect((await ofOther.get(url)).status).toBe(403)
    expect((await new Browser().get(url)).status).toBe(403)
    expect((await fetch(page, { method: 'POST' })).status).toBe(405)
    expect(await keysOf(stores)).toEqual([])
  })

  it('compose A06 compose G018 only the person who was asked can sign in, where the site knows who that is', async () => {
    const issued = { clientId: 'c', issuer: 'http://127.0.0.1:4000' }
    const identify = ({ headers }: HttpExchange) =>
      headers['cookie']?.includes('user=ada') ? { ...issued, subject: 'ada' } : { ...issued, subject: 'bob' }
    const { pageOf, callbackUrl, stores } = await asked({ login: { identify } })
    const { client, page } = await pageOf(ADA)
    const bob = new Browser({ user: 'bob' })
    expect((await bob.get(page)).status).toBe(403)
    expect(await (await bob.get(callbackUrl)).text()).toContain('Nothing waits')
    const ada = new Browser({ user: 'ada' })
    expect(await (await ada.get(callbackUrl)).text()).toContain('>source</a>')
    expect((await ada.signIn(page)).status).toBe(200)
    expect(textOf(await client.callTool('whoami'))).toBe('account-of-ada')
    expect([...stores.keys()]).toHaveLength(1)
  })

  it('compose A06 the callers of one source each have an account of their own', async () => {
    const { pageOf, url, stores } = await asked()
    const { page } = await pageOf(ADA)
    await new Browser().signIn(page)
    const bob = await connectTo(url, BOB, { mode: 'modern' })
    expect((await bob.listTools()).tools.map(({ name }) => name)).toEqual(['connect_account'])
    const [own] = [...stores.entries()].filter(([key]) => key.includes('bob'))
    expect(await keysOf(new Map([own ?? ['', memoryTokenStore()]]))).toEqual([])
  })

  it('compose A06 compose G018 a sign-in that is not finished ends after 10 minutes', async () => {
    vi.useFakeTimers()
    const tickets = new Tickets('https://gateway.example.com/connect', undefined)
    const facts = { owner: 'o', principal: undefined, source: 's', resource: 'r', scopes: [], run: async () => {} }
    const ticket = tickets.issue(facts)
    expect(tickets.issue({ ...facts })).toBe(ticket)
    expect(tickets.issue({ ...facts, owner: 'p' })).not.toBe(ticket)
    vi.advanceTimersByTime(599_999)
    expect(tickets.find(ticket.secret)).toBe(ticket)
    vi.advanceTimersByTime(1)
    expect(tickets.find(ticket.secret)).toBeUndefined()
    expect(await ticket.ended).toBe('expired')
  })

  it('compose G018 a login that is refused keeps no token, and fails the call', async () => {
    const source = await protectedSource('modern')
    const { url, stores } = await front(source.url)
    const onElicitation = async (question: object) => {
      const browser = new Browser()
      const login = await browser.begin((question as { url: string }).url)
      const back = new URL(login.searchParams.get('redirect_uri') ?? '')
      back.search = `${new URLSearchParams({ error: 'access_denied', state: login.searchParams.get('state') ?? '', iss: login.origin })}`
      expect((await browser.get(back)).status).toBe(400)
      return { action: 'accept' as const }
    }
    const client = await connectTo(url, ADA, { mode: 'modern', onElicitation })
    await client.listTools()
    expect(await failureOf(client.callTool('connect_account'))).toMatchObject({
      data: { mcpwire: { id: 'G018' }, reason: 'refused' },
    })
    expect(await keysOf(stores)).toEqual([])
  })

  it('compose G018 a user who declines is not asked again within the call', async () => {
    const source = await protectedSource('modern')
    const { url } = await front(source.url)
    const onElicitation = vi.fn(async () => ({ action: 'decline' as const }))
    const client = await connectTo(url, ADA, { mode: 'modern', onElicitation })
    await client.listTools()
    expect(await failureOf(client.callTool('connect_account'))).toMatchObject({ data: { mcpwire: { id: 'G018' } } })
    expect(onElicitation).toHaveBeenCalledOnce()
  })
})
