// A server that asks, and a person who types: in both eras, and whatever they type.
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import type { PrimitiveSchemaDefinition } from '../../../src/types/features/elicitation.ts'
import { cpuMilliseconds } from '../../../test/support/cpu-time.ts'
import { answerQuestions, type FormField, readForm } from '../../terminal/answer-questions.ts'
import { createPrompter, TerminalConversation } from '../../terminal/prompter.ts'
import { recordOutput } from '../install/config-support.ts'

/** Types these lines, and keeps what was shown; after the last one the input ends. */
function person(...lines: string[]) {
  const { notes: shown, ...output } = recordOutput()
  const ask = async (question: string) => {
    shown.push(question)
    return lines.shift()
  }
  const prompter = () => ({ ask, close: () => {} })
  return { shown, onElicitation: answerQuestions(prompter, output, () => 'shop\u001b[2J') }
}

const read = (schema: PrimitiveSchemaDefinition, isRequired = true, name = 'f') =>
  readForm({ type: 'object', properties: { [name]: schema }, required: isRequired ? [name] : [] })

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
    const { shown, answer } = await order(mode, '', 'y', '', 'Ada', 'XL', 'S', '0', 'two', '2', 'n')
    expect(answer).toEqual({
      first: { action: 'accept', content: { name: 'Ada', size: 'S', count: 2 } },
      second: 'decline',
    })
    expect(shown).toEqual([
      'shop\\x1b[2J asks:',
      '> What?\\x1b]0;x\\x07',
      'Answer these 3 questions? (y, or n to decline) ',
      'Answer these 3 questions? (y, or n to decline) ',
      '  name (text): ',
      '  This field is required.',
      '  name (text): ',
      '  size (S, M) [M]: ',
      '  Expected: S, M.',
      '  size (S, M) [M]: ',
      '  count (whole number from 1 on, optional): ',
      expect.stringContaining('1'),
      '  count (whole number from 1 on, optional): ',
      '  Expected: whole number from 1 on.',
      '  count (whole number from 1 on, optional): ',
      'shop\\x1b[2J asks:',
      '> Sure?',
      'Answer these 3 questions? (y, or n to decline) ',
    ])
  })

  it('are cancelled where the input ends', async () => {
    expect((await order(mode, 'y', 'Ada')).answer).toEqual({ first: { action: 'cancel' }, second: 'cancel' })
  })

  it('leave out what is left empty, and take the default', async () => {
    const { answer } = await order(mode, 'yes', 'Ada', '', '', 'no')
    expect(answer.first).toEqual({ action: 'accept', content: { name: 'Ada', size: 'M' } })
  })
})

