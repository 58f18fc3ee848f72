// Engines that take a second to start are started once for a whole run, by the first test that asks, and belong to its main process.
import { randomBytes } from 'node:crypto'
import { type AddressInfo, connect, createServer } from 'node:net'
import { type PostgresServer, startPostgres } from './postgres.ts'

/** The port of the main process, where test files ask for engines. Set by `global-setup.ts`. */
const PORT = 'MCPWIRE_SHARED_ENGINES'

const starters = { postgres: startPostgres }

export interface SharedPostgres {
  readonly host: string
  readonly user: string
  /** The name of a database that nobody else uses. It has to be created (`create database …`), connected to `postgres`. */
  readonly database: string
  /** For clients that take a URL: of the database `postgres`. */
  readonly url: string
}

/** The Postgres of this run. */
export async function sharedPostgres(): Promise<SharedPostgres> {
  const { host, user } = (await request('postgres')) as { host: string; user: string }
  return {
    host,
    user,
    database: `test_${randomBytes(8).toString('hex')}`,
    url: `postgres://${user}@localhost/postgres?host=${encodeURIComponent(host)}`,
  }
}

/** In the main process: answers requests, and returns what ends all engines. */
export async function serveShared(): Promise<() => Promise<void>> {
  const engines = new Map<string, Promise<PostgresServer>>()
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (text: Buffer) => {
      const name = text.toString().trim() as keyof typeof starters
      const engine = engines.get(name) ?? starters[name]()
      engines.set(name, engine)
      engine.then(
        ({ host, user }) => socket.end(JSON.stringify({ host, user })),
        (error: unknown) => socket.end(JSON.stringify({ error: String(error) })),
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  process.env[PORT] = String((server.address() as AddressInfo).port)
  return async () => {
    server.close()
    for (const engine of engines.values()) await engine.then((started) => started.close()).catch(() => {})
  }
}

function request(name: string): Promise<unknown> {
  const port = process.env[PORT]
  if (port === undefined) throw new Error('shared engines exist in a run of Vitest only')
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(`${name}\n`))
    socket.setEncoding('utf8')
    socket.on('error', reject)
    socket.on('data', (part) => {
      text += String(part)
    })
    socket.on('end', () => {
      const answer = JSON.parse(text) as { error?: string }
      if (answer.error === undefined) resolve(answer)
      else reject(new Error(answer.error))
    })
  })
}
