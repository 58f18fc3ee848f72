// Tasks and skills of a server that has mounts and transforms.
import { describe, expect, it } from 'vitest'
import { Client } from '../../../src/exports/client.ts'
import { skills } from '../../../src/exports/extensions/skills.ts'
import { tasks } from '../../../src/exports/extensions/tasks.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import { rename } from '../../../src/exports/transforms.ts'

const SKILL = {
  'SKILL.md': '---\nname: refunds\ndescription: How to refund an order.\n---\nAsk for the order first.\n',
}

function shop(): MCPServer {
  const child = new MCPServer('child')
  child.tool('echo', () => 'echo')
  const server = new MCPServer('shop', { extensions: [tasks(), skills()] })
  server.mount(child, { as: 'child' })
  server.transform(rename({ child_echo: 'echo' }))
  // Registered last: both extensions meet a server whose components come from several sources.
  server.tool('report', { task: 'always' }, async () => 'done')
  server.skill(SKILL)
  return server
}

describe.each(['modern', 'legacy'] as const)('a server with mounts and transforms, %s', (mode) => {
  it('compose X20 has its own tasks, and what is mounted', async () => {
    const client = await Client.connect(shop(), { mode, extensions: [tasks()] })
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['report', 'echo'])
    const job = await client.tasks.start('report')
    expect((await job.result()).content).toEqual([{ type: 'text', text: 'done' }])
    expect((await client.callTool('echo')).content).toEqual([{ type: 'text', text: 'echo' }])
    await client.close()
  })

  it('compose X20 has its own skills', async () => {
    const client = await Client.connect(shop(), { mode, extensions: [skills()] })
    const names: unknown[] = []
    for await (const { frontmatter } of client.skills.all()) names.push(frontmatter['name'])
    expect(names).toEqual(['refunds'])
    await client.close()
  })
})
