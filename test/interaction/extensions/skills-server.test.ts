// What a server with skills sends, in both eras, in one process and over HTTP.
import { MCPError, MCPServer } from 'mcpwire'
import { skills } from 'mcpwire/extensions/skills'
import { describe, expect, it } from 'vitest'
import { digestOf, SETTINGS, SKILLS, type SkillSetting, skillText } from '../../support/skills.ts'

type Entry = {
  uri: string
  frontmatter: Record<string, unknown>
  resources: { uri: string; digest: string; size: number }[]
}

const REFUNDS = {
  'SKILL.md': skillText('refunds', 'license: MIT\nmetadata:\n  since: 2024-01-01\n  count: 3\n  strict: no\n'),
  'references/policy.md': '# Policy\n',
  'references/deep/detail.txt': 'detail',
  'logo.png': Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0xff),
}

function createServer(options: ConstructorParameters<typeof MCPServer>[1] = {}): MCPServer {
  return new MCPServer('skilled', { extensions: [skills({ directoryRead: true })], ...options })
}

async function listSkills(client: Awaited<ReturnType<SkillSetting['connect']>>, cursor?: string) {
  const result = await client.session.sendRequest('skills/list', cursor === undefined ? {} : { cursor })
  return result as { skills: Entry[]; nextCursor?: string; [member: string]: unknown }
}

async function failureOf(work: Promise<unknown>): Promise<{ code: number; message: string }> {
  return work.then(
    () => expect.unreachable('it succeeded'),
    (error) => error,
  )
}

