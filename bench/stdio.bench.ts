// The cost of stdio on each side, compared with programs that parse and write the same lines by hand. Measures the built package.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { goal } from './measure.ts'
import { stayAwake } from './stay-awake.ts'
import { BareClient, type Caller, connectOurs } from './stdio/callers.ts'
import { scenarios, WARM_UP, type Work, workOf } from './stdio/scenarios.ts'

const folder = new URL('../../bench/stdio/', import.meta.url)
const pathOf = (program: string) => fileURLToPath(new URL(program, folder))
const OURS = pathOf('server.js')
const BARE = pathOf('bare-server.js')
const OUR_LIST = pathOf('list-server.js')
const BARE_LIST = pathOf('bare-list-server.js')

/** Two processes with the same code may differ by a third for their whole life. */
const COPIES = 3

/** A list is mostly writing: the compiler needs about 15,000 of them to optimize the rest. */
const WARM_UP_TURNS_OF_LISTS = 60
const LISTS_PER_TURN = 250
const LIST_TURNS = 25

if (process.send === undefined) await main(process.argv.slice(2))
else await serveAsClient(process.argv[2] === 'ours')

async function main(wanted: readonly string[]): Promise<void> {
  const isWanted = (name: string) => wanted.length === 0 || wanted.some((part) => name.includes(part))
  for (const side of ['server', 'client']) {
    const tasks = scenarios
      .map((scenario, index) => ({ ...scenario, index }))
      .filter(({ name }) => isWanted(`${side}, ${name}`))
    if (tasks.length === 0) continue
    const contenders: Pair =
      side === 'server'
        ? [copiesOf(() => serverOf(BARE)), copiesOf(() => serverOf(OURS))]
        : [copiesOf(() => clientOf('bare')), copiesOf(() => clientOf('ours'))]
    for (const contender of contenders) await contender.run(WARM_UP)
    for (const { index, name, turns, warmUpTurns, atMost } of tasks) {
      goal(`${side}, ${name}`, await ratio(contenders, index, turns, warmUpTurns), atMost)
    }
    for (const contender of contenders) await contender.close()
  }
  if (isWanted('server, tools/list')) await compareLists()
  if (isWanted('first result')) await compareFirstResults(41)
}

/** One of two programs that do the same. */
interface Contender {
  /** Runs the scenario of this number, and resolves to its CPU time in microseconds. */
  run(scenario: number): Promise<number>
  close(): Promise<unknown>
}

type Pair = readonly [bare: Contender, ours: Contender]

/** Several of the same kind, in turn. */
function copiesOf(create: () => Contender): Contender {
  const copies = Array.from({ length: COPIES }, create)
  return {
    async run(scenario) {
      let spent = 0
      for (const copy of copies) spent += await copy.run(scenario)
      return spent
    },
    close: () => Promise.all(copies.map((copy) => copy.close())),
  }
}

/** A server in a process of its own, called by hand from here. */
function serverOf(program: string, work?: Work): Contender {
  const caller = new BareClient(program)
  const usage = async () => Number((await caller.call('usage')).content[0]?.text)
  return {
    async run(scenario) {
      const before = await usage()
      await (scenario === WARM_UP || work === undefined ? workOf(scenario) : work)(caller)
      return (await usage()) - before
    },
    close: () => caller.close(),
  }
}

/** A client in a process of its own, so that neither collects the garbage of the other. */
function clientOf(kind: 'bare' | 'ours'): Contender {
  const child = fork(fileURLToPath(import.meta.url), [kind])
  return {
    async run(scenario) {
      child.send(scenario)
      const [spent] = await once(child, 'message')
      return spent as number
    },
    async close() {
      child.send('close')
      await once(child, 'exit')
    },
  }
}

async function serveAsClient(isOurs: boolean): Promise<void> {
  const caller: Caller = isOurs ? await connectOurs(BARE) : new BareClient(BARE)
  const usage = () => {
    const { user, system } = process.cpuUsage()
    return user + system
  }
  const run = async (scenario: number) => {
    const before = usage()
    await workOf(scenario)(caller)
    process.send?.(usage() - before)
  }
  const close = async () => {
    await caller.close()
    process.disconnect()
  }
  process.on('message', (message) => void (message === 'close' ? close() : run(message as number)))
}

/** The CPU time of the second divided by that of the first: the median over turns, because other load affects both of a turn. */
async function ratio([bare, ours]: Pair, scenario: number, turns: number, warmUpTurns: number): Promise<number> {
  const ratios: number[] = []
  for (let turn = -warmUpTurns; turn < turns; turn++) {
    const spent = await bare.run(scenario)
    const ownSpent = await ours.run(scenario)
    if (turn >= 0) ratios.push(ownSpent / spent)
  }
  return median(ratios)
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

async function compareLists(): Promise<void> {
  const lists: Work = async (caller) => {
    const rest = stayAwake()
    for (let index = 0; index < LISTS_PER_TURN; index++) await (caller as BareClient).list()
    rest()
  }
  const contenders: Pair = [copiesOf(() => serverOf(BARE_LIST, lists)), copiesOf(() => serverOf(OUR_LIST, lists))]
  const cost = await ratio(contenders, 0, LIST_TURNS, WARM_UP_TURNS_OF_LISTS)
  goal('server, tools/list of 1,000 tools / prepared bytes', cost, 1.1)
  for (const contender of contenders) await contender.close()
}

/** From the start of a process to the result of the first call. */
async function firstResult(program: string): Promise<number> {
  const started = performance.now()
  const caller = new BareClient(program)
  await caller.call('add', { a: 1, b: 2 })
  const elapsed = performance.now() - started
  await caller.close()
  return elapsed
}

/** The median ratio over turns: other load on the machine affects both of a turn. */
async function compareFirstResults(turns: number): Promise<void> {
  const bare: number[] = []
  const ours: number[] = []
  const ratios: number[] = []
  for (let turn = -2; turn < turns; turn++) {
    const pair = [await firstResult(BARE), await firstResult(OURS)] as const
    if (turn < 0) continue
    bare.push(pair[0])
    ours.push(pair[1])
    ratios.push(pair[1] / pair[0])
  }
  const times = `after ${median(ours).toFixed(0)} ms, bare Node's after ${median(bare).toFixed(0)} ms`
  goal(`first result ${times}`, median(ratios), 1.4)
}
