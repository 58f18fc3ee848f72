// Whose bytes reach a client on stdout, by what stdout is: a pipe of a shell, a file, a socket as Node parents give it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { beforeAll, describe, expect, it } from 'vitest'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'
import { serveStdio } from '../../../../src/node/stdio/stdio-server.ts'
import { bundleFixtures } from '../../../support/bundle.ts'
import { watchChild } from '../../../support/child.ts'
import { createFolder } from '../files/temporary-folder.ts'
import { expectGone } from './stdio-client-support.ts'

const WAYS = ['console.log', 'process.stdout', 'writeSync', 'child']

let noisy = ''
let guard = ''

beforeAll(async () => {
  ;[noisy = '', guard = ''] = await bundleFixtures('descriptors', ['noisy.js', 'guard.js'])
}, 60_000)

const call = (id: number, name: string) =>
  `${JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: {
      name,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  })}\n`

const ALL_CALLS = [...WAYS, 'large'].map((name, index) => call(index + 1, name)).join('')
const ALL_IDS = [...WAYS, 'large'].map((_name, index) => index + 1)

interface Started {
  args?: string[]
  nodeArgs?: string[]
  input?: string
  /** Around the program, which it has as "$@". */
  shell?: string
}

/** Runs the noisy server to its end, with sockets for its streams unless the shell gives it others. */
async function run({ args = [], nodeArgs = [], input = ALL_CALLS, shell }: Started) {
  const command = [process.execPath, ...nodeArgs, noisy, ...args]
  const [program = '', ...words] = shell === undefined ? command : ['/bin/sh', '-c', shell, 'sh', ...command]
  const { process: child, output, ended } = watchChild(spawn(program, words, { stdio: 'pipe' }))
  child.stdin.end(input)
  const [code] = await ended
  return { ...output, code: code as number }
}

const linesOf = (stdout: string) => stdout.split('\n').filter((line) => line !== '')
const idsOf = (lines: string[]) => lines.map((line) => JSON.parse(line).id).sort()
/** What is in the way of a client. */
const noiseIn = (stdout: string) => linesOf(stdout).filter((line) => !line.startsWith('{'))

describe('a pipe as stdout', () => {
  it.each([
    { how: 'run()', args: ['unsaid'] },
    { how: "run({ isolate: 'auto' })", args: ['auto'] },
    { how: '--import mcpwire/stdio-guard', args: ['guard'], guarded: true },
  ])('F036 $how keeps out console.log, process.stdout, writeSync(1) and children', async ({ args, guarded }) => {
    const nodeArgs = guarded ? ['--import', guard] : []
    const { stdout, stderr, code } = await run({ args, nodeArgs, shell: '{ "$@" 2>&3 | cat; } 3>&2' })
    const lines = linesOf(stdout)
    // Stdout is everyone's again once the server is over.
    expect(lines.pop()).toBe('after the server')
    expect(idsOf(lines)).toEqual(ALL_IDS)
    expect(code).toBe(0)
    expect(stderr).toContain('by console.log\n')
    expect(stderr).toContain('by process.stdout\n')
  })

  it('F036 what is kept out is written to stderr, by children too, where that is a pipe as well', async () => {
    await using folder = await createFolder()
    const path = await folder.write('stderr', '')
    const { stdout } = await run({ shell: `{ { "$@" | cat >&3; } 2>&1 | cat > '${path}'; } 3>&1` })
    const stderr = await readFile(path, 'utf8')
    expect(noiseIn(stdout)).toEqual(['after the server'])
    for (const way of WAYS) expect(stderr).toContain(`by ${way}\n`)
  })

  it('two that append to one file as stderr do not write over each other', async () => {
    await using folder = await createFolder()
    const path = await folder.write('stderr', '')
    const input = [...WAYS, ...WAYS, ...WAYS].map((name, index) => call(index, name)).join('')
    await run({ input, shell: `{ echo BEGIN >&2; "$@"; echo AFTER >&2; } 2>> '${path}' | cat` })
    const lines = linesOf(await readFile(path, 'utf8'))
    for (const way of WAYS) expect(lines.filter((line) => line === `by ${way}`)).toHaveLength(3)
    expect(lines.slice(0, 2)).toEqual(['BEGIN', 'the program begins'])
    expect(lines.at(-1)).toBe('AFTER')
  })

  it('in a file as stderr, whoever writes next goes on where the server ended', async () => {
    await using folder = await createFolder()
    const path = await folder.write('stderr', '')
    const { stdout } = await run({ shell: `{ echo BEGIN >&2; "$@"; echo AFTER >&2; } 2> '${path}' | cat` })
    expect(noiseIn(stdout)).toEqual(['after the server'])
    const lines = linesOf(await readFile(path, 'utf8'))
    expect(lines.slice(0, 2)).toEqual(['BEGIN', 'the program begins'])
    expect(lines.at(-1)).toBe('AFTER')
    const noise = lines.filter((line) => line.startsWith('by '))
    // On Linux, what a child writes has no place in the file that both could count on.
    const ways = process.platform === 'linux' ? WAYS.slice(0, 2) : WAYS
    expect(noise).toEqual(ways.map((way) => `by ${way}`))
  })

  it('a named pipe is a pipe', async () => {
    await using folder = await createFolder()
    const path = join(folder.path, 'pipe')
    const { stdout } = await run({ shell: `mkfifo '${path}' && { cat '${path}' & "$@" > '${path}'; wait; }` })
    expect(idsOf(linesOf(stdout).filter((line) => line.startsWith('{')))).toEqual(ALL_IDS)
    expect(noiseIn(stdout).filter((line) => line !== 'after the server')).toEqual([])
  })

  it("run({ isolate: 'guard' }) leaves the descriptors alone", async () => {
    const { stdout } = await run({ args: ['guard'], shell: '"$@" | cat' })
    expect(noiseIn(stdout)).toEqual(['by writeSync', 'by child', 'after the server'])
  })

  it('a reader that disconnects ends the server, without an exception', async () => {
    const { stderr, code } = await run({ shell: '{ "$@" 2>&3; echo "code $?" >&2; } 3>&2 | true' })
    expect(stderr).toContain('code 0')
    expect(stderr).not.toContain('Unhandled')
    expect(code).toBe(0)
  })
})

