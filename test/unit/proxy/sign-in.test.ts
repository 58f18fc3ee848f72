// Callers who sign in at the source with an account of their own, asked by whichever means their client has.
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { Client, UrlElicitationRequiredError } from '../../../src/exports/index.ts'
import { walkLogin } from '../../support/login.ts'
import {
  ADA,
  Browser,
  connectTo,
  failureOf,
  front,
  MODES,
  open,
  PAIRS,
  protectedSource,
  signInWhenAsked,
  textOf,
} from './sign-in-support.ts'

describe('a caller without an account at the source', () => {
  it.each(PAIRS)('compose A04 compose X62 is asked with a page: %s client, %s source', async (mode, sourceMode) => {
    const source = await protectedSource(sourceMode)
    const { url } = await front(source.url)
    const pages: string[] = []
    const client = await connectTo(url, ADA, {
      mode,
      onElicitation: async (question) => {
        const { url: page, message } = question as { url: string; message: string }
        expect(message).toContain("'source'")
        pages.push(page)
        expect((await new Browser().signIn(page)).status).toBe(200)
        return { action: 'accept' }
      },
    })
    expect(client.protocolVersion).toBe(mode === 'modern' ? '2026-07-28' : '2025-11-25')
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['connect_account'])
    const call = () => client.callTool('connect_account')
    if (mode === 'modern') expect(textOf(await call())).toContain('is connected')
    else {
      const error = await call().catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(UrlElicitationRequiredError)
      const [{ url: page } = { url: '' }] = (error as UrlElicitationRequiredError).elicitations
      pages.push(page)
      expect((await new Browser().signIn(page)).status).toBe(200)
      expect(textOf(await call())).toContain('is connected')
    }
    expect(pages).toHaveLength(1)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['whoami'])
    expect(textOf(await client.callTool('whoami'))).toBe('account-of-ada')
  })

  it.each(MODES)(
    'compose A04 compose X62 a %s caller of a gateway calls a tool that needs an account',
    async (mode) => {
      const source = await protectedSource('modern', { requireForAll: false })
      const { url } = await front(source.url, { asGateway: true })
      const onElicitation = signInWhenAsked()
      const client = await connectTo(url, ADA, { mode, onElicitation })
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['notes_whoami'])
      source.protectAll()
      // What was listed without an account needs one now.
      if (mode === 'legacy') {
        const error = await client.callTool('notes_whoami').catch((reason: unknown) => reason)
        const { elicitations } = error as UrlElicitationRequiredError
        await new Browser().signIn(elicitations[0]?.url ?? '')
      }
      expect(textOf(await client.callTool('notes_whoami'))).toBe('account-of-ada')
      expect(onElicitation).toHaveBeenCalledTimes(mode === 'modern' ? 1 : 0)
    },
  )

  it.each(PAIRS)(
    'compose A04 compose G017 reads where to sign in, and no page: %s client that opens none, %s source',
    async (mode, sourceMode) => {
      const source = await protectedSource(sourceMode)
      const { url } = await front(source.url)
      const client = await connectTo(url, ADA, { mode })
      await client.listTools()
      const error = await failureOf(client.callTool('connect_account'))
      expect(error).toMatchObject({ code: -32600, data: { mcpwire: { id: 'G017', source: 'source' } } })
      expect(error.message).toContain('needs to be connected')
      expect(JSON.stringify([error.message, error.data])).not.toMatch(/https?:|signInUrl/)
    },
  )

  it('compose A04 compose A11 a caller on this computer gets the page, and needs no login at the front', async () => {
    const source = await protectedSource('modern')
    const { proxy } = await front(source.url)
    const client = await Client.connect(proxy)
    open.push(client)
    await client.listTools()
    const error = await failureOf(client.callTool('connect_account'))
    const { signInUrl } = error.data as { signInUrl: string }
    const page = await (await new Browser().get(signInUrl)).text()
    expect(page).toContain('the user of this computer')
    expect((await new Browser().signIn(signInUrl)).status).toBe(200)
    expect(textOf(await client.callTool('whoami'))).toBe('account-of-ada')
  })

  it('compose A04 strangers over HTTP share no account', async () => {
    const source = await protectedSource('modern')
    const { url } = await front(source.url, { isOpen: true })
    const client = await connectTo(url, undefined, { mode: 'legacy' }).catch((error: unknown) => error)
    expect(client).toMatchObject({ cause: { data: { mcpwire: { id: 'G017' } } } })
  })

  it('compose A04 a legacy client hears when its user is done, and that its lists are others', async () => {
    const source = await protectedSource('modern')
    const { url } = await front(source.url)
    const client = await connectTo(url, ADA, { mode: 'legacy', onElicitation: async () => ({ action: 'decline' }) })
    await client.listTools()
    const error = (await failureOf(client.callTool('connect_account'))) as UrlElicitationRequiredError
    const [{ url: page, elicitationId } = { url: '', elicitationId: '' }] = error.elicitations
    const changes = await client.listen({ toolsListChanged: true })
    const first = changes[Symbol.asyncIterator]().next()
    await new Browser().signIn(page)
    expect(elicitationId).toBeTypeOf('string')
    expect(page).not.toContain(elicitationId)
    expect(await first).toMatchObject({ value: { type: 'toolsListChanged' } })
  })
})

