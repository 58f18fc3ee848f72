// A process under test: `worker.js <scenario> <contender>`. Told how many runs to do, and the CPU time after which to do no more, it
// says how much CPU time they took and how many they were.
const [scenario, contender] = process.argv.slice(2)
const { contenders } = await import(`./scenarios/${scenario}.js`)
const create = contenders[contender]
if (create === undefined) throw new Error(`${scenario} has no contender ${contender}`)
const run = await create()

const cpuMicros = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** Pieces of a turn: the time is looked at after each. */
const PIECES = 5

async function measure({ count, maxMicros }) {
  const piece = Math.ceil(count / PIECES)
  const before = cpuMicros()
  let micros = 0
  let runs = 0
  while (runs < count && micros < maxMicros) {
    const end = Math.min(count, runs + piece)
    for (; runs < end; runs++) await run()
    micros = cpuMicros() - before
  }
  process.send({ micros, runs })
}

process.on('message', (turn) => void measure(turn))
process.send('ready')
// Whoever measures it is gone.
process.on('disconnect', () => process.exit())
