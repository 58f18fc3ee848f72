import { apps, readView } from 'mcpwire/extensions/apps'
import { connect } from 'mcpwire/testing'
import { expect, test } from 'vitest'
import { server } from '../src/server.ts'

for (const mode of ['legacy', 'modern'] as const) {
  test(`rolls a die (${mode})`, async () => {
    const client = await connect(server, { mode })
    const { structuredContent } = await client.callTool('roll', { sides: 6 })
    expect(structuredContent).toMatchObject({ sides: 6 })
    await client.close()
  })

  test(`has a view for hosts that show it (${mode})`, async () => {
    const client = await connect(server, { mode, extensions: [apps()] })
    const { tools } = await client.listTools()
    const tool = tools.find(({ name }) => name === 'roll')
    const view = await readView(client, tool ?? expect.fail('there is no tool'))
    expect(view.html).toContain('<title>Dice</title>')
    await client.close()
  })
}
