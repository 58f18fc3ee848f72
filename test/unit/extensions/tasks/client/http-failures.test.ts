// Polls over HTTP that fail on the way: what the driver makes of real responses, and of none.
import { afterEach, describe, expect, it } from 'vitest'
import { Client } from '../../../../../src/client/client.ts'
import { streamableHttp } from '../../../../../src/client/transports/streamable-http.ts'
import { tasks } from '../../../../../src/extensions/tasks/tasks.ts'
import { MCPServer } from '../../../../../src/mcpserver/mcpserver.ts'
import { serveHttp } from '../../../../../src/node/http/serve-http.ts'
import type { HttpServing } from '../../../../../src/server/http/serve-options.ts'
import { TransportError } from '../../../../../src/types/errors/failures.ts'

type Failure = () => Response

const opened: HttpServing[] = []
afterEach(async () => {
  for (const serving of opened.splice(0)) await serving.close()
})

/** A client whose first polls fail as given. `polls` has the time of each poll. */
async function connect(failures: Failure[]) {
  const server = new MCPServer('host', { extensions: [tasks()] })
  server.tool('quick', { task: { mode: 'always', pollIntervalMs: 100 } }, () => 'quick')
  const serving = await serveHttp(server, { port: 0 })
  opened.push(serving)
  const polls: number[] = []
  const fetchWithFailures: typeof fetch = async (input, init) => {
    if (!String(init?.body).includes('"tasks/get"')) return fetch(input, init)
    polls.push(performance.now())
    return failures.shift()?.() ?? fetch(input, init)
  }
  const transport = streamableHttp(serving.url, { fetch: fetchWithFailures })
  const client = await Client.connect(transport, { extensions: [tasks({ watch: false })] })
  return { client, polls, [Symbol.asyncDispose]: () => client.close() }
}

const status =
  (code: number, headers: Record<string, string> = {}) =>
  () =>
    new Response('busy', { status: code, headers })
const unreachable = () => {
  throw new TypeError('fetch failed')
}

describe('polls over HTTP', () => {
  it('are repeated after a lost connection and after 502, 503 and 504', async () => {
    await using connected = await connect([unreachable, status(502), status(503), status(504)])
    const { client, polls } = connected
    expect((await client.callTool('quick')).content).toEqual([{ type: 'text', text: 'quick' }])
    expect(polls).toHaveLength(5)
  }, 30_000)

  it('traps X-27: keep Retry-After', async () => {
    await using connected = await connect([status(429, { 'retry-after': '2' })])
    const { client, polls } = connected
    await client.callTool('quick')
    const [first = 0, second = 0] = polls
    expect(polls).toHaveLength(2)
    expect(second - first).toBeGreaterThanOrEqual(1_990)
  }, 30_000)

  it('end the wait after 401 and 500, and the task can be resumed', async () => {
    await using connected = await connect([status(401), status(500)])
    const { client } = connected
    for (const code of [401, 500]) {
      const error: unknown = await client.callTool('quick').catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(TransportError)
      expect(error).toMatchObject({ status: code })
    }
    const references = await client.tasks.pending()
    expect(references.map(({ server }) => server)).toEqual([expect.stringMatching(/^http:/), expect.any(String)])
    for (const reference of references) {
      expect((await client.tasks.resume(reference).result()).content).toHaveLength(1)
    }
    expect(await client.tasks.pending()).toEqual([])
  }, 30_000)
})
