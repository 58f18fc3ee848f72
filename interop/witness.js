// Starts a stdio server for a client and records how it ended: `witness.js <file> <command> [argument …]`.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'

const [file, command, ...args] = process.argv.slice(2)
const child = spawn(command, args, { stdio: 'inherit' })
writeFileSync(`${file}.started`, String(child.pid))
// A client signals the process that it started; the witness passes the signal on to the server.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.once('exit', (code, signal) => {
  writeFileSync(file, JSON.stringify({ code, signal }))
  process.exitCode = code ?? 1
})
