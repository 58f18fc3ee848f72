// The backend by its API: the ring of entries, connections that break off, questions and calls.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EventLog, MAX_BODY_IN_STREAM, MAX_ENTRIES } from '../../inspector/backend/log/event-log.ts'
import { maskHeaders, maskUrl } from '../../inspector/backend/log/mask.ts'
import { Kept } from '../../inspector/backend/work/kept.ts'
import { KeptAnswers } from '../../inspector/backend/work/kept-answers.ts'
import { Questions } from '../../inspector/backend/work/questions.ts'
import type { MessageEntry } from '../../inspector/protocol/entries.ts'
import { createWorld, eventsOf, type World } from './support.ts'

const message = (body: string): Omit<MessageEntry, 'n' | 'time'> => ({
  type: 'message',
  connection: 'c1',
  direction: 'sent',
  kind: 'request',
  role: 'call',
  bytes: body.length,
  body,
})

describe('the log of entries', () => {
  it(`keeps the last ${MAX_ENTRIES} entries, with their numbers, and finds the body of each`, () => {
    const log = new EventLog()
    for (let index = 1; index <= MAX_ENTRIES * 3 + 7; index += 1) log.add(message(`body ${index}`))
    const kept = log.after(0)
    expect(kept).toHaveLength(MAX_ENTRIES)
    expect(kept[0]?.n).toBe(MAX_ENTRIES * 2 + 8)
    expect(log.bodyOf(MAX_ENTRIES * 3)).toBe(`body ${MAX_ENTRIES * 3}`)
    expect(log.bodyOf(1)).toBeUndefined()
    expect(log.bodyOf(Number.NaN)).toBeUndefined()
    expect(log.after(MAX_ENTRIES * 3 + 5).map(({ n }) => n)).toEqual([MAX_ENTRIES * 3 + 6, MAX_ENTRIES * 3 + 7])
  })

  it('drops old entries where their bodies take more than 32 MiB, and keeps the newest whatever its size', () => {
    const log = new EventLog()
    for (let index = 0; index < 10; index += 1) log.add(message('x'.repeat(5 * 1024 * 1024)))
    expect(log.after(0).length).toBeLessThan(7)
    log.add(message('y'.repeat(40 * 1024 * 1024)))
    expect(log.after(0)).toHaveLength(1)
    expect(log.bodyOf(11)).toHaveLength(40 * 1024 * 1024)
  })

  it('sends the beginning of a long body, and has all of it', () => {
    const log = new EventLog()
    const seen: MessageEntry[] = []
    log.listen((entry) => seen.push(entry as MessageEntry))
    log.add(message('x'.repeat(MAX_BODY_IN_STREAM + 1)))
    expect(seen[0]).toMatchObject({ isCut: true, bytes: MAX_BODY_IN_STREAM + 1 })
    expect(seen[0]?.body).toHaveLength(MAX_BODY_IN_STREAM)
    expect(log.bodyOf(1)).toHaveLength(MAX_BODY_IN_STREAM + 1)
  })
})

describe('masks', () => {
  it('hide what is not known to be harmless', () => {
    expect(
      maskHeaders({ authorization: 'Bearer abcdefghijklmnopqrstuvwxyz', 'x-key': 'short', accept: 'text/html' }),
    ).toEqual({
      authorization: 'Bearer abc… (26 bytes)',
      'x-key': '••• (5 bytes)',
      accept: 'text/html',
    })
    expect(maskUrl('https://me:pass@example.com/a?code=1&client_id=x&state=2#frag')).toBe(
      'https://user:hidden@example.com/a?code=hidden&client_id=x&state=hidden',
    )
  })
})

describe('questions', () => {
  const ask = { connection: 'c1', target: 'shop', call: 'call1', kind: 'form', params: { message: 'Sure?' } } as const

  it('wait until they are answered or withdrawn, and end once', async () => {
    const questions = new Questions(new KeptAnswers(new Kept()), () => {})
    const abort = new AbortController()
    const first = questions.ask(ask, abort.signal)
    const second = questions.ask(ask, abort.signal)
    expect(questions.isWaiting('call1')).toBe(true)
    questions.answer('q1', { action: 'accept' }, false)
    expect(await first).toEqual({ action: 'accept' })
    expect(() => questions.answer('q1', { action: 'accept' }, false)).toThrow('no longer waits')
    abort.abort(new Error('gone'))
    await expect(second).rejects.toThrow('gone')
    expect(questions.states.map(({ status, answer }) => [status, answer])).toEqual([
      ['withdrawn', undefined],
      ['answered', 'accepted'],
    ])
  })

  it('are answered as before where the user wants that', async () => {
    const questions = new Questions(new KeptAnswers(new Kept()), () => {})
    const { signal } = new AbortController()
    const first = questions.ask(ask, signal)
    questions.answer('q1', { action: 'decline' }, true)
    await first
    expect(await questions.ask(ask, signal)).toEqual({ action: 'decline' })
    const other = questions.ask({ ...ask, params: { message: 'Other?' } }, signal)
    expect(questions.states[0]).toMatchObject({ status: 'waiting' })
    questions.answer('q3', { action: 'cancel' }, false)
    await other
  })
})

