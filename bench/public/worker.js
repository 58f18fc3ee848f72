// A process under test: `worker.js <scenario> <contender>`. Told how many runs to do, it says how much CPU time they took.
const [scenario, contender] = process.argv.slice(2)
const { contenders } = await import(`./scenarios/${scenario}.js`)
const create = contenders[contender]
if (create === undefined) throw new Error(`${scenario} has no contender ${contender}`)
const run = await create()

const cpuMicros = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}

async function measure(count) {
  const before = cpuMicros()
  for (let index = 0; index < count; index++) await run()
  process.send(cpuMicros() - before)
}

process.on('message', (count) => void measure(count))
process.send('ready')
// Whoever measures it is gone.
process.on('disconnect', () => process.exit())
