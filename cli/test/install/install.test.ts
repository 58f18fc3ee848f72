// Servers in the configuration of hosts: added, replaced, removed, shown, and never with a value that is a secret.
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../../../test/unit/node/files/temporary-folder.ts'
import { type InstallOptions, install, type UninstallOptions, uninstall } from '../../install/install.ts'
import { bundle, failureOf, modeOf, POSIX, recordOutput, runProcess } from './config-support.ts'

const SECRET = 'tops3cret'
const plain = { command: 'npx', args: ['-y', 'x'], env: {} }
const secret = { ...plain, env: { KEY: SECRET } }
const remote = { url: 'https://x.test/mcp', headers: { Authorization: SECRET } }
const PROCESSES = 8

async function createConfig(contents?: string, mode = 0o644) {
  const folder = await createFolder()
  const path = join(folder.path, 'mcp.json')
  if (contents !== undefined) await writeFile(path, contents)
  if (contents !== undefined) await chmod(path, mode)
  const output = recordOutput()
  return {
    folder: folder.path,
    path,
    output,
    text: () => readFile(path, 'utf8'),
    json: async () => JSON.parse(await readFile(path, 'utf8')) as { mcpServers: Record<string, unknown> },
    install: (options: Partial<InstallOptions> = {}) =>
      install({ name: 'weather', entry: plain, config: path, ...options }, output),
    uninstall: (options: Partial<UninstallOptions> = {}) =>
      uninstall({ name: 'weather', config: path, ...options }, output),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

describe('install', () => {
  it('adds a server to a file that is not there yet', async () => {
    await using config = await createConfig()
    await config.install({ entry: secret })
    expect(await config.text()).toBe(`{
  "mcpServers": {
    "weather": {
      "command": "npx",
      "args": [
        "-y",
        "x"
      ],
      "env": {
        "KEY": "tops3cret"
      }
    }
  }
}
`)
    expect(config.output.printed).toEqual([`Added the server 'weather' in the file: ${config.path}`])
    if (POSIX) expect(await modeOf(config.path)).toBe(0o600)
    expect(await readdir(config.folder)).toEqual(['mcp.json'])
  })

  it('F205 everything else in a file stays, down to comments and unknown keys', async () => {
    const before = `{
    // ours
    "theme": { "dark": true, },
    "mcpServers": {
        "old": { "command": "a", "x-note": [1.0, 12345678901234567890] }, // theirs
        "__proto__": { "command": "b" }
    },
    "rest": null
}`
    await using config = await createConfig(before)
    await config.install({ entry: remote })
    const added = `,
        "weather": {
            "type": "http",
            "url": "https://x.test/mcp",
            "headers": {
                "Authorization": "tops3cret"
            }
        }`
    expect(await config.text()).toBe(before.replace('{ "command": "b" }', (found) => found + added))
    await config.uninstall()
    expect(await config.text()).toBe(before)
  })

  it('writes under servers where a file has that and no mcpServers', async () => {
    await using config = await createConfig('{"servers":{"a":{"command":"b"}}}')
    await config.install()
    expect(await config.json()).toEqual({
      servers: { a: { command: 'b' }, weather: { command: 'npx', args: ['-y', 'x'] } },
    })
  })

  it("writes in a host's form: its own file in a project, or another file", async () => {
    await using config = await createConfig()
    const inProject = { project: true, cwd: config.folder }
    await install({ name: 'a', entry: plain, host: 'vscode', ...inProject }, config.output)
    await install({ name: 'b', entry: plain, host: 'cursor', ...inProject }, config.output)
    await config.install({ host: 'zed' })
    const read = async (path: string) => JSON.parse(await readFile(join(config.folder, path), 'utf8')) as unknown
    expect(await read('.vscode/mcp.json')).toEqual({ servers: { a: { command: 'npx', args: ['-y', 'x'] } } })
    expect(await read('.cursor/mcp.json')).toEqual({ mcpServers: { b: { command: 'npx', args: ['-y', 'x'] } } })
    expect(await config.json()).toEqual({ context_servers: { weather: { source: 'custom', ...plain } } })
    if (POSIX) expect(await modeOf(join(config.folder, '.cursor'))).toBe(0o700)
  })

  it('says which hosts there are when none is given', async () => {
    for (const call of [install, uninstall]) {
      const failure = await failureOf(() => call({ name: 'a', entry: plain }, recordOutput()))
      expect(failure.exitCode).toBe(2)
      expect(failure.hint).toMatch(/Hosts on this machine: .*Known hosts: .*claude-desktop, .*zed/)
    }
  })

  it('refuses a file together with a project', async () => {
    await using config = await createConfig()
    expect(await failureOf(() => config.install({ project: true }))).toMatchObject({ exitCode: 2 })
  })

  it('refuses a URL for a host that takes only commands, and writes nothing', async () => {
    await using config = await createConfig()
    const failure = await failureOf(() => config.install({ host: 'claude-desktop', entry: remote }))
    expect(failure.message).toMatch(/Claude Desktop does not take a server with a URL/)
    expect(failure.words).not.toContain(SECRET)
    expect(await readdir(config.folder)).toEqual([])
  })

  it.each(['', ' ', 'a\nb', 'a\u001bb', 'a\u202eb', 'x'.repeat(129), '__proto__'])(
    'F202 refuses the name %j',
    async (name) => {
      await using config = await createConfig()
      expect(await failureOf(() => config.install({ name }))).toMatchObject({ exitCode: 2 })
      expect(await readdir(config.folder)).toEqual([])
    },
  )

  it('F205 takes names of members of prototypes as names', async () => {
    await using config = await createConfig('{"mcpServers":{"__proto__":{"command":"a"}}}')
    await config.install({ name: 'constructor' })
    await config.install({ name: 'toString' })
    await config.uninstall({ name: '__proto__' })
    expect(Object.keys((await config.json()).mcpServers)).toEqual(['constructor', 'toString'])
    expect((await failureOf(() => config.uninstall({ name: 'valueOf' }))).message).toMatch(/no server 'valueOf'/)
  })
})

describe('a name that is taken', () => {
  const taken = JSON.stringify({
    mcpServers: {
      weather: { command: 'old\u001b', args: ['--key', SECRET], env: { KEY: SECRET, OTHER: SECRET }, timeout: 5 },
    },
  })

  it('F205 by another server: says by what, without values, and changes nothing', async () => {
    await using config = await createConfig(taken)
    const failure = await failureOf(() => config.install())
    expect(failure.message).toBe(
      `${config.path} already has a server 'weather': the command 'old\\x1b' with 2 arguments, and values for KEY, OTHER.`,
    )
    expect(failure.words).not.toContain(SECRET)
    expect(await config.text()).toBe(taken)
  })

  it('F205 by a URL: without its query and user', async () => {
    const url = `https://user:${SECRET}@x.test/mcp?key=${SECRET}`
    await using config = await createConfig(
      JSON.stringify({ mcpServers: { weather: { url, headers: { A: SECRET } } } }),
    )
    const failure = await failureOf(() => config.install())
    expect(failure.message).toContain('the URL https://x.test/mcp, and values for A.')
    expect(failure.words).not.toContain(SECRET)
  })

  it('by the same server: says so and changes nothing', async () => {
    const same =
      '{"mcpServers":{"weather":{"type":"stdio","args":["-y","x"],"command":"npx","env":{},"disabled":true}}}'
    await using config = await createConfig(same)
    for (const force of [false, true]) await config.install({ force })
    expect(config.output.printed).toEqual(
      Array(2).fill(`The server 'weather' is already in the file: ${config.path}. Nothing was changed.`),
    )
    expect(await config.text()).toBe(same)
  })

  it.runIf(POSIX)(
    'F205 by the same server with secrets that others can read: a note, and nothing is changed',
    async () => {
      await using config = await createConfig(JSON.stringify({ mcpServers: { weather: secret } }))
      await config.install({ entry: secret })
      expect(config.output.notes).toEqual([expect.stringMatching(/other users can read it. Run chmod 600/)])
      expect(await modeOf(config.path)).toBe(0o644)
    },
  )

  it('with force: its environment is kept, new values win, and unknown keys stay', async () => {
    await using config = await createConfig(taken)
    await config.install({ force: true, entry: { ...plain, env: { KEY: 'new', MORE: 'x' } } })
    expect((await config.json()).mcpServers['weather']).toEqual({
      command: 'npx',
      args: ['-y', 'x'],
      env: { KEY: 'new', OTHER: SECRET, MORE: 'x' },
      timeout: 5,
    })
    expect(config.output.printed[0]).toMatch(/^Replaced the server 'weather'/)
    expect(config.output.notes[0]).toBe('Kept from the entry that was there: timeout, env OTHER')
    expect(config.output.text).not.toContain(SECRET)
  })

  it("with force: headers are not kept, for the new URL may be another's", async () => {
    const old = { type: 'http', url: 'https://old.test/', headers: { Authorization: SECRET } }
    await using config = await createConfig(JSON.stringify({ mcpServers: { weather: old } }))
    await config.install({ force: true, entry: { url: 'https://new.test/', headers: {} } })
    expect((await config.json()).mcpServers['weather']).toEqual({ type: 'http', url: 'https://new.test/' })
    await config.install({ force: true })
    expect((await config.json()).mcpServers['weather']).toEqual({ command: 'npx', args: ['-y', 'x'] })
  })

  it('with force: comments of what stays stay', async () => {
    await using config = await createConfig(`{
  "mcpServers": {
    "weather": {
      "command": "old", // which
      "env": {
        "A": "1" // first
      }
    }
  }
}
`)
    await config.install({ force: true, entry: { command: 'new', args: [], env: { B: '2' } } })
    expect(await config.text()).toBe(`{
  "mcpServers": {
    "weather": {
      "command": "new", // which
      "env": {
        "A": "1", // first
        "B": "2"
      },
      "args": []
    }
  }
}
`)
  })

  it('F205 with force, over an environment that is not one: says where, and changes nothing', async () => {
    const text = JSON.stringify({ mcpServers: { weather: { command: 'x', env: { PORT: 80, KEY: SECRET } } } })
    await using config = await createConfig(text)
    const failure = await failureOf(() => config.install({ force: true }))
    expect(failure.message).toBe(`${config.path}: 'env.PORT' of the server 'weather' must be a string.`)
    expect(await config.text()).toBe(text)
  })

  it.each(['null', '[]', '"x"'])('with force: %s is replaced', async (value) => {
    await using config = await createConfig(`{"mcpServers":{"weather":${value}}}`)
    expect((await failureOf(() => config.install())).message).toMatch(/something that is not an object/)
    await config.install({ force: true })
    expect((await config.json()).mcpServers['weather']).toEqual({ command: 'npx', args: ['-y', 'x'] })
  })
})

describe('a file that cannot be changed', () => {
  it.each([
    ['cut off', `{ "mcpServers": { "a": { "env": { "K": "${SECRET}`, /line 1, column 40/],
    ['with a list instead of servers', '{\n"mcpServers": []}', /line 2, column 15: 'mcpServers' is not an object/],
    ['with servers at its top', '{"a":{"command":"x"}}', /line 1, column 1: it lists servers at its top level/],
  ])('F205 %s: reported with its place, and left as it is', async (_, text, words) => {
    await using config = await createConfig(text)
    for (const call of [() => config.install(), () => config.install({ dryRun: true, force: true })]) {
      const failure = await failureOf(call)
      expect(failure.message).toMatch(words)
      expect(failure.words).not.toContain(SECRET)
    }
    expect(await config.text()).toBe(text)
    expect(await readdir(config.folder)).toEqual(['mcp.json'])
  })
})

describe.runIf(POSIX)('permissions', () => {
  it('F205 a server with secrets makes the file private, and says so', async () => {
    for (const entry of [secret, remote]) {
      await using config = await createConfig('{}', 0o664)
      await config.install({ entry })
      expect(await modeOf(config.path)).toBe(0o600)
      expect(config.output.notes).toEqual([
        expect.stringMatching(/other users could read it \(mode 664\)\. Its mode is 600 now/),
      ])
    }
  })

  it('F205 so does one without, where others in the file have some; to remove them comes too late', async () => {
    const text = JSON.stringify({ mcpServers: { other: secret } })
    await using config = await createConfig(text)
    await config.install()
    expect(await modeOf(config.path)).toBe(0o600)
    await using another = await createConfig(text)
    await another.uninstall({ name: 'other' })
    expect(await modeOf(another.path)).toBe(0o600)
    expect(another.output.notes).toHaveLength(1)
  })

  it('F205 without any the mode stays', async () => {
    await using config = await createConfig('{"env":{"A":"of the editor"}}', 0o644)
    await config.install()
    expect(await modeOf(config.path)).toBe(0o644)
    expect(config.output.notes).toEqual([])
  })
})

describe('a dry run', () => {
  it('F205 shows the change without values, and makes nothing', async () => {
    await using config = await createConfig()
    const path = join(config.folder, 'none', 'mcp.json')
    await config.install({ config: path, entry: secret, dryRun: true })
    const shown = JSON.stringify({ mcpServers: { weather: { ...secret, env: { KEY: '***' } } } }, undefined, 2)
    expect(config.output.printed).toEqual([
      `Would add the server 'weather' in the file: ${path}, which would be created`,
      ['@@ line 1 @@', ...shown.split('\n').map((line) => `+${line}`)].join('\n'),
    ])
    expect(existsSync(join(config.folder, 'none'))).toBe(false)
  })

  it('F205 of a replacement masks what is kept, too', async () => {
    const text = JSON.stringify({ mcpServers: { weather: { command: 'x', env: { OLD: SECRET } } } })
    await using config = await createConfig(text)
    await config.install({ entry: secret, force: true, dryRun: true })
    expect(config.output.text).toMatch(/Would replace[\s\S]*\n\+.*"OLD":"\*\*\*",\s*"KEY":\s*"\*\*\*"/)
    expect(config.output.text).not.toContain(SECRET)
    expect(await config.text()).toBe(text)
    if (POSIX) expect(await modeOf(config.path)).toBe(0o644)
  })

  it('says when nothing would change, and fails where the real one would', async () => {
    await using config = await createConfig(JSON.stringify({ mcpServers: { weather: plain } }))
    await config.install({ dryRun: true })
    expect(config.output.text).toMatch(/is already in .* Nothing would change/)
    await failureOf(() => config.install({ dryRun: true, entry: remote }))
    await config.uninstall({ dryRun: true })
    expect(config.output.text).toMatch(/Would remove the server 'weather'/)
    expect(await config.json()).toEqual({ mcpServers: { weather: plain } })
  })
})

describe('uninstall', () => {
  it('of a server that is not there names those that are, and makes nothing', async () => {
    await using config = await createConfig('{"mcpServers":{"a":{"command":"x"},"b":{"command":"y"}}}')
    expect(await failureOf(() => config.uninstall())).toMatchObject({ exitCode: 1, hint: "It lists 'a', 'b'." })
    const path = join(config.folder, 'none', 'mcp.json')
    expect(await failureOf(() => config.uninstall({ config: path }))).toMatchObject({
      hint: 'Run mcpwire servers to see what is configured.',
    })
    expect(await readdir(config.folder)).toEqual(['mcp.json'])
  })
})

describe('processes at the same time', () => {
  it('F205 each installs its own server, and all are there', async () => {
    await using config = await createConfig()
    await mkdir(join(config.folder, 'home'))
    const path = join(config.folder, 'home', 'mcp.json')
    const program = join(config.folder, 'install.mjs')
    await writeFile(
      program,
      await bundle(`
        import { install } from './cli/install/install.ts'
        const [config, process_] = process.argv.slice(2)
        const output = { print: () => {}, note: console.error, paint: {} }
        for (const round of [1, 2, 3]) {
          const entry = { command: 'x', args: [], env: { KEY: 'v' } }
          await install({ config, name: \`server-\${process_}-\${round}\`, entry }, output)
        }
      `),
    )
    const runs = Array.from({ length: PROCESSES }, (_, index) =>
      runProcess(process.execPath, [program, path, `${index}`]),
    )
    expect(await Promise.all(runs)).toEqual(Array(PROCESSES).fill({ code: 0, signal: null, stderr: '' }))
    const { mcpServers } = JSON.parse(await readFile(path, 'utf8')) as { mcpServers: object }
    expect(Object.keys(mcpServers)).toHaveLength(PROCESSES * 3)
    expect(await readdir(join(config.folder, 'home'))).toEqual(['mcp.json', 'mcp.json.mcpwire-backup'])
    if (POSIX) expect(await modeOf(path)).toBe(0o600)
  })
})
