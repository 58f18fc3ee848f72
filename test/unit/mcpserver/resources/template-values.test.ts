// Templates: values that are absolute paths, and texts that no URI can be read back by.
import fc from 'fast-check'
import { Client, MCPServer } from 'mcpwire'
import { describe, expect, it } from 'vitest'
import { isAbsolutePath } from '../../../../src/mcpserver/resources/resources.ts'

/** The values that readers got for these URIs, and those that led nowhere. */
async function read(templates: Record<string, object>, ...uris: string[]) {
  const server = new MCPServer('files')
  const seen: unknown[] = []
  for (const [template, options] of Object.entries(templates)) {
    server.resource(template, options, (variables) => {
      seen.push(variables)
      return 'text'
    })
  }
  await using client = await Client.connect(server)
  const refused: unknown[] = []
  for (const uri of uris) await client.readResource(uri).catch((error: { code: number }) => refused.push(error.code))
  return { seen, refused }
}

describe('a template value that is an absolute path', () => {
  it.each([
    'file:///etc/passwd',
    'file://%2Fetc/passwd',
    'file://%2fetc',
    'file://%252Fetc',
    'file://%25252fetc',
    'file://%5Cserver%5Cshare',
    'file://%255Cserver',
    'file://C:/x',
    'file://c:x',
    'file://C%3A%5Cx',
    'file://%43:/x',
    'file:////server/share',
  ])('%s reaches no reader', async (uri) => {
    const { seen, refused } = await read({ 'file://{+path}': {} }, uri)
    expect({ seen, refused }).toEqual({ seen: [], refused: [-32602] })
  })

  it.each([
    ['docs://{name}', 'docs://%2Fetc'],
    ['docs://x{/parts*}', 'docs://x//etc/passwd'],
    ['docs://x{/parts*}', 'docs://x/%2Fetc'],
    ['docs://x{/parts*}', 'docs://x/a/%2Fetc'],
    ['docs://x{?file}', 'docs://x?file=/etc/passwd'],
    ['docs://x{?file}', 'docs://x?file=C:/x'],
    ['docs://x{;file}', 'docs://x;file=%2Fetc'],
  ])('reaches no reader of %s', async (template, uri) => {
    expect((await read({ [template]: {} }, uri)).seen).toEqual([])
  })

  it('reaches a reader that asks for it', async () => {
    const { seen } = await read({ 'file://{+path}': { allowAbsolutePaths: true } }, 'file:///etc/hosts', 'file://C:/x')
    expect(seen).toEqual([{ path: '/etc/hosts' }, { path: 'C:/x' }])
  })

  it('has its own option, apart from the one for ..', async () => {
    const both = ['file:///etc/hosts', 'file://../x']
    expect((await read({ 'file://{+path}': { allowAbsolutePaths: true } }, ...both)).seen).toEqual([
      { path: '/etc/hosts' },
    ])
    expect((await read({ 'file://{+path}': { allowTraversal: true } }, ...both)).seen).toEqual([{ path: '../x' }])
  })

  it('is none of these', async () => {
    const uris = ['file://a/b.txt', 'file://notes:today', 'file://ab:c', 'file://a%2Fb', 'file://%2e/x', 'file://1:2']
    expect((await read({ 'file://{+path}': {} }, ...uris)).refused).toEqual([])
  })

  it('is found however it is joined', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', '', 'b:c', '/x', 'x/', '%2f', '%2Fx', 'd:'), { maxLength: 4 }),
        (items) => {
          const path = items.join('/')
          const isAbsolute = /^[/\\]|^[a-z]:|^%2f/i
          expect(isAbsolutePath(items)).toBe(isAbsolute.test(path) || items.some((item) => isAbsolute.test(item)))
        },
      ),
    )
  })
})

describe('a template whose variables can not be read from a URI', () => {
  it.each([
    ['x://{a}{b}', 'nothing separates {a} from {b}'],
    ['x://{a}{+b}', 'nothing separates {a} from {b}'],
    ['x://{+a}{b}', 'nothing separates {a} from {b}'],
    ['x://y{/a}{b}', 'nothing separates {a} from {b}'],
    ['x://{a,b}{c}', 'nothing separates {b} from {c}'],
    ['x://{a:3}', '{a:3} is only a part of its value'],
    ['x://{a:3}/{a}', '{a:3} is only a part of its value'],
    ['x://{a}/{a}', 'the variable a is used twice'],
    ['x://{a,a}', 'the variable a is used twice'],
    ['x://{a}{?a}', 'the variable a is used twice'],
  ])('%s is refused at registration: %s', (template, reason) => {
    const server = new MCPServer('files')
    expect(() => server.resource(template, () => 'x')).toThrow(RangeError)
    expect(() => server.resource(template, () => 'x')).toThrow(reason)
  })

  it.each(['x://{a}/{b}', 'x://{a}.{b}', 'x://{a}{/b}', 'x://{a}{.b}', 'x://{a}{?b,c}', 'x://{a,b}', 'x://{a}{#b}'])(
    '%s is taken',
    (template) => {
      expect(() => new MCPServer('files').resource(template, () => 'x')).not.toThrow()
    },
  )
})
