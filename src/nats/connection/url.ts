// Servers of NATS: nats://user:password@host:port, tls://host:port, nats://token@host:port, several of them with commas or as a list.

import { decodeUrlText } from '../../backend/url-text.ts'
import { typeError } from '../../primitives/help.ts'

export interface NatsPlace {
  /** For the library: hosts and ports only. */
  readonly servers: readonly string[]
  readonly user?: string
  readonly pass?: string
  readonly token?: string
  readonly hasTls: boolean
  /** Without user and password, for errors. */
  readonly shown: string
  /** Nobody else can read what is sent there. */
  readonly isLocal: boolean
}

const OWNER = 'A URL of nats()'
const DEFAULT_PORT = 4_222
const PROTOCOLS = ['nats:', 'tls:']

/** Throws `TypeError` without the texts, which may hold a password. */
export function readServers(given: string | URL | readonly string[]): NatsPlace {
  const texts = (typeof given === 'string' ? given.split(',') : given instanceof URL ? [given.href] : [...given])
    .map((text) => String(text).trim())
    .filter((text) => text !== '')
  if (texts.length === 0) throw typeError('bad-backend', 'nats() got no server. Use nats://host:port.')
  const urls = texts.map(readUrl)
  const login = urls.find(({ username }) => username !== '')
  const servers = urls.map(addressOf)
  return {
    servers,
    ...(login !== undefined && loginOf(login)),
    hasTls: urls.some(({ protocol }) => protocol === 'tls:'),
    shown: servers.join(', '),
    isLocal: urls.every(({ hostname }) => isLoopback(hostname)),
  }
}

function readUrl(text: string): URL {
  let url: URL
  try {
    // Without a protocol it is host:port. A protocol that URLs know nothing of has no host, so one is put in its place.
    const whole = text.includes('://') ? text : `nats://${text}`
    const protocol = whole.slice(0, whole.indexOf('://') + 1)
    if (!PROTOCOLS.includes(protocol)) {
      throw typeError('bad-backend', `nats() takes URLs with nats: or tls:, not ${protocol}//.`)
    }
    url = new URL(whole)
  } catch (error) {
    if (error instanceof TypeError && error.message.startsWith('nats()')) throw error
    throw typeError('bad-backend', 'A URL of nats() cannot be read. Use nats://user:password@host:port.')
  }
  if (url.hostname === '') throw typeError('bad-backend', 'A URL of nats() has no host. Use nats://host:port.')
  return url
}

function addressOf({ hostname, port }: URL): string {
  return `${hostname}:${port === '' ? DEFAULT_PORT : port}`
}

/** A user without a password is a token. */
function loginOf({ username, password }: URL): Pick<NatsPlace, 'user' | 'pass' | 'token'> {
  if (password === '') return { token: decodeUrlText(username, OWNER) }
  return { user: decodeUrlText(username, OWNER), pass: decodeUrlText(password, OWNER) }
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}
