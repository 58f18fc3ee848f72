// `ctx.background()` where it can never have an effect: the author gets a warning.
import { describe, expect, it } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import { tasks } from '../../../../src/extensions/tasks/tasks.ts'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'

const SET = "Set task: 'manual' on the tool."
const ADD = "Add tasks() from 'mcpwire/extensions/tasks' to the option extensions of the server."

function createServer(extensions = [tasks()]) {
  const warnings: string[] = []
  const onFault = ({ kind, message }: { kind: string; message: string }) => warnings.push(`${kind}: ${message}`)
  return { server: new MCPServer('s', { extensions, onFault }), warnings }
}

describe('ctx.background() without an effect', () => {
  it.each([undefined, false] as const)('is reported once for each tool with task: %s', async (task) => {
    const { server, warnings } = createServer()
    for (const name of ['a', 'b']) {
      server.tool(name, { task }, async (_args, ctx) => {
        await ctx.background()
        await ctx.background('again')
        return String(ctx.task)
      })
    }
    await using client = await Client.connect(server, { extensions: [tasks()] })
    for (const name of ['a', 'b', 'a']) await client.callTool(name)
    expect(warnings).toEqual(
      ['a', 'b'].map(
        (name) =>
          `configuration-warning: ctx.background() has no effect in the tool "${name}", which has no option task. ${SET}`,
      ),
    )
  })

  it('names tasks() too on a server without it', async () => {
    const { server, warnings } = createServer([])
    server.tool('a', async (_args, ctx) => {
      await ctx.background()
      return 'done'
    })
    await using client = await Client.connect(server)
    await client.callTool('a')
    expect(warnings).toEqual([expect.stringContaining(`${ADD} ${SET}`)])
  })

  it('is reported once for resources, which are never tasks', async () => {
    const { server, warnings } = createServer()
    server.resource('notes://a', async (_variables, ctx) => {
      await ctx.background()
      return 'note'
    })
    await using client = await Client.connect(server)
    await client.readResource('notes://a', { cacheMode: 'bypass' })
    await client.readResource('notes://a', { cacheMode: 'bypass' })
    expect(warnings).toEqual([expect.stringContaining("ctx.background() has no effect in 'resources/read'")])
  })

  it('is not reported in a tool with task, whatever the client takes, nor in a task', async () => {
    const { server, warnings } = createServer()
    for (const task of ['manual', true, 'always'] as const) {
      server.tool(String(task), { task }, async (_args, ctx) => {
        await ctx.background()
        await ctx.background()
        return ctx.task === undefined ? 'in the call' : 'in a task'
      })
    }
    await using taking = await Client.connect(server, { extensions: [tasks()] })
    await using plain = await Client.connect(server)
    await using legacy = await Client.connect(server, { mode: 'legacy' })
    const texts: string[] = []
    for (const client of [taking, plain, legacy]) {
      for (const name of ['manual', 'true', 'always']) {
        const [block] = (await client.callTool(name)).content
        texts.push(block?.type === 'text' ? block.text : '')
      }
    }
    expect(texts).toEqual([...Array(3).fill('in a task'), ...Array(6).fill('in the call')])
    expect(warnings).toEqual([])
  })
})
