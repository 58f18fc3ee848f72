import { mkdir, readFile, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PathEscapeError, safeJoin } from '../../../../src/node/files/safe-path.ts'
import { createFolder } from './temporary-folder.ts'

describe('safeJoin', () => {
  it('finds what is below the folder', async () => {
    await using folder = await createFolder()
    await folder.write('notes/a b.txt', 'hello')
    const path = await safeJoin(folder.path, 'notes/a b.txt')
    expect(path).toBe(join(await realpath(folder.path), 'notes', 'a b.txt'))
    expect(await readFile(path, 'utf8')).toBe('hello')
  })

  it.each(['new.txt', 'new/folder/file.txt', '..hidden', '...x', 'a..b', 'grüße 🎉.md', '100%.txt', 'auxiliary'])(
    'takes %s, which does not exist yet',
    async (path) => {
      await using folder = await createFolder()
      expect(await safeJoin(folder.path, path)).toBe(join(await realpath(folder.path), ...path.split('/')))
    },
  )

  const escapes = [
    '',
    '.',
    '..',
    '../x',
    'a/../../x',
    'a/../b',
    './a',
    'a/.',
    'a//b',
    'a/',
    '/etc/passwd',
    '//server/share',
    '..\\x',
    'a\\..\\..\\x',
    '\\\\server\\share',
    'C:',
    'c:/windows',
    'C:x',
    'file.txt:stream',
    'file.txt::$DATA',
    'a\0',
    'a.txt\0.png',
    '%2e%2e%2fx',
    '%2E%2E/x',
    'a%2f..%2f..%2fx',
    '%5c..',
    '%252e%252e%252fx',
    '%25252e',
    'a%00',
    'C%3A',
    'secret.',
    'secret ',
    '.. /x',
    '. . /x',
    '.../x',
    'a./b',
    'CON',
    'nul.txt',
    'Aux',
    'a/com1.tar.gz',
    'LPT¹',
    'conin$',
    'con .txt',
    '-rf',
    '--output=x',
    '\ud800',
    'x'.repeat(5000),
  ]

  it.each(escapes)('F199 R29 rejects %j', async (path) => {
    await using folder = await createFolder()
    await expect(safeJoin(folder.path, path)).rejects.toThrow(PathEscapeError)
  })

  it('F199 rejects symbolic links that lead out, at any place of the path', async () => {
    await using outside = await createFolder()
    await using folder = await createFolder()
    await outside.write('secret.txt')
    await folder.link('file', join(outside.path, 'secret.txt'))
    await folder.link('folder', outside.path)
    await folder.link('up', '..')
    await folder.link('self', '.')
    await folder.link('far', '/')
    for (const path of [
      'file',
      'folder',
      'folder/secret.txt',
      'folder/new.txt',
      'folder/new/new.txt',
      'up',
      'up/x',
      'far/etc',
    ]) {
      await expect(safeJoin(folder.path, path), path).rejects.toThrow(PathEscapeError)
    }
    await expect(safeJoin(folder.path, 'self')).rejects.toThrow(PathEscapeError)
    expect(await safeJoin(folder.path, 'self/new.txt')).toBe(join(await realpath(folder.path), 'new.txt'))
  })

  it('F199 rejects a link to a missing file, which may exist when it is written', async () => {
    await using outside = await createFolder()
    await using folder = await createFolder()
    await folder.link('later', join(outside.path, 'later.txt'))
    await expect(safeJoin(folder.path, 'later')).rejects.toThrow(PathEscapeError)
    await expect(safeJoin(folder.path, 'later/x')).rejects.toThrow(PathEscapeError)
  })

  it('follows links that stay inside', async () => {
    await using folder = await createFolder()
    const file = await folder.write('real/file.txt')
    await folder.link('alias', 'real')
    expect(await safeJoin(folder.path, 'alias/file.txt')).toBe(await realpath(file))
  })

  it('R29 is not fooled by a folder whose name begins alike', async () => {
    await using parent = await createFolder()
    await mkdir(join(parent.path, 'files'))
    await parent.write('files-of-others/secret.txt')
    await parent.link('files/look-alike', join(parent.path, 'files-of-others'))
    await expect(safeJoin(join(parent.path, 'files'), 'look-alike/secret.txt')).rejects.toThrow(PathEscapeError)
  })

  it('works for a folder that is itself reached by a link', async () => {
    await using parent = await createFolder()
    const file = await parent.write('real/file.txt')
    await parent.link('root', 'real')
    expect(await safeJoin(join(parent.path, 'root'), 'file.txt')).toBe(await realpath(file))
  })

  it('does not repeat the path in its error', async () => {
    await using folder = await createFolder()
    const error: Error = await safeJoin(folder.path, '../hunter2').catch((reason) => reason)
    expect(error.name).toBe('PathEscapeError')
    expect(error.message).not.toMatch(/hunter2|tmp/)
  })

  it('F199 stays below the folder for any path', async () => {
    await using folder = await createFolder()
    await folder.link('up', '..')
    const root = await realpath(folder.path)
    const pieces = fc.constantFrom(
      '..',
      '.',
      '/',
      '\\',
      '%2e',
      '%2f',
      '%25',
      '\0',
      'a',
      'up',
      ' ',
      ':',
      '~',
      '…',
      '．．',
      'C:',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { maxLength: 8 }), async (parts) => {
        const path = await safeJoin(folder.path, parts.join('')).catch((error) => error)
        if (!(path instanceof PathEscapeError)) expect(String(path).startsWith(root + sep)).toBe(true)
      }),
      { seed: 29, numRuns: 500 },
    )
  })
})
