// A proxy for the official conformance suite, in front of the server of the suite: the verdicts have to be those of the server itself.
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createGateway, createProxy } from 'mcpwire/proxy'
import { rename } from 'mcpwire/transforms'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** The era at the back. */
    mode: { type: 'string', default: 'auto' },
    /** A gateway with this one source in a namespace, whose names are mapped back, in place of a proxy. */
    gateway: { type: 'boolean', default: false },
    /** The server as a child process, in place of one at an address. */
    command: { type: 'boolean', default: false },
  },
})

const NAMESPACE = 'upstream'

const target = values.command
  ? { command: process.execPath, args: [fileURLToPath(new URL('./server.js', import.meta.url)), '--stdio'] }
  : (positionals[0] ?? '')
const mode = values.mode as 'auto' | 'modern' | 'legacy'
const front = values.gateway
  ? createGateway(
      { [NAMESPACE]: { target, mode } },
      { transforms: [rename((name) => name.slice(NAMESPACE.length + 1))] },
    )
  : createProxy(target, { mode })
const { url } = await front.run({ transport: 'http', port: 0 })
console.log(url)
