// How each kind of target is reached: the transports to try, in order, with everything tapped.
import { type AuthProvider, oauth, type TokenStore } from 'mcpwire/auth'
import { sse, streamableHttp } from 'mcpwire/client'
import type { OnWireMessage, Transport } from 'mcpwire/dispatcher'
import { tapTransport } from 'mcpwire/dispatcher'
import { stdio } from 'mcpwire/node'
import { type HttpTapOptions, tapHttp } from './http-tap.ts'

export interface CommandTarget {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
}

export interface RemoteTarget {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly type?: 'http' | 'sse'
}

export type Target = CommandTarget | RemoteTarget

export interface Taps extends HttpTapOptions {
  readonly onMessage: OnWireMessage
  readonly onStderr: (line: string) => void
  /** The way to the server is open: a program runs. */
  readonly onStarted: () => void
  readonly tokens: TokenStore
  readonly onLogin: (url: URL) => void
}

/** The second is HTTP+SSE, for a server that does not know Streamable HTTP. */
export function transportsFor(target: Target, taps: Taps): Transport[] {
  const tapped = (transport: Transport) => tapTransport(transport, taps.onMessage)
  if ('command' in target) {
    const { command, args, env, cwd } = target
    const child = stdio({ command, args, env, ...(cwd !== undefined && { cwd }), stderr: taps.onStderr })
    return [tapped(announcing(child, taps.onStarted))]
  }
  const { url, headers } = target
  const options = { headers, ...authFor(target, taps) }
  const older = () => tapped(sse(url, options))
  return target.type === 'sse' ? [older()] : [tapped(streamableHttp(url, options)), older()]
}

function announcing(transport: Transport, onStarted: () => void): Transport {
  return {
    ...transport,
    async open(options) {
      const channel = await transport.open(options)
      onStarted()
      return channel
    },
  }
}

function authFor({ url, headers }: RemoteTarget, taps: Taps): { auth: AuthProvider; allowInsecureAuth?: boolean } {
  const hasOwnToken = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
  const { protocol, hostname } = new URL(url)
  const isConfidential = protocol === 'https:' || LOOPBACK.test(hostname)
  // Without a provider there is no token that could be read on the way.
  if (hasOwnToken || !isConfidential) return { auth: tapHttp(undefined, taps), allowInsecureAuth: true }
  const provider = oauth({ clientName: 'mcpwire inspector', store: taps.tokens, redirect: taps.onLogin })
  return { auth: tapHttp(provider, taps) }
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/
