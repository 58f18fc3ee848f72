// Configuration files of others: read strictly, changed as a whole, in turn, through links, and kept private.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, readlink, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../../../test/unit/node/files/temporary-folder.ts'
import { changeConfigFile, MAX_CONFIG_BYTES, readConfigFile } from '../../install/config-file.ts'
import { editConfig } from '../../install/formats/config-edit.ts'
import { parseConfig, toValue } from '../../install/formats/config-text.ts'
import { bundle, failureOf, modeOf, POSIX, runProcess } from './config-support.ts'

const SECRET = 'tops3cret'

/** Sets one property at the top of a file. */
function set(path: string, key: string, value: unknown, isPrivate = false) {
  return changeConfigFile(path, ({ document }) => ({
    text: editConfig(document, [{ path: [key], value }]).text,
    isPrivate,
  }))
}

/** Without the copy of the first change of a day. */
async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => !name.includes('.mcpwire-backup'))
}

describe('a file that is not what it should be', () => {
  const broken: [string, string | Uint8Array, RegExp][] = [
    [
      'cut off in an object',
      `{\n  "mcpServers": {\n    "a": { "env": { "K": "${SECRET}" }`,
      /line 3, column \d+: .*only a part/,
    ],
    ['cut off in a string', `{\n  "mcpServers": "${SECRET}`, /line 2, column 17: a string does not end, .*only a part/],
    ['garbage', SECRET, /line 1, column 1: this is not JSON/],
    ['binary', new Uint8Array([0x7b, 0x0a, 0x22, 0xff, 0xfe, 0x00, 0x22]), /line 2, column 2: it is not text in UTF-8/],
    ['zeros', new Uint8Array(64), /line 1, column 1/],
    ['UTF-16', Buffer.from('\ufeff{}', 'utf16le'), /line 1, column 1: it is not text in UTF-8/],
    ['duplicate keys', `{\n  "a": 1,\n  "a": "${SECRET}"\n}`, /line 3, column 3: this object has the key twice/],
    ['duplicate keys further in', '{"a": [{"b": 1, "b": 2}]}', /line 1, column 17: this object has the key twice/],
    ['an array', '[]', /line 1, column 1: the top level is not an object/],
    ['a string', `"${SECRET}"`, /line 1, column 1: the top level is not an object/],
    ['null', ' null', /line 1, column 2: the top level is not an object/],
    ['two values', '{}\r\n{}', /line 2, column 1/],
    ['single quotes', `{ 'a': '${SECRET}' }`, /line 1, column 3/],
    ['a missing comma', '{\n"a": 1\n"b": 2}', /line 3, column 1: a comma is missing/],
    ['a comment without end', '{} /* ', /line 1, column 4: a comment does not end/],
    ['deep nesting', `{"a":${'['.repeat(200_000)}`, /line 1, column 105: it is nested deeper than 100 levels/],
  ]

  it.each(broken)('F205 %s: reported with its place, and left as it is', async (_, contents, words) => {
    await using folder = await createFolder()
    const path = await folder.write('config.json', contents)
    const before = await readFile(path)
    for (const call of [() => readConfigFile(path), () => set(path, 'x', 1)]) {
      const failure = await failureOf(call)
      expect(failure.message).toMatch(words)
      expect(failure.message).toContain(path)
      expect(failure.hint).toMatch(/Repair the file/)
      expect(failure.words).not.toContain(SECRET)
    }
    expect((await readFile(path)).equals(before)).toBe(true)
    expect(await namesIn(folder.path)).toEqual(['config.json'])
  })

  it('F205 a file past the limit is refused, one at the limit is taken', async () => {
    await using folder = await createFolder()
    const path = await folder.write('config.json', `{}${' '.repeat(MAX_CONFIG_BYTES - 2)}`)
    expect(toValue((await readConfigFile(path)).document.root)).toEqual({})
    await writeFile(path, `{}${' '.repeat(MAX_CONFIG_BYTES - 1)}`)
    expect((await failureOf(() => set(path, 'x', 1))).message).toMatch(/larger than the limit of 8388608 bytes/)
    expect((await stat(path)).size).toBe(MAX_CONFIG_BYTES + 1)
  })

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['blank', ' \n\n'],
    ['nothing but a BOM', '\ufeff'],
  ])('F205 %s counts as an empty object', async (_, contents) => {
    await using folder = await createFolder()
    const path = join(folder.path, 'config.json')
    if (contents !== undefined) await writeFile(path, contents)
    await set(path, 'a', { b: 1 })
    const text = await readFile(path, 'utf8')
    expect(text.replace('\ufeff', '')).toBe('{\n  "a": {\n    "b": 1\n  }\n}\n')
    expect(text.startsWith('\ufeff')).toBe(contents?.startsWith('\ufeff') ?? false)
  })

  it('F205 a file of nothing but comments keeps them', async () => {
    await using folder = await createFolder()
    const path = await folder.write('config.json', '// mine\n')
    await set(path, 'a', 1)
    expect(await readFile(path, 'utf8')).toBe('// mine\n{\n  "a": 1\n}\n')
  })

  it('F205 a BOM, comments, trailing commas and CRLF are accepted and kept', async () => {
    await using folder = await createFolder()
    const text = '\ufeff{\r\n\t// one\r\n\t"a": [1, 2,], /* two */\r\n}\r\n'
    const path = await folder.write('config.json', text)
    await set(path, 'b', { c: 1 })
    expect(await readFile(path, 'utf8')).toBe(
      '\ufeff{\r\n\t// one\r\n\t"a": [1, 2,], /* two */\r\n\t"b": {\r\n\t\t"c": 1\r\n\t},\r\n}\r\n',
    )
  })
})

