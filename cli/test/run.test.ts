// mcpwire run: one program, however it was written, on whichever transport was asked for.
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Client } from 'mcpwire'
import { stdio } from 'mcpwire/node'
import { describe, expect, it, vi } from 'vitest'
import { MAIN, mcpwire, program, startCommand } from '../../test/support/command-line.ts'
import { freePort } from '../../test/support/free-port.ts'

function connect(args: string[], stderr: (line: string) => void = () => {}) {
  return Client.connect(stdio({ command: process.execPath, args: [MAIN, 'run', ...args], stderr }))
}

async function hello(client: Client): Promise<unknown> {
  return ((await client.callTool('hello')).content as { text?: string }[])[0]?.text
}

/** The address that it says it listens on. */
async function listening(child: ReturnType<typeof startCommand>): Promise<string> {
  for await (const line of createInterface(child.stderr)) {
    const [, url] = /^Listening on (.+)$/.exec(line) ?? []
    if (url !== undefined) return url
  }
  throw new Error('It ended without listening')
}

describe('mcpwire run over stdio', () => {
  it('F036 serves a server that is exported; what its program prints goes to stderr', async () => {
    const lines: string[] = []
    await using client = await connect([program('exported.js')], (line) => lines.push(line))
    expect((await client.callTool('add', { a: 1, b: 2 })).structuredContent).toEqual({ result: 3 })
    expect(lines).toContain('printed while loading')
  })

  it.each([
    ['that the program runs itself, though it wanted HTTP', 'runs-itself.js', 'hello'],
    ['that the program runs later', 'runs-later.js', 'hello'],
    ['that was named', 'two.js:second', 'hello from the second'],
    ['that another program cleans up after', 'cleans-up.js', 'hello'],
    ['that does not ask how to run', 'foreign.js', 'hello'],
    ['of CommonJS that a compiler wrote', 'compiled.cjs', 'hello'],
    ['a low-level Server, under whatever name', 'low-level.js', 'hello from below'],
  ])('serves a server %s', async (_what, file, answer) => {
    await using client = await connect([program(file)])
    expect(await hello(client)).toBe(answer)
  })

  it('ends in good order with a server that does not ask how to run', async () => {
    expect(await mcpwire(['run', program('foreign.js')])).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it('goes on at once in a program that was written for HTTP', async () => {
    const lines: string[] = []
    await using client = await connect([program('listens.js')], (line) => lines.push(line))
    expect(await hello(client)).toBe('hello')
    await vi.waitFor(() => expect(lines).toContain('at stdio:'))
  })

  it('says why nothing answers where the program has an HTTP server of its own', async () => {
    const file = program('own-http.js')
    const child = startCommand(['run', file])
    for await (const line of createInterface(child.stderr)) {
      expect(line).toBe(
        `mcpwire: ${file} runs no server yet. If it listens on a port by itself, start it with node, and give its URL.`,
      )
      break
    }
    child.kill('SIGKILL')
    await once(child, 'exit')
  })

  it('ends when its input does, and with it the server', async () => {
    const { code, stdout } = await mcpwire(['run', program('exported.js')])
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  })
})

describe('mcpwire run over HTTP', () => {
  it.each(['exported.js', 'runs-later.js', 'two.js:second', 'low-level.js'])('serves %s', async (file) => {
    const child = startCommand(['run', program(file), '-t', 'http', '--port', '0'])
    const url = await listening(child)
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/)
    {
      await using client = await Client.connect(url)
      expect((await client.listTools()).tools.length).toBeGreaterThan(0)
    }
    child.kill('SIGTERM')
    await once(child, 'exit')
  })

  it('goes on in the program when it would have: after the server where that was written for stdio', async () => {
    const child = startCommand(['run', program('cleans-up.js'), '-t', 'http', '--port', '0'])
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    const url = await vi.waitFor(() => {
      const [, found] = /Listening on (.+)\n/.exec(said) ?? []
      return found ?? Promise.reject(new Error('not yet'))
    })
    {
      await using client = await Client.connect(url)
      expect(await hello(client)).toBe('hello')
    }
    expect(said).not.toContain('cleaned up')
    child.kill('SIGTERM')
    await once(child, 'close')
  })

  it('ends all servers of a program where one cannot run', async () => {
    const { code, stderr } = await mcpwire([
      'run',
      program('two-run.js'),
      '-t',
      'http',
      '--port',
      String(await freePort()),
    ])
    expect(code).toBe(3)
    expect(stderr).toMatch(/port/i)
  })

  it('lets the command line decide, and the program fill in what it left open', async () => {
    const child = startCommand(['run', program('runs-itself.js'), '-t', 'http', '--host', 'localhost'])
    const url = await listening(child)
    expect(url).toMatch(/^http:\/\/localhost:\d+\/own$/)
    {
      await using client = await Client.connect(url)
      expect(await hello(client)).toBe('hello')
    }
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
})

describe('mcpwire run explains', () => {
  it.each([
    [['never.js'], 3, 'neither runs nor exports a server'],
    [['throws-oddly.js'], 3, 'The program threw a value that is not an Error'],
    [['none.js'], 3, 'neither runs nor exports a server'],
    [['two.js'], 3, 'exports several servers: first, second'],
    [['two.js:third'], 3, "exports no server named 'third': it exports first, second."],
    [['missing.js'], 3, 'does not exist.'],
    [['exported.js', '--port', '1'], 2, '--port needs --http.'],
    [['exported.js', '-t', 'carrier-pigeon'], 2, 'Allowed choices are stdio, http'],
    [['none.js', '-t', 'http'], 3, 'neither runs nor exports a server'],
    [['exported.js', '-t', 'http', '--port', '99999'], 2, 'Use a whole number from 0 to 65535'],
  ])('%j', async ([file = '', ...rest], code, message) => {
    const result = await mcpwire(['run', program(file), ...rest])
    expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) })
    expect(result.stderr).not.toMatch(/^\s+at /m)
  })

  it('where a program of its user broke', async () => {
    const { code, stderr } = await mcpwire(['run', program('broken.js')])
    expect(code).toBe(3)
    expect(stderr).toMatch(/^mcpwire: \S+broken\.js:\d+: Error: broken while loading\n/)
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  it('where a program of its user broke, with the stack for --debug', async () => {
    const { code, stderr } = await mcpwire(['run', program('broken.js'), '--debug'])
    expect(code).toBe(3)
    expect(stderr).toMatch(/^\s+at .*broken\.js/m)
    expect(stderr).not.toContain('node:internal')
  })

  it('what is no program', async () => {
    const { code, stderr } = await mcpwire(['run', 'README.md'])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'mcpwire: README.md is not a JavaScript or TypeScript file.\nName a file, as in: mcpwire run server.ts\n',
    })
  })
})

