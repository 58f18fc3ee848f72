// Starting a server: what it gets to know, and what its user learns when it does not start.
import { tmpdir } from 'node:os'
import { inspect } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import { stdio } from '../../../../src/node/stdio/stdio-client.ts'
import { ConnectError, TransportError } from '../../../../src/types/errors/failures.ts'
import { CHILD, childTransport, expectNothingLeft, talkOver, talkTo } from './stdio-client-support.ts'

expectNothingLeft()
afterEach(() => vi.unstubAllEnvs())

async function failureOf(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => expect.unreachable('it should have failed'),
    (error: Error) => error,
  )
}

describe('a program that cannot be started', () => {
  it('F001 a command that does not exist', async () => {
    const error = await failureOf(stdio({ command: '/no/such/program' }).open())
    expect(error).toBeInstanceOf(TransportError)
    expect(error.message).toMatch(/Cannot start '\/no\/such\/program' \(ENOENT\): not found/)
    expect(error.cause).toMatchObject({ code: 'ENOENT' })
    expect((error as TransportError).exitCode).toBeUndefined()
  })

  it('F001 a file that is not executable', async () => {
    const error = await failureOf(stdio({ command: CHILD }).open())
    expect(error).toBeInstanceOf(TransportError)
    expect(error.message).toMatch(/\(EACCES\): not executable/)
  })

  it('F001 a working directory that does not exist is not blamed on the command', async () => {
    const error = await failureOf(stdio({ command: process.execPath, cwd: '/no/such/directory' }).open())
    expect(error.message).toMatch(/cwd is not a directory/)
  })

  it('F001 Client.connect rejects with the reason and starts nothing a second time', async () => {
    const transport = stdio({ command: '/no/such/program' })
    const open = vi.spyOn(transport, 'open')
    expect(await failureOf(Client.connect(transport))).toBeInstanceOf(TransportError)
    expect(open).toHaveBeenCalledTimes(1)
  })

  it('arguments and environment that are too long are an error of the same kind', async () => {
    const error = await failureOf(stdio({ command: process.execPath, args: ['x'.repeat(4_000_000)] }).open())
    expect(error).toBeInstanceOf(TransportError)
    expect(error.message).toMatch(/E2BIG.*too long/)
  })

  it('R33 the error holds no argument and no variable', async () => {
    const secrets = { args: ['--key=canary-argument'], env: { TOKEN: 'canary-value' } }
    const error = await failureOf(stdio({ command: '/no/such/program', ...secrets }).open())
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('canary')
  })

  it('an aborted signal starts nothing', async () => {
    const reason = new Error('changed my mind')
    expect(await failureOf(childTransport('echo').open({ signal: AbortSignal.abort(reason) }))).toBe(reason)
  })

  it('F026 an abort while it opens ends the process again', async () => {
    const controller = new AbortController()
    const opening = childTransport('echo').open({ signal: controller.signal })
    controller.abort(new Error('changed my mind'))
    expect((await failureOf(opening)).message).toBe('changed my mind')
  })
})

describe('a server that does not answer', () => {
  it('F002 exits with code 0: the error of connect() has the code and the last lines of stderr, without control characters', async () => {
    const error = await failureOf(Client.connect(childTransport('exit', ['0'])))
    expect(error).toBeInstanceOf(ConnectError)
    expect(error).toMatchObject({ exitCode: 0, stderr: ['last words of a server'] })
    expect(error.message).toMatch(/exited with code 0 before it sent a message/)
    expect(error.message).toContain('last words of a server')
  })

  it('F002 exits with another code', async () => {
    const error = await failureOf(Client.connect(childTransport('exit', ['7'])))
    expect(error).toMatchObject({ exitCode: 7, signal: undefined })
  })

  it('a program that is not an MCP server is recognised by its output', async () => {
    const transport = stdio({ command: process.execPath, args: ['--version'], stderr: 'ignore' })
    const error = await failureOf(Client.connect(transport))
    expect(error.message).toMatch(/It wrote lines that are not JSON/)
  })

  it('is not started again when it exits without a response to the probe', async () => {
    const transport = childTransport('exit-on-request')
    const open = vi.spyOn(transport, 'open')
    const error = await failureOf(Client.connect(transport))
    expect(open).toHaveBeenCalledTimes(1)
    expect(error).toMatchObject({ exitCode: 3 })
  })
})

describe('what a server gets to know', () => {
  it('C-STDIO-10 R33 F024 only the allow-list and what was passed', async () => {
    vi.stubEnv('MCPWIRE_TEST_SECRET', 'canary')
    vi.stubEnv('SHELL', '() { :; }; echo canary')
    vi.stubEnv('USER', 'somebody')
    await using talk = await talkTo('echo', [], { env: { TOKEN: 'given', HOME: '/elsewhere', USER: undefined } })
    const { env } = (await talk.call('environment')) as { env: Record<string, string> }
    expect(JSON.stringify(env)).not.toContain('canary')
    expect(env).toMatchObject({ TOKEN: 'given', HOME: '/elsewhere', PATH: process.env['PATH'] })
    const allowed = ['HOME', 'LOGNAME', 'PATH', 'TERM', 'TOKEN']
    // macOS adds a variable of its own to every process.
    const names = Object.keys(env).filter((name) => !name.startsWith('__CF'))
    expect(names.filter((name) => !allowed.includes(name))).toEqual([])
  })

  it('F025 arguments arrive as they are, without any meaning to a shell', async () => {
    const args = ['two words', '$HOME', '`id`', '"quoted\'', 'a&b|c;d', '%PATH%', 'new\nline', '*', '']
    await using talk = await talkTo('echo', args)
    expect(await talk.call('environment')).toMatchObject({ args })
  })

  it('the working directory', async () => {
    await using talk = await talkTo('echo', [], { cwd: tmpdir() })
    expect(await talk.call('environment')).toMatchObject({ cwd: tmpdir() })
  })

  it('the environment as it is when the server is started', async () => {
    const transport = childTransport('echo')
    vi.stubEnv('TERM', 'changed')
    await using talk = talkOver(await transport.open())
    expect(await talk.call('environment')).toMatchObject({ env: { TERM: 'changed' } })
  })
})

describe('wrong options are errors at once', () => {
  const command = process.execPath
  it.each([
    ['no command', { command: '' }, TypeError],
    ['NUL in an argument', { command, args: ['a\0b'] }, TypeError],
    ['an argument that is no string', { command, args: [1 as unknown as string] }, TypeError],
    ['a cwd that is no string', { command, cwd: 1 as unknown as string }, TypeError],
    ['a variable without a name', { command, env: { '': 'x' } }, TypeError],
    ['a variable with = in its name', { command, env: { 'A=B': 'x' } }, TypeError],
    ['an unknown way for stderr', { command, stderr: 'pipe' as 'ignore' }, TypeError],
    ['an unknown encodingErrors', { command, encodingErrors: 'lax' as 'strict' }, TypeError],
    ['a line of no bytes', { command, maxLineBytes: 0 }, RangeError],
    ['a negative time', { command, shutdown: { graceMs: -1 } }, RangeError],
    ['a time that is none', { command, shutdown: { killMs: Number.NaN } }, RangeError],
  ])('%s', (_what, options, kind) => {
    expect(() => stdio(options)).toThrow(kind)
  })

  it('and do not repeat the value of a variable', () => {
    const refuse = () => stdio({ command, env: { TOKEN: 'canary\0' } })
    expect(refuse).toThrow(/'TOKEN'/)
    expect(refuse).not.toThrow(/canary/)
  })
})
