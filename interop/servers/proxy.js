// A proxy of mcpwire in the middle. Usage: proxy.js stdio | http-sse legacy | modern <target as JSON>
import { createProxy } from 'mcpwire/proxy'

const [front = 'stdio', era = 'legacy', target = '""'] = process.argv.slice(2)
const proxy = createProxy(JSON.parse(target), { mode: era })
if (front === 'stdio') {
  await proxy.run()
} else {
  const { url } = await proxy.run({ transport: 'http', port: 0 })
  console.log(url)
}
