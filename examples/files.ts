// Serves the files of the folder on the command line as resources. No URI and no symbolic link leads out of it.
import { appendFile } from 'node:fs/promises'
import { MCPServer, ToolError } from 'mcpwire'
import { directoryResources, PathEscapeError, safeJoin } from 'mcpwire/node'
import { z } from 'zod'

const [root = '.'] = process.argv.slice(2)

const server = new MCPServer('files', { version: '1.0.0' })

server.resource(directoryResources(root, { uri: 'files://', description: 'What is in the folder.' }))

server.tool(
  'append_line',
  {
    description: 'Adds a line to a file of the folder.',
    input: z.object({ path: z.string().describe('From the folder, as in "notes/today.md".'), line: z.string() }),
  },
  async ({ path, line }, ctx) => {
    await appendFile(await findFile(path), `${line}\n`)
    await ctx.notifyResourceUpdated(`files://${path.split('/').map(encodeURIComponent).join('/')}`)
    return `Added a line to ${path}.`
  },
)

async function findFile(path: string): Promise<string> {
  try {
    return await safeJoin(root, path)
  } catch (error) {
    if (error instanceof PathEscapeError) throw new ToolError(`${path} is not in the folder.`)
    throw error
  }
}

await server.run()
