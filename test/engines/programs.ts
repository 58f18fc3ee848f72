// Which engines this machine has.
// @ts-expect-error the scripts are plain JavaScript, so that they run before anything is built
import * as engines from '../../scripts/lib/find-engines.js'

export type EngineName = 'Redis' | 'NATS' | 'Postgres' | 'nginx' | 'Caddy'

const known = engines.ENGINES as Record<EngineName, { program: string; find(): string | undefined }>

export function findEngine(name: EngineName): string | undefined {
  return known[name].find()
}

export function findPostgresProgram(program: string): string | undefined {
  return engines.findPostgres(program) as string | undefined
}

/** The program of an engine that is there. */
export function programOf(name: EngineName): string {
  const path = findEngine(name)
  if (path === undefined) throw new Error(missingEngine(name))
  return path
}

export function missingEngine(name: EngineName): string {
  return `${name} (no ${known[name].program} found)`
}
