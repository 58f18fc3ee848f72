// Forms: a server asks the user for a few fields, by a request or within a result.
import { expect, vi } from 'vitest'
import type { ServerSession } from '../../../src/server/session.ts'
import { InvalidResultError } from '../../../src/types/errors/failures.ts'
import type {
  ElicitRequestedSchema,
  ElicitRequestParams,
  ElicitResult,
} from '../../../src/types/features/elicitation.ts'
import type { InputRequest } from '../../../src/types/features/input-required.ts'
import { isVersionAtLeast } from '../../../src/types/protocol/versions.ts'
import { requirement } from '../kit/requirement.ts'
import { connectRawClient, createAsker, NAME_FORM, text, textOf, toolServer } from '../kit/support-interaction.ts'

const SCHEMA: ElicitRequestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }

function formOf(requestedSchema: unknown): InputRequest {
  return { method: 'elicitation/create', params: { message: 'Fill in', requestedSchema } as ElicitRequestParams }
}

/** What the client says to the question, by way of its callback. */
function answering(answer: ElicitResult) {
  return { onElicitation: vi.fn((_params: ElicitRequestParams) => answer) }
}

/** A tool that asks by the session, as legacy connections do. */
function asking(ask: (session: ServerSession) => Promise<unknown>) {
  const failures: unknown[] = []
  const server = toolServer(async ({ session }) => {
    try {
      return text(JSON.stringify(await ask(session)))
    } catch (error) {
      failures.push(error)
      return text('failed')
    }
  })
  return { server, failures }
}

requirement('elicit:form:accept', async ({ connect }) => {
  const { server, answers } = createAsker(NAME_FORM)
  const { onElicitation } = answering({ action: 'accept', content: { name: 'Ada' } })
  await using client = await connect(server, { onElicitation })

  await client.callTool('tool')

  expect(onElicitation.mock.calls[0]?.[0]).toMatchObject({ message: 'Who are you?', requestedSchema: SCHEMA })
  expect(answers).toEqual([{ action: 'accept', content: { name: 'Ada' } }])
})

requirement('elicit:form:decline', async ({ connect }) => {
  const { server, answers } = createAsker(NAME_FORM)
  await using client = await connect(server, answering({ action: 'decline' }))

  await client.callTool('tool')

  expect(answers).toEqual([{ action: 'decline' }])
})

requirement('elicit:form:cancel', async ({ connect }) => {
  const { server, answers } = createAsker(NAME_FORM)
  await using client = await connect(server, answering({ action: 'cancel' }))

  await client.callTool('tool')

  expect(answers).toEqual([{ action: 'cancel' }])
})

requirement('elicit:form:content-only-with-accept', async ({ connect }) => {
  const { server, answers } = createAsker(NAME_FORM)
  await using client = await connect(server, answering({ action: 'decline', content: { name: 'secret' } }))

  await client.callTool('tool')

  expect(answers).toEqual([{ action: 'decline' }])
})

requirement('elicit:form:mode-absent-is-form', async ({ connect }) => {
  const { server, answers } = createAsker(formOf(SCHEMA))
  const { onElicitation } = answering({ action: 'accept', content: { name: 'Ada' } })
  await using client = await connect(server, { onElicitation, elicitationCapabilities: { form: {} } })

  await client.callTool('tool')

  expect(onElicitation).toHaveBeenCalledOnce()
  expect(answers).toHaveLength(1)
})

requirement('elicit:form:defaults-filled-in', async ({ connect }) => {
  const { server, answers } = createAsker(
    formOf({
      type: 'object',
      properties: {
        name: { type: 'string', default: 'nobody' },
        age: { type: 'integer', default: 7 },
        isMember: { type: 'boolean', default: false },
        color: { type: 'string', enum: ['red', 'blue'], default: 'blue' },
        sizes: { type: 'array', items: { type: 'string', enum: ['s', 'm'] }, default: ['m'] },
        note: { type: 'string' },
      },
      required: ['name', 'age'],
    }),
  )
  await using client = await connect(server, answering({ action: 'accept', content: { age: 30 } }))

  await client.callTool('tool')

  const content = { name: 'nobody', age: 30, isMember: false, color: 'blue', sizes: ['m'] }
  expect(answers).toEqual([{ action: 'accept', content }])
})

requirement('elicit:form:prototype-names', async ({ connect }) => {
  const field = { type: 'string', default: 'x' }
  const properties = Object.fromEntries(['__proto__', 'constructor', 'toString'].map((name) => [name, field]))
  const { server, answers } = createAsker(formOf({ type: 'object', properties }))
  await using client = await connect(server, answering({ action: 'accept' }))

  await client.callTool('tool')

  expect(Object.keys(answers[0]?.['content'] as object)).toEqual(['__proto__', 'constructor', 'toString'])
  expect(({} as { constructor: unknown }).constructor).toBe(Object)
})

requirement('elicit:form:several-choices', async ({ connect }) => {
  const sizes = {
    type: 'array',
    items: {
      anyOf: [
        { const: 's', title: 'Small' },
        { const: 'm', title: 'Medium' },
      ],
    },
  }
  const { server, answers } = createAsker(formOf({ type: 'object', properties: { sizes } }))
  await using client = await connect(server, answering({ action: 'accept', content: { sizes: ['m', 's'] } }))

  await client.callTool('tool')

  expect(answers).toEqual([{ action: 'accept', content: { sizes: ['m', 's'] } }])
})

