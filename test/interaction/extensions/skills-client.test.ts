// What a client makes of the skills of a server that may say anything, in both eras, in one process and over HTTP.
import { MCPServer } from 'mcpwire'
import { type FoundSkill, type SkillFileInfo, SkillMismatchError, skills } from 'mcpwire/extensions/skills'
import { describe, expect, it } from 'vitest'
import { digestOf, entryOf, type HostileServer, hostileServer, SETTINGS, skillText } from '../../support/skills.ts'

const PDF = {
  'SKILL.md': skillText('pdf', '', '# PDF\n\nRead [forms](references/FORMS.md).\n'),
  'references/FORMS.md': '# Forms\n',
  'scripts/run me.py': 'print(1)\n',
}
const URI = 'skill://pdf/SKILL.md'

/** A server with one skill, whose contents are as its entry says. */
function honest(settings = {}): HostileServer {
  const entry = entryOf('pdf', PDF)
  const uris = (entry.resources as { uri: string }[]).map(({ uri }) => uri)
  return hostileServer(
    [entry],
    Object.fromEntries(uris.map((uri, index) => [uri, Object.values(PDF)[index]])),
    settings,
  )
}

async function mismatchOf(work: Promise<unknown>): Promise<SkillMismatchError> {
  const error = await work.then(
    () => expect.unreachable('it was used'),
    (reason) => reason,
  )
  expect(error).toBeInstanceOf(SkillMismatchError)
  return error
}

async function allOf(found: AsyncIterable<FoundSkill>): Promise<FoundSkill[]> {
  const list: FoundSkill[] = []
  for await (const skill of found) list.push(skill)
  return list
}

