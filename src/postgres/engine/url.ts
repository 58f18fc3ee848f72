// URLs of Postgres: postgres://user:password@host:port/database?sslmode=verify-full, and ?host=/folder for a socket.

import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { decodeUrlText } from '../../backend/url-text.ts'
import { typeError } from '../../primitives/help.ts'

export interface PostgresPlace {
  readonly host: string
  readonly port: number
  readonly user?: string
  readonly password?: string
  readonly database?: string
  readonly ssl?: {
    readonly rejectUnauthorized: boolean
    readonly ca?: string
    readonly host?: string
    readonly servername?: string
  }
  /** Without user and password, for errors. */
  readonly shown: string
  /** Nobody else can read what is sent there. */
  readonly isLocal: boolean
}

const OWNER = 'The URL of postgres()'
const DEFAULT_PORT = 5_432
/** `require` and `verify-ca` check the certificate and its name too. */
const TLS_MODES = ['require', 'verify-ca', 'verify-full', 'no-verify']

/** Throws `TypeError` without the text, which may hold a password. */
export function readUrl(text: string): PostgresPlace {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw typeError(
      'bad-backend',
      'The URL of postgres() cannot be read. Use postgres://user:password@host:port/database.',
    )
  }
  const { protocol, hostname, searchParams, pathname } = url
  if (protocol !== 'postgres:' && protocol !== 'postgresql:') {
    throw typeError('bad-backend', `postgres() takes URLs with postgres: or postgresql:, not ${protocol}//.`)
  }
  const host = (searchParams.get('host') ?? decodeUrlText(hostname, OWNER).replace(/^\[|\]$/g, '')) || 'localhost'
  const port = Number(searchParams.get('port') ?? (url.port || DEFAULT_PORT))
  const user = decodeUrlText(url.username, OWNER) || searchParams.get('user')
  const password = decodeUrlText(url.password, OWNER) || searchParams.get('password')
  const database = decodeUrlText(pathname.slice(1), OWNER)
  const isSocket = host.startsWith('/')
  return {
    host,
    port,
    ...(user && { user }),
    ...(password && { password }),
    ...(database && { database }),
    ...tlsOf(searchParams, host),
    shown: isSocket ? host : `${host}:${port}`,
    isLocal: isSocket || host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host),
  }
}

function tlsOf(params: URLSearchParams, host: string): Pick<PostgresPlace, 'ssl'> {
  const mode = params.get('sslmode') ?? 'disable'
  if (mode === 'disable') return {}
  if (!TLS_MODES.includes(mode)) {
    throw typeError(
      'bad-backend',
      `The URL of postgres() has sslmode=${mode}. Use disable, require, verify-full or no-verify.`,
    )
  }
  const certificate = params.get('sslrootcert')
  return {
    ssl: {
      rejectUnauthorized: mode !== 'no-verify',
      // The name that is compared with the certificate. An address is none that TLS may send.
      ...(isIP(host) === 0 ? { servername: host } : { host }),
      ...(certificate !== null && { ca: readFileSync(certificate, 'utf8') }),
    },
  }
}
