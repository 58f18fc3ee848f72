// What server.skill() refuses, with file and line, and what a registration does later.
import { Client, MCPServer } from 'mcpwire'
import { type SkillFolder, skills } from 'mcpwire/extensions/skills'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createDeferred } from '../../../../src/primitives/async/promises.ts'
import { skillText } from '../../../support/skills.ts'

function createServer(options: ConstructorParameters<typeof MCPServer>[1] = {}): MCPServer {
  return new MCPServer('skilled', { extensions: [skills({ directoryRead: true })], ...options })
}

async function connect(server: MCPServer): Promise<Client> {
  const client = await Client.connect(server, { extensions: [skills()] })
  onTestFinished(() => client.close())
  return client
}

function refusalOf(files: Record<string, string | Uint8Array>, path?: string): string {
  const server = createServer()
  try {
    server.skill(files, path === undefined ? {} : { path })
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError)
    return (error as Error).message
  }
  return expect.unreachable('it was registered')
}

const withFrontMatter = (yaml: string) => ({ 'SKILL.md': `---\n${yaml}\n---\nbody` })

describe('server.skill()', () => {
  it('given the path of a folder alone, says how to serve a folder', () => {
    const skill = createServer().skill.bind(createServer()) as (path: string, options?: object) => unknown
    const message = `server.skill("./skills/refunds") has no description and no body. To serve a folder, write server.skill(skillFolder("./skills/refunds")), with skillFolder from 'mcpwire/node'.`
    expect(() => skill('./skills/refunds')).toThrow(new TypeError(message))
    expect(() => skill('./skills/refunds', { listed: false })).toThrow(new TypeError(message))
  })

  it('says to put a value in quotes that contains a colon and a space', () => {
    const message = refusalOf(withFrontMatter('name: x\ndescription: Use this: always'))
    expect(message).toContain("bad indentation of a mapping entry. If a value contains ': ', put the value in quotes")
  })

  it('skills K-03: refuses a skill without SKILL.md, and names a file that was meant', () => {
    expect(refusalOf({})).toBe('The skill has no SKILL.md. Add SKILL.md.')
    expect(refusalOf({ 'skill.md': skillText('x') })).toBe('The skill has no SKILL.md. Rename skill.md to SKILL.md.')
    expect(refusalOf({ 'a/SKILL.md': skillText('a') })).toContain('has no SKILL.md')
  })

  it.each([
    ['no front matter', '# Title', 1, "doesn't start with a line of three hyphens"],
    ['a front matter after a line', `\n${skillText('x')}`, 1, "doesn't start with a line of three hyphens"],
    ['a front matter without an end', '---\nname: x\n', 1, 'has no end'],
    ['broken YAML', '---\nname: x\ndescription: a: b\n---\n', 3, 'bad indentation'],
    ['a field twice', '---\nname: x\ndescription: y\nname: z\n---\n', 4, 'duplicated mapping key'],
    ['a tag', '---\nname: x\ndescription: y\nextra: !!js/function x\n---\n', 4, 'a tag is not allowed'],
    ['an anchor', '---\nname: x\ndescription: &d y\n---\n', 3, 'an anchor is not allowed'],
    ['an alias', '---\nname: x\ndescription: *d\n---\n', 3, 'an alias is not allowed'],
    ['a key that is no string', '---\nname: x\ndescription: y\n1: z\n---\n', 4, 'a key is not a string'],
    ['a number that JSON lacks', '---\nname: x\ndescription: y\nz: .inf\n---\n', 4, 'no JSON form'],
    ['a list', '---\n- name\n---\n', 2, 'has no fields'],
    ['nothing in it', '---\n---\n', 2, 'has no fields'],
    ['no name', '---\ndescription: y\n---\n', 1, 'name is missing'],
    ['no description', '---\nname: x\n---\n', 1, 'description is missing'],
    ['an empty description', '---\nname: x\ndescription: ""\n---\n', 3, 'description is not a text'],
    ['a description that is too long', `---\nname: x\ndescription: ${'y'.repeat(1025)}\n---\n`, 3, 'longer than 1024'],
    ['a name that is no text', '---\nname: 7\ndescription: y\n---\n', 2, "name can't be used: it is not a string"],
  ])('skills K-03: refuses %s at once, with file and line', (_what, text, line, reason) => {
    const message = refusalOf({ 'SKILL.md': text })
    expect(message).toMatch(new RegExp(`^SKILL\\.md:${line}: The front matter can't be used: `))
    expect(message).toContain(reason)
  })

  it('skills K-03: accepts a byte-order mark, Windows line ends and an empty body', () => {
    const server = createServer()
    expect(server.skill({ 'SKILL.md': `\uFEFF${skillText('marked')}` }).uri).toBe('skill://marked/SKILL.md')
    expect(server.skill({ 'SKILL.md': skillText('lines').replaceAll('\n', '\r\n') }).uri).toBe('skill://lines/SKILL.md')
    expect(server.skill(withFrontMatter('name: short\ndescription: y')).uri).toBe('skill://short/SKILL.md')
    expect(refusalOf({ 'SKILL.md': Uint8Array.of(0xff, 0xfe) })).toBe('SKILL.md is not UTF-8. Save it as UTF-8.')
  })

  it.each(['Upper', 'a--b', '-a', 'a-', 'a_b', 'a b', 'ä', '', 'x'.repeat(65)])(
    'skills K-04: refuses the name %j',
    (name) => {
      const message = refusalOf(withFrontMatter(`name: ${JSON.stringify(name)}\ndescription: y`))
      expect(message).toMatch(/^SKILL\.md:2: .*name can't be used/)
    },
  )

  it.each(['other', 'refunds/other', '../refunds', 'a//refunds', '/refunds', 'refunds/', 'a b/refunds', 'a?/refunds'])(
    'skills K-04: refuses the path %j for a skill named refunds',
    (path) => {
      expect(refusalOf({ 'SKILL.md': skillText('refunds') }, path)).toContain(JSON.stringify(path))
    },
  )

  it('skills K-08: refuses more than 512 files or 16 MiB, and accepts exactly that', () => {
    const text = skillText('big')
    const files = (count: number) =>
      Object.fromEntries(Array.from({ length: count - 1 }, (_, index) => [`f${index}`, 'x']))
    expect(refusalOf({ 'SKILL.md': text, ...files(513) })).toBe(
      'The skill has 513 files. A skill has 512 files at most.',
    )
    const rest = 16 * 1024 * 1024 - Buffer.byteLength(text)
    expect(refusalOf({ 'SKILL.md': text, 'data.bin': new Uint8Array(rest + 1) })).toContain('16777217 bytes')
    const server = createServer()
    server.skill({ 'SKILL.md': text, ...files(512) }, { path: 'a/big' })
    server.skill({ 'SKILL.md': text, 'data.bin': new Uint8Array(rest) }, { path: 'b/big' })
  })

  it('skills K-13: refuses metadata with reserved keys', () => {
    const yaml = 'name: x\ndescription: y\nmetadata:\n  io.modelcontextprotocol/z: 1'
    expect(refusalOf(withFrontMatter(yaml))).toMatch(/^SKILL\.md:4: .*reserved key io\.modelcontextprotocol\/z/)
  })

  it.each(['../x', 'a/../../x', '/etc/passwd', 'a//b', './a', 'a/.', 'a\\b', 'a\0b', '', 'a/', '\ud800'])(
    'skills K-15: refuses the path %j of a file',
    (path) => {
      expect(refusalOf({ 'SKILL.md': skillText('x'), [path]: 'y' })).toContain("can't be served")
    },
  )

  it('skills K-15: refuses a path that is a file and a folder, and contents of another kind', () => {
    expect(refusalOf({ 'SKILL.md': skillText('x'), a: '1', 'a/b': '2' })).toContain('a is a file')
    const message = refusalOf({ 'SKILL.md': skillText('x'), 'data.json': { a: 1 } as unknown as string })
    expect(message).toBe('The content of data.json must be a string or a Uint8Array, not an object.')
  })

  it('skills K-12: warns of two skills with the same name, and serves both', async () => {
    const faults: string[] = []
    const server = createServer({ onFault: ({ message }) => faults.push(message) })
    server.skill({ 'SKILL.md': skillText('refunds') }, { path: 'billing/refunds' })
    server.skill({ 'SKILL.md': skillText('refunds') }, { path: 'support/refunds' })
    server.skill({ 'SKILL.md': skillText('invoices') })
    const client = await connect(server)
    expect(faults).toEqual([
      'The skills skill://billing/refunds/SKILL.md and skill://support/refunds/SKILL.md are both named "refunds". Choose another name for one of them.',
    ])
    expect((await client.skills.load('skill://support/refunds/SKILL.md')).name).toBe('refunds')
  })

  it('refuses what is no skill, a skill that is there, and a skill inside another', () => {
    const server = createServer()
    server.skill({ 'SKILL.md': skillText('outer') }, { path: 'a/outer' })
    expect(() => server.skill(7 as never)).toThrow("A skill can't be made of a number")
    expect(() => server.skill({ 'SKILL.md': skillText('outer') }, { path: 'a/outer' })).toThrow('already registered')
    expect(() => server.skill({ 'SKILL.md': skillText('inner') }, { path: 'a/outer/inner' })).toThrow('would be inside')
    expect(() => server.skill({ 'SKILL.md': skillText('a') })).toThrow('would be inside')
    server.skill({ 'SKILL.md': skillText('outer-two') }, { path: 'a/outer-two' })
    expect(() => new MCPServer('x').skill({ 'SKILL.md': '' })).toThrow(
      /Add skills\(\) from 'mcpwire\/extensions\/skills'/,
    )
  })

  it('refuses a written skill whose description, front matter or files cannot be', () => {
    const server = createServer()
    const body = () => 'x'
    expect(() => server.skill('Bad', { description: 'x', body })).toThrow("name can't be used")
    expect(() => server.skill('x', { description: '', body })).toThrow('description is not a text')
    expect(() => server.skill('x', { description: 'x', body: 'y' as never })).toThrow('must be a function')
    expect(() => server.skill('x', { description: 'x', body, files: { '../y': body } })).toThrow("'.' or '..'")
    expect(() => server.skill('x', { description: 'x', body, files: { 'SKILL.md': body } })).toThrow('body writes it')
    expect(() => server.skill('x', { description: 'x', body, frontmatter: { name: 'y' } })).toThrow('name')
  })

  it('registers nothing of a skill that is refused, and leaves the others as they are', async () => {
    const server = createServer()
    server.resource('skill://late/z.txt', () => 'mine')
    expect(() => server.skill({ 'SKILL.md': skillText('late'), 'z.txt': 'z' })).toThrow('already registered')
    const client = await connect(server)
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['skill://late/z.txt'])
    expect((await client.session.sendRequest('skills/list', {}))['skills']).toEqual([])
  })

  it('keeps its files when the author changes them later', async () => {
    const server = createServer()
    const bytes = Uint8Array.of(1, 2, 0xff)
    const { uri } = server.skill({ 'SKILL.md': skillText('kept'), 'data.bin': bytes })
    bytes.fill(0)
    const skill = await (await connect(server)).skills.load(uri)
    expect([...(await skill.read('data.bin')).bytes]).toEqual([1, 2, 0xff])
  })
})

