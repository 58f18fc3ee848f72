// A Postgres of our own, on a unix socket in its folder. It refuses to run as root, so root runs it as the user `postgres`.
import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { EngineProcess, makeFolder, type SystemUser } from './engine-process.ts'
import { findPostgresProgram, programOf } from './programs.ts'

export interface PostgresServer {
  /** The folder of its socket: what clients take as `host`. */
  readonly host: string
  readonly user: string
  readonly process: EngineProcess
  close(): Promise<void>
}

export interface PostgresOptions {
  /** Commits reach the disk, as they do in service. Default: false, which is several times faster. */
  readonly isDurable?: boolean
  /** Further settings, such as `['-c', 'max_connections=200']`. */
  readonly args?: readonly string[]
}

const USER = 'postgres'

/** A second one that follows the first and can take over from it (`pg_promote()`). */
export async function startStandby({ host }: PostgresServer): Promise<PostgresServer> {
  const user = systemUser()
  const folder = makeFolder(user)
  const data = join(folder, 'data')
  const copy = findPostgresProgram('pg_basebackup') ?? 'pg_basebackup'
  const flags = ['-h', host, '-U', USER, '-D', data, '-R', '-X', 'stream', '-c', 'fast', '--no-sync']
  await promisify(execFile)(copy, flags, { cwd: folder, ...user })
  return startAt(folder, data, user, [], 'database system is ready to accept read-only connections')
}

export async function startPostgres({ isDurable = false, args = [] }: PostgresOptions = {}): Promise<PostgresServer> {
  const user = systemUser()
  const folder = makeFolder(user)
  const data = join(folder, 'data')
  const flags = ['-D', data, '-A', 'trust', '-U', USER, '-E', 'UTF8', '--locale=C', '--no-sync']
  await promisify(execFile)(programOf('Postgres'), flags, { cwd: folder, ...user })
  const speed = isDurable ? [] : ['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off']
  return startAt(folder, data, user, [...speed, ...args], 'database system is ready to accept connections')
}

async function startAt(
  folder: string,
  data: string,
  user: SystemUser | undefined,
  args: readonly string[],
  ready: string,
): Promise<PostgresServer> {
  const process = new EngineProcess(folder, {
    path: findPostgresProgram('postgres') ?? 'postgres',
    args: ['-D', data, '-c', 'listen_addresses=', '-c', `unix_socket_directories=${folder}`, ...args],
    ...(user !== undefined && { user }),
    isReady: (log) => log.includes(ready),
    isTooEarly: (log) => log.includes('pre-existing shared memory block'),
  })
  await process.start()
  return { host: folder, user: USER, process, close: () => process.close() }
}

function systemUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, USER], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}
