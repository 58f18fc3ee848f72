// A client and a server in one process, in every mode.
import { expect, vi } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { LATEST_LEGACY_VERSION, LATEST_MODERN_VERSION, LEGACY_VERSIONS } from '../../../src/types/protocol/versions.ts'
import { requirement } from '../kit/requirement.ts'
import { DONE, FaultLog, serverWith, text } from '../kit/support-lifecycle.ts'

requirement('inprocess:modern:calls-without-json', async () => {
  const args = { n: 1, none: undefined, list: [1, undefined] }
  let received: unknown
  const server = serverWith((_ctx, params) => {
    received = params.arguments
    return { content: [], structuredContent: { none: undefined, deep: { a: null } } }
  })
  await using client = await Client.connect(server)
  // Shapes are made when they are first needed, and name things in JSON.
  await client.callTool('run', args as never)
  const [write, read] = [vi.spyOn(JSON, 'stringify'), vi.spyOn(JSON, 'parse')]
  const { structuredContent } = await client.callTool('run', args as never).finally(() => vi.restoreAllMocks())
  expect(write).not.toHaveBeenCalled()
  expect(read).not.toHaveBeenCalled()
  expect(received).toStrictEqual({ n: 1, list: [1, null] })
  expect(structuredContent).toStrictEqual({ deep: { a: null } })
  expect(client.protocolVersion).toBe(LATEST_MODERN_VERSION)
})

requirement('inprocess:own-objects', async ({ connect }) => {
  const config = { a: 1, deep: { b: 2 } }
  const details = { reasons: ['server'] }
  const server = serverWith((_ctx, params) => {
    const { list } = params.arguments as { list: string[] }
    list.push('server')
    if (list.length > 2) throw new MCPError(1234, 'too many', details)
    return { content: [], structuredContent: config }
  })
  await using client = await connect(server)

  const args = { list: ['client'] }
  const { structuredContent } = await client.callTool('run', args)
  expect(args).toEqual({ list: ['client'] })
  Object.assign(structuredContent as typeof config, { a: 9 }).deep.b = 9
  expect(config).toEqual({ a: 1, deep: { b: 2 } })
  const refusal = await client.callTool('run', { list: ['a', 'b'] }).catch((error: MCPError) => error.data)
  ;(refusal as typeof details).reasons.push('client')
  expect(details).toEqual({ reasons: ['server'] })
})

requirement('inprocess:modern:no-json-form', async () => {
  const loop: { self?: unknown } = {}
  loop.self = loop
  const there = new FaultLog()
  const handler = vi.fn(() => ({ content: [], structuredContent: loop }))
  await using client = await Client.connect(serverWith(handler, { onFault: there.onFault }))

  for (const args of [{ n: 1n }, loop]) await expect(client.callTool('run', args as never)).rejects.toThrow(/JSON/)
  expect(handler).not.toHaveBeenCalled()
  await expect(client.callTool('run')).rejects.toMatchObject({ code: -32603 })
  expect(there.kinds).toEqual(['write-failed'])
})

requirement('inprocess:legacy:speaks-json', async () => {
  const args = { n: 1, when: new Date(0) } as never
  let received: unknown
  const server = serverWith((_ctx, params) => {
    received = params.arguments
    return DONE
  })
  await using client = await Client.connect(server, { mode: 'legacy' })
  await client.callTool('run', args)
  expect(received).toEqual({ n: 1, when: '1970-01-01T00:00:00.000Z' })
  expect(client.protocolVersion).toBe(LATEST_LEGACY_VERSION)
})

requirement('inprocess:every-mode', async () => {
  const server = serverWith(({ dispatch, protocolVersion }) => text(`${dispatch.transport.kind} ${protocolVersion}`))
  const answers: unknown[] = []
  for (const mode of ['auto', 'legacy', LATEST_MODERN_VERSION] as const) {
    await using client = await Client.connect(server, { mode })
    answers.push((await client.callTool('run')).content)
  }
  expect(answers).toEqual([
    text('in-process 2026-07-28').content,
    text('memory 2025-11-25').content,
    text('in-process 2026-07-28').content,
  ])
})

requirement('inprocess:raise:cause-reaches-the-caller', async ({ connect }) => {
  const thrown = new Error('where it went wrong')
  const server = serverWith(async () => {
    await Promise.resolve()
    throw thrown
  })
  await using client = await connect(server, { raiseExceptions: true })
  const error = await client.callTool('run').catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(MCPError)
  expect(error).toMatchObject({ code: -32603, message: 'Internal error', cause: thrown })
})

requirement('inprocess:raise:legacy-era-too', async () => {
  const thrown = new Error('where it went wrong')
  const server = serverWith(() => {
    throw thrown
  })
  await using client = await Client.connect(server, { mode: 'legacy', raiseExceptions: true })
  await expect(client.callTool('run')).rejects.toMatchObject({ code: -32603, cause: thrown })
})

requirement('inprocess:handshake-only-server', async () => {
  const server = serverWith(({ protocolVersion }) => text(protocolVersion), { supportedVersions: LEGACY_VERSIONS })
  await using client = await Client.connect(server)
  expect(await client.callTool('run')).toEqual(text(LATEST_LEGACY_VERSION))
})

requirement('inprocess:raise:only-when-asked', async ({ connect }) => {
  const server = serverWith(() => {
    throw new Error('hunter2')
  })
  await using client = await connect(server)
  const error = (await client.callTool('run').catch((reason: unknown) => reason)) as MCPError
  expect(error.cause).toBeUndefined()
})

requirement('inprocess:raise:answers-stay-answers', async ({ connect }) => {
  const server = serverWith(() => {
    throw new MCPError(1234, 'meant for you')
  })
  await using client = await connect(server, { raiseExceptions: true })
  await expect(client.callTool('run')).rejects.toMatchObject({ code: 1234, message: 'meant for you', local: false })
})

requirement('inprocess:faults:each-to-its-side', async ({ connect }) => {
  const there = new FaultLog()
  const here = new FaultLog()
  const server = serverWith(
    async (ctx) => {
      await ctx.reportProgress(1)
      throw new Error('there')
    },
    { onFault: there.onFault },
  )
  await using client = await connect(server, { onFault: here.onFault })
  const onProgress = () => {
    throw new Error('here')
  }
  await client.callTool('run', {}, { onProgress }).catch(() => {})
  expect(here.kinds).toEqual(['callback-failed'])
  expect(there.kinds).toEqual(['handler-failed'])
})

requirement('inprocess:legacy:faults-each-to-its-side', async () => {
  const here = new FaultLog()
  const server = serverWith(async (ctx) => {
    await ctx.reportProgress(1)
    return DONE
  })
  await using client = await Client.connect(server, { mode: 'legacy', onFault: here.onFault })
  const onProgress = () => {
    throw new Error('here')
  }
  expect(await client.callTool('run', {}, { onProgress })).toEqual(DONE)
  expect(here.kinds).toEqual(['callback-failed'])
})
