// The login page: who logs in, which client asks for what, yes or no. Everything on it that came from a client is escaped.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Interaction, Provider } from 'oidc-provider'
import { rangeError } from '../primitives/help.ts'

export interface LoginSettings {
  readonly user: string
  readonly autoApprove: boolean
}

const MAX_FORM_BYTES = 4_096
const MAX_USER_LENGTH = 100

/** Shows the page for GET, and takes its answer for POST. */
export async function answerInteraction(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  { user, autoApprove }: LoginSettings,
): Promise<void> {
  const interaction = await provider.interactionDetails(request, response)
  if (autoApprove) return provider.interactionFinished(request, response, approval(user))
  if (request.method !== 'POST') return showPage(provider, interaction, user, response)
  const form = await readForm(request)
  if (form.get('decision') !== 'allow') {
    const denial = { error: 'access_denied', error_description: 'The user denied the request.' }
    return provider.interactionFinished(request, response, denial)
  }
  const typed = form.get('user')?.trim().slice(0, MAX_USER_LENGTH)
  return provider.interactionFinished(request, response, approval(typed || user))
}

function approval(accountId: string): object {
  return { login: { accountId }, consent: {} }
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk
    if (text.length > MAX_FORM_BYTES) throw rangeError('wrong-argument', 'The form is too long.')
  }
  return new URLSearchParams(text)
}

async function showPage(
  provider: Provider,
  { params, session }: Interaction,
  user: string,
  response: ServerResponse,
): Promise<void> {
  const clientId = textOf(params['client_id'])
  const client = await provider.Client.find(clientId)
  const scopes = textOf(params['scope'])
    .split(' ')
    .filter((scope) => scope !== '')
  const html = createPage({
    client: client?.clientName ?? clientId,
    redirect: textOf(params['redirect_uri']),
    resource: textOf(params['resource']),
    scopes,
    user: session?.accountId ?? user,
  })
  response
    .writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    .end(html)
}

interface PageFacts {
  readonly client: string
  readonly redirect: string
  readonly resource: string
  readonly scopes: readonly string[]
  readonly user: string
}

function createPage({ client, redirect, resource, scopes, user }: PageFacts): string {
  const items = scopes.map((scope) => `<li><code>${escapeHTML(scope)}</code></li>`).join('')
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Log in (development)</title>
<style>
  :root { color-scheme: light dark }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 32em; margin: 3em auto; padding: 0 1em }
  input, button { font: inherit; padding: 0.4em 0.8em }
  p.note { border-left: 3px solid; padding-left: 0.8em }
</style>
<main>
<h1>Log in</h1>
<p class="note">This is a development server on your machine. It accepts every name and has no passwords.</p>
<p><strong>${escapeHTML(client)}</strong> requests access to <code>${escapeHTML(resource || 'no resource')}</code>.</p>
${items === '' ? '<p>It requests no scopes.</p>' : `<p>Scopes:</p><ul>${items}</ul>`}
<p>The answer goes to <code>${escapeHTML(redirect)}</code>.</p>
<form method="post">
<p><label>User <input name="user" value="${escapeHTML(user)}" maxlength="${MAX_USER_LENGTH}" autocomplete="off"></label></p>
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button>
</form>
</main>
</html>
`
}

/** A parameter that is given twice is a list. */
function textOf(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join(' ') : typeof value === 'string' ? value : ''
}

function escapeHTML(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
