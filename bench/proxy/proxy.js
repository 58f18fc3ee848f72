// The proxy of the benchmark: node proxy.js http|stdio <URL of the server, or "stdio">. Over HTTP each line of input asks for its heap.
import { fileURLToPath } from 'node:url'
import { createProxy } from 'mcpwire/proxy'

const [, , front, back] = process.argv
const program = fileURLToPath(new URL('server.js', import.meta.url))
const proxy = createProxy(back === 'stdio' ? { command: process.execPath, args: [program, 'stdio'] } : back)
if (front === 'stdio') await proxy.run({ transport: 'stdio', isolate: 'guard' })
else {
  console.log((await proxy.run({ transport: 'http', port: 0, announce: false })).url)
  process.stdin.on('data', () => {
    for (let n = 0; n < 4; n++) globalThis.gc?.()
    console.log(process.memoryUsage().heapUsed)
  })
}
