import { describe, expect, it } from 'vitest'
import { toPromptArguments, toToolArguments } from '../verbs/inspect.ts'

const schema = { properties: { zip: { type: 'string' }, count: { type: 'number' } } }
const read = (arg: string[], args?: string) => toToolArguments({ arg, args }, async () => schema)

describe('arguments on a command line', () => {
  it('are read as the tool wants them', async () => {
    expect(await read(['zip=12345', 'count=3', 'flag=true', 'name=Ada', 'list=[1,2]', 'rest=a=b', 'empty='])).toEqual({
      zip: '12345',
      count: 3,
      flag: true,
      name: 'Ada',
      list: [1, 2],
      rest: 'a=b',
      empty: '',
    })
  })

  it('are one JSON object, in which single ones have the last word', async () => {
    expect(await read(['count=2'], '{"count":1,"deep":{"x":null}}')).toEqual({ count: 2, deep: { x: null } })
  })

  it('do not ask for the schema where nothing is in doubt', async () => {
    const asked = () => Promise.reject(new Error('asked'))
    expect(await toToolArguments({ arg: [], args: '{"a":1}' }, asked)).toEqual({ a: 1 })
  })

  it('F055 are data, whatever they are called', async () => {
    const args = await read(['__proto__={"x":1}', 'constructor=2'])
    expect(Object.keys(args)).toEqual(['__proto__', 'constructor'])
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })

  it.each([
    [['count'], undefined, '--arg count is not of the form key=value'],
    [['=1'], undefined, '--arg =1 is not of the form key=value'],
    [[], '{"a":', '--args is not JSON'],
    [[], '[1]', '--args must be a JSON object'],
  ])('are refused as %j %j', async (arg, args, message) => {
    await expect(read(arg, args)).rejects.toThrow(message)
    await expect(read(arg, args)).rejects.toMatchObject({ exitCode: 2 })
  })

  it('of prompts are texts', () => {
    expect(toPromptArguments({ arg: ['n=1'], args: '{"list":[1],"text":"t"}' })).toEqual({
      n: '1',
      list: '[1]',
      text: 't',
    })
  })
})