describe('scopes', () => {
  it('compose A07 a tool that needs more scopes asks for them once, and the front repeats no challenge', async () => {
    const source = await protectedSource('modern')
    const { url } = await front(source.url)
    const scopes: (string | null)[] = []
    const onElicitation = async (question: object) => {
      const browser = new Browser()
      const login = await browser.begin((question as { url: string }).url)
      scopes.push(login.searchParams.get('scope'))
      await browser.get(await walkLogin(login, login.origin))
      return { action: 'accept' as const }
    }
    const client = await connectTo(url, ADA, { mode: 'modern', onElicitation })
    await client.listTools()
    await client.callTool('connect_account')
    expect(textOf(await client.callTool('write'))).toBe('written')
    expect(scopes).toHaveLength(2)
    expect(scopes[0]?.split(' ')).not.toContain('notes:write')
    expect(scopes[1]?.split(' ')).toContain('notes:write')
  })

  it('compose A07 compose G017 a source that goes on refusing gets one sign-in for each call', async () => {
    const source = await protectedSource('modern')
    source.refuseWrites()
    const { url } = await front(source.url)
    const onElicitation = signInWhenAsked()
    const client = await connectTo(url, ADA, { mode: 'modern', onElicitation })
    await client.listTools()
    await client.callTool('connect_account')
    onElicitation.mockClear()
    const error = await failureOf(client.callTool('write'))
    expect(error).toMatchObject({ code: -32603, data: { mcpwire: { id: 'G017' } } })
    expect(error.status).not.toBe(403)
    expect(onElicitation).toHaveBeenCalledOnce()
  })
})

describe('what is forgotten, and what goes nowhere', () => {
  it('compose A10 compose X64 forget() ends the sign-ins of a caller', async () => {
    const source = await protectedSource('modern')
    const { url, proxy, callbackUrl } = await front(source.url)
    const client = await connectTo(url, ADA, { mode: 'legacy', onElicitation: async () => ({ action: 'decline' }) })
    await client.listTools()
    const error = (await failureOf(client.callTool('connect_account'))) as UrlElicitationRequiredError
    const page = error.elicitations[0]?.url ?? ''
    expect(page.startsWith(callbackUrl)).toBe(true)
    await proxy.forget({ clientId: 'c', subject: 'bob', issuer: 'http://127.0.0.1:4000' })
    expect((await new Browser().get(page)).status).toBe(200)
    await proxy.forget({ clientId: 'c', subject: 'ada', issuer: 'http://127.0.0.1:4000' })
    expect((await new Browser().get(page)).status).toBe(404)
  })

  it.each(PAIRS)(
    'compose A01 compose X61 no inbound token at a source: %s client, %s source',
    async (mode, sourceMode) => {
      const source = await protectedSource(sourceMode)
      const { url, stores, faults } = await front(source.url, { forwardHeaders: ['x-team'] })
      const client = await connectTo(url, ADA, {
        mode,
        headers: { 'x-team': 'blue', cookie: 'marked-cookie=1' },
        onElicitation: signInWhenAsked(),
      })
      await client.listTools()
      const failure = await client.callTool('connect_account').catch((error: unknown) => error)
      if (mode === 'legacy')
        await new Browser().signIn((failure as UrlElicitationRequiredError).elicitations[0]?.url ?? '')
      expect(textOf(await client.callTool('whoami'))).toBe('account-of-ada')
      await client.listTools()
      const everything =
        JSON.stringify([source.heard, source.bodies, [...stores.keys()]]) + inspect(faults, { depth: 12 })
      expect(source.heard.length).toBeGreaterThan(1)
      expect(source.bodies.length).toBeGreaterThan(3)
      expect(everything).not.toContain(ADA)
      expect(everything).not.toContain('marked-cookie')
      expect(everything).toContain('blue')
    },
  )
})
