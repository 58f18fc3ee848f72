import { expect, it } from 'vitest'
import { z } from 'zod'
import { addReceived } from '../../../../src/mcpserver/values/arguments.ts'
import { compileSchema } from '../../../../src/schema/engine.ts'
import { createIssue } from '../../../../src/schema/json-schema.ts'
import { createServer, inBothEras, textOf } from '../support.ts'

it.each<[string, (string | number)[], unknown, string]>([
  [
    'Invalid option: expected one of "x"|"y"',
    ['a'],
    { a: 'z' },
    'a: Invalid option: expected one of "x"|"y" (got "z")',
  ],
  ['expected a number >= 1', ['a', 0], { a: [0] }, 'a[0]: expected a number >= 1 (got 0)'],
  ['expected "x"', ['a'], {}, 'a: expected "x" (got nothing)'],
  ['expected "x"', ['a'], { a: null }, 'a: expected "x" (got null)'],
  ['expected "x"', ['a'], { a: [1] }, 'a: expected "x" (got an array of 1 item)'],
  ['expected "x"', ['a'], { a: {} }, 'a: expected "x" (got an object)'],
  ['expected "got"', ['received'], { received: true }, 'received: expected "got" (got true)'],
  ['expected "x"', ['toString'], {}, 'toString: expected "x" (got nothing)'],
  ['expected string, received number', ['a'], { a: 1 }, 'a: expected string, received number'],
  ['must be a number (was a string)', ['a'], { a: '' }, 'a: must be a number (was a string)'],
  ['Unrecognized key: "b"', ['a'], { a: { b: 1 } }, 'a: Unrecognized key: "b"'],
  ['Passwords differ', [], { a: 1 }, 'Passwords differ'],
  ['too short', ['user', 'apiKey'], { user: { apiKey: 'sk-1' } }, 'user.apiKey: too short (got string)'],
])('%s at %j of %j', (text, path, args, message) => {
  expect(addReceived(createIssue(text, path), args).message).toBe(message)
})

it('names the value where our own engine names its type', () => {
  const schema = { properties: { a: { enum: ['x', 'y'] }, b: { const: 5 }, c: { type: 'string' } } }
  const args = { a: 'z', b: 6, c: 7 }
  const messages = compileSchema(schema)
    .validate(args)
    .map((issue) => addReceived(issue, args).message)
  expect(messages).toEqual([
    'a: expected one of "x", "y", got "z"',
    'b: expected 5, got 6',
    'c: expected string, got number',
  ])
})

it('shows a long value in part, on one line', () => {
  const { message } = addReceived(createIssue('expected "x"', ['a']), { a: 'a\n\u202e'.repeat(10_000) })
  expect(message).toMatch(/^a: expected "x" \(got "a\\n\\u202ea.*…"\)$/)
  expect(message.length).toBeLessThan(500)
})

inBothEras('wrong arguments', ({ connect }) => {
  it('are explained after the repair of those that can be parsed', async () => {
    const { server, faults } = createServer()
    const input = z.object({ tags: z.array(z.string()), size: z.enum(['S', 'M']), at: z.object({ x: z.number() }) })
    server.tool('order', { input }, () => 'ordered')
    await using client = await connect(server)

    const refused = await client.callTool('order', { tags: '["a"]', size: 'XXL', at: '{"x":"1"}' })
    expect(textOf(refused)).toBe(
      'Invalid arguments for tool "order":\n' +
        '- size: Invalid option: expected one of "S"|"M" (got "XXL")\n' +
        '- at.x: Invalid input: expected number, received string',
    )
    expect(faults).toEqual([])
  })
})