describe('the handle of a skill', () => {
  it('disables, enables, updates and removes the skill with all its files, and announces it', async () => {
    const server = createServer()
    const handle = server.skill({ 'SKILL.md': skillText('x'), 'a.md': 'a', 'b.md': 'b' })
    const changed = vi.fn()
    const client = await Client.connect(server, { extensions: [skills()], mode: 'legacy', onMessage: changed })
    onTestFinished(() => client.close())
    const uris = async () => {
      const found: string[] = []
      for await (const { uri } of client.skills.all()) found.push(uri)
      return found
    }
    const isThere = (uri: string) =>
      client.readResource(uri).then(
        () => true,
        () => false,
      )
    expect(handle).toMatchObject({ key: 'skill://x/SKILL.md', uri: 'skill://x/SKILL.md', isEnabled: true })

    handle.disable()
    expect([await uris(), await isThere(handle.uri), await isThere('skill://x/a.md')]).toEqual([[], false, false])
    handle.enable()
    expect(await uris()).toEqual([handle.uri])

    handle.update({ source: { 'SKILL.md': skillText('x', 'license: MIT\n'), 'a.md': 'new', 'c.md': 'c' } })
    const skill = await client.skills.load(handle.uri)
    expect(skill.frontmatter['license']).toBe('MIT')
    expect((await skill.read('a.md')).text).toBe('new')
    expect((await skill.read('c.md')).text).toBe('c')
    expect(await isThere('skill://x/b.md')).toBe(false)

    expect(() => handle.update({ source: { 'SKILL.md': skillText('y') } })).toThrow('would become')
    expect(() => handle.update({ source: { 'SKILL.md': '' } })).toThrow('SKILL.md:1')
    expect((await client.skills.load(handle.uri)).frontmatter['license']).toBe('MIT')

    handle.update({ listed: false })
    expect(await uris()).toEqual([])
    handle.remove()
    handle.remove()
    expect([await isThere(handle.uri), await isThere('skill://x/a.md')]).toEqual([false, false])
    expect(() => handle.update({})).toThrow('has been removed')
    await vi.waitFor(() => {
      const methods = changed.mock.calls.map(([message]) => (message as { method: string }).method)
      expect(methods).toContain('notifications/resources/list_changed')
    })
  })

  it('replaces a skill of the same URI where the server says so', async () => {
    const server = createServer({ onDuplicate: 'replace' })
    server.skill({ 'SKILL.md': skillText('x'), 'old.md': 'old' })
    const { uri } = server.skill({ 'SKILL.md': skillText('x'), 'new.md': 'new' })
    const skill = await (await connect(server)).skills.load(uri)
    expect((await skill.list()).map(({ path }) => path)).toEqual(['SKILL.md', 'new.md'])
  })
})

