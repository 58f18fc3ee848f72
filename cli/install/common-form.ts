// An entry of any host in the common form: `command`, `args`, `env`, or `url` and `headers`.
import { isPlainObject } from '../terminal/primitives.ts'

/** What some hosts call the members. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  serverUrl: 'url',
  httpUrl: 'url',
  uri: 'url',
  cmd: 'command',
  envs: 'env',
  environment: 'env',
  http_headers: 'headers',
}

/** What hosts call the types of transports. */
const TYPES: Readonly<Record<string, string>> = { local: 'stdio', remote: 'http', streamable_http: 'http' }

/** Members that say something to their host, and nothing about how to start the server. */
const OF_THE_HOST = new Set([
  'enabled',
  'disabled',
  'source',
  'name',
  'description',
  'timeout',
  'tools',
  'autoApprove',
  'alwaysAllow',
  'disabledTools',
])

export function inCommonForm(value: unknown): unknown {
  if (!isPlainObject(value)) return value
  const common = new Map<string, unknown>()
  for (const [key, member] of Object.entries(value)) {
    if (OF_THE_HOST.has(key)) continue
    const name = OTHER_NAMES[key]
    common.set(name === undefined || Object.hasOwn(value, name) ? key : name, member)
  }
  const [command, type] = [common.get('command'), common.get('type')]
  // OpenCode and Kilo Code have the program and its arguments in one list.
  if (Array.isArray(command) && !common.has('args')) {
    common.set('command', command[0])
    common.set('args', command.slice(1))
  }
  if (typeof type === 'string' && Object.hasOwn(TYPES, type)) common.set('type', TYPES[type])
  return Object.fromEntries(common)
}

/** Whether its host leaves the server out. */
export function isDisabled(value: unknown): boolean {
  return isPlainObject(value) && (value['disabled'] === true || value['enabled'] === false)
}