describe('a file that cannot be loaded', () => {
  const commands = [
    ['run', []],
    ['list', []],
    ['call', ['add']],
  ] as const

  it.each(commands)('%s %j prints the diagnosis once and last', async (command, rest) => {
    const cases = [
      ['none.js', 'neither runs nor exports a server', 'Export one, as in:'],
      ['two.js', 'exports several servers', 'Choose one, as in '],
    ] as const
    for (const [file, diagnosis, hint] of cases) {
      const { code, stdout, stderr } = await mcpwire([command, program(file), ...rest])
      expect({ code: code !== 0, stdout }).toEqual({ code: true, stdout: '' })
      expect(stderr.split(diagnosis)).toHaveLength(2)
      const lines = stderr.trimEnd().split('\n')
      expect(lines.at(-2)).toContain(diagnosis)
      expect(lines.at(-1)).toContain(hint)
    }
  })

  it('shows what the program itself wrote before that', async () => {
    const { stderr } = await mcpwire(['list', program('prints-and-breaks.js')])
    expect(stderr.trimEnd().split('\n').slice(0, 3)).toEqual([
      '[stderr] printed while loading',
      '[stderr] mcpwire: not our words',
      `mcpwire: ${program('prints-and-breaks.js')}:4: Error: broken after printing`,
    ])
  })

  it("says nothing of Node's own loader", async () => {
    const { stderr } = await mcpwire(['run', program('imports-nothing.js')])
    expect(stderr).toContain("Cannot find package 'no-such-package'")
    expect(stderr).not.toContain('node:internal')
  })
})
