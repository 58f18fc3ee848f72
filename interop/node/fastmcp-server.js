// The catalogue, served by fastmcp for Node. Usage: fastmcp-server.js stdio | http-sse | sse
import { createServer } from 'node:net'
import { FastMCP, UserError } from 'fastmcp'
import { z } from 'zod'

const catalogue = JSON.parse(process.env.INTEROP_CATALOGUE)
const server = new FastMCP({ name: 'fastmcp-node', version: '1.0.0', ping: { enabled: false } })
const none = z.object({})
let stopped = 0

const add = (name, parameters, execute, more = {}) =>
  server.addTool({ name, description: `The tool ${name}.`, parameters, execute, ...more })
const block = (content) => ({ content: [content] })
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

add('echo', z.object({ text: z.string() }), async ({ text }) => text)
add('add', z.object({ a: z.number(), b: z.number() }), async ({ a, b }) => ({ sum: a + b }), {
  outputSchema: z.object({ sum: z.number() }),
})
add('picture', none, async () => block({ type: 'image', data: catalogue.PNG, mimeType: 'image/png' }))
add('sound', none, async () => block({ type: 'audio', data: catalogue.WAV, mimeType: 'audio/wav' }))
add('embedded', none, async () => block({ type: 'resource', resource: catalogue.EMBEDDED }))
add('fail', none, async () => {
  throw new UserError('It failed on purpose.')
})
add('big', z.object({ bytes: z.number() }), async ({ bytes }) => 'é'.repeat(bytes / 2))
add('count', z.object({ to: z.number() }), async ({ to }, { reportProgress }) => {
  for (let progress = 1; progress <= to; progress++) {
    await reportProgress({ progress, total: to })
    await sleep(20)
  }
  return 'counted'
})
add('slow', z.object({ ms: z.number() }), async ({ ms }) => {
  await sleep(ms)
  return 'slept'
})
add('wait', none, async (_args, { signal }) => {
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
  stopped += 1
  return 'stopped'
})
add('stopped', none, async () => String(stopped))
add('ask', none, async (_args, { session }) => {
  const question = { message: 'Your name?', requestedSchema: catalogue.NAME_FORM }
  const answer = await sessionOf(session).requestElicitation(question)
  return `${answer.action} ${answer.content?.name}`
})
add('visit', none, async (_args, { session }) => {
  const question = { mode: 'url', message: 'Please visit', url: catalogue.PAGE, elicitationId: 'visit-1' }
  return (await sessionOf(session).requestElicitation(question)).action
})
add('think', none, async (_args, { session }) => {
  const { content } = await sessionOf(session).requestSampling(catalogue.QUESTION)
  return (Array.isArray(content) ? content[0] : content).text
})
add('where', none, async (_args, { session }) =>
  sessionOf(session)
    .roots.map(({ uri }) => uri)
    .join(' '),
)
add('shout', none, async (_args, { log }) => {
  log.info('A message from the server')
  return 'shouted'
})
add('touch', none, async () => {
  await server.sendResourceUpdated('note://watched')
  return 'touched'
})
add('grow', none, async () => {
  add('grown', none, async () => 'grown')
  return 'more'
})

/** One client at a time is connected to a server of the matrix. */
function sessionOf() {
  return server.sessions.at(-1)
}

const plain = { mimeType: 'text/plain' }
server.addResource({ uri: 'note://plain', name: 'plain', ...plain, load: async () => ({ text: catalogue.PLAIN }) })
server.addResource({ uri: 'note://watched', name: 'watched', ...plain, load: async () => ({ text: 'watched' }) })
server.addResource({ uri: 'note://bytes', name: 'bytes', load: async () => ({ blob: catalogue.BYTES }) })
server.addResourceTemplate({
  uriTemplate: catalogue.TEMPLATE,
  name: 'item',
  ...plain,
  arguments: [{ name: 'id', required: true }],
  load: async ({ id }) => ({ text: `Item ${id}` }),
})
server.addPrompt({
  name: 'greet',
  description: 'Greets somebody.',
  arguments: [
    {
      name: 'name',
      required: true,
      complete: async (value) => ({ values: catalogue.NAMES.filter((name) => name.startsWith(value)) }),
    },
  ],
  load: async ({ name }) => `Please greet ${name}.`,
})

const [mode] = process.argv.slice(2)
if (mode === 'stdio') {
  await server.start({ transportType: 'stdio' })
} else {
  // It can't choose a free port, and writes to stdout.
  for (const name of ['log', 'info', 'debug']) console[name] = console.error
  const port = await freePort()
  await server.start({ transportType: 'httpStream', httpStream: { port, host: '127.0.0.1' } })
  process.stdout.write(`http://127.0.0.1:${port}/${mode === 'sse' ? 'sse' : 'mcp'}\n`)
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}
