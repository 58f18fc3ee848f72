// The checks against `@modelcontextprotocol/server-everything`, which has its own catalogue.
import { ok, strictEqual } from 'node:assert/strict'

export const EVERYTHING_CHECKS = {
  async lists(session) {
    ok((await session.listTools()).length >= 8)
    ok((await session.listPrompts()).length >= 2)
    ok((await session.listResources()).length + (await session.listTemplates()).length > 0)
  },

  async text(session) {
    const { content } = await session.callTool('echo', { message: 'hello' })
    ok(content[0].text.includes('hello'))
  },

  async unicode(session) {
    const { content } = await session.callTool('echo', { message: 'ünïcödé 漢字 🙂' })
    ok(content[0].text.includes('ünïcödé 漢字 🙂'))
  },
  async structured(session) {
    const { structuredContent } = await session.callTool('get-structured-content', { location: 'Chicago' })
    strictEqual(typeof structuredContent.temperature, 'number')
  },

  async image(session) {
    const { content } = await session.callTool('get-tiny-image', {})
    ok(content.some(({ type }) => type === 'image'))
  },

  async 'embedded resource'(session) {
    const { content } = await session.callTool('get-resource-reference', { resourceType: 'Text', resourceId: 1 })
    ok(content.some(({ type }) => type === 'resource'))
  },

  async progress(session) {
    const seen = []
    const args = { duration: 0.2, steps: 2 }
    await session.callTool('trigger-long-running-operation', args, { onProgress: (report) => seen.push(report) })
    ok(seen.length > 0)
  },

  async resources(session) {
    const [first] = await session.listResources()
    ok((await session.readResource(first.uri)).contents.length > 0)
  },

  async prompts(session) {
    const { messages } = await session.getPrompt('args-prompt', { city: 'Paris', state: 'none' })
    ok(messages.length > 0)
  },

  async sampling(session) {
    const { content } = await session.callTool('trigger-sampling-request', { prompt: 'Hello', maxTokens: 10 })
    ok(JSON.stringify(content).includes('Paris'))
  },

  async 'concurrent calls'(session) {
    const calls = Array.from({ length: 16 }, (_, index) => session.callTool('get-sum', { a: index, b: 1 }))
    const results = await Promise.all(calls)
    results.forEach(({ content }, index) => {
      ok(content[0].text.includes(String(index + 1)))
    })
  },
}
