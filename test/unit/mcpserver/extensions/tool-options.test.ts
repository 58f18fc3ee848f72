// Options of tools that belong to a vendor's extension: who owns them, what they do to listings and calls, what is refused.
import { describe, expect, it } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import { tasks } from '../../../../src/extensions/tasks/tasks.ts'
import type { MCPServerExtension } from '../../../../src/mcpserver/extensions/extension-parts.ts'
import type {
  AroundTool,
  ToolOptionEffect,
  ToolOptionReader,
} from '../../../../src/mcpserver/extensions/tool-options.ts'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'
import { tool } from '../../../../src/mcpserver/tools/tool.ts'

/** The options of a vendor are not declared in these types: `test/types/consumer` does that against the packed ones. */
function vendor(identifier: string, toolOptions: Record<string, ToolOptionReader<never>>): MCPServerExtension {
  return { identifier, toolOptions: toolOptions as object }
}

const mark: ToolOptionReader<never> = (value: unknown, { owner }): ToolOptionEffect => {
  if (typeof value !== 'string') throw new TypeError(`audit of ${owner} must be a string`)
  return { listed: (shown, era) => ({ ...shown, _meta: { ...shown._meta, audit: value, era } }) }
}
const audit = vendor('com.example/audit', { audit: mark })
const audited = (value: unknown) => ({ audit: value }) as object

describe('a tool option of a vendor', () => {
  it('changes what is listed, in each era, of tools registered, given to the constructor and updated', async () => {
    const server = new MCPServer('one', { extensions: [audit], tools: [tool('a', audited('first'), () => 'a')] })
    const handle = server.tool('b', audited('second'), () => 'b')
    for (const mode of ['legacy', 'modern'] as const) {
      await using client = await Client.connect(server, { mode })
      const { tools } = await client.listTools()
      expect(tools.map(({ _meta }) => _meta)).toEqual([
        { audit: 'first', era: mode },
        { audit: 'second', era: mode },
      ])
    }
    handle.update(audited('third'))
    expect((await server.listTools()).tools[1]?._meta).toMatchObject({ audit: 'third' })
  })

  it('is refused by its extension, and nothing is registered or changed', async () => {
    const server = new MCPServer('one', { extensions: [audit] })
    expect(() => server.tool('a', audited(3), () => 'a')).toThrow('audit of tool "a" must be a string')
    const handle = server.tool('a', audited('first'), () => 'a')
    expect(() => handle.update(audited(3))).toThrow('audit of tool "a" must be a string')
    expect((await server.listTools()).tools[0]?._meta).toMatchObject({ audit: 'first' })
  })

  it('is not read where it is undefined, and is read where it is false', () => {
    const seen: unknown[] = []
    const read = (value: unknown) => void seen.push(value)
    const server = new MCPServer('one', { extensions: [vendor('com.example/audit', { audit: read as never })] })
    server.tool('a', audited(undefined), () => 'a')
    server.tool('b', audited(false), () => 'b')
    expect(seen).toEqual([false])
  })

  it('can come from the parts that an extension has for one server', async () => {
    const extension: MCPServerExtension = {
      identifier: 'com.example/audit',
      forServer: () => ({
        toolOptions: { audit: () => ({ listed: (shown: object) => ({ ...shown, title: 'Audited' }) }) } as object,
      }),
    }
    const server = new MCPServer('one', { extensions: [extension] })
    server.tool('a', audited(true), () => 'a')
    expect((await server.listTools()).tools[0]?.title).toBe('Audited')
  })
})

