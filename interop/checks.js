// The checks of a client against a server of the catalogue: one for each feature that both must understand alike.
import { deepStrictEqual, match, rejects, strictEqual } from 'node:assert/strict'
import * as catalogue from './catalogue.js'
import { STRAIN_CHECKS } from './strain.js'

/** The time limit for a notification, on a busy machine too. */
const ARRIVAL_MS = 30_000

export const CHECKS = {
  // Our server, and those in Python and Go, use pages of five.
  async tools(session) {
    deepStrictEqual(namesOf(await session.listTools()), catalogue.TOOLS)
  },

  async lists(session) {
    const uris = (await session.listResources()).map(({ uri }) => uri).sort()
    deepStrictEqual(uris, catalogue.RESOURCES)
    deepStrictEqual(
      (await session.listTemplates()).map(({ uriTemplate }) => uriTemplate),
      [catalogue.TEMPLATE],
    )
    deepStrictEqual(namesOf(await session.listPrompts()), ['greet'])
  },

  async text(session) {
    strictEqual(await textOf(session, 'echo', { text: 'hello' }), 'hello')
  },

  async unicode(session) {
    const text = 'a\u0000b "quoted" \\ \n ünïcödé 漢字 🙂 \u2028'
    strictEqual(await textOf(session, 'echo', { text }), text)
  },

  async structured(session) {
    const { structuredContent } = await session.callTool('add', { a: 1, b: 2 })
    deepStrictEqual(structuredContent, { sum: 3 })
  },

  async image(session) {
    const [content] = (await session.callTool('picture', {})).content
    deepStrictEqual([content.type, content.mimeType, content.data], ['image', 'image/png', catalogue.PNG])
  },

  async audio(session) {
    const [content] = (await session.callTool('sound', {})).content
    deepStrictEqual([content.type, content.mimeType, content.data], ['audio', 'audio/wav', catalogue.WAV])
  },

  async 'embedded resource'(session) {
    const [content] = (await session.callTool('embedded', {})).content
    deepStrictEqual(content.resource, catalogue.EMBEDDED)
  },

  async 'tool error'(session) {
    const result = await session.callTool('fail', {})
    strictEqual(result.isError, true)
    match(result.content[0].text, /on purpose/)
  },

  async 'unknown resource'(session) {
    await rejects(session.readResource('note://nowhere'))
  },

  async progress(session) {
    // The official clients lose progress that they read together with the result, which is likely on a busy machine.
    for (let triesLeft = 10; ; triesLeft--) {
      const seen = []
      const result = await session.callTool('count', { to: 5 }, { onProgress: ({ progress }) => seen.push(progress) })
      strictEqual(result.content[0].text, 'counted')
      if (seen.length < 5 && triesLeft > 0) continue
      deepStrictEqual(seen, [1, 2, 3, 4, 5])
      return
    }
  },

  async cancel(session) {
    const before = Number(await textOf(session, 'stopped', {}))
    const controller = new AbortController()
    const call = session.callTool('wait', {}, { signal: controller.signal })
    const refused = rejects(call)
    refused.catch(() => {})
    // On one stream any response shows that the server has started the requests before it. Over HTTP each request has its own
    // connection, and a few responses make it likely.
    for (let round = 0; round < 5; round++) await textOf(session, 'echo', { text: 'go' })
    controller.abort(new Error('changed my mind'))
    await refused
    await until(async () => Number(await textOf(session, 'stopped', {})) === before + 1, 'the server was not told')
  },

  async resources(session) {
    const [plain] = (await session.readResource('note://plain')).contents
    deepStrictEqual([plain.uri, plain.mimeType, plain.text], ['note://plain', 'text/plain', catalogue.PLAIN])
    const [bytes] = (await session.readResource('note://bytes')).contents
    strictEqual(bytes.blob, catalogue.BYTES)
  },

  async templates(session) {
    const [item] = (await session.readResource('note://item/7')).contents
    strictEqual(item.text, catalogue.item('7'))
  },

  async subscriptions(session) {
    const updated = []
    const unwatch = await session.watch('note://watched', (uri) => updated.push(uri))
    await session.callTool('touch', {})
    await until(() => updated.length > 0, 'no update arrived')
    deepStrictEqual(updated, ['note://watched'])
    await unwatch()
  },

  async prompts(session) {
    const { messages } = await session.getPrompt('greet', { name: 'Ada' })
    strictEqual(messages[0].content.text, catalogue.greeting('Ada'))
  },

  async completion(session) {
    const { completion } = await session.complete({ type: 'ref/prompt', name: 'greet' }, { name: 'name', value: 'A' })
    deepStrictEqual(completion.values, ['Ada', 'Alan'])
  },

  async 'elicitation, form'(session) {
    strictEqual(await textOf(session, 'ask', {}), 'accept Ada')
  },

  async 'elicitation, url'(session) {
    strictEqual(await textOf(session, 'visit', {}), 'accept')
  },

  async sampling(session) {
    strictEqual(await textOf(session, 'think', {}), 'Paris')
  },

  async roots(session, { root }) {
    strictEqual(await textOf(session, 'where', {}), root)
  },

  async logging(session, { logs }) {
    await session.askForLogs()
    await session.callTool('shout', {})
    // Some servers wrap the text, and some add to it.
    const isMeant = ({ data }) => (data?.message ?? data?.msg ?? data) === 'A message from the server'
    await until(() => logs.some(isMeant), 'no log message arrived')
  },

  async 'large payload'(session) {
    const text = await textOf(session, 'big', { bytes: 2_000_000 })
    strictEqual(text.length, 1_000_000)
  },

  // The list changes last.
  ...STRAIN_CHECKS,
}

function namesOf(items) {
  return items.map(({ name }) => name).sort()
}

async function textOf(session, name, args) {
  const { content } = await session.callTool(name, args)
  return content[0].text
}

export async function until(holds, otherwise) {
  const deadline = performance.now() + ARRIVAL_MS
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(otherwise)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
