// Starts a server once as a host would, so that an entry that cannot work is not written.
import { tmpdir } from 'node:os'
import { Client } from 'mcpwire'
import { stdio } from 'mcpwire/node'
import { explainStartFailure } from '../errors/start-failure.ts'
import { Failure } from '../terminal/failure.ts'
import type { CommandEntry } from './server-entry.ts'

const NO_CONNECTION = 3

/** In a folder that is not the server's, with the environment that the entry gives it. Throws `Failure` where it does not start. */
export async function tryEntry(entry: CommandEntry): Promise<void> {
  const cwd = process.platform === 'win32' ? tmpdir() : '/'
  const client = new Client(stdio({ cwd, ...entry, stderr: 'ignore' }))
  try {
    await client.open()
  } catch (error) {
    const explained = explainStartFailure(error, true)
    // Its lines have not been shown yet, so that they belong to the message.
    const isDiagnosed = explained !== undefined && explained.repeatedLines > 0
    const { message } = isDiagnosed ? explained.failure : (error as Error)
    const hints = [isDiagnosed ? explained.failure.hint : undefined, ...hintsFor(entry, cwd)]
    throw new Failure(message, {
      hint: hints.filter((hint) => hint !== undefined).join('\n'),
      exitCode: NO_CONNECTION,
      cause: error,
    })
  } finally {
    await client.close()
  }
}

function hintsFor({ env }: CommandEntry, cwd: string): string[] {
  const hints = [`Nothing was written. The server was started in ${cwd}, as a host would start it, and did not answer.`]
  if (env['NODE_OPTIONS'] !== undefined) {
    hints.push('Node looks for the files in NODE_OPTIONS in that folder. Use absolute paths there.')
  }
  return [...hints, 'Use --no-check to write the entry anyway.']
}
