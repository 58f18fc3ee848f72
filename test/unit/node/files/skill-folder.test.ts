// Folders with skills: their files as they are, and nothing from outside.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Client, MCPServer } from 'mcpwire'
import { skills } from 'mcpwire/extensions/skills'
import { skillFolder, skillFolders } from 'mcpwire/node'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { skillText } from '../../../support/skills.ts'

/** A folder named `x` with these files, which is gone after the test. */
function createFolder(files: Record<string, string | Uint8Array>): string {
  const parent = mkdtempSync(join(tmpdir(), 'skills-'))
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }))
  const root = join(parent, 'x')
  mkdirSync(root)
  for (const [path, content] of Object.entries(files)) write(root, path, content)
  return root
}

function write(root: string, path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}

function createServer(): MCPServer {
  return new MCPServer('skilled', { extensions: [skills()] })
}

describe('skillFolder()', () => {
  it('says which folder is missing, where it was looked for, and what to give instead', () => {
    const root = createFolder({ 'file.md': 'x' })
    const advice =
      'Give the folder that contains SKILL.md; a relative path starts at the folder where the program was started.'
    const missing = join(root, 'missing')
    const message = `The skill folder ${JSON.stringify(missing)} does not exist. ${advice}`
    expect(() => createServer().skill(skillFolder(missing))).toThrow(new TypeError(message))
    expect(() => skillFolders(missing)).toThrow(new TypeError(message))
    const relative = 'no-such-skill'
    const where = ` (${join(process.cwd(), relative)})`
    expect(() => createServer().skill(skillFolder(relative))).toThrow(
      `"no-such-skill" does not exist${where}. ${advice}`,
    )
    expect(() => createServer().skill(skillFolder(join(root, 'file.md')))).toThrow('is not a folder')
    expect(() => createServer().skill(skillFolder(join(root, 'file.md', 'inner')))).toThrow('does not exist')
  })

  it('has all files of the folder as they are, but those that are hidden or backups', () => {
    const root = createFolder({
      'SKILL.md': skillText('x'),
      'scripts/run.sh': '#!/bin/sh\r\n',
      'data.bin': Uint8Array.of(0, 255),
      'empty.txt': '',
      '.git/config': 'secret',
      '.env': 'secret',
      'notes.md~': 'backup',
    })
    const files = skillFolder(root).read()
    expect(Object.keys(files)).toEqual(['SKILL.md', 'data.bin', 'empty.txt', 'scripts/run.sh'])
    expect(Buffer.from(files['scripts/run.sh'] as Uint8Array).toString()).toBe('#!/bin/sh\r\n')
    expect([...(files['data.bin'] as Uint8Array)]).toEqual([0, 255])
    expect(Object.keys(skillFolder(root, { hidden: true }).read())).toContain('.git/config')
    const some = skillFolder(pathToFileURL(`${root}/`), { include: (path) => !path.startsWith('scripts/') })
    expect(Object.keys(some.read())).toEqual(['SKILL.md', 'data.bin', 'empty.txt'])
  })

  it('skills K-15: refuses a symbolic link, to a file or a folder, inside or outside, with its path', () => {
    const outside = createFolder({ 'secret.txt': 'secret' })
    for (const [link, target] of [
      ['link.txt', join(outside, 'secret.txt')],
      ['folder', outside],
      ['inner.md', 'SKILL.md'],
      ['lost', join(outside, 'missing')],
    ] as const) {
      const root = createFolder({ 'SKILL.md': skillText('x') })
      symlinkSync(target, join(root, link))
      expect(() => createServer().skill(skillFolder(root))).toThrow(`${root}/${link} is a symbolic link`)
    }
    const real = createFolder({ 'SKILL.md': skillText('x') })
    const linked = join(createFolder({}), 'x')
    symlinkSync(real, linked)
    expect(createServer().skill(skillFolder(linked)).uri).toBe('skill://x/SKILL.md')
  })

  it.runIf(process.platform !== 'win32')('refuses a named pipe without waiting for a writer', () => {
    const root = createFolder({ 'SKILL.md': skillText('x') })
    execFileSync('mkfifo', [join(root, 'pipe')])
    expect(() => skillFolder(root).read()).toThrow(`${root}/pipe is not a regular file`)
  })

  it('skills K-15: reads no more than a skill may have, whatever is in the folder', () => {
    const many = createFolder({ 'SKILL.md': skillText('x') })
    for (let count = 0; count < 1_024; count++) write(many, `f${count}`, '')
    expect(() => skillFolder(many).read()).toThrow(`${many} has more than 1024 files. A skill has 512 at most.`)
    const large = createFolder({ 'SKILL.md': skillText('x'), 'hole.bin': '' })
    truncateSync(join(large, 'hole.bin'), 50_000_000_000)
    expect(() => skillFolder(large).read()).toThrow(`${large} has more than 33554432 bytes, up to hole.bin.`)
    const deep = createFolder({ 'SKILL.md': skillText('x'), [`${'a/'.repeat(34)}x`]: '' })
    expect(() => skillFolder(deep).read()).toThrow('is more than 32 folders deep')
  })

  // Other systems take no such name.
  it.runIf(process.platform === 'linux')('refuses a file or folder whose name is not UTF-8, and says so', () => {
    for (const make of [(path: Buffer) => writeFileSync(path, ''), (path: Buffer) => mkdirSync(path)]) {
      const root = createFolder({ 'SKILL.md': skillText('x') })
      make(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.of(0xe9)]))
      expect(() => skillFolder(root).read()).toThrow(`${root}/caf\uFFFD has a name that is not UTF-8. Rename it.`)
    }
  })

  it('skills K-03: names the file and the line of a broken front matter', () => {
    const root = createFolder({ 'SKILL.md': '---\nname: x\ndescription: a: b\n---\n' })
    expect(() => createServer().skill(skillFolder(root))).toThrow(`${root}/SKILL.md:3: The front matter can't be used:`)
    expect(() => createServer().skill(skillFolder(pathToFileURL(`${root}/`)))).toThrow(`${root}/SKILL.md:3: `)
    expect(() => createServer().skill(skillFolder(createFolder({ 'a.md': '' })))).toThrow('has no SKILL.md')
  })

  it('skills K-08: refuses a folder with too many files or bytes without reading all of it', () => {
    const many = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`f${index}`, '']))
    expect(() => createServer().skill(skillFolder(createFolder({ 'SKILL.md': skillText('x'), ...many })))).toThrow(
      'has 601 files. A skill has 512 files at most.',
    )
    const big = { 'SKILL.md': skillText('x'), a: new Uint8Array(17 * 1024 * 1024), b: new Uint8Array(17 * 1024 * 1024) }
    expect(() => skillFolder(createFolder(big)).read()).toThrow('16 MiB at most')
  })

  it('skills K-04: refuses a folder whose skill has another name than the folder, as skillFolders() does', () => {
    const root = createFolder({ 'wrongname/SKILL.md': skillText('other') })
    const advice = 'Rename the folder, change the name, or set the option path.'
    const message = `The path "wrongname" must end with the name of the skill, which is "other". ${advice}`
    const folder = join(root, 'wrongname')
    for (const given of [folder, `${folder}/`, pathToFileURL(folder), join(folder, '..', 'wrongname', '.')]) {
      expect(() => createServer().skill(skillFolder(given))).toThrow(new TypeError(message))
    }
    expect(() => createServer().skill(skillFolders(root)[0]!)).toThrow(new TypeError(message))
    const { uri } = createServer().skill(skillFolder(folder), { path: 'acme/other' })
    expect(uri).toBe('skill://acme/other/SKILL.md')
  })

  it('watches a folder: a change makes a new snapshot, which the client can load', async () => {
    const root = createFolder({ 'SKILL.md': skillText('x'), 'sub/a.md': 'one' })
    const server = createServer()
    const { uri } = server.skill(skillFolder(root, { watch: true }))
    const client = await Client.connect(server, { extensions: [skills()] })
    onTestFinished(() => client.close())
    expect((await (await client.skills.load(uri)).read('sub/a.md')).text).toBe('one')
    let count = 0
    await vi.waitFor(
      async () => {
        // Written again until the system has reported it: a watcher may start late.
        count += 1
        write(root, 'sub/a.md', `two, ${count}`)
        expect((await (await client.skills.load(uri)).read('sub/a.md')).text).toMatch(/^two/)
      },
      { interval: 200 },
    )
  })
})

