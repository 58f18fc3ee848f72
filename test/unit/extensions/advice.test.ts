// What messages tell somebody who uses an extension for the first time.
import { describe, expect, it } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import { apps } from '../../../src/extensions/apps/apps.ts'
import { readView } from '../../../src/extensions/apps/host/read-view.ts'
import { uiOf } from '../../../src/extensions/apps/host/tools.ts'
import { skills } from '../../../src/extensions/skills/skills.ts'
import { tasks } from '../../../src/extensions/tasks/tasks.ts'
import type { Context } from '../../../src/mcpserver/handlers/context.ts'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import { MissingClientCapabilityError } from '../../../src/types/errors/errors.ts'
import type { Job } from '../../../src/types/extensions/tasks.ts'
import type { CallToolResult } from '../../../src/types/features/tools.ts'

const FORM = { type: 'object', properties: { yes: { type: 'boolean' } } } as const

async function failureOf(work: Promise<unknown>): Promise<Error> {
  const error: unknown = await work.then(
    () => expect.unreachable('it did not fail'),
    (reason: unknown) => reason,
  )
  return error as Error
}

async function outcomeOf(work: Promise<CallToolResult>): Promise<string> {
  const [block] = await work.then(
    ({ content }) => content,
    (error: Error) => [{ type: 'text', text: error.message } as const],
  )
  return block?.type === 'text' ? block.text : ''
}

describe('an extension that was not called', () => {
  it.each([
    ['tasks', tasks],
    ['apps', apps],
    ['skills', skills],
  ])('%s: servers and clients say to call it', (name, extension) => {
    const message = `extensions[1] is a function that creates an extension. Call it: write ${name}().`
    const extensions = [{ identifier: 'com.example/first' }, extension as never]
    expect(() => new MCPServer('works', { extensions })).toThrow(new TypeError(message))
    expect(() => new Client('http://localhost/mcp', { extensions })).toThrow(new TypeError(message))
  })

  it.each([
    ['undefined', undefined, 'undefined'],
    ['a string', 'tasks', 'a string'],
    ['null', null, 'null'],
  ])('%s is no extension', (_name, entry, shown) => {
    const message = `extensions[0] must be an extension, not ${shown}. Write for example tasks().`
    expect(() => new MCPServer('works', { extensions: [entry as never] })).toThrow(new TypeError(message))
    expect(() => new Client('http://localhost/mcp', { extensions: [entry as never] })).toThrow(new TypeError(message))
  })

  it('a function without a name is said to be called too', () => {
    const extensions = [(() => () => {})() as never]
    expect(() => new MCPServer('works', { extensions })).toThrow(
      new TypeError('extensions[0] is a function that creates an extension. Call it.'),
    )
  })
})

describe('a call that needs what the client does not have', () => {
  const ADD_TASKS = "Add tasks() from 'mcpwire/extensions/tasks' to the option extensions of the client."

  it('names tasks() for a tool that must be a task', async () => {
    const server = new MCPServer('works', { extensions: [tasks()] })
    server.tool('work', { task: 'required' }, () => 'never')
    await using client = await Client.connect(server)
    const error = await failureOf(client.callTool('work'))
    expect(error).toBeInstanceOf(MissingClientCapabilityError)
    expect(error).toMatchObject({ code: -32021, local: false })
    expect(error.message).toBe(
      `The client did not declare a capability that this request needs: io.modelcontextprotocol/tasks. ${ADD_TASKS}`,
    )
  })

  it('names tasks() at revision 2025-11-25 too, for a tool that was listed', async () => {
    const server = new MCPServer('works', { extensions: [tasks()] })
    server.tool('work', { task: 'required' }, () => 'never')
    await using client = await Client.connect(server, { mode: '2025-11-25' })
    await client.listTools()
    const error = await failureOf(client.callTool('work'))
    expect(error).toMatchObject({ code: -32601, local: false })
    expect(error.message).toContain(ADD_TASKS)
  })

  it('names the callback for a question that the client cannot be asked', async () => {
    const server = new MCPServer('works')
    server.tool('ask', { requires: { elicitation: {} } }, () => 'never')
    await using client = await Client.connect(server)
    expect((await failureOf(client.callTool('ask'))).message).toContain('Set the option onElicitation of the client.')
  })

  it('names tasks() at revision 2025-11-25 for a tool that was not listed', async () => {
    const server = new MCPServer('works', { extensions: [tasks()] })
    server.tool('work', { task: 'required' }, () => 'never')
    await using client = await Client.connect(server, { mode: '2025-11-25' })
    const error = await failureOf(client.callTool('work'))
    expect(error).toMatchObject({ code: -32601, local: false })
    expect(error.message).toContain(ADD_TASKS)
  })

  it.each(['modern', '2025-11-25', '2025-06-18'] as const)(
    'names onElicitation where a handler asks, in a call and in a task (%s)',
    async (mode) => {
      const server = new MCPServer('works', { extensions: [tasks()], onFault: () => {} })
      const ask = async (_args: object, ctx: Context) => (await ctx.elicit('Sure?', FORM)).action
      server.tool('ask', { task: { mode: 'always', pollIntervalMs: 100 } }, ask)
      await using plain = await Client.connect(server, { mode })
      await using taking = await Client.connect(server, { mode, extensions: [tasks()] })
      const ends = [
        await outcomeOf(plain.callTool('ask')),
        await outcomeOf(taking.callTool('ask', {}, { task: true })),
        ...(mode === '2025-06-18' ? [] : [await outcomeOf((await taking.tasks.start('ask')).result())]),
      ]
      const advice =
        mode === 'modern'
          ? 'Set the option onElicitation of the client.'
          : 'A client of mcpwire declares it with the option onElicitation.'
      for (const end of ends) expect(end).toContain(`it did not declare elicitation.form. ${advice}`)
    },
  )

  it('leaves the message of any other error as the server wrote it', async () => {
    const server = new MCPServer('works')
    server.tool('need', { requires: { extensions: { 'com.example/search': {} } } }, () => 'never')
    await using client = await Client.connect(server)
    expect((await failureOf(client.callTool('need'))).message).toBe(
      'The client did not declare a capability that this request needs: com.example/search',
    )
  })

  it('says so of a resumed job whose questions nobody can answer here', async () => {
    const server = new MCPServer('works', { extensions: [tasks()] })
    server.tool('ask', { task: { mode: 'always', pollIntervalMs: 100 } }, async (_args, ctx) => {
      const { action } = await ctx.elicit('Sure?', FORM)
      return action
    })
    const onElicitation = () => ({ action: 'accept', content: { yes: true } }) as const
    await using first = await Client.connect(server, { extensions: [tasks()], onElicitation })
    const job: Job = await first.tasks.start('ask')
    await using second = await Client.connect(server, { extensions: [tasks()] })
    const error = await failureOf(second.tasks.resume(job.reference as never).result())
    expect(error.message).toBe(
      'The server asks for elicitation, and this client has no onElicitation. Set the option onElicitation of the client.',
    )
    expect(error).toMatchObject({ local: true })
  })
})

