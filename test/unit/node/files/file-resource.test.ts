import { execFileSync } from 'node:child_process'
import { type FileHandle, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readBytes } from '../../../../src/node/files/file-contents.ts'
import { fileResource } from '../../../../src/node/files/file-resource.ts'
import { isTextType, mimeTypeOf } from '../../../../src/primitives/mime-type.ts'
import { LimitError } from '../../../../src/types/errors/failures.ts'
import { createFolder } from './temporary-folder.ts'

describe('fileResource', () => {
  it('takes uri, name and type from the path, and reads anew each time', async () => {
    await using folder = await createFolder()
    const path = await folder.write('read me.md', '# one')
    const resource = fileResource(path)
    expect(resource).toMatchObject({
      uri: pathToFileURL(path).href,
      meta: { name: 'read me.md', mimeType: 'text/markdown' },
    })
    expect(await resource.read()).toBe('# one')
    await writeFile(path, '# two')
    expect(await resource.read()).toBe('# two')
    expect(await fileResource(pathToFileURL(path)).read()).toBe('# two')
  })

  it('uses the author’s options instead', async () => {
    await using folder = await createFolder()
    const path = await folder.write('data.bin', 'plain words')
    const meta = { name: 'data', title: 'Data', description: 'Words', mimeType: 'text/plain', size: 11 }
    const resource = fileResource(path, { uri: 'app://data', annotations: { priority: 1 }, ...meta })
    expect(resource).toMatchObject({ uri: 'app://data', meta: { ...meta, annotations: { priority: 1 } } })
    expect(resource.meta).not.toHaveProperty('uri')
    expect(await resource.read()).toBe('plain words')
  })

  it.each([
    ['picture.png', 'not really', 'bytes'],
    ['unknown.xyz', 'words', 'text'],
    ['unknown.xyz', 'wo\0rds', 'bytes'],
    ['LICENSE', 'words', 'text'],
    ['data.json', '{}', 'text'],
    ['drawing.svg', '<svg/>', 'text'],
    ['wrong.txt', new Uint8Array([0xff, 0xfe, 0x41]), 'bytes'],
    ['empty.txt', '', 'text'],
  ])('reads %s with %j as %s', async (name, contents, kind) => {
    await using folder = await createFolder()
    const value = await fileResource(await folder.write(name, contents)).read()
    if (kind === 'text') expect(value).toBe(contents)
    else expect(Uint8Array.from(value as Uint8Array)).toEqual(Uint8Array.from(Buffer.from(contents)))
  })

  it('keeps a byte order mark: contents are what is in the file', async () => {
    await using folder = await createFolder()
    expect(await fileResource(await folder.write('bom.txt', '\ufeffhi')).read()).toBe('\ufeffhi')
  })

  it('reads at most so much', async () => {
    await using folder = await createFolder()
    const path = await folder.write('large.txt', 'x'.repeat(200_000))
    expect(await fileResource(path, { maxBytes: 200_000 }).read()).toHaveLength(200_000)
    await expect(fileResource(path, { maxBytes: 199_999 }).read()).rejects.toThrow(LimitError)
  })

  it('reads at most so much of a file that grows, or has no size', async () => {
    const endless = {
      stat: async () => ({ isFile: () => true, size: 0 }),
      read: async (buffer: Uint8Array) => ({ bytesRead: 40, buffer }),
    } as unknown as FileHandle
    await expect(readBytes(endless, 100)).rejects.toThrow(LimitError)
  })

  it('returns undefined if there is no file, and does not wait for a named pipe', async () => {
    await using folder = await createFolder()
    expect(await fileResource(join(folder.path, 'missing.txt')).read()).toBeUndefined()
    expect(await fileResource(folder.path).read()).toBeUndefined()
    if (process.platform !== 'win32') {
      execFileSync('mkfifo', [join(folder.path, 'pipe')])
      expect(await fileResource(join(folder.path, 'pipe')).read()).toBeUndefined()
    }
  })
})

describe('mimeTypeOf', () => {
  it.each([
    ['a/b.PNG', 'image/png'],
    ['archive.tar.gz', 'application/gzip'],
    ['folder.md/file', undefined],
    ['.json', undefined],
    ['constructor', undefined],
    ['x.constructor', undefined],
  ])('%s is %s', (path, type) => {
    expect(mimeTypeOf(path)).toBe(type)
  })

  it('knows which types are text', () => {
    expect(
      ['text/html; charset=utf-8', 'application/ld+json', 'image/svg+xml', 'Application/JSON'].every(isTextType),
    ).toBe(true)
    expect(['image/png', 'application/pdf', 'application/octet-stream', ''].some(isTextType)).toBe(false)
  })
})
