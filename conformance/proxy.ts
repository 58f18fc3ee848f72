// A proxy for the official conformance suite, in front of the server of the suite: the verdicts have to be those of the server itself.
import { parseArgs } from 'node:util'
import { createGateway, createProxy } from 'mcpwire/proxy'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** The era at the back. */
    mode: { type: 'string', default: 'auto' },
    /** A gateway with this one source, whose names stay as they are, in place of a proxy. */
    gateway: { type: 'boolean', default: false },
  },
})

const target = positionals[0] ?? ''
const mode = values.mode as 'auto' | 'modern' | 'legacy'
const front = values.gateway ? createGateway({ upstream: { target, as: '', mode } }) : createProxy(target, { mode })
const { url } = await front.run({ transport: 'http', port: 0 })
console.log(url)