describe('an argument of another kind', () => {
  const SKILL = '---\nname: refunds\ndescription: How to refund.\n---\n\nRefund.\n'

  it('skills.load() and skills.get() take a uri, and say which one has the name', async () => {
    const server = new MCPServer('works', { extensions: [skills()] })
    server.skill({ 'SKILL.md': SKILL })
    await using client = await Client.connect(server, { extensions: [skills()] })
    const rule = 'The first argument of skills.get() and skills.load() must be the URI of a SKILL.md'
    for (const verb of ['load', 'get'] as const) {
      expect((await failureOf(client.skills[verb]('refunds'))).message).toBe(
        `${rule}, not "refunds". Use "skill://refunds/SKILL.md".`,
      )
      expect((await failureOf(client.skills[verb]('returns'))).message).toBe(
        `${rule}, not "returns". client.skills.all() lists the skills of the server.`,
      )
    }
    expect(await failureOf(client.skills.get(5 as never))).toEqual(new TypeError(`${rule}, not a number.`))
    expect((await client.skills.load('skill://refunds/SKILL.md')).name).toBe('refunds')
  })

  it('readView() takes the tool, not its name', async () => {
    const source = { readResource: async () => expect.unreachable('nothing is read') }
    expect((await failureOf(readView(source as never, 'a' as never))).message).toBe(
      'The second argument of readView() must be a tool as client.tools() lists it, not "a".',
    )
  })

  it('uiOf() takes a tool', () => {
    expect(() => uiOf(undefined as never)).toThrow(
      new TypeError('uiOf() takes a tool as client.tools() lists it, not undefined.'),
    )
  })

  it('the option references of tasks() is no path', () => {
    expect(() => tasks({ references: 'tasks.json' as never })).toThrow(
      new TypeError(
        "The option references of tasks() must be an object, not a string. Write fileTaskReferences(path), from 'mcpwire/node'.",
      ),
    )
  })

  it('a range of days says so', () => {
    const server = new MCPServer('works', { extensions: [tasks()] })
    expect(() => server.tool('work', { task: { ttlMs: -1 } }, () => '')).toThrow(
      'must be an integer from 1 to 34560000000 (400 days), not -1.',
    )
  })
})

describe('a failure that says where', () => {
  it.each(['modern', 'legacy'] as const)('a skill whose function fails is named to its client (%s)', async (mode) => {
    const server = new MCPServer('works', { extensions: [skills()], onFault: () => {} })
    const fail = () => {
      throw new Error('no database')
    }
    server.skill('broken', { description: 'Broken.', body: fail })
    await using client = await Client.connect(server, { mode, extensions: [skills()] })
    const error = await failureOf(client.skills.load('skill://broken/SKILL.md'))
    expect(error.message).toBe(
      'The server failed to read the file "SKILL.md" of the skill "skill://broken/SKILL.md": Internal error',
    )
    expect(error).toMatchObject({ code: -32603, local: false, cause: { message: 'Internal error' } })
  })

  it.each([
    ['modern', undefined, 'It is cancelled.'],
    ['2025-11-25', undefined, 'It is cancelled.'],
    ['modern', 'leave', 'It goes on.'],
  ] as const)('a call whose task takes longer than maxTotalMs names the task (%s, %s)', async (mode, onStop, fate) => {
    const server = new MCPServer('works', { extensions: [tasks()] })
    server.tool('work', { task: 'always' }, (_args, ctx) => {
      return new Promise<string>((resolve) => ctx.signal.addEventListener('abort', () => resolve('stopped')))
    })
    await using client = await Client.connect(server, { mode, extensions: [tasks()] })
    const error = await failureOf(client.callTool('work', {}, { task: true, maxTotalMs: 100, onStop }))
    expect(error.message).toBe(`The task of the tool "work" did not end within 100 ms in all. ${fate}`)
    expect(error).toMatchObject({ code: -32001, local: true, data: { taskId: expect.any(String) } })
  })
})
