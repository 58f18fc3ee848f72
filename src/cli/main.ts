#!/usr/bin/env node
// mcpwire, the command line: reads what was typed and hands it to the command that was meant.
import { CommanderError } from 'commander'
import { createOutput } from './output.ts'
import { createProgram } from './program.ts'
import { tellThrown } from './tell.ts'

const output = createOutput(process)

try {
  await createProgram(output, (exitCode) => {
    process.exitCode = exitCode
  }).parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
  else process.exitCode = tellThrown(error, output.note)
}