describe.each(SETTINGS)('skills in a client: $title', (setting) => {
  it('skills K-16: reads a folder only where the server declares it, and only of a dynamic skill', async () => {
    const undeclared = hostileServer([{ ...entryOf('pdf', PDF), resources: 'dynamic' }], { [URI]: PDF['SKILL.md'] })
    const client = await setting.connect(undeclared.server)
    const skill = await client.skills.load(URI)
    await expect(skill.list()).rejects.toMatchObject({ code: -32601, local: true })
    expect(undeclared.calls).toEqual(['skills/get'])

    const fixed = honest({ directoryRead: true })
    const held = await (await setting.connect(fixed.server)).skills.load(URI)
    expect((await held.list('references')).map(({ path }) => path)).toEqual(['references/FORMS.md'])
    expect(fixed.calls).toEqual(['skills/get'])
  })

  it('skills K-16: of a folder of a dynamic skill, only what is directly inside it counts', async () => {
    const dynamic = hostileServer(
      [{ ...entryOf('pdf', PDF), resources: 'dynamic' }],
      { [URI]: PDF['SKILL.md'] },
      { directoryRead: true },
    )
    dynamic.folders['skill://pdf/data'] = [
      { uri: 'skill://pdf/data/a.txt', name: 'a.txt', size: 3 },
      { uri: 'skill://pdf/data/sub', name: 'sub', mimeType: 'inode/directory' },
      { uri: 'skill://pdf/data/sub/deep.txt', name: 'deep.txt' },
      { uri: 'skill://pdf/data/../../other/x', name: 'x' },
      { uri: 'skill://pdf/data/%2e%2e', name: 'up' },
      { uri: 'skill://pdf/data/a%2fb', name: 'slash' },
      { uri: 'skill://other/SKILL.md', name: 'other' },
      { uri: 'file:///etc/passwd', name: 'passwd' },
      { name: 'nameless' },
      'text',
    ]
    const skill = await (await setting.connect(dynamic.server)).skills.load(URI)
    expect((await skill.list('data')).map(({ path, isFolder }) => [path, isFolder])).toEqual([
      ['data/a.txt', false],
      ['data/sub', true],
    ])
  })

  it('skills K-17, traps X-54: fetches nothing on connect, listing and get; SKILL.md on load; a file when it is read', async () => {
    const server = honest()
    const client = await setting.connect(server.server)
    expect(server.calls).toEqual([])
    await allOf(client.skills.all())
    await client.skills.get(URI)
    expect(server.reads).toEqual([])
    const skill = await client.skills.load(URI)
    expect(server.reads).toEqual([URI])
    expect((await skill.read('references/FORMS.md')).text).toBe('# Forms\n')
    expect(server.reads).toEqual([URI, 'skill://pdf/references/FORMS.md'])
  })

  it('skills K-18: does not use a SKILL.md with another digest or size, and says which file and why', async () => {
    const server = honest()
    const client = await setting.connect(server.server)
    server.files[URI] = `${PDF['SKILL.md'].slice(0, -2)}!\n`
    expect(await mismatchOf(client.skills.load(URI))).toMatchObject({ uri: URI, file: 'SKILL.md', reason: 'digest' })
    server.files[URI] = `${PDF['SKILL.md']}more`
    const error = await mismatchOf(client.skills.load(URI))
    expect(error).toMatchObject({ uri: URI, file: 'SKILL.md', reason: 'size' })
    expect(error.message).toContain('"SKILL.md" of the skill "skill://pdf/SKILL.md"')
  })

  it('skills K-18: does not use another file that differs, is gone, or comes in another form', async () => {
    const server = honest()
    const skill = await (await setting.connect(server.server)).skills.load(URI)
    const forms = 'skill://pdf/references/FORMS.md'
    const read = () => mismatchOf(skill.read('references/FORMS.md'))
    server.files[forms] = '# Norms\n'
    expect(await read()).toMatchObject({ file: 'references/FORMS.md', reason: 'digest' })
    server.files[forms] = '# Forms\n\n'
    expect((await read()).reason).toBe('size')
    server.files[forms] = undefined
    expect((await read()).reason).toBe('missing')
    for (const contents of [
      [],
      [
        { uri: forms, text: '# Forms\n' },
        { uri: forms, text: '# Forms\n' },
      ],
      [{ uri: URI, text: '# Forms\n' }],
      [{ uri: forms, blob: '%%%%' }],
    ]) {
      server.files[forms] = contents
      await expect(skill.read('references/FORMS.md')).rejects.toThrow()
    }
    server.files[forms] = [{ uri: forms, blob: Buffer.from('# Forms\n').toString('base64') }]
    expect((await skill.read('references/FORMS.md')).text).toBe('# Forms\n')
  })

  it.each([
    ['a field that is missing', 'name: pdf\ndescription: About pdf.', { license: 'MIT' }],
    ['a field too many', 'name: pdf\ndescription: About pdf.\nallowed-tools: Bash', {}],
    ['another value', 'name: pdf\ndescription: About everything.', {}],
    ['another type', 'name: pdf\ndescription: About pdf.\nversion: "1"', { version: 1 }],
    ['a nested difference', 'name: pdf\ndescription: About pdf.\nmetadata: {a: [1, 2]}', { metadata: { a: [2, 1] } }],
    ['an alias', 'name: pdf\ndescription: About pdf.\na: &a x\nb: *a', { a: 'x', b: 'x' }],
    ['broken YAML', 'name: pdf\ndescription: About pdf.\n: :', {}],
  ])('skills K-19: does not load a SKILL.md whose front matter has %s', async (_what, yaml, fields) => {
    const text = `---\n${yaml}\n---\nbody`
    const entry = entryOf('pdf', { 'SKILL.md': text })
    const server = hostileServer([{ ...entry, frontmatter: { ...entry.frontmatter, ...fields } }], { [URI]: text })
    const client = await setting.connect(server.server)
    expect(await mismatchOf(client.skills.load(URI))).toMatchObject({ file: 'SKILL.md', reason: 'frontmatter' })
  })

  it('skills K-19: compares the front matter of a dynamic skill too, and fields in any order', async () => {
    const entry = { ...entryOf('pdf', {}), resources: 'dynamic' }
    const server = hostileServer([entry], { [URI]: '---\ndescription: About pdf.\nname: pdf\n---\nbody' })
    const client = await setting.connect(server.server)
    expect((await client.skills.load(URI)).body).toBe('body')
    server.files[URI] = '---\ndescription: Something else.\nname: pdf\n---\nbody'
    expect((await mismatchOf(client.skills.load(URI))).reason).toBe('frontmatter')
  })

  it('skills K-20 and K-26: resolves references in the folder of the skill, to files of the entry only', async () => {
    const server = honest()
    server.files['skill://pdf/unlisted.md'] = 'unlisted'
    server.files['skill://other/SKILL.md'] = 'other'
    const skill = await (await setting.connect(server.server)).skills.load(URI)
    for (const path of [
      'references/FORMS.md',
      './references/FORMS.md',
      'references/../references/FORMS.md#top',
      'skill://pdf/references/FORMS.md',
    ]) {
      expect((await skill.read(path)).path, path).toBe('references/FORMS.md')
    }
    expect((await skill.read('scripts/run%20me.py')).text).toBe('print(1)\n')
    const { length } = server.reads
    for (const path of [
      'unlisted.md',
      'references',
      '',
      '.',
      '..',
      '../other/SKILL.md',
      'references/../../other/SKILL.md',
      '%2e%2e/other/SKILL.md',
      '/references/FORMS.md',
      'skill://other/SKILL.md',
      'skill://pdf/../other/SKILL.md',
      'https://example.com/x',
      'references\\FORMS.md',
    ]) {
      expect(await mismatchOf(skill.read(path)), path).toMatchObject({ reason: 'unlisted', file: path })
    }
    expect(server.reads).toHaveLength(length)
  })

  it('skills K-20: reads and lists each file by the path that it is listed with', async () => {
    const names = ['a:b', 'file:/x', 'C:/x', 'a#b', 'a?b', '%2e%2e', '..x', 'con', '．．/x', '__proto__', 'skill.md']
    const server = new MCPServer('odd names', { extensions: [skills()] })
    server.skill(Object.fromEntries([['SKILL.md', skillText('pdf')], ...names.map((name) => [name, `of ${name}`])]))
    const skill = await (await setting.connect(server)).skills.load(URI)
    const files = skill.files as readonly SkillFileInfo[]
    expect(files.map(({ path }) => path).sort()).toEqual([...names, 'SKILL.md'].sort())
    for (const name of names) expect((await skill.read(name)).text).toBe(`of ${name}`)
    expect(await skill.list('C:')).toMatchObject([{ path: 'C:/x' }])
  })

  it('skills K-26: a dynamic skill reads nothing above its folder either', async () => {
    const server = hostileServer([{ ...entryOf('pdf', {}), resources: 'dynamic' }], {
      [URI]: skillText('pdf'),
      'skill://pdf/made%20up.md': 'made up',
    })
    const skill = await (await setting.connect(server.server)).skills.load(URI)
    expect((await skill.read('made%20up.md')).text).toBe('made up')
    for (const path of ['../x', '%2e%2e/x', 'a/../../x', 'skill://other/x', '/x']) await mismatchOf(skill.read(path))
    expect(server.reads).toEqual([URI, 'skill://pdf/made%20up.md'])
  })

  const SAME = digestOf(PDF['SKILL.md'])
  const file = (uri: string, more = {}) => ({ uri, digest: SAME, size: Buffer.byteLength(PDF['SKILL.md']), ...more })
  it.each([
    ['no resources', { resources: undefined }, "neither a list nor 'dynamic'"],
    ['resources that are a word', { resources: 'static' }, "neither a list nor 'dynamic'"],
    ['no SKILL.md among its files', { resources: [file('skill://pdf/a')] }, 'lack its SKILL.md'],
    ['a file twice', { resources: [file(URI), file('skill://pdf/a%62'), file('skill://pdf/ab')] }, 'twice'],
    ['a file of another skill', { resources: [file(URI), file('skill://other/a')] }, 'outside its folder'],
    ['a file above it', { resources: [file(URI), file('skill://pdf/../a')] }, 'outside its folder'],
    ['a hidden way up', { resources: [file(URI), file('skill://pdf/%2e%2e/a')] }, 'outside its folder'],
    ['an upper-case digest', { resources: [file(URI, { digest: SAME.toUpperCase() })] }, 'digest'],
    ['a negative size', { resources: [file(URI, { size: -1 })] }, 'size'],
    ['more than 16 MiB', { resources: [file(URI), file('skill://pdf/a', { size: 16 * 1024 * 1024 })] }, 'bytes'],
    [
      'more than 512 files',
      { resources: Array.from({ length: 513 }, (_, i) => file(`skill://pdf/${i}`)) },
      '512 files',
    ],
    ['another name in its uri', { frontmatter: { name: 'other', description: 'x' } }, 'end with its name'],
    ['a name out of the rules', { frontmatter: { name: 'PDF', description: 'x' } }, 'name'],
    ['no description', { frontmatter: { name: 'pdf' } }, 'description'],
    ['no front matter', { frontmatter: null }, 'frontmatter'],
  ])('skills K-21 and K-22: does not load an entry with %s, and says why', async (_what, changes, reason) => {
    const entry = JSON.parse(JSON.stringify({ ...entryOf('pdf', PDF), ...changes })) as unknown
    const server = hostileServer([entry, entryOf('fine', {})], { [URI]: PDF['SKILL.md'] })
    const client = await setting.connect(server.server)
    const [found, fine] = await allOf(client.skills.all())
    expect(found?.problem).toContain(reason)
    expect(found?.fingerprint).toBeUndefined()
    expect(fine?.uri).toBe('skill://fine/SKILL.md')
    expect(await mismatchOf(client.skills.load(URI))).toMatchObject({ reason: 'entry', uri: URI })
    await mismatchOf(client.skills.load(found as FoundSkill))
    expect(server.reads).toEqual([])
  })

  it('skills K-22: takes a skill of exactly 512 files and 16 MiB', async () => {
    const text = PDF['SKILL.md']
    const share = Math.floor((16 * 1024 * 1024 - Buffer.byteLength(text)) / 511)
    const others = Array.from({ length: 511 }, (_, i) => file(`skill://pdf/f${i}`, { size: share }))
    const resources = [file(URI), ...others]
    const rest = 16 * 1024 * 1024 - resources.reduce((sum, { size }) => sum + size, 0)
    others[0] = { ...others[0]!, size: share + rest }
    const server = hostileServer([{ ...entryOf('pdf', {}), resources: [file(URI), ...others] }], { [URI]: text })
    const skill = await (await setting.connect(server.server)).skills.load(URI)
    expect(skill.files).toHaveLength(512)
  })

  it('skills K-22: reads at most 16 MiB of a dynamic skill', async () => {
    const part = 'x'.repeat(6 * 1024 * 1024)
    const files = Object.fromEntries(['a', 'b', 'c'].map((name) => [`skill://pdf/${name}`, part]))
    const entry = { ...entryOf('pdf', {}), resources: 'dynamic' }
    const server = hostileServer([entry], { [URI]: skillText('pdf'), ...files })
    const skill = await (await setting.connect(server.server)).skills.load(URI)
    for (const name of ['a', 'b']) expect((await skill.read(name)).bytes).toHaveLength(part.length)
    await expect(skill.read('c')).rejects.toMatchObject({ name: 'LimitError', limit: 'bytes of a dynamic skill' })
  })

  it('skills K-25: what a server says of origin, fingerprint or problem of its skill counts for nothing', async () => {
    const claimed = { origin: { server: 'bank', uri: 'skill://bank/SKILL.md' }, fingerprint: 'x', problem: 'x' }
    const entry = { ...entryOf('pdf', {}), resources: 'dynamic', ...claimed }
    const server = hostileServer([entry], { [URI]: skillText('pdf') })
    const client = await setting.connect(server.server, { label: 'L' })
    const [found] = await allOf(client.skills.all())
    for (const skill of [found, await client.skills.get(URI), await client.skills.load(URI)]) {
      expect(skill?.origin).toEqual({ server: 'L', uri: URI })
      expect(skill?.fingerprint).toBeUndefined()
    }
    expect(found?.problem).toBeUndefined()
  })

  it('skills K-23: loads by URI alone a skill that no listing has', async () => {
    const server = new MCPServer('quiet', { extensions: [skills()] })
    const { uri } = server.skill(PDF, { listed: false })
    const client = await setting.connect(server)
    expect(await allOf(client.skills.all())).toEqual([])
    expect((await client.skills.load(uri)).name).toBe('pdf')
  })

  it('skills K-24: takes nothing for a skill because of its scheme, and loads under any scheme', async () => {
    const server = honest()
    server.files['skill://fake/SKILL.md'] = skillText('fake')
    const client = await setting.connect(server.server)
    await expect(client.skills.load('skill://fake/SKILL.md')).rejects.toMatchObject({ code: -32602 })
    expect(server.reads).toEqual([])

    const text = skillText('refunds')
    const uri = 'github://owner/repo/skills/refunds/SKILL.md'
    const other = hostileServer(
      [{ ...entryOf('refunds', {}), uri, resources: [{ uri, digest: digestOf(text), size: Buffer.byteLength(text) }] }],
      { [uri]: text },
    )
    expect((await (await setting.connect(other.server)).skills.load(uri)).uri).toBe(uri)
  })

  it('skills K-25: says of each skill which server it is from, in the words of the host, and keeps equal names apart', async () => {
    const entries = [
      { ...entryOf('pdf', {}), resources: 'dynamic' },
      { ...entryOf('pdf', {}), uri: 'skill://other/pdf/SKILL.md', resources: 'dynamic' },
    ]
    const first = await setting.connect(hostileServer(entries).server, { label: 'first' })
    const second = await setting.connect(honest().server, { label: 'second' })
    expect((await allOf(first.skills.all())).map(({ origin }) => origin)).toEqual([
      { server: 'first', uri: URI },
      { server: 'first', uri: 'skill://other/pdf/SKILL.md' },
    ])
    const skill = await second.skills.get(URI)
    expect(skill.origin).toEqual({ server: 'second', uri: URI })
    // An entry is not loaded from a server that it is not from.
    expect(await mismatchOf(first.skills.load(skill))).toMatchObject({ reason: 'origin' })
    expect((await second.skills.load(skill)).origin).toEqual(skill.origin)
    const unnamed = await setting.connect(honest().server)
    expect((await unnamed.skills.get(URI)).origin.server).not.toBe('hostile')
  })

  it('skills K-27: keeps what it has read, by digest, and reads it again when the digest is another one', async () => {
    const server = honest()
    const client = await setting.connect(server.server)
    const skill = await client.skills.load(URI)
    const first = await skill.read('references/FORMS.md')
    first.bytes.fill(0)
    expect((await skill.read('references/FORMS.md')).text).toBe('# Forms\n')
    await client.skills.load(URI)
    expect(server.reads).toEqual([URI, 'skill://pdf/references/FORMS.md'])

    const changed = { ...PDF, 'references/FORMS.md': '# New forms\n' }
    server.entries = [entryOf('pdf', changed)]
    server.files['skill://pdf/references/FORMS.md'] = '# New forms\n'
    const renewed = await client.skills.load(URI)
    expect((await renewed.read('references/FORMS.md')).text).toBe('# New forms\n')
    expect(server.reads).toEqual([URI, 'skill://pdf/references/FORMS.md', 'skill://pdf/references/FORMS.md'])
    // The skill that was loaded before still has the file of its own entry.
    expect((await skill.read('references/FORMS.md')).text).toBe('# Forms\n')
  })

  it('loads the current skill by URI when it changed meanwhile, but not for an entry that was approved', async () => {
    const server = honest()
    const client = await setting.connect(server.server)
    const approved = await client.skills.get(URI)
    const text = skillText('pdf', '', 'new body')
    server.entries = [entryOf('pdf', { 'SKILL.md': text })]
    server.files[URI] = text
    const error = await mismatchOf(client.skills.load(approved))
    expect(error.reason).toBe('size')
    expect(error.current?.fingerprint).toBeDefined()
    expect(error.current?.fingerprint).not.toBe(approved.fingerprint)
    expect(error.message).toContain('approve it again')
    expect((await client.skills.load(error.current as FoundSkill)).body).toBe('\nnew body')
    expect((await client.skills.load(URI)).body).toBe('\nnew body')
  })

  it('traps X-55: gives fields that ask for permissions as data, and does nothing with them', async () => {
    const text = skillText('pdf', 'allowed-tools: Bash(rm *)\n')
    const entry = entryOf('pdf', { 'SKILL.md': text })
    const frontmatter = { ...entry.frontmatter, 'allowed-tools': 'Bash(rm *)' }
    const server = hostileServer([{ ...entry, frontmatter }], { [URI]: text })
    const skill = await (await setting.connect(server.server)).skills.load(URI)
    expect(skill.frontmatter).toEqual(frontmatter)
    expect([server.calls, server.reads]).toEqual([['skills/get'], [URI]])
  })

  it('gives a fingerprint of all files and digests, and none of a dynamic skill', async () => {
    const server = honest()
    const client = await setting.connect(server.server)
    const before = await client.skills.get(URI)
    const { resources } = before as { resources: unknown[] }
    server.entries = [{ ...before, resources: [...resources].reverse() }]
    expect((await client.skills.get(URI)).fingerprint).toBe(before.fingerprint)
    server.entries = [{ ...before, resources: resources.slice(0, 2) }]
    expect((await client.skills.get(URI)).fingerprint).not.toBe(before.fingerprint)
    server.entries = [{ ...before, resources: 'dynamic' }]
    expect((await client.skills.get(URI)).fingerprint).toBeUndefined()
  })

  it('skills K-22 and K-23: an entry that is none does not hide the others, and is reported', async () => {
    const server = honest()
    const faults: { kind: string; method?: string }[] = []
    const client = await setting.connect(server.server, {}, { onFault: (fault) => faults.push(fault) })
    const good = entryOf('pdf', PDF)
    server.entries = ['text', null, { frontmatter: {} }, { ...good, frontmatter: null }, { ...good, uri: 5 }, good]
    const found = await allOf(client.skills.all())
    expect(found.map(({ uri, problem }) => [uri, problem])).toEqual([
      [URI, 'its frontmatter is not an object'],
      [URI, undefined],
    ])
    // What a host reads of every entry to show it is there.
    expect(found.map(({ frontmatter }) => frontmatter.description)).toEqual(['', good.frontmatter.description])
    expect(faults.map(({ kind, method }) => [kind, method])).toEqual(Array(4).fill(['invalid-message', 'skills/list']))
  })

  it('ends a listing that never ends, and refuses results that are none', async () => {
    const server = honest()
    const client = await setting.connect(server.server)
    server.entries = 'none' as unknown as unknown[]
    await expect(allOf(client.skills.all())).rejects.toThrow('does not fit the skills extension')
    server.entries = [entryOf('pdf', PDF)]
    server.nextCursor = 'again'
    await expect(allOf(client.skills.all())).rejects.toThrow('a cursor that it had sent before')
  })

  it('asks a server that declares no skills nothing', async () => {
    const client = await setting.connect(new MCPServer('without'))
    await expect(client.skills.get(URI)).rejects.toMatchObject({ code: -32601, local: true })
    await expect(allOf(client.skills.all())).rejects.toMatchObject({ code: -32601, local: true })
  })
})