describe('a path that is not a file', () => {
  it('F205 a directory is refused', async () => {
    await using folder = await createFolder()
    await mkdir(join(folder.path, 'config.json'))
    expect((await failureOf(() => set(join(folder.path, 'config.json'), 'a', 1))).message).toMatch(/is a directory/)
    expect(await namesIn(folder.path)).toEqual(['config.json'])
  })

  it.runIf(POSIX)('F205 a FIFO and a device are refused at once, through a link too', async () => {
    await using folder = await createFolder()
    const pipe = join(folder.path, 'pipe')
    execFileSync('mkfifo', [pipe])
    await symlink(pipe, join(folder.path, 'link'))
    for (const path of [pipe, join(folder.path, 'link'), '/dev/zero', '/dev/null']) {
      expect((await failureOf(() => set(path, 'a', 1))).message).toMatch(/is a device, pipe or socket, not a file/)
    }
    expect((await namesIn(folder.path)).sort()).toEqual(['link', 'pipe'])
    expect((await readdir('/dev')).filter((name) => name.includes('mcpwire'))).toEqual([])
  })

  it.runIf(POSIX)('F205 a link that dangles, one in a circle, and a file as a directory are refused', async () => {
    await using folder = await createFolder()
    await folder.link('dangling', 'nothing')
    await folder.link('one', 'other')
    await folder.link('other', 'one')
    await folder.write('file', '{}')
    const words = async (name: string) => (await failureOf(() => set(join(folder.path, name), 'a', 1))).message
    expect(await words('dangling')).toMatch(/dangling is a symbolic link to a file that does not exist/)
    expect(await words('one')).toMatch(/one cannot be read: its symbolic links lead in a circle/)
    expect(await words('file/config.json')).toMatch(/a part of its path is not a directory/)
    expect((await namesIn(folder.path)).sort()).toEqual(['dangling', 'file', 'one', 'other'])
  })

  it.runIf(POSIX)('F205 a link stays a link, and what it points to is replaced where it is', async () => {
    await using folder = await createFolder()
    const target = await folder.write('dotfiles/real.json', '{}\n')
    await folder.link('dotfiles/middle.json', 'real.json')
    await folder.link('config.json', 'dotfiles/middle.json')
    const outcome = await set(join(folder.path, 'config.json'), 'a', 1)
    expect(outcome.path.endsWith(join('dotfiles', 'real.json'))).toBe(true)
    expect(await readlink(join(folder.path, 'config.json'))).toBe('dotfiles/middle.json')
    expect(await readlink(join(folder.path, 'dotfiles', 'middle.json'))).toBe('real.json')
    expect(await readFile(target, 'utf8')).toBe('{\n  "a": 1\n}\n')
    expect((await namesIn(join(folder.path, 'dotfiles'))).sort()).toEqual(['middle.json', 'real.json'])
  })
})

