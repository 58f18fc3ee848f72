// mcpwire call: arguments by the schema of the tool, results, files, tasks.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveHttp } from 'mcpwire/node'
import { MCPServer } from 'mcpwire/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mcpwire, program, startCommand } from '../../test/support/command-line.ts'
import { createExampleProject } from './example-project.ts'

const exported = program('exported.js')
const call = (...args: string[]) => mcpwire(['call', exported, ...args])

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mcpwire-call-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

describe('cli C1: mcpwire call', () => {
  it.each(['auto', 'legacy', '2026-07-28'])(
    'in mode %s prints the result; log and progress go to stderr',
    async (mode) => {
      const { code, stdout, stderr } = await call('add', 'a=1', 'b=2', '--mode', mode)
      expect({ code, stdout }).toEqual({ code: 0, stdout: '3\n' })
      expect(stderr).toContain('[info] adding 1 and 2\n1 of 2: half way\n')
    },
  )

  it('types arguments by the schema: text stays text, lists repeat, members nest', async () => {
    using project = createExampleProject()
    expect((await call('echo', 'text=1', 'list=[1]')).stdout).toBe('{"text":"1","list":[1]}\n')
    const words = ['item=pen', 'count=2', 'address.city=Bern', 'address.street=High St 1', 'tags=a', 'tags=b']
    const { stdout } = await project.run('call', 'server.js', 'order', ...words)
    expect(JSON.parse(stdout)).toEqual({ ordered: 'pen', count: 2, city: 'Bern', tags: ['a', 'b'] })
  })

  it('takes JSON, files and stdin as arguments', async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'text.txt')
    await writeFile(file, 'two\nlines')
    expect((await call('echo', `text=@${file}`, 'list:={"a":[1]}')).stdout).toBe(
      '{"text":"two\\nlines","list":{"a":[1]}}\n',
    )
    const child = startCommand(['call', exported, 'add', '--args', '-'])
    child.stdin.end('{"a":4,"b":5}\n')
    let stdout = ''
    for await (const text of child.stdout.setEncoding('utf8')) stdout += String(text)
    expect(stdout).toBe('9\n')
  })

  it('prints the result as the server sent it with --json', async () => {
    const { stdout } = await call('add', '--args', '{"a":1,"b":2}', '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      content: [{ type: 'text', text: '3' }],
      structuredContent: { result: 3 },
    })
  })

  it('exits 1 where the tool reports an error, and prints what it says', async () => {
    const { code, stdout } = await call('fail')
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'no luck today\n' })
  })

  it('saves images under names of its own, and overwrites none', async () => {
    const folder = join(await temporaryFolder(), 'new')
    for (const name of ['image-1.png', 'image-2.png']) {
      expect((await call('picture', '--save', folder)).stdout).toContain(`saved to ${join(folder, name)}`)
      expect([...(await readFile(join(folder, name)))]).toEqual([0, 1, 2, 3])
    }
  })

  it('prints bytes as they are with --raw, where no terminal sees them', async () => {
    const { stdout } = await mcpwire(['call', program('hostile.js'), 'look', '--raw'])
    expect(stdout).toContain('\u001b]0;owned')
  })

  it('takes the target from after --, with all of its arguments', async () => {
    const { stdout } = await mcpwire([
      'call',
      'environment',
      '--',
      process.execPath,
      '--no-warnings',
      program('stdio-server.js'),
    ])
    expect(stdout).toBe('not set\n')
  })

  it('gives a server its environment, and a URL its headers and token', async () => {
    expect((await call('environment', '-e', 'OWN_VARIABLE=yes')).stdout).toBe('yes\n')
    const server = new MCPServer('remote')
    server.tool('who', {}, (_args, ctx) => [ctx.http?.headers['x-who'], ctx.http?.headers['authorization']].join(' '))
    await using serving = await serveHttp(server, { port: 0 })
    const who = (...args: string[]) => mcpwire(['call', serving.url, 'who', ...args], { env: { SECRET: 's3cret' } })
    expect((await who('-H', 'X-Who: Ada')).stdout).toBe('Ada \n')
    expect((await who('--token', 'env:SECRET', '--mode', 'legacy')).stdout).toBe(' Bearer s3cret\n')
  })
})

describe('cli C4: mcpwire call explains what is wrong with its arguments', () => {
  it.each([
    [['ad'], 1, 'The server has no tool "ad". Did you mean "add"?', `Run \`mcpwire list ${exported}\``],
    [
      ['add'],
      2,
      'The arguments "a", "b" are missing.',
      'Its arguments are: add(a: number, b: number, unit?: "m" | "km")',
    ],
    [['add', 'a=one', 'b=2'], 2, 'The argument "a" must be of type number, not "one".', 'add(a: number'],
    [['add', 'a=1', 'b=2', 'unti=m'], 2, 'There is no argument "unti". Did you mean "unit"?', 'add(a: number'],
    [['add', 'a=1', 'b=2', 'unit=mile'], 2, 'must be of type "m" | "km", not "mile".', 'add(a: number'],
    [['add', 'a=1', 'a=2', 'b=2'], 2, 'The argument "a" is given twice.', ''],
    [['add', 'a:={', 'b=2'], 2, 'The argument "a" is not JSON:', 'Check the quotes of the shell.'],
    [['add', '--args', '{"a":'], 2, '--args is not JSON:', 'Check the quotes of the shell.'],
    [['add', '--args', `@${exported}`], 2, '--args is not JSON:', `Check the file ${exported}.`],
    [['add', `a:=@${exported}`, 'b=2'], 2, 'The argument "a" is not JSON:', `Check the file ${exported}.`],
    [['add', '--args', '-'], 2, '--args is not JSON:', 'Check what stdin has.'],
    [['add', '--args', '[1]'], 2, '--args is not a JSON object.', 'Example: --args'],
    [['add', 'a'], 2, '"a" is not of the form key=value.', 'Write key=value, key:=json or key=@file.'],
    [
      ['echo', 'text=@no-such-file'],
      2,
      'The file no-such-file of the argument "text" does not exist.',
      'begins with @',
    ],
    [[], 2, 'The tool is missing.', 'Usage: mcpwire call <target> <tool>'],
    [['picture', '--task', '--save', 'x'], 2, '--task excludes --raw and --save.', ''],
  ])('%j', async (args, code, message, fix) => {
    const result = await mcpwire(['call', exported, ...args, '--quiet'])
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' })
    expect(result.stderr).toMatch(/^mcpwire: /)
    expect(result.stderr).toContain(message)
    expect(result.stderr).toContain(fix)
    expect(result.stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(2)
  })

  it('as one line of JSON with --json', async () => {
    const { code, stdout, stderr } = await mcpwire(['call', exported, 'ad', '--json', '--quiet'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(JSON.parse(stderr)).toMatchObject({
      error: {
        slug: 'unknown-tool',
        message: 'The server has no tool "ad". Did you mean "add"?',
        fix: `Run \`mcpwire list ${exported}\` to see all tools.`,
        exitCode: 1,
      },
    })
  })
})
