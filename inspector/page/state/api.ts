// Requests to the backend, with the token of this page.
import type { Refusal, RequestName, Requests } from '../../protocol/requests.ts'

const KEY = 'mcpwire-inspector-token'

/** Takes the token out of the address, so that it is neither seen nor bookmarked. */
export function takeToken(): void {
  const given = /^#t=([\w-]{8,})$/.exec(location.hash)?.[1]
  if (given === undefined) return
  sessionStorage.setItem(KEY, given)
  history.replaceState(null, '', location.pathname)
}

export function authorization(): Record<string, string> {
  return { authorization: `Bearer ${sessionStorage.getItem(KEY) ?? ''}` }
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