describe('replacing', () => {
  it('F205 a reader in a tight loop never sees half a file', async () => {
    await using folder = await createFolder()
    const path = await folder.write('config.json', JSON.stringify({ text: 'x'.repeat(300_000) }))
    let isWriting = true
    const write = async () => {
      for (let round = 0; round < 30; round += 1) await set(path, 'text', `${round}`.repeat(200_000))
      isWriting = false
    }
    const seen = new Set<string>()
    const read = async () => {
      while (isWriting) seen.add((JSON.parse(await readFile(path, 'utf8')) as { text: string }).text.slice(0, 2))
    }
    await Promise.all([write(), read(), read()])
    expect(seen.size).toBeGreaterThan(1)
  })

  it.runIf(POSIX).each([
    ['while the new file is written', 'Object.getPrototypeOf(handle).chmod', 0o600],
    ['before the renaming', 'fs.promises.rename', 0o644],
  ])('F205 a crash %s leaves the old file, and does not disturb the next run', async (_, step, mode) => {
    await using folder = await createFolder()
    const path = await folder.write('home/config.json', '{ "old": true }\n')
    const crash = `import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module'
      const handle = await fs.promises.open(process.execPath)
      ${step} = () => process.kill(process.pid, 'SIGKILL')
      syncBuiltinESMExports()
      await handle.close()`
    const program = await folder.write('change.mjs', await bundle(changeProgram))
    const args = ['--import', `data:text/javascript,${encodeURIComponent(crash)}`, program, path, 'new']
    expect(await runProcess(process.execPath, args)).toMatchObject({ signal: 'SIGKILL' })
    expect(await readFile(path, 'utf8')).toBe('{ "old": true }\n')
    const names = await namesIn(join(folder.path, 'home'))
    const [temporary] = names.filter((name) => /^config\.json\.mcpwire-[0-9a-f-]{36}\.tmp$/.test(name))
    expect(names.sort()).toEqual(['config.json', 'config.json.mcpwire.lock', temporary].sort())
    expect(await modeOf(join(folder.path, 'home', temporary!))).toBe(mode)

    expect(await runProcess(process.execPath, [program, path, 'new'])).toEqual({ code: 0, signal: null, stderr: '' })
    expect(await readFile(path, 'utf8')).toBe('{ "old": true, "new": 1 }\n')
    expect((await namesIn(join(folder.path, 'home'))).sort()).toEqual(['config.json', temporary].sort())
  })

  it('F205 when no file can be made beside it, the old one stays and nothing is left', async () => {
    await using folder = await createFolder()
    // Long enough for the lock, too long for the new file.
    const name = `${'n'.repeat(225)}.json`
    const path = await folder.write(name, '{"a":1}')
    const failure = await failureOf(() => set(path, 'b', 1))
    expect(failure.words).toMatch(/cannot be changed: its name is too long.\nThe file is as it was/)
    expect(await readFile(path, 'utf8')).toBe('{"a":1}')
    expect(await namesIn(folder.path)).toEqual([name])
  })

  it.runIf(POSIX)('F205 when the disk takes only a part of it, the old one stays and nothing is left', async () => {
    await using folder = await createFolder()
    const path = await folder.write('home/config.json', `{"a":"${'x'.repeat(100_000)}"}`)
    const before = await readFile(path, 'utf8')
    const program = await folder.write('change.mjs', await bundle(changeProgram))
    // A limit on the size of files ends a write in the middle, as a full disk does.
    const shell = `trap '' XFSZ; ulimit -f 16; exec "$0" "$@"`
    const ended = await runProcess('/bin/sh', ['-c', shell, process.execPath, program, path, 'new'])
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/cannot be changed: the file would be larger/),
    })
    expect(await readFile(path, 'utf8')).toBe(before)
    expect(await namesIn(join(folder.path, 'home'))).toEqual(['config.json'])
  })

  it.runIf(POSIX)('F205 when the disk takes nothing at all, no lock is left', async () => {
    await using folder = await createFolder()
    const path = await folder.write('home/config.json', '{}')
    const program = await folder.write('change.mjs', await bundle(changeProgram))
    const shell = `trap '' XFSZ; ulimit -f 0; exec "$0" "$@"`
    expect(await runProcess('/bin/sh', ['-c', shell, process.execPath, program, path, 'new'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/cannot be changed/),
    })
    expect(await readFile(path, 'utf8')).toBe('{}')
    expect(await namesIn(join(folder.path, 'home'))).toEqual(['config.json'])
  })

  it.runIf(POSIX)('F205 a read-only directory and a read-only file are left alone', async () => {
    await using folder = await createFolder()
    const program = await folder.write('change.mjs', await bundle(changeProgram))
    const inLocked = await folder.write('locked/config.json', '{}')
    const locked = await folder.write('open/config.json', '{}')
    await chmod(folder.path, 0o755)
    await chmod(inLocked, 0o666)
    await chmod(join(folder.path, 'locked'), 0o555)
    await chmod(join(folder.path, 'open'), 0o777)
    await chmod(locked, 0o444)
    // Nothing is read-only for root.
    const user = process.getuid?.() === 0 ? { uid: 65_534 } : {}
    for (const path of [inLocked, locked]) {
      const ended = await runProcess(process.execPath, [program, path, 'new'], user)
      expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/cannot be changed: permission is denied/) })
      expect(await readFile(path, 'utf8')).toBe('{}')
    }
    await chmod(join(folder.path, 'locked'), 0o755)
    expect(await namesIn(join(folder.path, 'locked'))).toEqual(['config.json'])
    expect(await namesIn(join(folder.path, 'open'))).toEqual(['config.json'])
  })

  it('F205 what somebody else wrote meanwhile is read again and kept', async () => {
    await using folder = await createFolder()
    const path = await folder.write('config.json', '{}')
    let calls = 0
    await changeConfigFile(path, ({ document }) => {
      calls += 1
      if (calls <= 2) writeFileSync(path, JSON.stringify({ theirs: calls }))
      return { text: editConfig(document, [{ path: ['ours'], value: 1 }]).text, isPrivate: false }
    })
    expect(calls).toBe(3)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ theirs: 2, ours: 1 })
    expect(await namesIn(folder.path)).toEqual(['config.json'])
  })

  it('F205 a file that somebody else makes or removes meanwhile counts as changed', async () => {
    await using folder = await createFolder()
    const path = join(folder.path, 'config.json')
    let calls = 0
    await changeConfigFile(path, ({ document }) => {
      calls += 1
      if (calls === 1) writeFileSync(path, '{"theirs":1}')
      return { text: editConfig(document, [{ path: ['ours'], value: 1 }]).text, isPrivate: false }
    })
    expect([calls, JSON.parse(readFileSync(path, 'utf8'))]).toEqual([2, { theirs: 1, ours: 1 }])
  })

  it('F205 somebody who never stops changing it is not waited for forever', async () => {
    await using folder = await createFolder()
    const path = await folder.write('config.json', '{}')
    let calls = 0
    const failure = await failureOf(() =>
      changeConfigFile(path, ({ document }) => {
        calls += 1
        writeFileSync(path, JSON.stringify({ theirs: calls }))
        return { text: editConfig(document, [{ path: ['ours'], value: 1 }]).text, isPrivate: false }
      }),
    )
    expect(failure.message).toMatch(/was changed by another program before each attempt/)
    expect([calls, readFileSync(path, 'utf8')]).toEqual([5, '{"theirs":5}'])
    expect(await namesIn(folder.path)).toEqual(['config.json'])
  })
})