describe.each(SETTINGS)('a server with skills: $title', (setting) => {
  it('skills K-01: declares its settings inline, and resources with them', async () => {
    const client = await setting.connect(createServer())
    const capabilitiesOf = async ({ session }: typeof client) =>
      setting.isModern ? (await session.sendDiscover('2026-07-28')).capabilities : session.serverCapabilities
    const capabilities = await capabilitiesOf(client)
    expect(capabilities?.extensions).toEqual({ [SKILLS]: { directoryRead: true } })
    expect(capabilities?.resources).toBeDefined()
    expect((await client.listResources()).resources).toEqual([])

    const plain = await setting.connect(new MCPServer('plain', { extensions: [skills()] }))
    expect((await capabilitiesOf(plain))?.extensions).toEqual({ [SKILLS]: {} })
  })

  it('skills K-02: answers its methods from the start, and the one for folders only when it is declared', async () => {
    const client = await setting.connect(createServer())
    expect((await listSkills(client)).skills).toEqual([])

    const server = new MCPServer('plain', { extensions: [skills()] })
    server.skill(REFUNDS)
    const plain = await setting.connect(server)
    const params = { uri: 'skill://refunds' }
    const failure = await failureOf(plain.session.sendRequest('resources/directory/read', params))
    expect(failure.code).toBe(-32601)
  })

  it('skills K-04: the last part of the path is the name, and the parts before it are the author’s', async () => {
    const server = createServer()
    const { uri } = server.skill(REFUNDS, { path: 'acme/billing/refunds' })
    expect(uri).toBe('skill://acme/billing/refunds/SKILL.md')
    const client = await setting.connect(server)
    expect((await listSkills(client)).skills.map((skill) => skill.uri)).toEqual([uri])
  })

  it('skills K-05, traps X-53: the front matter has every field as YAML 1.2 reads it: dates and "no" stay text', async () => {
    const server = createServer()
    server.skill(REFUNDS)
    const client = await setting.connect(server)
    expect((await listSkills(client)).skills[0]?.frontmatter).toEqual({
      name: 'refunds',
      description: 'About refunds.',
      license: 'MIT',
      metadata: { since: '2024-01-01', count: 3, strict: 'no' },
    })
  })

  it('skills K-06 and K-07, traps X-51 and X-52: the entry has every file once, with size and digest of the bytes that are read', async () => {
    const server = createServer()
    server.skill({ ...REFUNDS, 'marked.md': '\uFEFFmarked', 'lines.md': 'a\r\nb\n' })
    const client = await setting.connect(server)
    const [skill] = (await listSkills(client)).skills
    const uris = skill?.resources.map(({ uri }) => uri)
    expect(uris).toEqual([...new Set(uris)])
    expect(uris).toHaveLength(6)
    expect(uris).toContain('skill://refunds/SKILL.md')
    for (const { uri, digest, size } of skill?.resources ?? []) {
      const [contents] = (await client.readResource(uri)).contents
      const bytes =
        'text' in contents!
          ? Buffer.from(contents.text, 'utf8')
          : Buffer.from((contents as { blob: string }).blob, 'base64')
      expect(digest, uri).toMatch(/^sha256:[0-9a-f]{64}$/)
      expect({ digest, size }, uri).toEqual({ digest: digestOf(bytes), size: bytes.byteLength })
      // A reader may drop the byte-order mark of a text.
      expect('blob' in contents!, uri).toBe(uri.endsWith('.png') || uri.endsWith('marked.md'))
    }
  })

  it('skills K-06: a skill in a folder of another has its own entry, and its files are also those of the outer one', async () => {
    const server = createServer()
    server.skill({
      'SKILL.md': skillText('outer'),
      'inner/SKILL.md': skillText('inner'),
      'inner/notes.md': 'notes',
      // A template with another name is a file like any other.
      'templates/SKILL.md': skillText('something-else'),
    })
    const client = await setting.connect(server)
    const entries = (await listSkills(client)).skills
    expect(entries.map(({ uri }) => uri)).toEqual(['skill://outer/SKILL.md', 'skill://outer/inner/SKILL.md'])
    expect(entries[0]?.resources).toHaveLength(4)
    expect(entries[1]?.resources.map(({ uri }) => uri)).toEqual([
      'skill://outer/inner/SKILL.md',
      'skill://outer/inner/notes.md',
    ])
    expect(entries[0]?.resources).toEqual(expect.arrayContaining(entries[1]?.resources ?? []))
  })

  it('skills K-09 and K-14: results have ttlMs, cacheScope and resultType in the modern era only', async () => {
    const server = new MCPServer('cached', {
      extensions: [skills({ directoryRead: true, cache: { ttlMs: 5000, scope: 'public' } })],
    })
    const { uri } = server.skill(REFUNDS)
    const client = await setting.connect(server)
    const cache = setting.isModern ? { ttlMs: 5000, cacheScope: 'public' } : {}
    const stamp = setting.isModern ? { resultType: 'complete' } : {}
    const pick = ({ ttlMs, cacheScope, resultType }: Record<string, unknown>) =>
      JSON.parse(JSON.stringify({ ttlMs, cacheScope, resultType })) as unknown
    expect(pick(await listSkills(client))).toEqual({ ...cache, ...stamp })
    expect(pick(await client.session.sendRequest('skills/get', { uri }))).toEqual({ ...cache, ...stamp })
    const folder = await client.session.sendRequest('resources/directory/read', { uri: 'skill://refunds' })
    expect(pick(folder)).toEqual(stamp)
  })

  it('skills K-09: what some callers may not see is private, whatever the hint says', async () => {
    const server = new MCPServer('cached', { extensions: [skills({ cache: { ttlMs: 5000, scope: 'public' } })] })
    const { uri } = server.skill(REFUNDS)
    const hidden = server.skill({ 'SKILL.md': skillText('other') }, { visible: ({ auth }) => auth?.subject === 'ada' })
    const client = await setting.connect(server)
    const scopes = async () => {
      const [list, one] = [await listSkills(client), await client.session.sendRequest('skills/get', { uri })]
      return [list['cacheScope'], one['cacheScope']]
    }
    expect(await scopes()).toEqual(setting.isModern ? ['private', 'public'] : [undefined, undefined])
    hidden.update({ visible: () => true })
    const result = await client.session.sendRequest('skills/get', { uri: hidden.uri })
    expect(result['cacheScope']).toBe(setting.isModern ? 'private' : undefined)
    hidden.remove()
    expect(await scopes()).toEqual(setting.isModern ? ['public', 'public'] : [undefined, undefined])
  })

  it('skills K-09: without a hint results are stale at once and private', async () => {
    const client = await setting.connect(createServer())
    const { ttlMs, cacheScope } = await listSkills(client)
    expect({ ttlMs, cacheScope }).toEqual(
      setting.isModern ? { ttlMs: 0, cacheScope: 'private' } : { ttlMs: undefined, cacheScope: undefined },
    )
  })

  it('skills K-10: skills/get answers for unlisted skills too, without a cursor, and -32602 for what is no skill', async () => {
    const server = createServer({ pageSize: 1 })
    const { uri } = server.skill(REFUNDS, { listed: false })
    server.skill({ 'SKILL.md': skillText('other') })
    const client = await setting.connect(server)
    expect((await listSkills(client)).skills.map((skill) => skill.uri)).toEqual(['skill://other/SKILL.md'])
    expect((await client.listResources()).resources.map((resource) => resource.uri)).toEqual(['skill://other/SKILL.md'])
    const result = await client.session.sendRequest('skills/get', { uri })
    expect(result['skill']).toMatchObject({ uri, frontmatter: { name: 'refunds' } })
    expect(result).not.toHaveProperty('nextCursor')
    for (const unknown of [
      'skill://refunds',
      'skill://refunds/logo.png',
      'skill://no/SKILL.md',
      '',
      'x'.repeat(5000),
    ]) {
      const failure = await failureOf(client.session.sendRequest('skills/get', { uri: unknown }))
      expect(failure.code).toBe(-32602)
      expect(failure.message.length).toBeLessThan(500)
    }
    expect((await failureOf(client.session.sendRequest('skills/get', { uri: 7 }))).code).toBe(-32602)
  })

  it('skills K-11: a folder has its direct children, folders as inode/directory, page by page', async () => {
    const server = createServer({ pageSize: 2 })
    server.skill(REFUNDS)
    const client = await setting.connect(server)
    const read = async (uri: string) => {
      const children: { uri: string; name: string; mimeType?: string }[] = []
      for (let cursor: unknown; ; ) {
        const params = cursor === undefined ? { uri } : { uri, cursor }
        const { resources, nextCursor } = await client.session.sendRequest('resources/directory/read', params)
        expect((resources as unknown[]).length).toBeLessThanOrEqual(2)
        children.push(...(resources as typeof children))
        if (nextCursor === undefined) return children
        cursor = nextCursor
      }
    }
    expect((await read('skill://refunds')).map(({ uri, mimeType }) => [uri, mimeType])).toEqual([
      ['skill://refunds/SKILL.md', 'text/markdown'],
      ['skill://refunds/logo.png', 'image/png'],
      ['skill://refunds/references', 'inode/directory'],
    ])
    expect((await read('skill://refunds/references')).map(({ name }) => name)).toEqual(['deep', 'policy.md'])
    const wrong = [
      'skill://refunds/SKILL.md',
      'skill://refunds/',
      'skill://refunds/no',
      'skill://',
      'skill://refunds/..',
    ]
    for (const uri of wrong) {
      const failure = await failureOf(client.session.sendRequest('resources/directory/read', { uri }))
      expect(failure.code, uri).toBe(-32602)
    }
    const cursor = (await client.session.sendRequest('resources/directory/read', { uri: 'skill://refunds' }))[
      'nextCursor'
    ]
    const elsewhere = { uri: 'skill://refunds/references', cursor: cursor as string }
    expect((await failureOf(client.session.sendRequest('resources/directory/read', elsewhere))).code).toBe(-32602)
  })

  it('skills K-12 and K-13: SKILL.md is listed as Markdown with name and description, and without reserved keys', async () => {
    const server = createServer()
    server.skill(REFUNDS)
    const client = await setting.connect(server)
    expect((await client.listResources()).resources).toEqual([
      {
        uri: 'skill://refunds/SKILL.md',
        name: 'refunds',
        description: 'About refunds.',
        mimeType: 'text/markdown',
        size: Buffer.byteLength(REFUNDS['SKILL.md']),
      },
    ])
    const [contents] = (await client.readResource('skill://refunds/references/policy.md')).contents
    expect(contents).toEqual({
      uri: 'skill://refunds/references/policy.md',
      mimeType: 'text/markdown',
      text: '# Policy\n',
    })
  })

  it('skills K-15: serves nothing but its files, however a path is written', async () => {
    const server = createServer()
    server.skill(REFUNDS)
    const client = await setting.connect(server)
    for (const path of [
      '..',
      '../x',
      'references/../SKILL.md',
      '%2e%2e/x',
      'references%2fpolicy.md',
      '/etc/passwd',
      '',
      '.',
    ]) {
      const failure = await failureOf(client.readResource(`skill://refunds/${path}`))
      expect(failure.message, path).toBe('Resource not found')
    }
  })

  it('lists skills by URI over pages, without repeats, while skills come and go', async () => {
    const server = createServer({ pageSize: 2 })
    const handles = ['e', 'b', 'd', 'a', 'c'].map((name) => server.skill({ 'SKILL.md': skillText(name) }))
    const client = await setting.connect(server)
    const first = await listSkills(client)
    handles[1]?.remove()
    handles[4]?.disable()
    const second = await listSkills(client, first.nextCursor)
    expect([...first.skills, ...second.skills].map(({ uri }) => uri)).toEqual(
      ['a', 'b', 'd', 'e'].map((name) => `skill://${name}/SKILL.md`),
    )
    expect(second.nextCursor).toBeUndefined()
    for (const cursor of ['', 'x', 'W10']) expect((await failureOf(listSkills(client, cursor))).code).toBe(-32602)
  })

  it('shows a skill to callers that may see it, in every method', async () => {
    const server = createServer()
    server.skill(REFUNDS, { visible: () => false })
    server.skill({ 'SKILL.md': skillText('paid') }, { scopes: ['paid'] })
    const client = await setting.connect(server)
    expect((await listSkills(client)).skills).toEqual([])
    const get = (name: string) =>
      failureOf(client.session.sendRequest('skills/get', { uri: `skill://${name}/SKILL.md` }))
    expect((await get('refunds')).message).toContain('No skill is served')
    expect((await get('paid')).message).toContain('required scopes')
    const folder = client.session.sendRequest('resources/directory/read', { uri: 'skill://refunds' })
    expect((await failureOf(folder)).code).toBe(-32602)
    expect((await failureOf(client.readResource('skill://refunds/SKILL.md'))).message).toBe('Resource not found')
  })

  it('skills K-10: an address without SKILL.md gets an error that names the missing part', async () => {
    const server = createServer()
    server.skill(REFUNDS)
    const client = await setting.connect(server)
    const get = async (uri: string) => (await failureOf(client.session.sendRequest('skills/get', { uri }))).message
    expect(await get('skill://refunds')).toBe(
      'No skill is served at "skill://refunds". The URI of a skill ends with /SKILL.md.',
    )
    expect(await get('skill://refund/SKILL.md')).toBe('No skill is served at "skill://refund/SKILL.md"')
  })

  it('writes a skill with functions when it is read, and says that it is dynamic', async () => {
    const server = createServer()
    let count = 0
    server.skill('daily', {
      description: 'The report of the day: "today".',
      frontmatter: { metadata: { team: ['a', 'b'], level: 1.5 } },
      body: async () => {
        count += 1
        return `Report ${count}`
      },
      files: { 'data/today.json': () => '{}' },
    })
    const client = await setting.connect(server)
    const [skill] = (await listSkills(client)).skills
    expect(skill).toMatchObject({ uri: 'skill://daily/SKILL.md', resources: 'dynamic' })
    const loaded = await client.skills.load('skill://daily/SKILL.md')
    expect(loaded.body.trim()).toBe('Report 1')
    expect(loaded.frontmatter).toEqual(skill?.frontmatter)
    expect((await loaded.read('data/today.json')).text).toBe('{}')
    expect((await client.skills.load('skill://daily/SKILL.md')).body.trim()).toBe('Report 2')
  })

  it('names the skill in the fault when a function of it throws; what is for the caller reaches it as it is', async () => {
    const faults: unknown[] = []
    const server = createServer({ onFault: (fault) => faults.push(fault) })
    server.skill('daily', {
      description: 'The report of the day.',
      body: () => {
        throw new RangeError('no report')
      },
      files: {
        'data.json': async () => 5 as unknown as string,
        'later.md': () => {
          throw new MCPError(-32050, 'Come back tomorrow')
        },
      },
    })
    const client = await setting.connect(server)
    const read = (file: string) => failureOf(client.readResource(`skill://daily/${file}`))
    expect((await read('SKILL.md')).message).toBe('Internal error')
    expect((await read('data.json')).message).toBe('Internal error')
    expect((await read('later.md')).message).toBe('Come back tomorrow')
    const written = (file: string) => `The file skill://daily/${file} could not be written: its function failed`
    expect(faults).toMatchObject([
      { error: { message: written('SKILL.md'), cause: { message: 'no report' } } },
      { error: { message: written('data.json'), cause: { message: expect.stringContaining('returned a number') } } },
    ])
  })
})
