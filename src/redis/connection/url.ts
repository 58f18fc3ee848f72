// URLs of Redis: redis://user:password@host:port/db, rediss:// with TLS, and unix:///path for a socket.

import { isIP } from 'node:net'
import { decodeUrlText } from '../../backend/url-text.ts'
import { typeError } from '../../primitives/help.ts'

export interface RedisPlace {
  /** For ioredis. */
  readonly options: {
    readonly host?: string
    readonly port?: number
    readonly path?: string
    readonly username?: string
    readonly password?: string
    readonly db?: number
    readonly tls?: { readonly servername?: string }
  }
  /** Without user and password, for errors. */
  readonly shown: string
  /** Nobody else can read what is sent there. */
  readonly isLocal: boolean
}

const PROTOCOLS = ['redis:', 'rediss:', 'valkey:', 'valkeys:', 'unix:', 'redis+unix:']
const OWNER = 'The URL of redis()'
const DEFAULT_PORT = 6_379

/** Throws `TypeError` without the text, which may hold a password. */
export function readUrl(text: string): RedisPlace {
  if (text.startsWith('/')) return { options: { path: text }, shown: text, isLocal: true }
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw typeError(
      'bad-backend',
      'The URL of redis() cannot be read. Use redis://host:port, rediss://host:port or unix:///path.',
    )
  }
  const { protocol, hostname, port, username, password, pathname, searchParams } = url
  if (!PROTOCOLS.includes(protocol)) {
    throw typeError('bad-backend', `redis() takes URLs with redis:, rediss: or unix:, not ${protocol}//.`)
  }
  const login = {
    ...(username !== '' && { username: decodeUrlText(username, OWNER) }),
    ...(password !== '' && { password: decodeUrlText(password, OWNER) }),
  }
  if (protocol.endsWith('unix:')) {
    const path = decodeUrlText(pathname, OWNER)
    return { options: { path, ...login, ...readDb(searchParams.get('db') ?? '') }, shown: path, isLocal: true }
  }
  const host = hostname.replace(/^\[|\]$/g, '') || '127.0.0.1'
  const place = { host, port: port === '' ? DEFAULT_PORT : Number(port) }
  const hasTls = protocol === 'rediss:' || protocol === 'valkeys:'
  return {
    options: { ...place, ...login, ...readDb(pathname.slice(1)), ...(hasTls && { tls: tlsOf(host) }) },
    shown: `${host}:${place.port}`,
    isLocal: host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host),
  }
}

/** An address is no name of a server in TLS. Certificates are checked against the host all the same. */
function tlsOf(host: string): { servername?: string } {
  return isIP(host) === 0 ? { servername: host } : {}
}

function readDb(text: string): { db?: number } {
  if (text === '') return {}
  if (!/^\d{1,5}$/.test(text)) throw typeError('bad-backend', 'The URL of redis() has a database that is no number.')
  return { db: Number(text) }
}
