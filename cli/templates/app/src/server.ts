import { readFile } from 'node:fs/promises'
import { MCPServer } from 'mcpwire'
import { apps } from 'mcpwire/extensions/apps'
import { z } from 'zod'

export const server = new MCPServer('my-server', { version: '0.1.0', extensions: [apps()] })

// Read again for every host that shows it: a change of the file needs no restart.
const view = server.app('ui://my-server/dice', {
  html: () => readFile(new URL('view.html', import.meta.url), 'utf8'),
  prefersBorder: true,
})

const input = z.object({ sides: z.number().int().min(2).max(100) })
const output = z.object({ sides: z.number(), rolled: z.number() })
server.tool('roll', { description: 'Roll a die', input, output, ui: view }, ({ sides }) => ({
  sides,
  rolled: 1 + Math.floor(Math.random() * sides),
}))