describe('the backup', () => {
  it('is a copy of the file before the first change of a day, which only its owner can read', async () => {
    await using folder = await createFolder()
    const path = await folder.write('config.json', '{ "first": true }\n')
    const backup = `${path}.mcpwire-backup`
    await set(path, 'a', 1)
    await set(path, 'b', 1)
    expect(await readFile(backup, 'utf8')).toBe('{ "first": true }\n')
    if (POSIX) expect(await modeOf(backup)).toBe(0o600)
    const yesterday = new Date(Date.now() - 86_400_000)
    await utimes(backup, yesterday, yesterday)
    await set(path, 'c', 1)
    expect(JSON.parse(await readFile(backup, 'utf8'))).toEqual({ first: true, a: 1, b: 1 })
  })

  it('is not made for a file that is new, nor where nothing changes', async () => {
    await using folder = await createFolder()
    const path = join(folder.path, 'config.json')
    await set(path, 'a', 1)
    await changeConfigFile(path, () => undefined)
    expect(await readdir(folder.path)).toEqual(['config.json'])
  })
})

describe('writers at the same time', () => {
  it('F205 many calls in one process: nothing is lost', async () => {
    await using folder = await createFolder()
    const path = join(folder.path, 'new', 'config.json')
    const names = Array.from({ length: 20 }, (_, index) => `key-${index}`)
    await Promise.all(names.map((name) => set(path, name, 1)))
    expect(Object.keys(JSON.parse(await readFile(path, 'utf8')) as object).sort()).toEqual([...names].sort())
    expect(await namesIn(join(folder.path, 'new'))).toEqual(['config.json'])
  })

  it('F205 a file that comes into being while we look for it is taken as it is', async () => {
    await using folder = await createFolder()
    const path = join(folder.path, 'home', 'config.json')
    await mkdir(join(folder.path, 'home'))
    const appear = `import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module'
      const { realpath } = fs.promises
      fs.promises.realpath = async (path) => {
        fs.promises.realpath = realpath
        syncBuiltinESMExports()
        try { return await realpath(path) } finally { fs.writeFileSync(path, '{"theirs": 1}') }
      }
      syncBuiltinESMExports()`
    const program = await folder.write('change.mjs', await bundle(changeProgram))
    const args = ['--import', `data:text/javascript,${encodeURIComponent(appear)}`, program, path, 'ours']
    expect(await runProcess(process.execPath, args)).toEqual({ code: 0, signal: null, stderr: '' })
    expect(await readFile(path, 'utf8')).toBe('{"theirs": 1, "ours": 1}')
  })

  it('F205 a lock that a dead process left is taken over', async () => {
    await using folder = await createFolder()
    const path = await folder.write('config.json', '{}')
    await folder.write('config.json.mcpwire.lock', `${hostname()} 999999999 someone`)
    const old = new Date(Date.now() - 60_000)
    await utimes(`${path}.mcpwire.lock`, old, old)
    await set(path, 'a', 1)
    expect(await namesIn(folder.path)).toEqual(['config.json'])
  })
})

