// The catalogue for the official SDK. Its two major versions register features alike, but ask questions differently.
import { z } from 'zod'
import * as catalogue from '../catalogue.js'
import { pause } from '../pause.js'

const text = (value) => ({ content: [{ type: 'text', text: value }] })

/**
 * @param server a server of either version
 * @param ask how a handler of that version talks to its client: `progress`, `signal`, `elicit`, `visit`, `sample`, `roots`, `log`
 * @param shape how that version takes the arguments of a tool
 * @param grown announces a new tool, if registering it does not
 * @param touched notifies subscribers that a resource has changed
 */
export function addTools(server, { ask, shape = (members) => z.object(members), touched, grown, counters }) {
  const add = (name, input, run, more = {}) => {
    const inputSchema = shape(input)
    server.registerTool(name, { description: `The tool ${name}.`, inputSchema, ...more }, (args, ctx) => run(args, ctx))
  }
  add('echo', { text: z.string() }, ({ text: value }) => text(value))
  add(
    'add',
    { a: z.number(), b: z.number() },
    ({ a, b }) => ({ ...text(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } }),
    { outputSchema: shape({ sum: z.number() }) },
  )
  add('picture', {}, () => ({ content: [{ type: 'image', data: catalogue.PNG, mimeType: 'image/png' }] }))
  add('sound', {}, () => ({ content: [{ type: 'audio', data: catalogue.WAV, mimeType: 'audio/wav' }] }))
  add('embedded', {}, () => ({ content: [{ type: 'resource', resource: catalogue.EMBEDDED }] }))
  add('fail', {}, () => ({ ...text('It failed on purpose.'), isError: true }))
  add('big', { bytes: z.number() }, ({ bytes }) => text(catalogue.big(bytes)))
  add('count', { to: z.number() }, async ({ to }, ctx) => {
    for (let step = 1; step <= to; step++) {
      await ask.progress(ctx, step, to)
      await pause()
    }
    return text('counted')
  })
  add('slow', { ms: z.number() }, async ({ ms }) => {
    await new Promise((resolve) => setTimeout(resolve, ms))
    return text('slept')
  })
  const addGrown = () => add('grown', {}, () => text('grown'))
  // Shared, because a server may be created for each request.
  if (counters.hasGrown) addGrown()
  add('grow', {}, async (_args, ctx) => {
    counters.hasGrown = true
    addGrown()
    await grown?.(ctx)
    return text('more')
  })
  add('wait', {}, async (_args, ctx) => {
    await new Promise((resolve) => ask.signal(ctx).addEventListener('abort', resolve))
    counters.stopped++
    return text('stopped')
  })
  add('stopped', {}, () => text(String(counters.stopped)))
  add('ask', {}, (_args, ctx) => ask.elicit(ctx, (answer) => text(`${answer.action} ${answer.content?.name}`)))
  add('visit', {}, (_args, ctx) => ask.visit(ctx, (answer) => text(answer.action)))
  add('think', {}, (_args, ctx) =>
    ask.sample(ctx, ({ content }) => text(Array.isArray(content) ? content[0].text : content.text)),
  )
  add('where', {}, (_args, ctx) => ask.roots(ctx, ({ roots }) => text(roots.map(({ uri }) => uri).join(' '))))
  add('shout', {}, async (_args, ctx) => {
    await ask.log(ctx, 'A message from the server')
    return text('shouted')
  })
  add('touch', {}, async (_args, ctx) => {
    await touched(ctx, 'note://watched')
    return text('touched')
  })
}

export function addContents(server, { ResourceTemplate, completable, shape = (members) => z.object(members) }) {
  const contents = (uri, value) => ({ contents: [{ uri: String(uri), ...value }] })
  const plain = { mimeType: 'text/plain' }
  server.registerResource('plain', 'note://plain', plain, (uri) => contents(uri, { ...plain, text: catalogue.PLAIN }))
  server.registerResource('watched', 'note://watched', plain, (uri) => contents(uri, { ...plain, text: 'watched' }))
  server.registerResource('bytes', 'note://bytes', { mimeType: 'application/octet-stream' }, (uri) =>
    contents(uri, { mimeType: 'application/octet-stream', blob: catalogue.BYTES }),
  )
  const template = new ResourceTemplate(catalogue.TEMPLATE, { list: undefined })
  server.registerResource('item', template, plain, (uri, { id }) =>
    contents(uri, { ...plain, text: catalogue.item(id) }),
  )
  const argsSchema = shape({ name: completable(z.string(), catalogue.completeName) })
  server.registerPrompt('greet', { description: 'Greets somebody.', argsSchema }, ({ name }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: catalogue.greeting(name) } }],
  }))
}
