#!/usr/bin/env node
// mcpwire, the command line: parses the arguments and runs the verb.
import { VERB_LIST } from './help/table.ts'
import { watchGroup } from './processes/group-watch.ts'
import { parseCommand } from './program.ts'
import { EXIT } from './terminal/exit-codes.ts'
import { watchSignals } from './terminal/interruption.ts'
import { createOutput, type Output, type OutputOptions } from './terminal/output.ts'
import { watchForStall } from './terminal/stall.ts'
import { readVersion } from './terminal/version.ts'
import type { Invocation } from './verbs/shared/invocation.ts'
import { VERB_MODULES } from './verbs/verbs.ts'

const argv = process.argv.slice(2)

/** For failures of the parser, which come before there are options. */
function guessOptions(): OutputOptions {
  const typed = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv
  return { json: typed.includes('--json'), color: !typed.includes('--no-color'), debug: typed.includes('--debug') }
}

/** `mcpwire/node` calls it with each process group that it starts, and again when that has ended. */
function watchGroupsOfServers(): void {
  // Called in the moment of a start, since a kill may come in the next.
  Reflect.set(globalThis, Symbol.for('mcpwire.group-watch'), watchGroup)
}

async function main(): Promise<number> {
  let options = guessOptions()
  let output = createOutput(process, { color: options.color !== false })
  try {
    const parsed = await parseCommand(argv, {
      verbs: VERB_LIST,
      version: readVersion,
      write: output.print,
      style: { paint: output.paint, width: output.width },
    })
    if (parsed === undefined) return await finish(output, EXIT.done)
    options = parsed.options
    output = createOutput(process, options)
    const { verb, ...typed } = parsed
    watchGroupsOfServers()
    return await finish(output, await runVerb(verb, { ...typed, output }))
  } catch (error) {
    const { printFailure } = await import('./errors/print-failure.ts')
    output.status(undefined)
    return printFailure(error, output.problem, options)
  }
}

async function runVerb(name: string, typed: Omit<Invocation, 'interruption'>): Promise<number> {
  const module = VERB_MODULES[name]
  if (module === undefined) throw new Error(`The command '${name}' is in the help table and has no code.`)
  if (module.handlesSignals === true) {
    const verb = await module.load()
    return verb({ ...typed, interruption: new AbortController().signal } as Invocation<never>)
  }
  const interruption = watchSignals()
  const stall = watchForStall()
  try {
    const verb = await module.load()
    const work = verb({ ...typed, interruption: interruption.signal } as Invocation<never>)
    const exitCode = await Promise.race([work, stall.stalled])
    return interruption.exitCode ?? exitCode
  } catch (error) {
    if (interruption.exitCode === undefined) throw error
    typed.output.status(undefined)
    return interruption.exitCode
  } finally {
    interruption.stop()
    stall.stop()
  }
}

/** What was printed may not have arrived. */
async function finish(output: Output, exitCode: number): Promise<number> {
  await output.flush()
  const { lostOutput } = output
  if (lostOutput === undefined) return exitCode
  output.problem(`mcpwire: The result could not be written to stdout: ${lostOutput.message}`)
  return EXIT.refused
}

process.exitCode = await main()