describe('a question', () => {
  const answerTo = async (params: object, ...lines: string[]) => {
    const { shown, onElicitation } = person(...lines)
    return { shown, answer: await onElicitation(params as never, { signal: undefined } as never) }
  }

  it('that leads to a page goes nowhere without consent, and shows where it would lead', async () => {
    const params = { mode: 'url', message: 'Pay', url: 'https://pay.example/\u202e', elicitationId: '1' }
    const { shown, answer } = await answerTo(params, 'maybe', 'n')
    expect(answer).toEqual({ action: 'decline' })
    expect(shown).toContain('The server asks you to open a page of pay.example:')
    expect(shown).toContain('  https://pay.example/%E2%80%AE')
  })

  it('F204 cannot say in our name where it leads', async () => {
    const message = 'Log in\nThe server asks you to open https://accounts.example/'
    const { shown } = await answerTo({ mode: 'url', message, url: 'https://evil.example/', elicitationId: '1' }, 'n')
    expect(shown).toContain('> Log in\n> The server asks you to open https://accounts.example/')
    expect(shown).toContain('The server asks you to open a page of evil.example:')
  })

  it.each([
    ['https://accounts.example@evil.example/', 'evil.example', "The text before the @ is not part of the site's name."],
    ['https://accounts.example:x@evil.example:8443/', 'evil.example:8443', 'The text before the @'],
    [
      'https://\u0430ccounts.example/',
      'xn--ccounts-1fg.example',
      'With all its letters, the name is \u0430ccounts.example.',
    ],
  ])('F204 names the site that %s leads to', async (url, site, warning) => {
    const { shown } = await answerTo({ mode: 'url', message: 'Log in', url, elicitationId: '1' }, 'n')
    expect(shown).toContain(`The server asks you to open a page of ${site}:`)
    expect(shown.join('\n')).toContain(warning)
  })

  it('names what a field takes, and not how that is checked', async () => {
    const properties = {
      mail: { type: 'string', format: 'email', pattern: '^[^@]+@[^@]+$' },
      day: { type: 'string', format: 'date' },
      any: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    }
    const params = {
      message: 'Who?',
      requestedSchema: { type: 'object', properties, required: ['mail', 'day', 'any'] },
    }
    const { shown, answer } = await answerTo(params, 'y', 'x', 'a@b.example', 'today', '2026-01-31', '5')
    expect(answer).toEqual({ action: 'accept', content: { mail: 'a@b.example', day: '2026-01-31', any: 5 } })
    expect(shown).toEqual(
      expect.arrayContaining([
        '  mail (an e-mail address): ',
        '  Expected: an e-mail address.',
        '  Expected: a date, such as 2026-01-31.',
        '  any (whole number): ',
      ]),
    )
  })

  it.each([
    [{ mode: 'url', url: 'javascript:alert(1)', elicitationId: '1' }, 'not the URL of a web page'],
    [{ mode: 'url', url: 'file:///etc/passwd', elicitationId: '1' }, 'not the URL of a web page'],
    [
      { requestedSchema: { type: 'object', properties: { a: { type: 'string', pattern: '(' } } } },
      'has an invalid schema',
    ],
    [{ requestedSchema: { type: 'object', properties: { a: { type: 'no' } } } }, 'has an invalid schema'],
  ])('is declined with a reason where it cannot be answered: %j', async (params, reason) => {
    const { shown, answer } = await answerTo({ message: 'x', ...params })
    expect(answer).toEqual({ action: 'decline' })
    expect(shown.at(-1)).toContain(reason)
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
    [{ type: 'string', format: 'email' }, 'ada', expect.stringContaining('an e-mail address')],
    [{ type: 'string', minLength: 3 }, ' ada ', 'ada'],
    [titled as never, 'Green', 'g'],
    [titled as never, 'g', 'g'],
    [titled as never, 'Blue', 'Expected: Red, Green.'],
    [several as never, 'a, b', ['a', 'b']],
    [several as never, 'a,c', 'Expected: any of a, b, with commas between.'],
    [{ type: 'string', enum: ['1'], enumNames: ['One'] } as never, 'One', '1'],
  ])('%j typed as %j', (schema, typed, outcome) => {
    const [field] = read(schema) as FormField[]
    const { value, problem } = field?.read(typed) ?? {}
    expect(problem ?? value).toEqual(outcome)
  })

  it('say what they are', () => {
    const label = (...args: Parameters<typeof read>) => (read(...args) as FormField[])[0]?.label
    expect(label({ type: 'number', title: 'How many', description: 'of them' })).toBe('How many, of them (number)')
    expect(label({ type: 'string', default: 'x' }, false, 't\u0007')).toBe('t\\x07 (text) [x]')
  })

  it('are read in time that grows with their number', () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `f${index}`)
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
    const ms = cpuMilliseconds(() => {
      expect(readForm({ type: 'object', properties, required: names })).toHaveLength(20_000)
    })
    expect(ms).toBeLessThan(3_000)
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

  it('reads line by line, what was typed ahead too, to the end of the input', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const conversation = new TerminalConversation(input, output)
    const first = conversation.ask('Name? ')
    input.write('Ada\n36\n')
    expect(await first).toBe('Ada')
    expect(await conversation.ask('Age? ')).toBe('36')
    const third = conversation.ask('More? ')
    input.end()
    expect(await third).toBeUndefined()
    expect(await conversation.ask('Still? ')).toBeUndefined()
    expect(String(output.read())).toContain('Name? ')
  })

  it('lets go when the question is taken back, and ends its line', async () => {
    const taken = new AbortController()
    const output = new PassThrough()
    const conversation = new TerminalConversation(new PassThrough(), output, taken.signal)
    const answer = conversation.ask('Name? ')
    taken.abort()
    expect(await answer).toBeUndefined()
    expect(String(output.read())).toMatch(/\n$/)
  })

  it('leaves no listeners behind', () => {
    const before = process.listenerCount('SIGTERM')
    const conversation = new TerminalConversation(new PassThrough(), new PassThrough())
    expect(process.listenerCount('SIGTERM')).toBe(before + 1)
    conversation.close()
    expect(process.listenerCount('SIGTERM')).toBe(before)
  })
})
