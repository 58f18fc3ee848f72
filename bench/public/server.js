// A server under test: `server.js <kind> <contender>`. Says its port, or serves stdio, and its CPU time whenever it is asked.
const [kind, contender] = process.argv.slice(2)
const { contenders } = await import(`./servers/${kind}.js`)
const port = await contenders[contender]()
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send(user + system)
})
process.send(port ?? 0)
