// The command line of the MCP Inspector: one process for each call.
import { spawn } from 'node:child_process'
import { drive } from './drive.js'

const folder = process.env.INTEROP_PACKAGES
const PROGRAM = `${folder}/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js`

await drive(async ({ target, era }) => {
  const place = target.command ? [target.command, ...target.args] : [target.url]
  // Its state stays in the folder of its packages, apart from the user's.
  const env = { ...process.env, ...target.env, HOME: folder, USERPROFILE: folder }
  const call = async (method, more = []) => {
    const args = [PROGRAM, '--cli', ...place, '--protocol-era', era, '--method', method, ...more]
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    const [stdout, stderr, code] = await Promise.all([
      child.stdout.setEncoding('utf8').toArray(),
      child.stderr.setEncoding('utf8').toArray(),
      new Promise((resolve) => child.once('exit', resolve)),
    ])
    const output = stdout.join('')
    // It exits with an error if a tool reports one.
    if (code !== 0 && !output.includes('"isError"')) throw new Error(stderr.join('').trim().slice(-500))
    return JSON.parse(output)
  }
  const pairs = (option, given) =>
    Object.entries(given).flatMap(([name, value]) => [
      option,
      `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    ])
  return {
    listTools: async () => (await call('tools/list')).tools,
    listResources: async () => (await call('resources/list')).resources,
    listTemplates: async () => (await call('resources/templates/list')).resourceTemplates,
    listPrompts: async () => (await call('prompts/list')).prompts,
    callTool: (name, args) => call('tools/call', ['--tool-name', name, ...pairs('--tool-arg', args)]),
    readResource: (uri) => call('resources/read', ['--uri', uri]),
    getPrompt: (name, args) => call('prompts/get', ['--prompt-name', name, ...pairs('--prompt-args', args)]),
    close: async () => {},
  }
})
