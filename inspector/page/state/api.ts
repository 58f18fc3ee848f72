// Requests to the backend, with the secret of this page's session.
import type { Refusal, RequestName, Requests } from '../../protocol/requests.ts'

const SESSION = 'mcpwire-inspector-session'
const CONFIRM = 'mcpwire-inspector-confirm'

/**
 * Takes the key out of the address, and exchanges it for a session: it works once, so that an address that was kept somewhere
 * opens nothing. A page that has a session keeps it where the key is of no use.
 */
export async function openSession(): Promise<void> {
  const link = /^#t=([\w-]{8,})$/.exec(location.hash)?.[1]
  if (link === undefined) return
  history.replaceState(null, '', location.pathname)
  await untilShown()
  const init = { method: 'POST', body: JSON.stringify({ link }), headers: { 'content-type': 'application/json' } }
  const response = await fetch('/api/session', init).catch(() => undefined)
  if (response?.ok !== true) return
  const { session, confirm } = (await response.json()) as { session: string; confirm: string }
  sessionStorage.setItem(SESSION, session)
  sessionStorage.setItem(CONFIRM, confirm)
}

/** A page that the browser loads before its user wants it must not use up the link. */
function untilShown(): Promise<void> {
  const { prerendering } = document as Document & { prerendering?: boolean }
  if (prerendering !== true) return Promise.resolve()
  return new Promise((resolve) => document.addEventListener('prerenderingchange', () => resolve(), { once: true }))
}

/** What this page alone has, for what its user has agreed to. */
export function confirmKey(): string {
  return sessionStorage.getItem(CONFIRM) ?? ''
}

function authorization(): Record<string, string> {
  return { authorization: `Bearer ${sessionStorage.getItem(SESSION) ?? ''}` }
}

/** A request that the backend refused, or that did not reach it. */
export class RequestFailed extends Error {
  readonly fix: string | undefined
  readonly status: number

  constructor(message: string, status: number, fix?: string) {
    super(message)
    this.status = status
    this.fix = fix
  }
}

export async function request<Name extends RequestName>(
  name: Name,
  body: Requests[Name]['body'],
): Promise<Requests[Name]['answer']> {
  const init = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  return (await (await send(`/api/${name}`, init)).json()) as Requests[Name]['answer']
}

/** The whole body of a message, or the result of a call, as JSON text. */
export async function fetchText(kind: 'message' | 'result', id: string | number): Promise<string> {
  return (await send(`/api/${kind}/${id}`, {})).text()
}

export async function send(path: string, init: RequestInit): Promise<Response> {
  let response: Response
  try {
    response = await fetch(path, { ...init, headers: { ...authorization(), ...init.headers } })
  } catch (error) {
    if (init.signal?.aborted === true) throw error
    throw new RequestFailed('The inspector is not running.', 0, 'Start mcpwire inspect again.')
  }
  if (response.ok) return response
  const refusal = (await response.json().catch(() => undefined)) as Refusal | undefined
  const { message = `The inspector answered ${response.status}.`, fix } = refusal?.error ?? {}
  throw new RequestFailed(message, response.status, fix)
}
