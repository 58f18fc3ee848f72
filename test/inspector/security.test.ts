// inspector I5: who may speak to the backend, and what it tells.
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createWorld, eventsOf, exchange, type World } from './support.ts'

/** `fetch` does not let a test choose these headers. */
function send(
  world: World,
  path: string,
  headers: Record<string, string>,
  method = 'GET',
): Promise<{ status: number; headers: Record<string, unknown> }> {
  const { hostname, port } = new URL(world.origin)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers }, (response) => {
      response.resume()
      resolve({ status: response.statusCode ?? 0, headers: response.headers })
    })
    sent.on('error', reject)
    sent.end(method === 'POST' ? '{"schema":{},"value":1}' : undefined)
  })
}

const withToken = ({ token }: World) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' })

describe('inspector I5: requests of others', () => {
  it('refuses a Host header that names another address, for the page and for the API', async () => {
    await using world = await createWorld({ isConnected: false })
    const { port } = new URL(world.origin)
    for (const host of ['evil.example', `evil.example:${port}`, `127.0.0.1.evil.example:${port}`, '127.0.0.1']) {
      expect((await send(world, '/', { host })).status).toBe(403)
      expect((await send(world, '/api/connect', { host, ...withToken(world) }, 'POST')).status).toBe(403)
    }
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
      expect((await send(world, '/', { host })).status).toBe(200)
    }
  })

  it('refuses every Origin but its own, also with the token, and sends no CORS headers', async () => {
    await using world = await createWorld({ isConnected: false })
    for (const origin of [
      'https://evil.example',
      'null',
      'http://127.0.0.1:1',
      world.origin.replace('http:', 'https:'),
    ]) {
      const { status, headers } = await send(world, '/api/validate', { origin, ...withToken(world) }, 'POST')
      expect(status).toBe(403)
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    }
    expect((await send(world, '/api/validate', { origin: world.origin, ...withToken(world) }, 'OPTIONS')).status).toBe(
      405,
    )
    const ours = await send(world, '/api/validate', { origin: world.origin, ...withToken(world) }, 'POST')
    expect(ours.status).toBe(200)
    expect(Object.keys(ours.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  it('refuses requests that the browser marks as coming from another site', async () => {
    await using world = await createWorld({ isConnected: false })
    const opened = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    for (const site of ['cross-site', 'same-site']) {
      expect((await send(world, '/', { 'sec-fetch-site': site })).status).toBe(403)
      expect((await send(world, '/', { 'sec-fetch-site': site, ...opened, 'sec-fetch-dest': 'iframe' })).status).toBe(
        403,
      )
      expect((await send(world, '/app.js', { 'sec-fetch-site': site, ...opened })).status).toBe(403)
      expect(
        (await send(world, '/api/events', { 'sec-fetch-site': site, ...opened, ...withToken(world) })).status,
      ).toBe(403)
      // A link that somebody clicked, wherever it was.
      expect((await send(world, '/', { 'sec-fetch-site': site, ...opened })).status).toBe(200)
    }
  })

  it('refuses every API request without the token, with another one, and with that of an earlier process', async () => {
    await using earlier = await createWorld({ isConnected: false })
    await using world = await createWorld({ isConnected: false })
    for (const authorization of [
      '',
      'Bearer',
      'Bearer x',
      `Basic ${world.token}`,
      `Bearer ${earlier.token}`,
      `Bearer ${world.token}x`,
    ]) {
      for (const path of ['/api/events', '/api/message/1', '/api/result/call1']) {
        expect((await send(world, path, { authorization })).status).toBe(401)
      }
      const post = await send(world, '/api/connect', { authorization, 'content-type': 'application/json' }, 'POST')
      expect(post.status).toBe(401)
    }
  })

  it('refuses bodies that a form of another site could send, bodies that are too large, and other methods', async () => {
    await using world = await createWorld({ isConnected: false })
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', '']) {
      const headers = { authorization: `Bearer ${world.token}`, 'content-type': type }
      expect((await send(world, '/api/validate', headers, 'POST')).status).toBe(415)
    }
    const large = await world
      .api('validate', { schema: {}, value: 'x'.repeat(5 * 1024 * 1024) })
      .catch(() => ({ status: 413 }))
    expect(large.status).toBe(413)
    expect((await send(world, '/api/validate', withToken(world), 'DELETE')).status).toBe(405)
    expect((await send(world, '/api/nothing', withToken(world), 'POST')).status).toBe(404)
    expect((await send(world, '/../package.json', {})).status).toBe(404)
  })

  it('serves the page with a policy that admits nothing from elsewhere, and keeps it out of caches and frames', async () => {
    await using world = await createWorld({ isConnected: false })
    for (const path of ['/', '/app.js', '/app.css']) {
      const { status, headers } = await send(world, path, {})
      expect(status).toBe(200)
      const policy = String(headers['content-security-policy'])
      for (const rule of [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
      ]) {
        expect(policy).toContain(rule)
      }
      expect(policy).not.toContain('unsafe')
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      })
      expect(headers['set-cookie']).toBeUndefined()
    }
  })
})

