// Tools that throw: who learns what of it, and whose error it is when the tool calls another server.
import { Client, MCPError, MCPServer, ToolError, UrlElicitationRequiredError } from 'mcpwire'
import { memoryTransport } from 'mcpwire/testing'
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import type { Fault } from '../../../../src/dispatcher/fault.ts'
import { connect, recordWire } from '../../../../src/testing/connect.ts'
import { receivedError } from '../../../../src/types/errors/errors.ts'

const MODES = ['auto', 'legacy'] as const

let written: MockInstance<typeof console.error>
beforeEach(() => {
  written = vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  written.mockRestore()
})

const linesOf = () => written.mock.calls.map(([text]) => String(text))
const caught = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error as Error,
  )

/** All at once: a call that fails before anyone looks at it would be an unhandled rejection. */
const allCaught = (calls: Promise<unknown>[]) => Promise.all(calls.map(caught))

/** One handler that throws, behind everything that a client can ask for. */
function serverThat(fail: () => unknown, faults?: Fault[]): MCPServer {
  const options = faults === undefined ? {} : { onFault: (fault: Fault) => faults.push(fault) }
  const server = new MCPServer('failing', options)
  server.tool('boom', {}, async () => fail() as never)
  server.resource('boom://it', async () => fail() as never)
  server.prompt('boom', {}, async () => fail() as never)
  server.prompt('picky', { input: { type: 'object', properties: { city: { type: 'string' } } } }, () => 'x')
  server.completion({ type: 'ref/prompt', name: 'picky' }, 'city', async () => fail() as never)
  return server
}

const askEverything = (client: Pick<Client, 'readResource' | 'getPrompt' | 'complete'>) => [
  client.readResource('boom://it'),
  client.getPrompt('boom'),
  client.complete({ type: 'ref/prompt', name: 'picky' }, { name: 'city', value: '' }),
]

describe.each(MODES)('a tool that throws is visible in process, %s', (mode) => {
  const thrown = new Error('no such table: users')
  const server = () =>
    serverThat(() => {
      throw thrown
    })

  it('raiseExceptions gives the exception as cause, as for resources, prompts and completions', async () => {
    await using client = await Client.connect(server(), { mode, raiseExceptions: true })
    for (const error of await allCaught([client.callTool('boom'), ...askEverything(client)])) {
      expect(error).toMatchObject({ code: -32603, message: 'Internal error', cause: thrown })
    }
    expect(linesOf()).toEqual([])
  })

  it('connect of mcpwire/testing gives it too, also while it records the wire', async () => {
    const settings = [{}, { wire: recordWire() }].map((options) => ({ ...options, mode }))
    for (const options of settings) {
      await using client = await connect(server(), options)
      for (const error of await allCaught([client.callTool('boom'), ...askEverything(client)])) {
        expect(error).toMatchObject({ code: -32603, cause: thrown })
      }
    }
    expect(linesOf()).toEqual([])
  })

  it('without raiseExceptions the failure is written to stderr, and the model reads that the tool failed', async () => {
    await using client = await Client.connect(server(), { mode })
    expect(await client.callTool('boom')).toMatchObject({
      isError: true,
      content: [{ text: 'The tool "boom" failed' }],
    })
    expect(linesOf()).toEqual([expect.stringContaining('The tool "boom" failed')])
    expect(linesOf()[0]).toContain('no such table: users')
    for (const error of await allCaught(askEverything(client))) {
      expect(error).toMatchObject({ code: -32603, message: 'Internal error' })
    }
    expect(linesOf()).toHaveLength(4)
  })

  it('onFault gets it, raised or not', async () => {
    for (const raiseExceptions of [true, false]) {
      const faults: Fault[] = []
      const heard = serverThat(() => {
        throw thrown
      }, faults)
      await using client = await Client.connect(heard, { mode, raiseExceptions })
      await Promise.allSettled([client.callTool('boom'), ...askEverything(client)])
      expect(faults.map(({ kind, error }) => [kind, error])).toEqual(Array(4).fill(['handler-failed', thrown]))
    }
    expect(linesOf()).toEqual([])
  })

  it('a ToolError and an MCPError of the author are unchanged', async () => {
    for (const error of [new ToolError('No such city'), new MCPError(1234, 'meant for you')]) {
      const meant = serverThat(() => {
        throw error
      })
      await using client = await Client.connect(meant, { mode, raiseExceptions: true })
      const outcome = await client.callTool('boom').catch((reason: unknown) => reason)
      expect(outcome).toMatchObject(
        error instanceof ToolError
          ? { isError: true, content: [{ text: 'No such city' }] }
          : { code: 1234, message: 'meant for you' },
      )
    }
  })
})

describe('a call without a client', () => {
  it('writes why the tool failed', async () => {
    const server = serverThat(() => {
      throw new Error('no such table: users')
    })
    expect(await server.callTool('boom')).toMatchObject({ isError: true })
    expect(linesOf()[0]).toContain('no such table: users')
  })
})