describe.runIf(POSIX)('permissions', () => {
  it('F205 a new file is 600, and new directories are 700', async () => {
    await using folder = await createFolder()
    const path = join(folder.path, 'a', 'b', 'config.json')
    await set(path, 'x', 1)
    expect(await Promise.all([path, join(folder.path, 'a', 'b'), join(folder.path, 'a')].map(modeOf))).toEqual([
      0o600, 0o700, 0o700,
    ])
  })

  it.each([0o644, 0o664, 0o600, 0o640, 0o700])(
    'F205 the mode stays, and becomes 600 with secrets (%#)',
    async (mode) => {
      await using folder = await createFolder()
      const path = await folder.write('config.json', '{}')
      await chmod(path, mode)
      expect((await set(path, 'a', 1)).narrowedFrom).toBeUndefined()
      expect(await modeOf(path)).toBe(mode)
      expect((await set(path, 'b', 1, true)).narrowedFrom).toBe(mode & 0o077 ? mode : undefined)
      expect(await modeOf(path)).toBe(0o600)
    },
  )

  it('F205 the lock and the new file are for the owner only while they are there', async () => {
    await using folder = await createFolder()
    const path = await folder.write('config.json', '{}')
    let lockMode: number | undefined
    await changeConfigFile(path, () => {
      const listing = execFileSync('stat', ['-c', '%a', `${path}.mcpwire.lock`], { encoding: 'utf8' })
      lockMode = Number.parseInt(listing, 8)
      return undefined
    })
    expect(lockMode).toBe(0o600)
    expect(await readFile(path, 'utf8')).toBe('{}')
  })

  it.runIf(process.getuid?.() === 0)('F205 root leaves a file to its owner', async () => {
    await using folder = await createFolder()
    const path = await folder.write('config.json', '{}')
    execFileSync('chown', ['65534:65534', path])
    await set(path, 'a', 1, true)
    expect(await stat(path)).toMatchObject({ uid: 65_534, gid: 65_534 })
  })
})

