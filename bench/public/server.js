// A server under test: `server.js <kind> <contender>`. Says its port, or serves stdio, and its CPU time or its heap whenever it is asked.
const [kind, contender] = process.argv.slice(2)
const { contenders } = await import(`./servers/${kind}.js`)
const port = await contenders[contender]()

/** What is left when everything that nobody holds is gone. */
function heapUsed() {
  for (let times = 0; times < 3; times++) globalThis.gc()
  return process.memoryUsage().heapUsed
}

process.on('message', (figure) => {
  const { user, system } = process.cpuUsage()
  process.send(figure === 'heap' ? heapUsed() : user + system)
})
process.send(port ?? 0)
// Whoever measures it is gone.
process.on('disconnect', () => process.exit())
