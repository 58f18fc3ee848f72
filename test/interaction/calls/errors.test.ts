// What each side reads when something goes wrong on the other.
import { expect, vi } from 'vitest'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import {
  MCPError,
  MissingClientCapabilityError,
  UrlElicitationRequiredError,
} from '../../../src/types/errors/errors.ts'
import { requirement } from '../kit/requirement.ts'
import { answersOf, codeOf, connectScripted, DONE, FaultLog, RawClient, serverWith } from '../kit/support-lifecycle.ts'

/** What a call of the only tool rejects with. */
async function failure(call: Promise<unknown>): Promise<MCPError> {
  const error = await call.catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(MCPError)
  return error as MCPError
}

requirement('errors:server:mcp-error-is-the-answer', async ({ connect }) => {
  const server = serverWith(() => {
    throw new MCPError(1234, 'no such luck', { why: ['x'] })
  })
  await using client = await connect(server)
  const error = await failure(client.callTool('run'))
  expect(error.toErrorData()).toEqual({ code: 1234, message: 'no such luck', data: { why: ['x'] } })
  expect(error.local).toBe(false)
})

requirement('errors:server:data-only-where-given', async ({ connect, wire }) => {
  const server = serverWith(() => {
    throw new MCPError(1234, 'plain')
  })
  await using client = await connect(server)
  await failure(client.callTool('run'))
  expect(answersOf(wire).at(-1)!['error']).toEqual({ code: 1234, message: 'plain' })
})

requirement('fault:F070:exception-is-hidden', async ({ connect }) => {
  const log = new FaultLog()
  const thrown = new Error('password=hunter2')
  const server = serverWith(
    async () => {
      await Promise.resolve()
      throw thrown
    },
    { onFault: log.onFault },
  )
  await using client = await connect(server)

  const error = await failure(client.callTool('run'))

  expect(error.toErrorData()).toEqual({ code: -32603, message: 'Internal error' })
  expect(error.cause).toBeUndefined()
  expect(log.faults).toMatchObject([{ kind: 'handler-failed', method: 'tools/call', error: thrown }])
})

requirement('fault:F071:anything-can-be-thrown', async ({ connect }) => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  const throwing = new Error()
  Object.defineProperty(throwing, 'message', {
    get: () => {
      throw new Error('hunter2')
    },
  })
  const oddities = [
    undefined,
    null,
    'hunter2',
    7,
    Object.create(null),
    Object.freeze(new Error('hunter2')),
    throwing,
    proxy,
  ]
  const server = serverWith(() => DONE)
  server.setRequestHandler('vendor/throw', (_ctx, { index }) => {
    throw oddities[index as number]
  })
  await using client = await connect(server)

  for (const index of oddities.keys()) {
    const error = await failure(client.session.sendRequest('vendor/throw', { index }))
    expect(error.toErrorData()).toEqual({ code: -32603, message: 'Internal error' })
  }
  expect(await client.callTool('run')).toMatchObject(DONE)
})

requirement('fault:F071:thrown-by-a-tool', async ({ connect }) => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  const oddities = [undefined, null, 7, Symbol('odd'), Object.create(null), Object.freeze(new Error('odd')), proxy]
  for (const member of ['name', 'message', 'stack', 'cause']) {
    const get = () => {
      throw new Error('hunter2')
    }
    oddities.push(Object.defineProperty(new Error('odd'), member, { get }))
  }
  for (const exposeErrors of [false, true]) {
    const server = new MCPServer('s', { exposeErrors })
    const input = { type: 'object', properties: { index: { type: 'integer' } }, required: ['index'] } as const
    server.tool('now', { input }, ({ index }) => {
      throw oddities[index as number]
    })
    server.tool('later', { input }, async ({ index }) => {
      throw oddities[index as number]
    })
    await using client = await connect(server)
    for (const index of oddities.keys()) {
      for (const name of ['now', 'later']) {
        const result = await client.callTool(name, { index })
        expect(result.isError, `${name} ${index}`).toBe(true)
        expect(JSON.stringify(result.content)).toContain(`The tool \\"${name}\\" failed`)
        expect(JSON.stringify(result.content)).not.toContain('hunter2')
      }
    }
  }
})

requirement('fault:F072:thrown-before-the-first-await', async ({ connect }) => {
  const server = serverWith(() => {
    throw new TypeError('hunter2')
  })
  await using client = await connect(server)
  const error = await failure(client.callTool('run'))
  expect(error.toErrorData()).toEqual({ code: -32603, message: 'Internal error' })
})

requirement('errors:server:local-errors-stay-here', async ({ connect }) => {
  const log = new FaultLog()
  const server = serverWith(
    () => {
      throw new MCPError(-32001, 'the database timed out', { host: 'db' }, { local: true })
    },
    { onFault: log.onFault },
  )
  await using client = await connect(server)
  const error = await failure(client.callTool('run'))
  expect(error.toErrorData()).toEqual({ code: -32603, message: 'Internal error' })
  expect(log.kinds).toEqual(['handler-failed'])
})

