// The catalogue, served by mcpwire in both eras. Usage: mcpwire.js stdio | http-json | http-sse | sse
import { audio, completable, image, MCPServer } from 'mcpwire'
import { z } from 'zod'
import * as catalogue from '../catalogue.js'
import { pause } from '../pause.js'

let stopped = 0

const server = new MCPServer('mcpwire', { version: '1.0.0', pageSize: 5 })

server.tool('echo', { description: 'Repeats.', input: z.object({ text: z.string() }) }, ({ text }) => text)
server.tool(
  'add',
  {
    description: 'Adds.',
    input: z.object({ a: z.number(), b: z.number() }),
    output: z.object({ sum: z.number() }),
  },
  ({ a, b }) => ({ sum: a + b }),
)
server.tool('picture', { description: 'An image.' }, () => image(Buffer.from(catalogue.PNG, 'base64'), 'image/png'))
server.tool('sound', { description: 'A sound.' }, () => audio(Buffer.from(catalogue.WAV, 'base64'), 'audio/wav'))
server.tool('embedded', { description: 'A resource.' }, () => ({ type: 'resource', resource: catalogue.EMBEDDED }))
server.tool('fail', { description: 'Fails.' }, () => ({
  content: [{ type: 'text', text: 'It failed on purpose.' }],
  isError: true,
}))
server.tool('big', { description: 'Much text.', input: z.object({ bytes: z.number() }) }, ({ bytes }) =>
  catalogue.big(bytes),
)
server.tool('count', { description: 'Counts.', input: z.object({ to: z.number() }) }, async ({ to }, ctx) => {
  for (let step = 1; step <= to; step++) {
    await ctx.reportProgress(step, to)
    await pause()
  }
  return 'counted'
})
server.tool('slow', { description: 'Takes its time.', input: z.object({ ms: z.number() }) }, async ({ ms }) => {
  await new Promise((resolve) => setTimeout(resolve, ms))
  return 'slept'
})
server.tool('grow', { description: 'Makes another tool.' }, () => {
  server.tool('grown', { description: 'Was not there before.' }, () => 'grown')
  return 'more'
})
server.tool('wait', { description: 'Waits to be stopped.' }, async (_args, ctx) => {
  await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
  stopped++
  return 'stopped'
})
server.tool('stopped', { description: 'How often it was stopped.' }, () => String(stopped))
server.tool('ask', { description: 'Asks for a name.' }, async (_args, ctx) => {
  const answer = await ctx.elicit('Your name?', catalogue.NAME_FORM)
  return `${answer.action} ${answer.content?.name}`
})
server.tool('visit', { description: 'Sends to a page.' }, async (_args, ctx) => {
  const answer = await ctx.elicitUrl('Please visit', catalogue.PAGE)
  return answer.action
})
server.tool('think', { description: 'Asks the model.' }, async (_args, ctx) => {
  const { content } = await ctx.sample(catalogue.QUESTION)
  return content.text
})
server.tool('where', { description: 'Asks for roots.' }, async (_args, ctx) => {
  const { roots } = await ctx.listRoots()
  return roots.map(({ uri }) => uri).join(' ')
})
server.tool('shout', { description: 'Logs.' }, async (_args, ctx) => {
  await ctx.log.info('A message from the server')
  return 'shouted'
})
server.tool('touch', { description: 'Changes a note.' }, async (_args, ctx) => {
  await ctx.notifyResourceUpdated('note://watched')
  return 'touched'
})

server.resource('note://plain', { mimeType: 'text/plain' }, () => catalogue.PLAIN)
server.resource('note://watched', { mimeType: 'text/plain' }, () => 'watched')
server.resource('note://bytes', () => Buffer.from(catalogue.BYTES, 'base64'))
server.resource('note://item/{id}', { mimeType: 'text/plain' }, ({ id }) => catalogue.item(id))
server.prompt(
  'greet',
  { description: 'Greets somebody.', input: z.object({ name: completable(z.string(), catalogue.completeName) }) },
  ({ name }) => catalogue.greeting(name),
)

const [mode = 'stdio'] = process.argv.slice(2)
if (mode === 'stdio') {
  await server.run()
} else {
  const { url } = await server.run({
    transport: 'http',
    port: 0,
    legacySse: mode === 'sse',
    responseMode: mode === 'http-json' ? 'json' : 'stream',
  })
  console.log(mode === 'sse' ? url.replace('/mcp', '/sse') : url)
}