describe('an option without an owner', () => {
  it.each([
    ['near an option of an extension', 'audti', [audit], 'The nearest known option is "audit".'],
    ['near an option of every tool', 'descripton', [audit], 'The nearest known option is "description".'],
    [
      'of an extension that the server does not have',
      'audit',
      [],
      'An option of an extension needs the extension in the',
    ],
    ['near nothing', 'zzzzzzzz', [audit], 'Known options: '],
  ] as const)('%s is a TypeError that says what to do', (_what, key, extensions, advice) => {
    const server = new MCPServer('one', { extensions })
    const options = { [key]: true } as object
    const attempts = [
      () => server.tool('a', options, () => 'a'),
      () => new MCPServer('two', { extensions }).tool('b', () => 'b').update(options),
      () => new MCPServer('two', { extensions, tools: [tool('a', options, () => 'a')] }),
    ]
    for (const attempt of attempts) {
      expect(attempt).toThrow(TypeError)
      expect(attempt).toThrow(`Unknown option "${key}" for tool "`)
      expect(attempt).toThrow(advice)
    }
  })
})

describe('the constructor of a server refuses an extension with', () => {
  const none: ToolOptionReader<never> = () => undefined
  it.each<[string, MCPServerExtension[], string]>([
    [
      'an option that another has',
      [audit, vendor('com.example/other', { audit: none })],
      "Both 'com.example/audit' and 'com.example/other' have the tool option 'audit'",
    ],
    [
      'an option that every tool has',
      [vendor('com.example/other', { title: none })],
      "The tool option 'title' belongs to every tool and is not for 'com.example/other'.",
    ],
    [
      'the name of the handler',
      [vendor('com.example/other', { run: none })],
      "The tool option 'run' belongs to every tool and is not for 'com.example/other'.",
    ],
    [
      'an option of an extension of the specification',
      [vendor('com.example/other', { task: none })],
      "The tool option 'task' belongs to 'io.modelcontextprotocol/tasks' and is not for 'com.example/other'",
    ],
    [
      'an option that nothing reads',
      [vendor('com.example/other', { audit: true as never })],
      "The tool option 'audit' of the extension 'com.example/other' has no function that reads it",
    ],
    [
      'an option without a name',
      [vendor('com.example/other', { '': none })],
      "The extension 'com.example/other' has a tool option without a name",
    ],
    [
      'toolOptions that are no object',
      [{ identifier: 'com.example/other', toolOptions: ['audit'] as object }],
      "toolOptions of the extension 'com.example/other' must be an object",
    ],
  ])('%s', (_what, extensions, message) => {
    const attempt = () => new MCPServer('one', { extensions })
    expect(attempt).toThrow(TypeError)
    expect(attempt).toThrow(message)
  })
})

describe('what several extensions run around a tool', () => {
  const seen: string[] = []
  const watching = (name: string): MCPServerExtension => {
    const around: AroundTool = async (_request, _params, next) => {
      seen.push(`${name} begins`)
      const result = await next()
      seen.push(`${name} ends`)
      return result
    }
    return vendor(`com.example/${name}`, { [name]: () => ({ around }) })
  }

  it('nests in the order of the extensions', async () => {
    seen.length = 0
    const server = new MCPServer('one', { extensions: [watching('outer'), watching('middle'), watching('inner')] })
    server.tool('a', { inner: 1, outer: 1, middle: 1 } as object, () => {
      seen.push('runs')
      return 'a'
    })
    expect(await server.callTool('a')).toMatchObject({ content: [{ text: 'a' }] })
    const begins = ['outer begins', 'middle begins', 'inner begins']
    expect(seen).toEqual([...begins, 'runs', 'inner ends', 'middle ends', 'outer ends'])
  })

  it.each([
    ['before tasks()', [watching('audit'), tasks()]],
    ['after tasks()', [tasks(), watching('audit')]],
  ])('leaves a tool a task, with the extension of a vendor %s', async (_where, extensions) => {
    seen.length = 0
    const server = new MCPServer('one', { extensions })
    server.tool('a', { task: 'always', audit: 1 } as object, () => 'a')
    await using client = await Client.connect(server, { extensions: [tasks()] })
    const statuses: string[] = []
    const result = await client.callTool('a', {}, { onStatus: ({ status }) => statuses.push(status) })
    expect(result.content).toMatchObject([{ text: 'a' }])
    expect(statuses.at(-1)).toBe('completed')
    expect(seen).toContain('audit begins')
  })
})