requirement('elicit:form:answer-checked-before-it-leaves', async ({ connect }) => {
  const faults: string[] = []
  for (const content of [{}, { name: 7 }, { name: ['Ada'] }]) {
    const { server, answers } = createAsker(NAME_FORM)
    const options = answering({ action: 'accept', content: content as never })
    await using client = await connect(server, { ...options, onFault: ({ kind }) => faults.push(kind) })

    await expect(client.callTool('tool')).rejects.toMatchObject({ code: -32603 })
    expect(answers).toEqual([])
  }
  expect(faults).toEqual(['callback-failed', 'callback-failed', 'callback-failed'])
})

requirement('elicit:form:answer-checked-on-arrival', async (setting) => {
  const { server, failures } = asking((session) => session.elicitForm('Who?', SCHEMA))
  await using raw = await connectRawClient(setting, server, { elicitation: {} })
  const answers = [
    { action: 'accept', content: { name: 7 } },
    { action: 'accept', content: {} },
    { action: 'accept' },
    { action: 'perhaps' },
    {},
  ]
  for (const [index, result] of answers.entries()) {
    raw.peer.send({ jsonrpc: '2.0', id: index, method: 'tools/call', params: { name: 'tool' } })
    const { id } = await raw.peer.next()
    raw.peer.send({ jsonrpc: '2.0', id, result })
    expect(await raw.peer.next()).toMatchObject({ id: index, result: { content: [{ text: 'failed' }] } })
  }

  expect(failures.map((failure) => failure instanceof InvalidResultError)).toEqual(answers.map(() => true))
})

requirement('elicit:form:content-with-a-no-is-dropped', async (setting) => {
  const { server } = asking((session) => session.elicitForm('Who?', SCHEMA))
  await using raw = await connectRawClient(setting, server, { elicitation: {} })

  raw.peer.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'tool' } })
  const { id } = await raw.peer.next()
  raw.peer.send({ jsonrpc: '2.0', id, result: { action: 'decline', content: { name: 'Ada' } } })

  expect(await raw.peer.next()).toMatchObject({ result: { content: [{ text: '{"action":"decline"}' }] } })
})

requirement('elicit:form:flat-schema-only', async ({ connect }) => {
  const { onElicitation } = answering({ action: 'accept', content: {} })
  const schemas: unknown[] = [
    { type: 'array' },
    { type: 'object', properties: { nested: { type: 'object', properties: {} } } },
    { type: 'object', properties: { list: { type: 'array', items: { type: 'number' } } } },
    { type: 'object', properties: { any: {} } },
    { type: 'object', properties: {}, required: ['missing'] },
  ]
  for (const schema of schemas) {
    const { server, failures } = asking((session) => session.elicitForm('Who?', schema as ElicitRequestedSchema))
    await using client = await connect(server, { onElicitation })
    await client.callTool('tool')
    expect(failures).toEqual([expect.any(TypeError)])
  }
  expect(onElicitation).not.toHaveBeenCalled()
})

requirement('elicit:form:not-declared-not-sent', async ({ connect }) => {
  const { server, failures } = asking((session) => session.elicitForm('Who?', SCHEMA))
  await using silent = await connect(server)
  await silent.callTool('tool')

  expect(failures).toMatchObject([{ code: -32021, local: true }])
})

requirement('elicit:form:mode-not-declared-not-sent', async ({ connect }) => {
  const { server, failures } = asking((session) => session.elicitForm('Who?', SCHEMA))
  const { onElicitation } = answering({ action: 'cancel' })
  await using client = await connect(server, { onElicitation, elicitationCapabilities: { url: {} } })
  await client.callTool('tool')

  expect(failures).toMatchObject([{ code: -32021, local: true }])
  expect(onElicitation).not.toHaveBeenCalled()
})

requirement('elicit:form:alias', async ({ connect }) => {
  const { server } = asking((session) => session.elicit('Who?', SCHEMA))
  await using client = await connect(server, answering({ action: 'accept', content: { name: 'Ada' } }))

  expect(textOf(await client.callTool('tool'))).toBe('{"action":"accept","content":{"name":"Ada"}}')
})

requirement('elicit:capability:declared-with-callback', async ({ connect }) => {
  const declared: unknown[] = []
  const server = toolServer(({ clientCapabilities }) => {
    declared.push(clientCapabilities.elicitation)
    return text('')
  })
  await using able = await connect(server, answering({ action: 'cancel' }))
  await using plain = await connect(server)
  await using formsOnly = await connect(server, {
    ...answering({ action: 'cancel' }),
    elicitationCapabilities: { form: {} },
  })

  for (const client of [able, plain, formsOnly]) await client.callTool('tool')

  expect(declared).toEqual([{ form: {}, url: {} }, undefined, { form: {} }])
})

requirement('elicit:revision:since-2025-06-18', async ({ connect, version }) => {
  const { onElicitation } = answering({ action: 'cancel' })
  const { server, failures } = asking((session) => session.elicitForm('Who?', SCHEMA))
  await using client = await connect(server, { onElicitation })

  await client.callTool('tool')

  const exists = isVersionAtLeast(version, '2025-06-18')
  expect(onElicitation).toHaveBeenCalledTimes(exists ? 1 : 0)
  expect(failures).toMatchObject(
    exists ? [] : [{ code: -32021, local: true, message: expect.stringContaining(version) }],
  )
})

requirement('elicit:callback:knows-the-server', async ({ connect }) => {
  const { server } = createAsker(NAME_FORM)
  const names: unknown[] = []
  await using client = await connect(server, {
    onElicitation: (_params, { session }) => {
      names.push(session.serverInfo?.name)
      return { action: 'cancel' }
    },
  })

  await client.callTool('tool')

  expect(names).toEqual(['host'])
})
