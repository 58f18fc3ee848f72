// What is checked and made on the server before anything else: JetStream, its version, the two streams.
import { BackendError } from '../../backend/backend-error.ts'
import { MAX_TTL_MS } from '../../backend/rules.ts'
import { Code } from '../connection/failures.ts'
import type { Link } from '../connection/link.ts'
import { textOf } from '../connection/nats-client.ts'
import type { Trip } from '../connection/trip.ts'
import type { Names } from './names.ts'
import { errorOf } from './stream.ts'

interface ApiReply {
  readonly error?: { readonly err_code?: number; readonly code?: number; readonly description?: string }
  readonly created?: string
  readonly config?: { readonly description?: string }
}

const OLDEST = [2, 9] as const
/** Of what is in the streams. A release that stores what this one cannot read gives them a higher one. */
const DATA_VERSION = 1
const DESCRIPTION = /^mcpwire, data version (\d{1,9})$/
const NANOSECONDS = 1_000_000
/** Nothing lives longer, so that what the sweep misses goes too. */
const MAX_AGE_MS = MAX_TTL_MS + 86_400_000

/** Resolves to when the streams were made: another time after they were lost. */
export async function prepareStreams(link: Link, trip: Trip, names: Names, replicas: number): Promise<string> {
  checkVersion(link.current?.info?.version)
  const common = {
    description: `mcpwire, data version ${DATA_VERSION}`,
    retention: 'limits',
    storage: 'file',
    discard: 'new',
    max_age: MAX_AGE_MS * NANOSECONDS,
    num_replicas: replicas,
  }
  const state = await ensure(trip, {
    ...common,
    name: names.state,
    subjects: [names.stateSubjects],
    max_msgs_per_subject: 1,
  })
  const logs = await ensure(trip, { ...common, name: names.logs, subjects: [names.logSubjects] })
  return `${state} ${logs}`
}

interface StreamConfig extends Readonly<Record<string, unknown>> {
  readonly name: string
}

async function ensure(trip: Trip, config: StreamConfig): Promise<string> {
  const found = await call(trip, `STREAM.INFO.${config.name}`, '')
  if (found.error === undefined) {
    checkDataVersion(found.config?.description)
    return found.created ?? ''
  }
  if (found.error.err_code !== Code.NoStream) throw errorOf(found)
  const made = await call(trip, `STREAM.CREATE.${config.name}`, JSON.stringify(config))
  // Another node may make it at the same moment.
  if (made.error?.err_code === Code.NameInUse) return ensure(trip, config)
  if (made.error !== undefined) throw errorOf(made)
  return made.created ?? ''
}

async function call(trip: Trip, subject: string, body: string): Promise<ApiReply> {
  return JSON.parse(textOf(await trip.request(`$JS.API.${subject}`, body))) as ApiReply
}

/** Streams without one are of the first. */
function checkDataVersion(description = ''): void {
  const version = Number(DESCRIPTION.exec(description)?.[1] ?? DATA_VERSION)
  if (version <= DATA_VERSION) return
  const message = `The streams of this namespace have data of version ${version}, which a newer release has written. Update this node.`
  throw new BackendError(message, { kind: 'newer-data', operation: 'open' })
}

function checkVersion(version: string | undefined): void {
  const [major = 0, minor = 0] = (version ?? '').split('.').map((part) => Number.parseInt(part, 10))
  if (version === undefined || major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return
  const message = `nats-server ${version} is too old. Use ${OLDEST.join('.')} or newer.`
  throw new BackendError(message, { kind: 'refused', operation: 'open' })
}