describe.each(MODES)('the error of a client call inside a handler is a failure of the handler, %s', (mode) => {
  /** The server behind the server, over which the handler calls. */
  async function createInner() {
    const inner = new MCPServer('inner')
    inner.tool('refuses', {}, () => {
      throw new MCPError(-32602, 'Invalid params: the secret of the inner server')
    })
    inner.tool('visit', {}, () => {
      throw new UrlElicitationRequiredError([
        { mode: 'url', url: 'https://inner.example', message: 'Visit', elicitationId: 'e1' },
      ])
    })
    inner.tool('hangs', {}, () => new Promise<never>(() => {}))
    const client = await Client.connect(memoryTransport(inner), { mode: 'legacy' })
    return { inner, client }
  }
  type Inner = Awaited<ReturnType<typeof createInner>>

  const WAYS: Record<string, (inner: Inner) => Promise<unknown>> = {
    "an inner peer's -32602": ({ client }) => client.callTool('refuses'),
    "an inner peer's unknown tool": ({ client }) => client.callTool('nothing'),
    "an inner peer's URL elicitation": ({ client }) => client.callTool('visit'),
    'an inner timeout': ({ client }) => client.callTool('hangs', {}, { timeoutMs: 1 }),
    'a closed inner connection': async ({ client, inner }) => {
      await inner.close()
      return client.callTool('refuses')
    },
    'a verb that the inner revision lacks': ({ client }) => client.session.sendRequest('server/discover', {}),
    'in a promise that is returned': async ({ client }) => client.callTool('refuses').catch((error: unknown) => error),
    'within another error': ({ client }) =>
      client.callTool('refuses').catch((cause: unknown) => {
        throw new Error('The inner server refused', { cause })
      }),
    'from a client of another copy of the package': async () => {
      throw Object.defineProperty(new MCPError(-32602, 'foreign'), Symbol.for('mcpwire.MCPError.received'), {
        value: true,
      })
    },
  }

  it.each(Object.entries(WAYS))('%s', async (_name, way) => {
    const inner = await createInner()
    await using _inner = inner.client
    const faults: Fault[] = []
    const server = serverThat(() => way(inner), faults)
    await using client = await Client.connect(server, { mode })
    expect(await client.callTool('boom')).toMatchObject({
      isError: true,
      content: [{ text: 'The tool "boom" failed' }],
    })
    expect(faults).toMatchObject([{ kind: 'handler-failed', error: expect.any(Error) }])
    if (_name === 'in a promise that is returned') return
    for (const error of await allCaught(askEverything(client))) {
      expect(error).toMatchObject({ code: -32603, message: 'Internal error' })
    }
    expect(faults).toHaveLength(4)
  })

  it('in a middleware too', async () => {
    const inner = await createInner()
    await using _inner = inner.client
    const server = new MCPServer('outer', {
      onFault: () => {},
      middleware: [
        async (ctx, next) => {
          if (ctx.method === 'tools/call') await inner.client.callTool('refuses')
          return next()
        },
      ],
    })
    server.tool('fine', {}, () => 'fine')
    await using client = await Client.connect(server, { mode })
    expect(await caught(client.callTool('fine'))).toMatchObject({ code: -32603, message: 'Internal error' })
  })

  it('is passed on with MCPError.from(error.toErrorData())', async () => {
    const inner = await createInner()
    await using _inner = inner.client
    const faults: Fault[] = []
    const server = serverThat(
      () =>
        inner.client.callTool('refuses').catch((error: MCPError) => {
          throw MCPError.from(error.toErrorData())
        }),
      faults,
    )
    await using client = await Client.connect(server, { mode })
    for (const error of await allCaught([client.callTool('boom'), ...askEverything(client)])) {
      expect(error).toMatchObject({
        code: -32602,
        message: expect.stringContaining('secret of the inner'),
      })
    }
    expect(faults).toEqual([])
  })

  it('the caller of the inner server gets its error unchanged', async () => {
    const { client } = await createInner()
    await using inner = client
    const error = await caught(inner.callTool('refuses'))
    expect(error).toBeInstanceOf(MCPError)
    expect(error).toMatchObject({ code: -32602, local: false })
    expect(Object.keys(error as Error)).toEqual(Object.keys(new MCPError(-32602, 'x')))
  })
})

describe('the remedy', () => {
  const call = async (error: unknown, options: ConstructorParameters<typeof MCPServer>[1] = {}) => {
    const server = new MCPServer('failing', options)
    server.tool('boom', {}, () => {
      throw error
    })
    server.tool('bang', {}, () => {
      throw error
    })
    await using client = await Client.connect(server)
    for (const name of ['boom', 'boom', 'bang', 'boom', 'bang']) await client.callTool(name)
    return linesOf()
  }
  const REMEDY = 'throw new ToolError(message)'

  it('is on stderr once per tool, for an error that the author may have meant for the model', async () => {
    const lines = await call(new Error('No such city'))
    expect(lines.map((line) => line.includes(REMEDY))).toEqual([true, false, true, false, false])
    expect(lines[0]?.split('\n')[1]).toBe(
      '  The model reads only that the tool failed. To show it a message, throw new ToolError(message).',
    )
  })

  it('names the way to pass on the error of another server', async () => {
    const lines = await call(receivedError({ code: -32602, message: 'inner' }))
    expect(lines[0]?.split('\n')[1]).toContain('throw MCPError.from(error.toErrorData())')
    expect(lines[1]).not.toContain('toErrorData')
  })

  it.each([new TypeError('x is not a function'), new ReferenceError('x is not defined'), 'a text'])(
    'is not said of a mistake in the code: %s',
    async (error) => {
      expect((await call(error)).join()).not.toContain(REMEDY)
    },
  )

  it('is not there where the model reads the message anyway', async () => {
    expect((await call(new Error('No such city'), { exposeErrors: true })).join()).not.toContain(REMEDY)
  })

  it('reaches onFault as well', async () => {
    const faults: Fault[] = []
    await call(new Error('No such city'), { onFault: (fault) => faults.push(fault) })
    expect(faults.map(({ remedy }) => remedy !== undefined)).toEqual([true, false, true, false, false])
  })
})
