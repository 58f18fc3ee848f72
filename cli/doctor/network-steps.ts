// Steps 2 and 3: the host name has addresses, something listens there, and its certificate is valid.
import { lookup } from 'node:dns/promises'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { checkServerIdentity, connect as connectTls, type PeerCertificate, type TLSSocket } from 'node:tls'
import { isLoopback } from '../target/url-words.ts'
import { proxyVariables } from './findings/proxies.ts'
import { type Finding, fault, ok, warning } from './findings/step.ts'
import { isTimeout, within } from './findings/within.ts'

const SOON_DAYS = 14
const DAY_MS = 86_400_000

/** Without the brackets of an IPv6 address. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

export async function checkDns(url: URL, ms: number, signal: AbortSignal): Promise<Finding> {
  const host = hostOf(url)
  if (isIP(host) !== 0) return ok(`${host} is an address`)
  try {
    const found = await within(ms, signal, () => lookup(host, { all: true }))
    return ok(`${host} is ${found.map(({ address }) => address).join(', ')}`)
  } catch (error) {
    signal.throwIfAborted()
    const what = isTimeout(error) ? `was not looked up within ${ms / 1000} s` : `has no address (${codeOf(error)})`
    return fault(`The host name ${host} ${what}`, 'host-not-found', {
      fix: withProxies('Check the host name and your network.'),
    })
  }
}

export async function checkConnection(url: URL, ms: number, signal: AbortSignal): Promise<Finding> {
  const startedAt = performance.now()
  let socket: Socket | TLSSocket | undefined
  try {
    socket = await within(ms, signal, (bounded) => open(url, bounded))
    const took = `${Math.round(performance.now() - startedAt)} ms`
    if (!('getPeerCertificate' in socket)) return judgePlain(url, took)
    return judgeCertificate(hostOf(url), socket, took)
  } catch (error) {
    signal.throwIfAborted()
    return explainSocket(url, error, ms)
  } finally {
    socket?.destroy()
  }
}

/** Certificates are judged afterwards, so that each mistake in one can be named. */
function open(url: URL, signal: AbortSignal): Promise<Socket | TLSSocket> {
  const isTls = url.protocol === 'https:'
  const host = hostOf(url)
  const port = Number(url.port) || (isTls ? 443 : 80)
  return new Promise((resolve, reject) => {
    const socket = isTls
      ? connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }), rejectUnauthorized: false })
      : connectTcp({ host, port })
    const onAbort = () => socket.destroy(signal.reason as Error)
    signal.addEventListener('abort', onAbort, { once: true })
    socket.once(isTls ? 'secureConnect' : 'connect', () => resolve(socket))
    socket.once('error', reject)
    socket.once('close', () => {
      signal.removeEventListener('abort', onAbort)
      reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' }))
    })
  })
}

function judgePlain(url: URL, took: string): Finding {
  const text = `Connected to ${url.host} in ${took}, without TLS`
  if (isLoopback(url.hostname)) return ok(text)
  return warning(text, 'tls', {
    cause:
      'Everyone on the way can read and change what is sent. mcpwire sends no token of a login over http to other machines.',
    fix: 'Use https.',
  })
}

function judgeCertificate(host: string, socket: TLSSocket, took: string): Finding {
  const certificate = socket.getPeerCertificate()
  const expires = Date.parse(certificate.valid_to)
  const day = Number.isNaN(expires) ? certificate.valid_to : dayOf(expires)
  const problem = findProblem(host, socket, certificate)
  if (problem !== undefined) return fault(problem.text, 'tls', { fix: problem.fix })
  const text = `Connected in ${took}, ${socket.getProtocol() ?? 'TLS'}, certificate valid until ${day}`
  if (expires - Date.now() < SOON_DAYS * DAY_MS) {
    return warning(`The certificate of ${host} expires on ${day}`, 'tls', { fix: 'Renew the certificate.' })
  }
  return ok(text)
}

function findProblem(host: string, socket: TLSSocket, certificate: PeerCertificate) {
  const now = Date.now()
  const [from, until] = [Date.parse(certificate.valid_from), Date.parse(certificate.valid_to)]
  if (until < now) {
    return {
      text: `The certificate of ${host} expired on ${dayOf(until)}`,
      fix: 'Renew the certificate of the server.',
    }
  }
  if (from > now) {
    return {
      text: `The certificate of ${host} is not valid before ${dayOf(from)}`,
      fix: 'Check the clock of this machine, and the certificate.',
    }
  }
  const mismatch = checkServerIdentity(host, certificate)
  if (mismatch !== undefined) {
    const names = (certificate.subjectaltname ?? certificate.subject?.CN ?? 'no name').slice(0, 200)
    return {
      text: `The certificate is for ${names}, not for ${host}`,
      fix: 'Use a host name of the certificate in the URL, or add this one to the certificate.',
    }
  }
  if (socket.authorized) return undefined
  const code = String(socket.authorizationError ?? 'unknown reason')
  return { text: `The certificate of ${host} is not trusted (${code})`, fix: FIXES.get(code) ?? OWN_AUTHORITY }
}

const OWN_AUTHORITY = 'For an authority of your own, set NODE_EXTRA_CA_CERTS to the file of its certificate.'

const FIXES = new Map([
  [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    `Let the server send the certificates between its own and the root. ${OWN_AUTHORITY}`,
  ],
  ['CERT_REVOKED', 'Replace the certificate of the server.'],
])

const REFUSED = 'Start the server, or check the port in the URL.'

function explainSocket(url: URL, error: unknown, ms: number): Finding {
  const code = codeOf(error)
  if (isTimeout(error)) {
    return fault(`${url.host} did not accept a connection within ${ms / 1000} s`, 'host-unreachable', {
      fix: withProxies('Check the network, the VPN and the firewall.'),
    })
  }
  if (code === 'ECONNREFUSED') {
    return fault(`Nothing listens on ${url.host}`, 'connection-refused', { fix: withProxies(REFUSED) })
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL') || (url.protocol === 'https:' && code === 'ECONNRESET')) {
    return fault(`${url.host} does not speak TLS (${code})`, 'tls', {
      fix: 'Use http:// if the server has no TLS on this port.',
    })
  }
  return fault(`No connection to ${url.host} (${code})`, 'host-unreachable', {
    fix: withProxies('Check the network, the VPN and the firewall.'),
  })
}

function withProxies(fix: string): string[] {
  const [name] = proxyVariables()
  return name === undefined ? [fix] : [fix, `${name} is set. mcpwire connects directly and uses no proxy.`]
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

/** Of several addresses that failed, the code of the first. */
function codeOf(error: unknown): string {
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: unknown[] }
  if (typeof code === 'string') return code
  return Array.isArray(errors) && errors.length > 0
    ? codeOf(errors[0])
    : error instanceof Error
      ? error.message
      : 'unknown'
}