describe('a file as stdout', () => {
  it('F036 with >> keeps all of them out, and what was there before stays', async () => {
    await using folder = await createFolder()
    const path = await folder.write('stdout', 'before\n')
    const { stderr } = await run({ shell: `"$@" >> '${path}'` })
    const lines = linesOf(await readFile(path, 'utf8'))
    expect(lines.pop()).toBe('after the server')
    expect(lines.shift()).toBe('before')
    expect(idsOf(lines)).toEqual(ALL_IDS)
    expect(stderr).toContain('by console.log\n')
  })

  it.each(['>', '>>'])('with %s, whoever writes next goes on where the server ended', async (redirection) => {
    await using folder = await createFolder()
    const path = await folder.write('stdout', '')
    const { stderr } = await run({ shell: `{ echo BEGIN; "$@"; echo AFTER; } ${redirection} '${path}'` })
    const lines = linesOf(await readFile(path, 'utf8'))
    expect(lines.shift()).toBe('BEGIN')
    expect(lines.splice(-2)).toEqual(['after the server', 'AFTER'])
    expect(idsOf(lines.filter((line) => line.startsWith('{')))).toEqual(ALL_IDS)
    expect(stderr).toContain('by console.log\n')
    expect(stderr).toContain('by process.stdout\n')
  })

  it("with > and run({ isolate: 'respawn' }) keeps all of them out", async () => {
    await using folder = await createFolder()
    const path = await folder.write('stdout', '')
    await run({ args: ['respawn'], shell: `{ echo BEGIN; "$@"; echo AFTER; } > '${path}'` })
    const lines = linesOf(await readFile(path, 'utf8'))
    expect(lines.shift()).toBe('BEGIN')
    expect(lines.pop()).toBe('AFTER')
    expect(idsOf(lines)).toEqual(ALL_IDS)
  })
})

describe('a socket as stdout, as Node parents give it', () => {
  it('F036 run() keeps out console.log and process.stdout; writeSync(1) and children get through', async () => {
    const { stdout } = await run({})
    expect(noiseIn(stdout)).toEqual(['by writeSync', 'by child', 'after the server'])
    expect(idsOf(linesOf(stdout).filter((line) => line.startsWith('{')))).toEqual(ALL_IDS)
  })

  it("F036 run({ isolate: 'respawn' }) keeps out all of them", async () => {
    const { stdout, stderr, code } = await run({ args: ['respawn'] })
    expect(idsOf(linesOf(stdout))).toEqual(ALL_IDS)
    for (const way of WAYS) expect(stderr).toContain(`by ${way}\n`)
    // In both processes; what comes after `run()` in the second alone.
    expect(stderr.match(/the program begins/g)).toHaveLength(2)
    expect(stderr.match(/after the server/g)).toHaveLength(1)
    expect(code).toBe(0)
  })

  it("run({ isolate: 'respawn' }) starts the program as it was started, and ends as it ends", async () => {
    const input = call(1, 'about')
    const nodeArgs = ['--no-warnings', '--stack-size=900']
    const { stdout } = await run({ args: ['respawn', '--flag', 'a b'], nodeArgs, input })
    const [answer = ''] = linesOf(stdout)
    const { structuredContent } = JSON.parse(answer).result
    expect(structuredContent).toMatchObject({ rest: ['--flag', 'a b'], execArgv: nodeArgs })
    expect(structuredContent.variables).not.toContain('MCPWIRE_STDIO_PIPE')
    expect(await run({ args: ['respawn'], input: call(1, 'exit') })).toMatchObject({ code: 7 })
  })

  it("run({ isolate: 'respawn' }) leaves nothing behind when it is told to end", async () => {
    const child = spawn(process.execPath, [noisy, 'respawn'], { stdio: ['pipe', 'pipe', 'ignore'] })
    child.stdin.write(call(1, 'about'))
    let stdout = ''
    while (!stdout.includes('\n')) stdout += String((await once(child.stdout, 'data'))[0])
    const { pid, ppid } = JSON.parse(stdout).result.structuredContent
    expect(ppid).toBe(child.pid)
    child.kill('SIGTERM')
    await once(child, 'close')
    await expectGone(pid)
  })

  it('a program whose pipe went to its parent does not respawn for ever', async () => {
    const { stderr, code } = await run({
      args: ['respawn'],
      shell: 'MCPWIRE_STDIO_PIPE="3 1" exec "$@"',
    })
    expect(stderr).toContain('a pipe was made for its parent')
    expect(stderr.match(/the program begins/g)).toHaveLength(1)
    expect(code).toBe(1)
  })
})

describe('isolate', () => {
  it('is one of three values', async () => {
    const server = new MCPServer('x')
    await expect(serveStdio(server, { isolate: 'always' as 'auto' })).rejects.toThrow(
      `isolate is "always". Use 'auto', 'respawn' or 'guard'.`,
    )
    await expect(server.run({ isolate: 'always' as 'auto' })).rejects.toThrow(RangeError)
  })

  it('respawn is not for streams of your own', async () => {
    const input = new PassThrough()
    await expect(serveStdio(new MCPServer('x'), { input, isolate: 'respawn' })).rejects.toThrow(TypeError)
  })
})