describe('a source that is watched', () => {
  function watched(files: Record<string, string>) {
    const listeners = new Set<() => void>()
    const source: SkillFolder & { files: Record<string, string> } = {
      label: 'folder',
      files,
      read: () => source.files,
      watch: (onChange) => {
        listeners.add(onChange)
        return () => void listeners.delete(onChange)
      },
    }
    const change = (next: Record<string, string>) => {
      source.files = next
      for (const notify of [...listeners]) notify()
    }
    return { source, change, listeners }
  }

  it('traps X-57: makes a new snapshot as a whole, while the server runs', async () => {
    const server = createServer()
    const { source, change, listeners } = watched({ 'SKILL.md': skillText('x'), 'a.md': 'one' })
    const { uri } = server.skill(source)
    expect(listeners.size).toBe(0)
    const client = await connect(server)
    const before = await client.skills.get(uri)
    change({ 'SKILL.md': skillText('x'), 'a.md': 'two', 'b.md': 'b' })
    const after = await client.skills.get(uri)
    expect(after.fingerprint).not.toBe(before.fingerprint)
    expect((await (await client.skills.load(uri)).read('a.md')).text).toBe('two')
    await server.close()
    expect(listeners.size).toBe(0)
  })

  it('stays as it was, and says so, when the new files make no skill or another one', async () => {
    const faults: string[] = []
    const server = createServer({ onFault: ({ message }) => faults.push(message) })
    const { source, change } = watched({ 'SKILL.md': skillText('x') })
    const { uri } = server.skill(source)
    const client = await connect(server)
    const before = await client.skills.get(uri)
    change({ 'SKILL.md': '---\nname: x' })
    change({ 'SKILL.md': skillText('renamed') })
    expect(await client.skills.get(uri)).toEqual(before)
    expect(faults.filter((message) => message.includes('stays as it was'))).toHaveLength(2)
    change({ 'SKILL.md': skillText('x', 'license: MIT\n') })
    expect((await client.skills.get(uri)).frontmatter['license']).toBe('MIT')
  })

  it('does not keep the server from starting when it can not be watched', async () => {
    const faults: string[] = []
    const server = createServer({ onFault: ({ message }) => faults.push(message) })
    const { source } = watched({ 'SKILL.md': skillText('x') })
    const broken: SkillFolder = {
      ...source,
      watch: () => {
        throw new Error('no watches left')
      },
    }
    const { uri } = server.skill(broken)
    expect((await (await connect(server)).skills.load(uri)).name).toBe('x')
    expect(faults).toEqual([expect.stringContaining("can't be watched")])
  })

  it('may be watched by an async function, whose failures are reported', async () => {
    const faults: string[] = []
    const server = createServer({ onFault: ({ message, error }) => faults.push(`${message} ${error}`) })
    const { source } = watched({ 'SKILL.md': skillText('x') })
    const stopped: string[] = []
    const folder = (name: string, watch: SkillFolder['watch']): SkillFolder => ({
      ...source,
      ...(watch && { watch }),
      read: () => ({ 'SKILL.md': skillText(name) }),
    })
    server.skill(folder('good', async () => async () => void stopped.push('good')))
    server.skill(folder('bad', async () => Promise.reject(new Error('no watches left'))))
    server.skill(folder('nothing', (async () => undefined) as never))
    const stuck = async () => {
      throw new Error('stuck')
    }
    server.skill(folder('stuck', () => stuck))
    const client = await connect(server)
    await vi.waitFor(() => expect(faults).toHaveLength(2))
    await client.close()
    await server.close()
    await vi.waitFor(() => expect(faults).toHaveLength(3))
    expect(stopped).toEqual(['good'])
    expect(faults.sort()).toEqual([
      expect.stringMatching(/"skill:\/\/bad\/SKILL.md" can't be watched.*no watches left/),
      expect.stringMatching(/"skill:\/\/nothing\/SKILL.md" can't be watched.*returned undefined. Return a function/),
      expect.stringMatching(/"skill:\/\/stuck\/SKILL.md" is still watched: ending it failed.*stuck/),
    ])
  })

  it('a watch that begins after the server has stopped is ended at once', async () => {
    const server = createServer()
    const { source } = watched({ 'SKILL.md': skillText('x') })
    const begun = createDeferred<() => void>()
    const stop = vi.fn()
    server.skill({ ...source, watch: () => begun.promise })
    const client = await connect(server)
    await client.close()
    await server.close()
    begun.resolve(stop)
    await vi.waitFor(() => expect(stop).toHaveBeenCalledOnce())
  })

  it('is not followed any more after the skill was removed', async () => {
    const server = createServer()
    const { source, listeners } = watched({ 'SKILL.md': skillText('x') })
    const handle = server.skill(source)
    await connect(server)
    expect(listeners.size).toBe(1)
    handle.remove()
    expect(listeners.size).toBe(0)
  })
})