describe('inspector I5: links', () => {
  it('open one page each: the second use, and a use of another key, are refused', async () => {
    await using world = await createWorld({ isConnected: false })
    const { link } = world.inspector
    expect(world.inspector.link).toBe(link)
    for (const wrong of [`${link}x`, link.slice(0, -1), `${world.origin}/#t=${world.token}`]) {
      expect((await exchange(wrong)).status).toBe(401)
    }
    const first = await exchange(link)
    expect(first.status).toBe(200)
    const { session } = (await first.json()) as { session: string }
    expect((await exchange(link)).status).toBe(401)
    expect(world.inspector.link).not.toBe(link)
    const authorization = `Bearer ${session}`
    expect((await send(world, '/api/validate', { ...withToken(world), authorization }, 'POST')).status).toBe(200)
  })

  it('are no secrets of a session: neither the key of a link nor the second secret is taken for one', async () => {
    await using world = await createWorld({ isConnected: false })
    for (const secret of [new URL(world.inspector.link).hash.slice('#t='.length), world.confirmKey]) {
      const authorization = `Bearer ${secret}`
      expect((await send(world, '/api/validate', { ...withToken(world), authorization }, 'POST')).status).toBe(401)
    }
  })

  it('can be used by requests of the page alone: those of another site, or with another body, use nothing up', async () => {
    await using world = await createWorld({ isConnected: false })
    const { link } = world.inspector
    const json = { 'content-type': 'application/json' }
    expect((await send(world, '/api/session', { ...json, origin: 'https://evil.example' }, 'POST')).status).toBe(403)
    expect((await send(world, '/api/session', { ...json, 'sec-fetch-site': 'cross-site' }, 'POST')).status).toBe(403)
    expect((await send(world, '/api/session', { 'content-type': 'text/plain' }, 'POST')).status).toBe(415)
    expect((await send(world, '/api/session', json, 'POST')).status).toBe(400)
    expect((await exchange(link)).status).toBe(200)
  })

  it('end the oldest session after sixteen newer ones', async () => {
    await using world = await createWorld({ isConnected: false })
    for (let count = 0; count < 15; count += 1) await openPage(world)
    expect((await world.api('validate', { schema: {}, value: 1 })).status).toBe(200)
    await openPage(world)
    expect((await world.api('validate', { schema: {}, value: 1 })).status).toBe(401)
  })
})

async function openPage({ inspector }: World): Promise<{ session: string; confirm: string }> {
  return (await (await exchange(inspector.link)).json()) as { session: string; confirm: string }
}

describe('inspector I5: programs and secrets', () => {
  it('starts a program only after a confirmation that is bound to its every word', async () => {
    await using world = await createWorld({ isConnected: false })
    const target = `${process.execPath} -e 0`
    const asked = (await (await world.api('connect', { target })).json()) as {
      confirmation: { words: string[] }
    }
    expect(asked.confirmation.words).toEqual([process.execPath, '-e', '0'])
    const ask = async (): Promise<string> => {
      const { confirmation } = (await (await world.api('connect', { target })).json()) as {
        confirmation: { question: string }
      }
      return confirmation.question
    }
    const key = world.confirmKey
    const used = await ask()
    const other = await openPage(world)
    for (const [given, confirm, session] of [
      // For another program, although the question was for this one.
      [`${process.execPath} -e 1`, { question: used, key }],
      // A question that was answered, by whatever answer.
      [target, { question: used, key }],
      [target, { question: 'x', key }],
      // Everything that a request shows of the page, without what only its confirmations have.
      [target, { question: await ask(), key: world.token }],
      [target, { question: await ask(), key: other.confirm }],
      // The question of one page, answered by another.
      [target, { question: await ask(), key: other.confirm }, other.session],
    ] as const) {
      const authorization = `Bearer ${session ?? world.token}`
      const answer = await world.api('connect', { target: given, confirm }, { authorization })
      expect(await answer.json()).toHaveProperty('confirmation')
    }
    const { connections } = await eventsOf(world).state()
    expect(connections).toEqual([])
    expect(world.programs).toEqual([])
    const agreed = await world.api('connect', { target, confirm: { question: await ask(), key } })
    expect(await agreed.json()).toEqual({ connection: 'c1' })
    expect(world.programs).toEqual([[process.execPath, '-e', '0']])
  })

  it('tells the one who started it about each program that the page starts, and about none that was refused', async () => {
    await using world = await createWorld({ isConnected: false })
    await world.api('connect', { target: `${process.execPath} -e 0` })
    await world.api('connect', { target: world.serverUrl })
    expect(world.programs).toEqual([])
  })

  it('shows headers of the user and session ids as masks, in the state and in every entry', async () => {
    await using world = await createWorld({ isConnected: false })
    const secret = 'very-secret-value-of-the-user'
    const headers = [
      { name: 'X-Api-Key', value: secret },
      { name: 'Authorization', value: `Bearer ${secret}` },
    ]
    const { connection } = (await (await world.api('connect', { target: world.serverUrl, headers })).json()) as {
      connection: string
    }
    const events = eventsOf(world)
    await events.until((state) => state.connections.some(({ id, status }) => id === connection && status === 'ready'))
    const text = await events.everything()
    expect(text).toContain('x-api-key')
    expect(text).toContain('bytes)')
    expect(text).not.toContain(secret)
  })

  it('keeps only recent targets that can hold no secret', async () => {
    await using world = await createWorld({ isConnected: false })
    await world.api('connect', { target: 'http://127.0.0.1:1/mcp?token=abc' })
    await world.api('connect', { target: 'http://127.0.0.1:1/mcp' })
    const { recent } = await eventsOf(world).state()
    expect(recent).toEqual(['http://127.0.0.1:1/mcp'])
  })
})