describe('skillFolders()', () => {
  it('has every folder with a SKILL.md, by its path, and looks into none of them', async () => {
    const root = createFolder({
      'refunds/SKILL.md': skillText('refunds'),
      'refunds/inner/SKILL.md': skillText('inner'),
      'acme/billing/invoices/SKILL.md': skillText('invoices'),
      'notes/readme.md': 'no skill',
      'README.md': 'no skill',
      '.hidden/x/SKILL.md': skillText('x'),
    })
    const found = skillFolders(root)
    expect(found.map(({ path }) => path)).toEqual(['acme/billing/invoices', 'refunds'])
    const server = createServer()
    for (const folder of found) server.skill(folder)
    const client = await Client.connect(server, { extensions: [skills()] })
    onTestFinished(() => client.close())
    const uris: string[] = []
    for await (const { uri } of client.skills.all()) uris.push(uri)
    expect(uris).toEqual([
      'skill://acme/billing/invoices/SKILL.md',
      'skill://refunds/SKILL.md',
      'skill://refunds/inner/SKILL.md',
    ])
  })

  it('skills K-04: refuses a skill whose name is not that of its folder', () => {
    const [folder] = skillFolders(createFolder({ 'refunds/SKILL.md': skillText('other') }))
    expect(() => createServer().skill(folder!)).toThrow('The path "refunds" must end with the name of the skill')
  })

  it('skills K-15: refuses a link among the folders', () => {
    const root = createFolder({ 'a/SKILL.md': skillText('a') })
    symlinkSync(tmpdir(), join(root, 'elsewhere'))
    expect(() => skillFolders(root)).toThrow('elsewhere is a symbolic link')
  })
})