/** Of the last call, as one word each. Whether it lists the tools itself depends on whether the connection has listed them by then. */
async function rolesOf(world: World): Promise<string[]> {
  const text = await eventsOf(world).everything()
  return [...text.matchAll(/^event: message\ndata: (.*)$/gm)]
    .map(([, data = '']) => JSON.parse(data) as MessageEntry)
    .filter(({ call, method }) => call === 'call1' && method !== 'tools/list')
    .map(({ role }) => role)
}

describe('connections', () => {
  it.each(['modern', 'legacy'])('put the messages of a call into one notation, %s', async (mode) => {
    await using world = await createWorld({ mode })
    const events = eventsOf(world)
    await events.until(({ connections }) => connections[0]?.status === 'ready')
    const args = { item: 'pen', address: { street: 'a', city: 'b' } }
    await world.api('call', { connection: 'c1', kind: 'tool', name: 'order', args })
    const asked = await events.until(({ questions }) => questions.length > 0)
    expect(asked.questions[0]).toMatchObject({ kind: 'form', call: 'call1', status: 'waiting' })
    expect(asked.calls[0]).toMatchObject({ status: 'waiting' })
    const answer = { action: 'accept', content: { sure: true } }
    expect((await world.api('answer', { question: 'q1', answer })).status).toBe(200)
    expect((await world.api('answer', { question: 'q1', answer })).status).toBe(409)
    await events.until(({ calls }) => calls[0]?.status === 'done')
    const roles = (await rolesOf(world)).filter((role) => role !== 'progress' && role !== 'log')
    expect(roles).toEqual(['call', 'question', 'answer', 'result'])
    expect(await (await world.api('result/call1')).json()).toMatchObject({ structuredContent: { ordered: 'pen' } })
  })

  it('that break off are opened again by themselves, and say when', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcpwire-inspector-'))
    const file = join(folder, 'server.mjs')
    const server = new URL('../../dist/lib/index.js', import.meta.url).href
    writeFileSync(
      file,
      `import { MCPServer } from ${JSON.stringify(server)}
const server = new MCPServer('fragile')
server.tool('die', () => { process.exit(3) })
console.error('a line on stderr')
await server.run()`,
    )
    try {
      const target = { command: process.execPath, args: [file], env: {} }
      await using world = await createWorld({ target })
      const events = eventsOf(world)
      await events.until(({ connections }) => connections[0]?.status === 'ready')
      await world.api('call', { connection: 'c1', kind: 'tool', name: 'die' })
      const lost = await events.until(({ connections }) => connections[0]?.status === 'lost')
      expect(lost.connections[0]?.retryAt).toBeGreaterThan(0)
      expect(lost.connections[0]?.problem?.message).toMatch(/exit/i)
      const back = await events.until(({ connections }) => connections[0]?.status === 'ready')
      expect(back.connections[0]?.server?.name).toBe('fragile')
      expect(await events.everything()).toContain('a line on stderr')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('are at most eight, and a ninth is refused until one is closed', async () => {
    await using world = await createWorld({ isConnected: false })
    for (let index = 0; index < 8; index += 1) {
      expect((await world.api('connect', { target: world.serverUrl })).status).toBe(200)
    }
    const events = eventsOf(world)
    await events.until(({ connections }) => connections.every(({ status }) => status === 'ready'))
    expect((await world.api('connect', { target: world.serverUrl })).status).toBe(409)
    expect((await world.api('disconnect', { connection: 'c1' })).status).toBe(200)
    expect((await world.api('connect', { target: world.serverUrl })).status).toBe(200)
  })

  it('refuse requests that make no sense, with a sentence', async () => {
    await using world = await createWorld()
    await eventsOf(world).until(({ connections }) => connections[0]?.status === 'ready')
    for (const [path, body, status, text] of [
      ['call', { connection: 'c9', kind: 'tool', name: 'x' }, 404, 'There is no such connection.'],
      ['call', { connection: 'c1', kind: 'other', name: 'x' }, 400, 'kind must be one of'],
      ['call', { connection: 'c1', kind: 'tool' }, 400, 'name is missing.'],
      ['call', { connection: 'c1', kind: 'tool', name: 'x', args: [] }, 400, 'args must be an object.'],
      ['connect', { target: 'http://a', mode: 'old' }, 400, 'mode must be one of'],
      ['connect', { target: 'http://a', headers: [{ name: 'a b', value: '' }] }, 400, 'not the name of a header'],
      ['connect', { target: 'http://a', headers: [{ name: 'a', value: 'b\nc' }] }, 400, "can't hold"],
      ['cancel', { call: 'call9' }, 409, 'The call is not running.'],
      ['answer', { question: 'q9', answer: {} }, 404, 'There is no question'],
      ['view', { connection: 'c1', tool: 'nothing', theme: 'dark' }, 404, 'The server has no tool "nothing".'],
      ['view-message', { view: 'view9', message: {} }, 404, 'The view is closed.'],
      ['validate', { schema: 5, value: 1 }, 400, "The schema can't be used"],
    ] as const) {
      const response = await world.api(path, body)
      const { error } = (await response.json()) as { error: { message: string } }
      expect([path, response.status, error.message]).toEqual([path, status, expect.stringContaining(text)])
    }
  })
})
