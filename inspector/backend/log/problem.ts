// Turns an error into what the page shows: what happened, and what to do.
import { ConnectError, InvalidResultError, LimitError, MCPError, OAuthError } from 'mcpwire'
import type { Problem } from '../../protocol/state.ts'

const MAX_MESSAGE = 4_000

export function toProblem(error: unknown): Problem {
  const whole = error instanceof Error ? error.message : String(error)
  const message = (error instanceof ConnectError ? withoutRepeats(whole) : whole).slice(0, MAX_MESSAGE)
  const fix = fixFor(error)
  return {
    message: message === '' ? 'The request failed without a reason.' : message,
    ...(fix !== undefined && { fix }),
    ...(error instanceof MCPError && { code: error.code }),
    ...(error instanceof MCPError && error.data !== undefined && { data: error.data }),
  }
}

/** The URL is named once, and what to do is the line below. */
function withoutRepeats(message: string): string {
  return message
    .replace(/\bto (\S+): No complete response from \1: /, 'to $1: ')
    .replace(/; check that the server is running and that the port is right$/, '.')
}

function fixFor(error: unknown): string | undefined {
  if (error instanceof ConnectError) return fixForConnect(error)
  if (error instanceof OAuthError) {
    return 'The screen Auth lists every step of the authorization. Check the first one that failed.'
  }
  if (error instanceof LimitError) return undefined
  if (error instanceof InvalidResultError) {
    return `The answer does not fit the protocol${error.path === '' ? '' : ` at ${error.path}`}. The screen Messages shows it. Fix the server.`
  }
  if (error instanceof MCPError && error.local && error.code === -32001) {
    return 'The server did not answer in time. The screen Messages shows what it sent before.'
  }
  return undefined
}

function fixForConnect({ phase, status, exitCode }: ConnectError): string {
  if (phase === 'authorize') return 'Log in, or add a header with a token, and connect again.'
  if (phase === 'spawn') return 'Check that the program is installed and that its path is right.'
  if (exitCode !== undefined) return 'The program exited. Read its output below, or start it in a terminal.'
  if (status !== undefined && status >= 500) return 'The server failed. Read its log.'
  if (status !== undefined) return 'Check the path of the URL. Most servers answer at /mcp.'
  if (phase === 'connect') return 'Check that the server is running, and the host and port of the URL.'
  return 'Choose another mode. The screen Messages shows what the server answered.'
}
