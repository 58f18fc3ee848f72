import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type DirectoryResources, directoryResources } from '../../../../src/node/files/directory-resources.ts'
import { parseUriTemplate } from '../../../../src/primitives/uri-template/uri-template.ts'
import { LimitError } from '../../../../src/types/errors/failures.ts'
import type { Resource } from '../../../../src/types/features/resources.ts'
import { createFolder } from './temporary-folder.ts'

async function listOf(resources: DirectoryResources): Promise<Resource[]> {
  const listed: Resource[] = []
  for await (const resource of resources.list()) listed.push(resource)
  return listed
}

const namesOf = async (resources: DirectoryResources) => (await listOf(resources)).map(({ name }) => name)

/** As a server does: the variables come from matching the uri. */
async function read(resources: DirectoryResources, uri: string) {
  const variables = parseUriTemplate(resources.uriTemplate).match(uri)
  return variables === undefined ? undefined : resources.read(variables)
}

describe('directoryResources', () => {
  it('lists files with uri, size, type and date, and reads each by its uri', async () => {
    await using folder = await createFolder()
    await folder.write('notes/über 100%?#&+.txt', 'hello')
    await folder.write('a.json', '{}')
    await folder.write('picture.png', new Uint8Array([1, 2, 0]))
    await folder.write('strange', new Uint8Array([0, 1]))
    const resources = directoryResources(folder.path)
    const listed = await listOf(resources)
    expect(listed.map(({ name, size, mimeType }) => [name, size, mimeType])).toEqual([
      ['a.json', 2, 'application/json'],
      ['notes/über 100%?#&+.txt', 5, 'text/plain'],
      ['picture.png', 3, 'image/png'],
      ['strange', 2, undefined],
    ])
    expect(listed[0]).toMatchObject({
      uri: pathToFileURL(join(folder.path, 'a.json')).href,
      annotations: { lastModified: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) },
    })
    const contents = await Promise.all(listed.map(({ uri }) => read(resources, uri)))
    expect(contents).toEqual([
      { uri: listed[0]?.uri, mimeType: 'application/json', text: '{}' },
      { uri: listed[1]?.uri, mimeType: 'text/plain', text: 'hello' },
      { uri: listed[2]?.uri, mimeType: 'image/png', blob: 'AQIA' },
      { uri: listed[3]?.uri, mimeType: 'application/octet-stream', blob: 'AAE=' },
    ])
  })

  it('adds paths to the author’s uri, and keeps the author’s metadata', async () => {
    await using folder = await createFolder()
    await folder.write('a.txt', 'A')
    const resources = directoryResources(pathToFileURL(folder.path), {
      uri: 'docs://all',
      title: 'Docs',
      description: 'All of them',
      annotations: { audience: ['user'] },
    })
    expect(resources.uriTemplate).toBe('docs://all/{+path}')
    expect(resources.meta).toEqual({
      name: 'docs://all/',
      title: 'Docs',
      description: 'All of them',
      annotations: { audience: ['user'] },
    })
    expect(await read(resources, 'docs://all/a.txt')).toMatchObject({ uri: 'docs://all/a.txt', text: 'A' })
    expect(() => directoryResources(folder.path, { uri: 'docs://{x}' })).toThrow(TypeError)
  })

  it.each([
    '../secret.txt',
    '%2e%2e/secret.txt',
    '%2e%2e%2fsecret.txt',
    '%252e%252e%252fsecret.txt',
    '..%5csecret.txt',
    'a.txt%00',
    '/etc/passwd',
    '%2fetc%2fpasswd',
    'C:/secret.txt',
    'a.txt.',
    'a.txt%20',
    'link',
    'folder/secret.txt',
    'folder',
    '',
    'missing.txt',
    'a.txt/x',
    '.hidden',
    '.git/config',
  ])('F199 I10 finds nothing at %s', async (path) => {
    await using outside = await createFolder()
    await using parent = await createFolder()
    await outside.write('secret.txt')
    await parent.write('secret.txt')
    for (const name of ['root/a.txt', 'root/.hidden', 'root/.git/config']) await parent.write(name)
    await parent.link('root/link', join(outside.path, 'secret.txt'))
    await parent.link('root/folder', outside.path)
    const resources = directoryResources(join(parent.path, 'root'), { uri: 'docs://x/' })
    expect(await read(resources, `docs://x/${path}`)).toBeUndefined()
    expect(await read(resources, 'docs://x/a.txt')).toMatchObject({ text: 'root/a.txt' })
  })

  it('lists no links, no hidden files and no names that could not be read', async () => {
    await using folder = await createFolder()
    for (const name of ['a.txt', '.env', '.git/config', 'nul.txt', '-rf', 'deep/.x', 'deep/b.txt'])
      await folder.write(name)
    await folder.link('circle', '.')
    await folder.link('alias.txt', 'a.txt')
    expect(await namesOf(directoryResources(folder.path))).toEqual(['a.txt', 'deep/b.txt'])
    const all = directoryResources(folder.path, { hidden: true, uri: 'x://y' })
    expect(await namesOf(all)).toEqual(['.env', '.git/config', 'a.txt', 'deep/.x', 'deep/b.txt'])
    expect(await read(all, 'x://y/.git/config')).toMatchObject({ text: '.git/config' })
    expect(await read(all, 'x://y/alias.txt')).toMatchObject({ text: 'a.txt' })
  })

  it('lists and reads only what the author includes', async () => {
    await using folder = await createFolder()
    for (const name of ['a.md', 'b.txt', 'deep/c.md']) await folder.write(name)
    const resources = directoryResources(folder.path, { include: (path) => path.endsWith('.md'), uri: 'x://y' })
    expect(await namesOf(resources)).toEqual(['a.md', 'deep/c.md'])
    expect(await read(resources, 'x://y/b.txt')).toBeUndefined()
    expect(await read(resources, 'x://y/deep/c.md')).toMatchObject({ text: 'deep/c.md' })
  })

  it('looks at so many names and so many folders deep', async () => {
    await using folder = await createFolder()
    for (let n = 0; n < 20; n++) await folder.write(`many/${n}.txt`)
    await folder.write('one/two/three/four.txt')
    expect(await namesOf(directoryResources(folder.path, { maxEntries: 7 }))).toHaveLength(5)
    expect(await namesOf(directoryResources(folder.path, { maxDepth: 3 }))).toHaveLength(20)
    expect(await namesOf(directoryResources(folder.path, { maxDepth: 4 }))).toContain('one/two/three/four.txt')
    expect(await namesOf(directoryResources(folder.path, { maxDepth: 1 }))).toEqual([])
  })

  it('lists nothing of a folder that is not there', async () => {
    await using folder = await createFolder()
    const resources = directoryResources(join(folder.path, 'missing'), { uri: 'x://y' })
    expect(await listOf(resources)).toEqual([])
    expect(await read(resources, 'x://y/a.txt')).toBeUndefined()
  })

  it.each([{ maxBytes: Number.NaN }, { maxEntries: -1 }, { maxDepth: 1.5 }])('rejects %j at once', (options) => {
    expect(() => directoryResources('/tmp', options)).toThrow(RangeError)
  })

  it('reads at most so much of a file', async () => {
    await using folder = await createFolder()
    await folder.write('large.txt', 'x'.repeat(1000))
    const resources = directoryResources(folder.path, { maxBytes: 999, uri: 'x://y' })
    await expect(read(resources, 'x://y/large.txt')).rejects.toThrow(LimitError)
  })
})
