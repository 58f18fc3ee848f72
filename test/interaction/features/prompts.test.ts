// Prompts: listing them and getting their messages.
import { expect, vi } from 'vitest'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { Server, type ServerOptions } from '../../../src/server/server.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import type { GetPromptResult, Prompt, PromptMessage } from '../../../src/types/features/prompts.ts'
import { requirement } from '../kit/requirement.ts'
import { failureOf, refusalOf } from '../kit/support-features.ts'

type Get = NonNullable<NonNullable<ServerOptions['handlers']>['prompts/get']>

function scribe(get: Get, prompts: Prompt[] = [], options: ServerOptions = {}): Server {
  return new Server('scribe', { ...options, handlers: { 'prompts/list': () => ({ prompts }), 'prompts/get': get } })
}

const SILENT: GetPromptResult = { messages: [] }

requirement('prompts:list', async ({ connect }) => {
  const prompts: Prompt[] = [
    { name: 'plain' },
    { name: 'review', description: 'Reviews code', arguments: [{ name: 'code', description: 'It', required: true }] },
  ]
  await using client = await connect(scribe(() => SILENT, prompts))

  expect(client.serverCapabilities.prompts).toBeDefined()
  expect((await client.listPrompts()).prompts).toEqual(prompts)
})

requirement('prompts:get', async ({ connect }) => {
  const get: Get = (_ctx, { name, arguments: args }) => ({
    description: `About ${name}`,
    messages: [
      { role: 'user', content: { type: 'text', text: `Review ${args?.['code']}` } },
      { role: 'assistant', content: { type: 'text', text: 'Gladly.' } },
    ],
  })
  await using client = await connect(scribe(get))

  expect(await client.getPrompt('review', { code: 'x = 1' })).toMatchObject({
    description: 'About review',
    messages: [
      { role: 'user', content: { type: 'text', text: 'Review x = 1' } },
      { role: 'assistant', content: { type: 'text', text: 'Gladly.' } },
    ],
  })
})

requirement('prompts:get:without-arguments', async ({ connect }) => {
  const seen: boolean[] = []
  const get: Get = (_ctx, params) => {
    seen.push('arguments' in params)
    return SILENT
  }
  await using client = await connect(scribe(get))
  await client.getPrompt('plain')

  expect(seen).toEqual([false])
})

requirement('prompts:get:content', async ({ connect }) => {
  const messages: PromptMessage[] = [
    { role: 'user', content: { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' } },
    { role: 'user', content: { type: 'resource', resource: { uri: 'x:1', mimeType: 'text/plain', text: 't' } } },
    { role: 'assistant', content: { type: 'resource', resource: { uri: 'x:2', mimeType: 'image/png', blob: 'AA==' } } },
  ]
  await using client = await connect(scribe(() => ({ messages })))

  expect((await client.getPrompt('rich')).messages).toEqual(messages)
})

requirement('prompts:get:unknown', async ({ connect }) => {
  const get: Get = (_ctx, { name }) => {
    throw new MCPError(-32602, `Unknown prompt: ${name}`)
  }
  await using client = await connect(scribe(get))

  const error = await failureOf(client.getPrompt('nobody'))

  expect(error).toMatchObject({ code: -32602, message: 'Unknown prompt: nobody', local: false })
})

requirement('prompts:get:arguments-are-strings', async ({ connect }) => {
  const get = vi.fn(() => SILENT)
  await using client = await connect(scribe(get))
  const args = { count: 5 } as unknown as Record<string, string>

  expect(await refusalOf(client.getPrompt('plain', args))).toEqual({ code: -32602, local: false })
  expect(get).not.toHaveBeenCalled()
})

requirement('prompts:get:invalid-message', async ({ connect }) => {
  const faults: Fault[] = []
  const result = { messages: [{ role: 'system', content: { type: 'text', text: 'x' } }] } as unknown as GetPromptResult
  await using client = await connect(scribe(() => result, [], { onFault: (fault) => faults.push(fault) }))

  expect(await refusalOf(client.getPrompt('bad'))).toEqual({ code: -32603, local: false })
  expect(faults.map(({ message }) => message).join()).toContain('role')
})

requirement('prompts:not-offered', async ({ connect }) => {
  await using client = await connect(new Server('without'))

  expect(client.serverCapabilities.prompts).toBeUndefined()
  expect(await refusalOf(client.listPrompts())).toEqual({ code: -32601, local: false })
  expect(await refusalOf(client.getPrompt('any'))).toEqual({ code: -32601, local: false })
})
