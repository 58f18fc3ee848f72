// Handlers that ask: the same code, the same outcome, whether the client is asked while the call is open or between rounds.
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { connect } from '../../../../src/testing/connect.ts'
import { MissingClientCapabilityError } from '../../../../src/types/errors/errors.ts'
import { ANSWERING, accept, callThrough, NAME_FORM, readValue, SETTINGS, serve } from './support.ts'

describe.each(SETTINGS)('a handler that asks ($name)', (setting) => {
  it('gets the content of a form', async () => {
    const asked = await callThrough((interaction) => interaction.elicit('Who?', NAME_FORM), setting)
    expect(asked).toEqual({ action: 'accept', content: { name: 'name of Who?' } })
  })

  it('gets what the schema makes of the content, of any schema library', async () => {
    const schemas = [
      z.object({ name: z.string().transform((name) => name.length) }),
      toStandardJsonSchema(v.object({ name: v.string() })),
      type({ name: 'string' }),
    ]
    const contents: unknown[] = []
    for (const schema of schemas) {
      contents.push(await callThrough((interaction) => interaction.elicit('Who?', schema), setting))
    }
    expect(contents).toEqual([
      { action: 'accept', content: { name: 'name of Who?'.length } },
      { action: 'accept', content: { name: 'name of Who?' } },
      { action: 'accept', content: { name: 'name of Who?' } },
    ])
  })

  it.each(['decline', 'cancel'] as const)('gets a %s, without content', async (action) => {
    const onElicitation = () => ({ action, content: { name: 'not meant' } })
    const outcome = await callThrough((i) => i.elicit('Who?', NAME_FORM), setting, {}, { onElicitation })
    expect(outcome).toEqual({ action })
  })

  it('sends the user to a page, asks the model and asks for roots', async () => {
    const outcome = await callThrough(async (interaction) => {
      const visit = await interaction.elicitUrl('Sign in', 'https://example.com/in')
      const message = await interaction.sample({
        maxTokens: 5,
        messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }],
      })
      return { visit, said: message.content, ...(await interaction.listRoots()) }
    }, setting)
    expect(outcome).toEqual({
      visit: { action: 'accept' },
      said: { type: 'text', text: '1 read' },
      roots: [{ uri: 'file:///home' }],
    })
  })

  it('runs a step once, and knows its value in every round', async () => {
    const charge = vi.fn(async () => ({ id: 7, note: undefined }))
    const log = vi.fn()
    const outcome = await callThrough(async (interaction) => {
      const before = await interaction.step('charge', charge)
      await interaction.elicit('One?', NAME_FORM)
      await interaction.step('log', log)
      await interaction.elicit('Two?', NAME_FORM)
      return before.id
    }, setting)
    expect(outcome).toBe(7)
    expect(charge).toHaveBeenCalledTimes(1)
    expect(log).toHaveBeenCalledTimes(1)
  })

  it('finds steps and answers as they were, whatever it did to them in another round', async () => {
    const outcome = await callThrough(async (interaction) => {
      const list = await interaction.step('list', () => ['a'])
      list.push('b')
      const answer = await interaction.elicit('One?', NAME_FORM)
      if (answer.action === 'accept') answer.content['name'] += '!'
      await interaction.elicit('Two?', NAME_FORM)
      await interaction.elicit('Three?', NAME_FORM)
      return { list, answer }
    }, setting)
    expect(outcome).toEqual({ list: ['a', 'b'], answer: accept({ name: 'name of One?!' }) })
  })

  it('fails when two steps have one name', async () => {
    const second = vi.fn()
    const failure = callThrough(async (interaction) => {
      await Promise.all([interaction.step('same', () => 1), interaction.step('same', second)])
    }, setting)
    await expect(failure).rejects.toMatchObject({ cause: { message: expect.stringContaining("'same'") } })
    expect(second).not.toHaveBeenCalled()
  })

  it.each([
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['not a number', { deep: [Number.NaN] }],
    ['a gap in a list', [undefined]],
    ['a function', () => {}],
  ])('is told that a step returned %s', async (_what, value) => {
    const failure = callThrough((interaction) => interaction.step('bad', () => value), setting)
    await expect(failure).rejects.toMatchObject({ cause: { message: expect.stringContaining("'bad'") } })
  })

  it('fails at once when it asks within a step', async () => {
    const failure = callThrough(
      (interaction) =>
        interaction.step('asks', async () => {
          await Promise.resolve()
          return interaction.listRoots()
        }),
      setting,
    )
    await expect(failure).rejects.toMatchObject({
      cause: { message: expect.stringContaining('A step asked a question') },
    })
  })

  it('fails for a url that no browser can open', async () => {
    const failure = callThrough((interaction) => interaction.elicitUrl('Go', 'javascript:alert(1)'), setting)
    await expect(failure).rejects.toMatchObject({ cause: expect.any(TypeError) })
  })

  it('can ask at most maxQuestions questions', async () => {
    const failure = callThrough(
      async (interaction) => {
        for (let n = 0; ; n += 1) await interaction.elicit(`Question ${n}`, NAME_FORM)
      },
      setting,
      { maxQuestions: 3 },
    )
    await expect(failure).rejects.toMatchObject({ cause: { limit: 'maxQuestions', max: 3 } })
  })

  it('can continue without what the client did not declare', async () => {
    const { server } = serve(
      (interaction) => interaction.listRoots().catch((error: { code: number }) => error.code),
      {},
      setting.middleware,
    )
    await using client = await connect(server, { mode: setting.mode })
    expect(readValue(await client.callTool('tool'))).toBe(-32021)
  })

  it('has an aborted signal when the client cancels', async () => {
    const seen = vi.fn()
    const controller = new AbortController()
    const { server } = serve(
      ({ signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(seen(signal.reason)))
          controller.abort(new Error('enough'))
        }),
      {},
      setting.middleware,
    )
    await using client = await connect(server, { mode: setting.mode, ...ANSWERING })
    await expect(client.callTool('tool', {}, { signal: controller.signal })).rejects.toThrow('enough')
    await vi.waitFor(() => expect(seen).toHaveBeenCalledOnce())
  })
})

describe('a handler that does not ask', () => {
  it.each(SETTINGS)('answers at once, and its requestState is unchanged ($name)', async (setting) => {
    expect(await callThrough(() => 7, setting)).toBe(7)
    expect(await callThrough(async () => 7, setting)).toBe(7)
  })

  it('has its own InputRequiredResult and its own state', async () => {
    const { server } = serve((_interaction, { requestState, inputResponses }) => {
      if (requestState !== undefined) return { requestState, inputResponses }
      return { resultType: 'input_required', inputRequests: { mine: { method: 'roots/list' } }, requestState: 'mine' }
    })
    await using client = await connect(server, ANSWERING)
    expect(readValue(await client.callTool('tool'))).toEqual({
      requestState: 'mine',
      inputResponses: { mine: { roots: [{ uri: 'file:///home' }] } },
    })
  })
})

it('a call that does not catch a missing capability fails with it', async () => {
  const { server } = serve((interaction) => interaction.elicitUrl('Go', 'https://example.com'))
  await using client = await connect(server, { ...ANSWERING, elicitationCapabilities: { form: {} } })
  const failure = await client.callTool('tool').catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(MissingClientCapabilityError)
  expect(failure).toMatchObject({ code: -32021, requiredCapabilities: { elicitation: { url: {} } } })
})
