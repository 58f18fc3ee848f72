// The engines that tests run against: their programs, where these are, and the Debian package that has them.
import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Beside PATH: where Debian puts servers, which a user's PATH may lack. */
const FOLDERS = ['/usr/sbin', '/usr/local/sbin']

export const ENGINES = {
  Redis: {
    program: 'redis-server',
    package: 'redis-server',
    find: () => findRedis(),
  },
  NATS: { program: 'nats-server', package: 'nats-server', find: () => onPath('nats-server') },
  Postgres: { program: 'initdb', package: 'postgresql', find: () => findPostgres('initdb') },
  nginx: { program: 'nginx', package: 'nginx-light', find: () => onPath('nginx') },
  Caddy: { program: 'caddy', package: 'caddy', find: () => onPath('caddy') },
}

/** REDIS_BIN names another one, such as valkey-server. */
function findRedis() {
  const { REDIS_BIN } = process.env
  return REDIS_BIN === undefined ? onPath('redis-server') : isProgram(REDIS_BIN)
}

/** A program of Postgres: Debian keeps them out of PATH. */
export function findPostgres(program) {
  const { status, stdout } = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' })
  return (status === 0 ? isProgram(join(stdout.trim(), program)) : undefined) ?? onPath(program)
}

function onPath(program) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...FOLDERS]
  for (const folder of folders) {
    const path = isProgram(join(folder, program))
    if (path !== undefined) return path
  }
  return undefined
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return path
  } catch {
    return undefined
  }
}
