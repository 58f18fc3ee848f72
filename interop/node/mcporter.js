// mcporter's runtime.
import { createRuntime } from 'mcporter'
import { drive } from './drive.js'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

await drive(async ({ target }) => {
  const { command, args, env, url } = target
  const spec = command ? { kind: 'stdio', command, args, cwd: process.cwd() } : { kind: 'http', url: new URL(url) }
  const definition = { name: 'server', command: spec, ...(env && { env }) }
  const runtime = await createRuntime({ servers: [definition], logger: quiet })
  await runtime.connect('server', { disableOAuth: true })
  return {
    listTools: () => runtime.listTools('server', { disableOAuth: true }),
    listResources: async () => (await runtime.listResources('server', { disableOAuth: true })).resources,
    readResource: (uri) => runtime.readResource('server', uri, { disableOAuth: true }),
    callTool: (name, toolArgs) => runtime.callTool('server', name, { args: toolArgs, disableOAuth: true }),
    close: () => runtime.close(),
  }
})
