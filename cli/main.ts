#!/usr/bin/env node
// mcpwire, the command line: reads what was typed and hands it to the command that was meant.
import { CommanderError } from 'commander'
import { createProgram } from './program.ts'
import { createOutput } from './terminal/output.ts'
import { tellThrown } from './terminal/tell.ts'

const output = createOutput(process)

try {
  await createProgram(output, (exitCode) => {
    process.exitCode = exitCode
  }).parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
  // `run` loads a program of its user.
  else process.exitCode = tellThrown(error, output.note, { showsStack: process.argv[2] === 'run' })
}

const { lostOutput } = output
if (lostOutput !== undefined) {
  output.note(`mcpwire: the result could not be written: ${lostOutput.message}`)
  process.exitCode = 1
}
