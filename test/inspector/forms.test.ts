// inspector I4: forms from schemas give back the value that they were given, and send only what was touched.
import { Server } from 'mcpwire/server'
import { describe, expect, it } from 'vitest'
import { parseJson } from '../../inspector/page/form/parse-json.ts'
import { resolve, shapeOf } from '../../inspector/page/form/schema.ts'
import { initialValue, variantFor } from '../../inspector/page/form/value.ts'
import { describeInChromium } from '../browser/chromium.ts'
import { SCHEMA_CASES } from './form-schemas.ts'
import { InspectorPage } from './inspector-page.ts'
import { createWorld } from './support.ts'

const isFull = process.env['FULL_TESTS'] === '1'

describe('inspector I4: what a form starts with', () => {
  it('sends defaults and what cannot be left out, and leaves everything else unset', () => {
    const schema = {
      type: 'object',
      properties: {
        text: { type: 'string' },
        count: { type: 'integer', default: 3 },
        flag: { type: 'boolean' },
        place: {
          type: 'object',
          properties: { city: { type: 'string' }, open: { type: 'boolean' } },
          required: ['open'],
        },
        extra: { type: 'object', properties: { a: { type: 'string', default: 'x' } } },
      },
      required: ['flag', 'place'],
    }
    expect(initialValue(schema, schema)).toEqual({ count: 3, flag: false, place: { open: false } })
  })

  it.each(SCHEMA_CASES.map(({ name, schema }) => [name, schema] as const))(
    'starts the form of %s without a failure',
    (_name, schema) => {
      expect(typeof initialValue(schema, schema)).toBe('object')
      expect(shapeOf(resolve(schema, schema), schema).kind).toBe('object')
    },
  )

  it('stops at a schema that contains itself, and leaves what no control can show to JSON', () => {
    const tree = { type: 'object', properties: { child: { $ref: '#' } }, required: ['child'] }
    expect(JSON.stringify(initialValue(tree, tree)).length).toBeLessThan(200)
    for (const schema of [{ not: {} }, { if: {} }, {}, { $ref: 'https://example.com/' }, { $ref: '#/nowhere' }]) {
      expect(shapeOf(resolve(schema, {}), {}).kind).toBe('json')
    }
    const loop = { $defs: { a: { $ref: '#/$defs/a' } } }
    expect(shapeOf(resolve({ $ref: '#/$defs/a' }, loop), loop).kind).toBe('json')
  })

  it('finds the variant that a value belongs to', () => {
    const variants = [{ type: 'string' }, { type: 'object', properties: { kind: { const: 'b' } } }, { type: 'null' }]
    expect([undefined, 'x', { kind: 'b' }, null, 5].map((value) => variantFor(value, variants, {}))).toEqual([
      -1, 0, 1, 2, -1,
    ])
  })

  it.each([
    ['{\n  "a": }', 'Unexpected "}" at line 2 column 8.'],
    ['{"a" 1}', 'Unexpected "1" at line 1 column 6.'],
    ['[1, 2', 'The text ends too early at line 1 column 6.'],
    ['[1 2]', 'Unexpected "2" at line 1 column 4.'],
    ['{"a": 1,}', 'Unexpected "}" at line 1 column 9.'],
    ["{'a': 1}", 'Unexpected "\'" at line 1 column 2.'],
    ['{} x', 'Unexpected "x" at line 1 column 4.'],
    ['nul', 'Unexpected "n" at line 1 column 1.'],
  ])('names line and column of what is no JSON: %s', (text, error) => {
    expect(parseJson(text)).toEqual({ error })
  })
})

describeInChromium('forms of the inspector', (visit) => {
  it.runIf(isFull)(
    `inspector I4 ${SCHEMA_CASES.length} schemas: value to form and back is the same value, and each form is accessible`,
    () =>
      visit(async (page) => {
        const received = new Map<string, unknown>()
        // As they are: an MCPServer would refuse some of these values.
        const server = new Server('forms', {
          handlers: {
            'tools/list': () => ({
              tools: SCHEMA_CASES.map(({ name, schema }) => ({ name, inputSchema: schema as { type: 'object' } })),
            }),
            'tools/call': (_ctx, { name, arguments: args }) => {
              received.set(name, args)
              return { content: [{ type: 'text', text: 'received' }] }
            },
          },
        })
        await using world = await createWorld({ server: server as never })
        const own = await InspectorPage.open(page, world)
        await page.getByRole('heading', { name: 'forms' }).waitFor()
        await own.show('Tools')
        for (const { name, value } of SCHEMA_CASES) {
          await page.evaluate(`location.hash = '#/tools/${name}'`)
          await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
          await page.getByRole('tab', { name: 'JSON' }).first().click()
          const json = page.locator('.schema-form textarea').first()
          await json.fill(JSON.stringify(value))
          await page.getByRole('tab', { name: 'Form' }).first().click()
          await own.expectAccessible(`form of ${name}`)
          await page.getByRole('tab', { name: 'JSON' }).first().click()
          expect([name, JSON.parse(await json.inputValue())]).toEqual([name, value])
          await page.getByRole('tab', { name: 'Form' }).first().click()
          await own.button('Call').click()
          // Not every value fits its schema, and must be sent all the same.
          await own.result('done').or(own.button('Send anyway')).first().waitFor()
          if (await own.button('Send anyway').isVisible()) await own.button('Send anyway').click()
          await expect.poll(() => received.has(name)).toBe(true)
          expect([name, received.get(name)]).toEqual([name, value])
        }
        await own.screenshot('form-generated')
        await own.expectNoOffences()
      }),
  )

  it.runIf(isFull)(
    'inspector I4 an optional field that nobody touched is not sent, and one that was cleared is not sent either',
    () =>
      visit(async (page) => {
        await using world = await createWorld()
        const own = await InspectorPage.open(page, world)
        await own.showTool('order')
        await page.getByLabel('book').check()
        await page.getByLabel('street').fill('High St 1')
        await page.getByLabel('city').fill('Bern')
        await page.getByLabel('note').fill('typed')
        await page.getByRole('button', { name: 'Clear note' }).click()
        await page.getByRole('button', { name: 'Clear count' }).click()
        await page.getByRole('button', { name: 'Add tags' }).click()
        await page.getByRole('button', { name: 'Add to tags' }).click()
        await page.getByRole('textbox', { name: 'tags 1' }).fill('x')
        await page.getByRole('button', { name: 'Add to tags' }).click()
        await page.getByRole('textbox', { name: 'tags 2' }).fill('y')
        await page.getByRole('button', { name: 'Move tags 2 up' }).click()
        await page.getByRole('tab', { name: 'JSON' }).first().click()
        const text = await page.locator('.schema-form textarea').first().inputValue()
        expect(JSON.parse(text)).toEqual({
          item: 'book',
          address: { street: 'High St 1', city: 'Bern' },
          tags: ['y', 'x'],
        })
        await own.look('form-json')
      }),
  )
})