describe('edits', () => {
  const edit = (text: string, path: [string, ...string[]], value?: unknown) =>
    editConfig(parseConfig('file', text), [{ path, value }]).text

  it.each<[string, string, [string, ...string[]], unknown, string]>([
    ['into one line', '{"a":1}', ['b'], [1], '{"a":1, "b": [1]}'],
    ['into one line with a comma at the end', '{"a":1,}', ['b'], 2, '{"a":1, "b": 2}'],
    ['into an empty object in one line', '{"m":{}}', ['m', 'b'], 2, '{"m":{"b": 2}}'],
    ['into an empty object', '{\n    "m": {}\n}', ['m', 'b'], 2, '{\n    "m": {\n        "b": 2\n    }\n}'],
    ['two levels at once', '{\n  "a": 1\n}\n', ['m', 'b'], 2, '{\n  "a": 1,\n  "m": {\n    "b": 2\n  }\n}\n'],
    ['after a comment', '{\n  "a": 1 // one\n}', ['b'], 2, '{\n  "a": 1, // one\n  "b": 2\n}'],
    ['after a comment alone', '{\n  // none\n}', ['b'], 2, '{\n  // none\n  "b": 2\n}'],
    ['in place of a value', '{\n  "a": { "b": 1 }, // x\n}', ['a', 'b'], 'y', '{\n  "a": { "b": "y" }, // x\n}'],
    ['away, the first', '{\n  "a": 1, // x\n  "b": 2\n}', ['a'], undefined, '{\n  // x\n  "b": 2\n}'],
    ['away, the last', '{\n  "a": 1, // x\n  "b": 2\n}', ['b'], undefined, '{\n  "a": 1 // x\n}'],
    ['away, the last with a comma', '{\n  "a": 1,\n  "b": 2,\n}', ['b'], undefined, '{\n  "a": 1,\n}'],
    ['away, the only one with a comma', '{"m":{"a":1,}}', ['m', 'a'], undefined, '{"m":{}}'],
    ['away, in one line', '{"a": 1, "b": 2, "c": 3}', ['b'], undefined, '{"a": 1, "c": 3}'],
    ['away, which is not there', '{"a": 1}', ['m', 'b'], undefined, '{"a": 1}'],
    ['named like a number', '{"m":{"a":1}}', ['m', '0'], 2, '{"m":{"a":1, "0": 2}}'],
  ])('%s', (_, text, path, value, expected) => {
    expect(edit(text, path, value)).toBe(expected)
  })

  it('F205 names of prototypes are names like any other', () => {
    const text = edit('{\n  "__proto__": { "constructor": { "x": 1 } }\n}', ['__proto__', 'toString'], {
      __proto__: null,
      y: 1,
    })
    expect(edit(text, ['constructor'], 1)).toContain('"constructor": 1')
    expect(edit(text, ['__proto__', 'constructor'])).not.toContain('constructor')
    expect(Object.keys(toValue(parseConfig('file', text).root) as object)).toEqual(['__proto__'])
    expect({}).not.toHaveProperty('y')
  })
})

const changeProgram = `
  import { editConfig } from './cli/install/formats/config-edit.ts'
  import { changeConfigFile } from './cli/install/config-file.ts'
  const [path, key] = process.argv.slice(2)
  try {
    await changeConfigFile(path, ({ document }) => ({
      text: editConfig(document, [{ path: [key], value: 1 }]).text,
      isPrivate: false,
    }))
  } catch (error) {
    console.error(error.message)
    process.exitCode = 1
  }
`
