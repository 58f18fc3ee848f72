// Arguments as they are typed, without a server: by the schema of the tool.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readArguments } from '../values/arguments.ts'

const schema = {
  type: 'object',
  properties: {
    zip: { type: 'string' },
    count: { type: 'integer' },
    flag: { type: 'boolean' },
    any: {},
    maybe: { type: ['number', 'null'] },
    both: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    size: { enum: ['S', 'M', 7] },
    tags: { type: 'array', items: { type: 'string' } },
    numbers: { type: 'array', items: { $ref: '#/$defs/price' } },
    to: { $ref: '#/$defs/address' },
    'with.dot': { type: 'number' },
  },
  $defs: {
    price: { type: 'number' },
    address: { type: 'object', properties: { city: { type: 'string' }, zip: { type: 'integer' }, more: {} } },
  },
}
const read = (pairs: string[], whole?: string) => readArguments({ pairs, whole }, { schema, signature: 'order(…)' })

describe('arguments on a command line', () => {
  it.each([
    [['zip=12345'], { zip: '12345' }],
    [['zip=null'], { zip: 'null' }],
    [['zip='], { zip: '' }],
    [['count=3'], { count: 3 }],
    [['count=-1e2'], { count: -100 }],
    [['flag=yes'], { flag: true }],
    [['flag=false'], { flag: false }],
    [['any=[1,2]'], { any: [1, 2] }],
    [['any=a=b'], { any: 'a=b' }],
    [['any:="text"'], { any: 'text' }],
    [['maybe=null'], { maybe: null }],
    [['maybe=1.5'], { maybe: 1.5 }],
    [['both=5'], { both: 5 }],
    [['both=five'], { both: 'five' }],
    [['size=M'], { size: 'M' }],
    [['size=7'], { size: 7 }],
    [['tags=a'], { tags: ['a'] }],
    [['tags=1', 'tags=2'], { tags: ['1', '2'] }],
    [['tags=["x","y"]'], { tags: ['x', 'y'] }],
    [['tags:=["x"]'], { tags: ['x'] }],
    [['numbers=1', 'numbers=2'], { numbers: [1, 2] }],
    [['to.city=Bern', 'to.zip=3000'], { to: { city: 'Bern', zip: 3000 } }],
    [['to.more.deep=1'], { to: { more: { deep: 1 } } }],
    [['to={"city":"Bern"}'], { to: { city: 'Bern' } }],
    [['with.dot=1'], { 'with.dot': 1 }],
  ])('%j', async (pairs, expected) => {
    expect(await read(pairs)).toEqual(expected)
  })

  it('are one JSON object, in which single ones have the last word', async () => {
    expect(await read(['count=2', 'to.zip=1'], '{"count":1,"to":{"city":"x"}}')).toEqual({
      count: 2,
      to: { city: 'x', zip: 1 },
    })
  })

  it('F055 are data, whatever they are called', async () => {
    const free = { type: 'object', additionalProperties: true }
    const args = await readArguments(
      { pairs: ['__proto__={"x":1}', 'constructor=2', 'a.__proto__.x=1'] },
      { schema: free, signature: '' },
    )
    expect(Object.keys(args)).toEqual(['__proto__', 'constructor', 'a'])
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })

  it.each([
    [['count=1.5'], 'must be of type integer, not "1.5"'],
    [['count=Infinity'], 'must be of type integer'],
    [['flag=maybe'], 'must be of type boolean'],
    [['numbers=x'], 'must be of type number'],
    [['to.zip=x'], 'The argument "to.zip" must be of type integer'],
    [['to.town=x'], 'There is no argument "to.town".'],
    [['to=x'], 'must be of type {'],
    [['to.city=x', 'to={}'], 'is given both as a whole and by its parts'],
    [['to..city=x'], 'has an empty part'],
    [['=1'], 'is not of the form key=value'],
    [[':=1'], 'is not of the form key=value'],
  ])('are refused as %j', async (pairs, message) => {
    await expect(read(pairs)).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining(message) })
  })

  it('arrive as they were meant, whatever the value is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.string(), async (value, text) => {
        const { any, zip } = await read([`any:=${JSON.stringify(value)}`, `zip=${text.replace(/^@+/, '')}`])
        expect(any).toEqual(JSON.parse(JSON.stringify(value)))
        expect(zip).toBe(text.replace(/^@+/, ''))
      }),
    )
  })

  it('never fail otherwise than with a failure, whatever the schema is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), async (properties, text) => {
        const anything = { type: 'object', properties } as Record<string, unknown>
        const word = `${Object.keys(properties)[0] ?? 'a'}=${text.replace(/^@+/, '')}`
        await readArguments({ pairs: [word] }, { schema: anything, signature: '' }).catch((error: Error) => {
          expect(error.name).toBe('Failure')
        })
      }),
    )
  })
})
