import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'
import { directoryResources } from '../../../../src/node/files/directory-resources.ts'
import { fileResource } from '../../../../src/node/files/file-resource.ts'
import { connect } from '../../../../src/testing/connect.ts'
import { createFolder } from './temporary-folder.ts'

const eras = [
  { mode: 'modern', notFound: -32602 },
  { mode: 'legacy', notFound: -32002 },
] as const

describe.each(eras)('files on a server, in the $mode era', ({ mode, notFound }) => {
  it('are listed and read', async () => {
    await using folder = await createFolder()
    await folder.write('docs/guide.md', '# Guide')
    const readme = await folder.write('readme.txt', 'Read me')
    const server = new MCPServer('files')
    server.resource(fileResource(readme, { uri: 'app://readme' }))
    server.resource(directoryResources(join(folder.path, 'docs'), { uri: 'docs://' }))
    await using client = await connect(server, { mode })

    const { resources } = await client.listResources()
    expect(resources).toMatchObject([
      { uri: 'app://readme', name: 'readme.txt', mimeType: 'text/plain' },
      { uri: 'docs://guide.md', name: 'guide.md', mimeType: 'text/markdown', size: 7 },
    ])
    const contents = await Promise.all(resources.map(async ({ uri }) => (await client.readResource(uri)).contents))
    expect(contents).toEqual([
      [{ uri: 'app://readme', mimeType: 'text/plain', text: 'Read me' }],
      [{ uri: 'docs://guide.md', mimeType: 'text/markdown', text: '# Guide' }],
    ])
  })

  it.each(['docs://missing.md', 'docs://../readme.txt', 'docs://%2e%2e%2freadme.txt', 'docs://.git', 'docs://escape'])(
    'F199 I10 %s is not found',
    async (uri) => {
      await using folder = await createFolder()
      await folder.write('readme.txt')
      await folder.write('docs/.git')
      await folder.link('docs/escape', '../readme.txt')
      const server = new MCPServer('files')
      server.resource(directoryResources(join(folder.path, 'docs'), { uri: 'docs://' }))
      await using client = await connect(server, { mode })
      await expect(client.readResource(uri)).rejects.toMatchObject({ code: notFound, data: { uri } })
    },
  )
})
