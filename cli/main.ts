#!/usr/bin/env node
// mcpwire, the command line: parses the arguments and runs the command.
import { CommanderError } from 'commander'
import { createProgram } from './program.ts'
import { printFailure } from './terminal/failure.ts'
import { createOutput } from './terminal/output.ts'

const output = createOutput(process)

try {
  await createProgram(output, (exitCode) => {
    process.exitCode = exitCode
  }).parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
  // These load a program of their user.
  else
    process.exitCode = printFailure(error, output.note, {
      showsStack: ['run', 'worker'].includes(process.argv[2] ?? ''),
    })
}

const { lostOutput } = output
if (lostOutput !== undefined) {
  output.note(`mcpwire: The result could not be written to stdout: ${lostOutput.message}`)
  process.exitCode = 1
}
