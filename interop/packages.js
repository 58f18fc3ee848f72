// The checks against two servers in common use: files and a knowledge graph.
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'

/** `folder` is the one that the server was started for. */
export const FILESYSTEM_CHECKS = {
  async lists(session) {
    ok((await session.listTools()).some(({ name }) => name === 'read_text_file'))
  },

  async 'write and read'(session, { folder }) {
    const path = `${folder}/note.txt`
    await session.callTool('write_file', { path, content: 'ünïcödé 🙂' })
    const { content } = await session.callTool('read_text_file', { path })
    strictEqual(content[0].text, 'ünïcödé 🙂')
    const listing = await session.callTool('list_directory', { path: folder })
    ok(listing.content[0].text.includes('note.txt'))
  },

  async structured(session, { folder }) {
    const { structuredContent } = await session.callTool('list_allowed_directories', {})
    ok(JSON.stringify(structuredContent).includes(folder))
  },

  async 'tool error'(session) {
    const result = await session.callTool('read_text_file', { path: '/etc/passwd' })
    strictEqual(result.isError, true)
  },
}

export const MEMORY_CHECKS = {
  async lists(session) {
    ok((await session.listTools()).some(({ name }) => name === 'read_graph'))
  },

  async 'write and read'(session) {
    const entity = { name: 'Ada', entityType: 'person', observations: ['wrote the first program'] }
    await session.callTool('create_entities', { entities: [entity] })
    const { structuredContent } = await session.callTool('search_nodes', { query: 'first program' })
    deepStrictEqual(
      structuredContent.entities.map(({ name }) => name),
      ['Ada'],
    )
  },

  async 'concurrent calls'(session) {
    const graphs = await Promise.all(Array.from({ length: 16 }, () => session.callTool('read_graph', {})))
    for (const { structuredContent } of graphs) strictEqual(structuredContent.entities.length, 1)
  },
}
