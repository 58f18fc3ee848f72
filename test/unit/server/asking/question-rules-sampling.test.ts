import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  checkSamplingMessages,
  checkSamplingRequest,
  checkSamplingResult,
} from '../../../../src/server/asking/question-rules.ts'
import { MCPError } from '../../../../src/types/errors/errors.ts'
import { InvalidResultError } from '../../../../src/types/errors/failures.ts'
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  SamplingMessage,
  SamplingMessageContentBlock,
} from '../../../../src/types/features/sampling.ts'

const text = { type: 'text' as const, text: 'hello' }
const use = (id: string) => ({ type: 'tool_use' as const, id, name: 'add', input: {} })
const result = (toolUseId: string) => ({ type: 'tool_result' as const, toolUseId, content: [] })
const user = (...content: SamplingMessageContentBlock[]): SamplingMessage => ({ role: 'user', content })
const assistant = (...content: SamplingMessageContentBlock[]): SamplingMessage => ({ role: 'assistant', content })

const tool = { name: 'add', inputSchema: { type: 'object' as const } }
const asking = (more: Partial<CreateMessageRequestParams> = {}): CreateMessageRequestParams => ({
  messages: [user(text)],
  maxTokens: 10,
  ...more,
})

function failure(act: () => void): MCPError {
  try {
    act()
  } catch (error) {
    if (error instanceof MCPError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('checkSamplingRequest: capabilities', () => {
  it.each([
    ['tools', { tools: [tool] }],
    ['an empty list of tools', { tools: [] }],
    ['toolChoice', { toolChoice: {} }],
  ])('%s needs sampling.tools', (_what, more) => {
    const error = failure(() => checkSamplingRequest(asking(more), { sampling: {} }, '2025-11-25'))
    expect(error).toMatchObject({
      code: -32021,
      local: true,
      data: { requiredCapabilities: { sampling: { tools: {} } } },
    })
    expect(error.message).toContain('sampling.tools')
    checkSamplingRequest(asking(more), { sampling: { tools: {} } }, '2025-11-25')
  })

  it.each(['thisServer', 'allServers'] as const)('includeContext %s needs sampling.context', (includeContext) => {
    const params = asking({ includeContext })
    const error = failure(() => checkSamplingRequest(params, { sampling: { tools: {} } }, '2025-11-25'))
    expect(error).toMatchObject({
      code: -32021,
      local: true,
      data: { requiredCapabilities: { sampling: { context: {} } } },
    })
    checkSamplingRequest(params, { sampling: { context: {} } }, '2025-11-25')
  })

  it.each(['2024-11-05', '2025-03-26', '2025-06-18'] as const)('%s has no capability for context', (version) => {
    checkSamplingRequest(asking({ includeContext: 'allServers' }), { sampling: {} }, version)
  })

  it('includeContext none needs nothing', () => {
    checkSamplingRequest(asking({ includeContext: 'none' }), { sampling: {} }, '2026-07-28')
  })

  it('a client without sampling is never asked', () => {
    const error = failure(() => checkSamplingRequest(asking(), {}, '2025-11-25'))
    expect(error.message).toBe(
      'This client cannot be asked: it did not declare sampling. A client of mcpwire declares it with the option onSampling.',
    )
  })
})

describe('checkSamplingMessages', () => {
  it.each<[string, SamplingMessage[]]>([
    ['no messages', []],
    [
      'plain talk, single blocks',
      [
        { role: 'user', content: text },
        { role: 'assistant', content: text },
      ],
    ],
    ['a tool call and its result', [user(text), assistant(text, use('a')), user(result('a'))]],
    ['results in another order', [assistant(use('a'), use('b')), user(result('b'), result('a'))]],
    ['two rounds with the same id', [assistant(use('a')), user(result('a')), assistant(use('a')), user(result('a'))]],
    ['ids named like members of Object', [assistant(use('__proto__')), user(result('__proto__'))]],
  ])('allows %s', (_what, messages) => {
    checkSamplingMessages(messages)
  })

  it.each<[string, SamplingMessage[], number]>([
    ['a result beside text', [assistant(use('a')), user(result('a'), text)], 1],
    ['a result from the assistant', [assistant(use('a')), assistant(result('a'))], 1],
    ['a call from the user', [user(use('a')), user(result('a'))], 0],
    ['a call that nothing follows', [user(text), assistant(use('a'))], 1],
    ['a call followed by talk', [assistant(use('a')), user(text), user(result('a'))], 1],
    ['a call followed by the assistant', [assistant(use('a')), assistant(text)], 1],
    ['a call without its result', [assistant(use('a'), use('b')), user(result('a'))], 1],
    ['a result given twice', [assistant(use('a')), user(result('a'), result('a'))], 1],
    ['a result of no call', [user(result('a'))], 0],
    ['a result of an earlier call', [assistant(use('a')), user(result('a')), user(result('a'))], 2],
    ['two calls with one id', [assistant(use('a'), use('a')), user(result('a'))], 0],
  ])('refuses %s and names the message', (_what, messages, index) => {
    const error = failure(() => checkSamplingMessages(messages))
    expect(error).toMatchObject({ code: -32602, local: true })
    expect(error.message).toContain(`messages[${index}]`)
  })

  it('allows every conversation that resolves each call at once, and none with a result taken away', () => {
    const rounds = fc.array(fc.uniqueArray(fc.string({ maxLength: 3 }), { minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 5,
    })
    const property = fc.property(rounds, fc.nat(), (ids, at) => {
      const messages = ids.flatMap((round) => [assistant(...round.map(use)), user(...round.toReversed().map(result))])
      checkSamplingMessages(messages)
      const broken = messages[(at % ids.length) * 2 + 1] as { content: unknown[] }
      broken.content.pop()
      expect(() => checkSamplingMessages(messages)).toThrow(MCPError)
    })
    fc.assert(property, { seed: 7, numRuns: 100 })
  })
})

describe('checkSamplingResult', () => {
  const answer = (content: CreateMessageResult['content']): CreateMessageResult => ({
    role: 'assistant',
    model: 'm',
    content,
  })

  it('allows a list exactly when tools were given', () => {
    checkSamplingResult(asking({ tools: [tool] }), answer([text, use('a')]))
    checkSamplingResult(asking({ tools: [] }), answer([text]))
    checkSamplingResult(asking({ tools: [tool] }), answer(text))
    checkSamplingResult(asking(), answer(text))
    expect(() => checkSamplingResult(asking(), answer([text]))).toThrow(InvalidResultError)
  })

  it('refuses a tool call that nobody made possible', () => {
    expect(() => checkSamplingResult(asking(), answer(use('a')))).toThrow(
      expect.objectContaining({ name: 'InvalidResultError', path: 'content' }),
    )
  })
})
