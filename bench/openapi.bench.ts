// Servers from OpenAPI documents: tools of a large document, memory of a small choice, and a call beside one written by hand.
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { Client } from '../src/client/client.ts'
import { MCPServer } from '../src/mcpserver/mcpserver.ts'
import { openAPIServer } from '../src/openapi/openapi-server.ts'
import { openAPITools } from '../src/openapi/openapi-tools.ts'
import { goal, measure, report } from './measure.ts'

const GITHUB = '.cache/openapi-octokit-23.0.2/node_modules/@octokit/openapi/generated/api.github.com.json'

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const started = cpuMs()
  await work()
  return cpuMs() - started
}

/** A document with so many operations, each with parameters, a body, an answer and shared schemas. */
function largeDocument(count: number): object {
  const schemas: Record<string, unknown> = {}
  for (let n = 0; n < 100; n++) {
    const next = { $ref: `#/components/schemas/S${(n + 1) % 100}` }
    schemas[`S${n}`] = {
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'string', readOnly: true }, name: { type: 'string' }, next },
    }
  }
  const paths: Record<string, unknown> = {}
  for (let n = 0; n < count; n++) {
    const schema = { $ref: `#/components/schemas/S${n % 100}` }
    const content = { 'application/json': { schema } }
    const query = ['page', 'size', 'sort'].map((name) => ({ name, in: 'query', schema: { type: 'string' } }))
    const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }, ...query]
    paths[`/things${n}/{id}`] = {
      post: {
        operationId: `op${n}`,
        summary: 'Does it.',
        parameters,
        requestBody: { required: true, content },
        responses: { 200: { description: '', content } },
      },
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Large', version: '1' },
    servers: [{ url: 'https://x.test' }],
    paths,
    components: { schemas },
  }
}

const document = largeDocument(1_000)
await openAPITools(largeDocument(50))
const times: number[] = []
for (let round = 0; round < 5; round++) times.push(await cpuOf(() => openAPITools(document, { maxTools: Infinity })))
const median = times.sort((a, b) => a - b)[2] as number
console.log(`1,000 operations of a parsed document: ${median.toFixed(0)} ms of CPU`)
goal('1,000 operations / 300 ms', median / 300, 1)

const github = resolve(GITHUB)
if (existsSync(github)) {
  const text = readFileSync(github, 'utf8')
  const all = await cpuOf(() => openAPITools(text, { maxTools: Infinity }))
  console.log(
    `GitHub's document, all operations: ${all.toFixed(0)} ms of CPU, peak ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`,
  )
  goal('all of GitHub / 1,500 ms', all / 1_500, 1)
  globalThis.gc?.()
  const before = process.memoryUsage().heapUsed
  let server: MCPServer | undefined
  const some = await cpuOf(async () => {
    server = await openAPIServer(text, { include: [{ tags: ['issues'] }], search: false })
  })
  globalThis.gc?.()
  const kept = (process.memoryUsage().heapUsed - before) / 1024 / 1024
  console.log(`a server with its issues: ${some.toFixed(0)} ms of CPU, keeps ${kept.toFixed(1)} MB (${server?.name})`)
  goal('some of GitHub / 400 ms', some / 400, 1)
  goal('kept / 10 MB', kept / 10, 1)
} else {
  console.log(`Without ${github}, which npm run openapi:all installs, GitHub's document is left out.`)
}

const api = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end('{"id":7,"name":"Rex"}')
})
await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`

const pets = {
  openapi: '3.1.0',
  info: { title: 'pets', version: '1' },
  paths: {
    '/pets/{id}': {
      get: {
        operationId: 'get_pet',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      },
    },
  },
}
const made = await openAPIServer(pets, { baseUrl: url })
const withFetch = await openAPIServer(pets, { baseUrl: url, fetch: globalThis.fetch })
const byHand = new MCPServer('pets')
byHand.tool(
  'get_pet',
  { input: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } as const },
  async ({ id }) => {
    const response = await fetch(`${url}/pets/${id}`)
    return response.json()
  },
)
const withSignal = new MCPServer('pets')
withSignal.tool(
  'get_pet',
  { input: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } as const },
  async ({ id }, ctx) => {
    const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(30_000)])
    const response = await fetch(`${url}/pets/${id}`, { signal })
    return response.json()
  },
)
const fourth = await Client.connect(withSignal)
const [one, other, third] = await Promise.all([Client.connect(made), Client.connect(byHand), Client.connect(withFetch)])
const calls = await measure(
  [
    { name: 'from a document', run: () => one.callTool('get_pet', { id: 7 }) },
    { name: 'by hand, with fetch', run: () => other.callTool('get_pet', { id: 7 }) },
    { name: 'from a document, with the option fetch', run: () => third.callTool('get_pet', { id: 7 }) },
    { name: 'by hand, with a time limit and cancellation', run: () => fourth.callTool('get_pet', { id: 7 }) },
  ],
  { warmUpMs: 500 },
)
report('a call of an API', calls)
goal('from a document / by hand', calls[0]!.nanoseconds / calls[1]!.nanoseconds, 1.15)
goal('from a document, with the option fetch / by hand', calls[2]!.nanoseconds / calls[1]!.nanoseconds, 1.15)
await Promise.all([one, other, third, fourth].map((client) => client.close()))
api.close()
api.closeAllConnections()
