// Our server, started for the suite.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { root } from '../lib/run.js'

const START_LIMIT_MS = 20_000

/** Starts the server, or a program beside it; its first line is its address, whose port nobody else can have. */
export async function startServer(args = [], program = 'server.js') {
  const path = fileURLToPath(new URL(`build/conformance/${program}`, root))
  const port = program === 'server.js' ? ['--port', '0'] : []
  const child = spawn(process.execPath, [path, ...port, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const close = () =>
    new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve()
      child.once('exit', resolve)
      child.kill('SIGTERM')
      setTimeout(() => child.kill('SIGKILL'), 5_000).unref()
    })
  const url = await new Promise((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error('The server did not start in time')), START_LIMIT_MS)
    child.once('exit', (code) => reject(new Error(`The server ended with code ${code} before it was ready`)))
    createInterface({ input: child.stdout }).once('line', (line) => {
      clearTimeout(limit)
      resolve(line)
    })
  })
  return { url, close }
}