requirement('errors:server:invalid-result', async ({ connect }) => {
  const log = new FaultLog()
  const server = serverWith(() => ({ content: 'hunter2' }) as never, { onFault: log.onFault })
  await using client = await connect(server)
  const error = await failure(client.callTool('run'))
  expect(error.toErrorData()).toEqual({ code: -32603, message: 'Handler returned an invalid result' })
  expect(log.faults[0]!.message).toContain('content')
})

requirement('errors:server:missing-capability', async ({ connect }) => {
  const server = serverWith(() => {
    throw new MissingClientCapabilityError({ sampling: {} })
  })
  await using client = await connect(server)
  const error = await failure(client.callTool('run'))
  expect(error).toBeInstanceOf(MissingClientCapabilityError)
  expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: { sampling: {} } } })
})

requirement('errors:client:peer-codes-are-not-ours', async (setting) => {
  for (const code of [-32000, -32001]) {
    await using scripted = await connectScripted(setting, (server) => {
      server.on('tools/call', { error: { code, message: 'mine' } })
    })
    expect(await failure(scripted.client.callTool('run'))).toMatchObject({ code, message: 'mine', local: false })
  }
})

requirement('errors:client:ours-are-local', async ({ connect }) => {
  vi.useFakeTimers()
  try {
    await using client = await connect(serverWith(() => new Promise(() => {})))
    const late = failure(client.callTool('run', {}, { timeoutMs: 10 }))
    await vi.advanceTimersByTimeAsync(10)
    expect(await late).toMatchObject({ code: -32001, local: true })

    const cut = failure(client.callTool('run'))
    await client.close()
    expect(await cut).toMatchObject({ code: -32000, local: true })
  } finally {
    vi.useRealTimers()
  }
})

requirement('errors:client:typed-by-code', async (setting) => {
  const elicitations = [{ mode: 'url', url: 'https://example.com', message: 'go', elicitationId: '1' }]
  await using scripted = await connectScripted(setting, (server) => {
    server.on('tools/call', { error: { code: -32042, message: 'first visit', data: { elicitations } } })
    server.on('prompts/get', { error: { code: -32042, message: 'odd', data: { elicitations: 7 } } })
  })
  const error = await failure(scripted.client.callTool('run'))
  expect(error).toBeInstanceOf(UrlElicitationRequiredError)
  expect(error).toMatchObject({ elicitations })
  expect(await failure(scripted.client.getPrompt('x'))).not.toBeInstanceOf(UrlElicitationRequiredError)
})

requirement('errors:callback:mcp-error-is-the-answer', async ({ connect }) => {
  const log = new FaultLog()
  let seen: unknown
  const server = serverWith(async ({ session }) => {
    seen = await session.listRoots().catch((error: unknown) => error)
    return DONE
  })
  await using client = await connect(server, {
    onListRoots: () => {
      throw new MCPError(-1, 'user rejected', { by: 'hand' })
    },
    onFault: log.onFault,
  })
  await client.callTool('run')
  expect(seen).toMatchObject({ code: -1, message: 'user rejected', data: { by: 'hand' }, local: false })
  expect(log.faults).toEqual([])
})

requirement('fault:F070:callback-exception-is-hidden', async ({ connect }) => {
  let seen: unknown
  const log = new FaultLog()
  const server = serverWith(async ({ session }) => {
    seen = await session.listRoots().catch((error: unknown) => error)
    return DONE
  })
  await using client = await connect(server, {
    onFault: log.onFault,
    onListRoots: () => {
      throw new Error('hunter2')
    },
  })
  await client.callTool('run')
  expect((seen as MCPError).toErrorData()).toEqual({ code: -32603, message: 'Internal error' })
  expect(log.kinds).toEqual(['callback-failed'])
})

requirement('fault:F093:question-nobody-declared', async (setting) => {
  await using scripted = await connectScripted(setting)
  for (const [method, params] of [
    ['roots/list', {}],
    ['sampling/createMessage', { messages: [], maxTokens: 1 }],
    ['vendor/ask', {}],
  ] as const) {
    expect(codeOf(await scripted.server.request(method, params)), method).toBe(-32601)
  }
})

requirement('fault:F087:fault-listener-throws', async ({ connect }) => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {})
  try {
    const server = serverWith(
      () => {
        throw new Error('hunter2')
      },
      {
        onFault: () => {
          throw new Error('the listener is broken too')
        },
      },
    )
    await using client = await connect(server)
    await failure(client.callTool('run'))
    await failure(client.callTool('run'))
    expect(said).toHaveBeenCalledTimes(1)
  } finally {
    said.mockRestore()
  }
})

requirement('errors:server:odd-codes-of-a-client', async (setting) => {
  let seen: unknown
  const server = serverWith(async ({ session }) => {
    seen = await session.sendRequest('vendor/ask').catch((error: unknown) => error)
    return DONE
  })
  await using raw = await RawClient.connect(server, setting)
  const question = await raw.ask('tools/call', { name: 'run' }, 'call')
  raw.send({ id: question['id'], error: { code: 1.5, message: 'half' } })
  expect(await raw.next()).toHaveProperty('result')
  expect(String(seen)).toContain('malformed error')
})
