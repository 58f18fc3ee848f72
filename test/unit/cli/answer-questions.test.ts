// A server that asks, and a person who types: in both eras, and whatever they type.
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { answerQuestions } from '../../../src/cli/answer-questions.ts'
import { parseField, showField } from '../../../src/cli/form-field.ts'
import type { Output } from '../../../src/cli/output.ts'
import { ask, createPrompter } from '../../../src/cli/prompter.ts'
import { Client } from '../../../src/client/client.ts'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import type { PrimitiveSchemaDefinition } from '../../../src/types/elicitation-schemas.ts'

/** Types these lines, and keeps what was shown; after the last one the input ends. */
function person(...lines: string[]) {
  const shown: string[] = []
  const prompt = async (question: string) => {
    shown.push(question)
    return lines.shift()
  }
  const output: Output = {
    print: (text) => shown.push(text),
    note: (text) => shown.push(text),
    paint: { bold: (text) => text, dim: (text) => text, red: (text) => text },
  }
  return { shown, onElicitation: answerQuestions(prompt, output, () => 'shop\u001b[2J') }
}

const form = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    size: { type: 'string', enum: ['S', 'M'], default: 'M' },
    count: { type: 'integer', minimum: 1 },
  },
  required: ['name'],
} as const

async function order(mode: 'legacy' | 'auto', ...lines: string[]) {
  const server = new MCPServer('shop')
  server.tool('order', {}, async (_args, ctx) => {
    const [first, second] = await Promise.all([ctx.elicit('What?\u001b]0;x\u0007', form), ctx.elicit('Sure?', form)])
    return { first: { ...first }, second: second.action }
  })
  const { shown, onElicitation } = person(...lines)
  await using client = await Client.connect(server, { mode, onElicitation })
  const { structuredContent } = await client.callTool('order')
  return { shown, answer: structuredContent as { first: { action: string; content?: unknown }; second: string } }
}

describe.each(['legacy', 'auto'] as const)('questions of a server, in mode %s', (mode) => {
  it('are answered one after the other, each field until it fits', async () => {
    const { shown, answer } = await order(mode, 'y', '', 'Ada', 'XL', 'S', '0', 'two', '2', 'n')
    expect(answer).toEqual({
      first: { action: 'accept', content: { name: 'Ada', size: 'S', count: 2 } },
      second: 'decline',
    })
    expect(shown).toEqual([
      'shop\\x1b[2J asks: What?\\x1b]0;x\\x07',
      'Answer? [Y/n] ',
      '  name (text): ',
      '  This one is needed.',
      '  name (text): ',
      '  size (S, M) [M]: ',
      '  Expected: S, M.',
      '  size (S, M) [M]: ',
      '  count (integer, may be empty): ',
      expect.stringContaining('1'),
      '  count (integer, may be empty): ',
      '  Expected: integer.',
      '  count (integer, may be empty): ',
      'shop\\x1b[2J asks: Sure?',
      'Answer? [Y/n] ',
    ])
  })

  it('are cancelled where the input ends', async () => {
    expect((await order(mode, 'y', 'Ada')).answer).toEqual({ first: { action: 'cancel' }, second: 'cancel' })
  })

  it('leave out what is left empty, and take the default', async () => {
    const { answer } = await order(mode, '', 'Ada', '', '', 'no')
    expect(answer.first).toEqual({ action: 'accept', content: { name: 'Ada', size: 'M' } })
  })
})

describe('a question that leads to a page', () => {
  it('goes nowhere without consent, and shows where it would lead', async () => {
    const { shown, onElicitation } = person('maybe', 'n')
    const params = { mode: 'url', message: 'Pay', url: 'https://pay.example/\u202e', elicitationId: '1' } as const
    expect(await onElicitation(params, { signal: undefined } as never)).toEqual({ action: 'decline' })
    expect(shown).toContain('It sends you to https://pay.example/\\u202e')
  })
})

describe('fields of a form', () => {
  const titled = {
    type: 'string',
    oneOf: [
      { const: 'r', title: 'Red' },
      { const: 'g', title: 'Green' },
    ],
  } as const
  const several = { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, maxItems: 2 } as const
  it.each<[PrimitiveSchemaDefinition, string, unknown]>([
    [{ type: 'boolean' }, 'yes', true],
    [{ type: 'boolean' }, 'False', false],
    [{ type: 'boolean' }, 'perhaps', 'Expected: yes or no.'],
    [{ type: 'number' }, '1.5', 1.5],
    [{ type: 'integer' }, '1.5', expect.stringContaining('integer')],
    [{ type: 'string', format: 'email' }, 'ada', expect.stringContaining('email')],
    [{ type: 'string', minLength: 3 }, ' ada ', 'ada'],
    [titled as never, 'Green', 'g'],
    [titled as never, 'g', 'g'],
    [titled as never, 'Blue', 'Expected: Red, Green.'],
    [several as never, 'a, b', ['a', 'b']],
    [several as never, 'a,c', 'Expected: any of a, b, with commas between.'],
    [{ type: 'string', enum: ['1'], enumNames: ['One'] } as never, 'One', '1'],
  ])('%j typed as %j', (schema, typed, outcome) => {
    const field = parseField(typed, schema, true)
    expect('problem' in field ? field.problem : field.value).toEqual(outcome)
  })

  it('say what they are', () => {
    expect(showField('n', { type: 'number', title: 'How many', description: 'of them' }, true)).toBe(
      'How many, of them (number)',
    )
    expect(showField('t\u0007', { type: 'string', default: 'x' }, false)).toBe('t\\x07 (text) [x]')
  })
})

describe('the prompter', () => {
  it('is there only where a person is', () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true })
    const stderr = Object.assign(new PassThrough(), { isTTY: true })
    expect(createPrompter({ stdin, stderr })).toBeDefined()
    expect(createPrompter({ stdin, stderr: new PassThrough() })).toBeUndefined()
    expect(createPrompter({ stdin: new PassThrough(), stderr })).toBeUndefined()
  })

  it('reads line by line, to the end of the input', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const first = ask(input, output, 'Name? ')
    input.write('Ada\n')
    expect(await first).toBe('Ada')
    const second = ask(input, output, 'Age? ')
    input.end()
    expect(await second).toBeUndefined()
    expect(String(output.read())).toContain('Name? ')
  })

  it('lets go when the question is taken back', async () => {
    const taken = new AbortController()
    const answer = ask(new PassThrough(), new PassThrough(), 'Name? ', taken.signal)
    taken.abort()
    expect(await answer).toBeUndefined()
  })
})
