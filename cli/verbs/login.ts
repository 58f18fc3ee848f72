// mcpwire login and logout: tokens for a URL, kept for later commands, or forgotten.

import { withClient } from '../target/connect.ts'
import type { ConnectionOptions } from '../target/connection-options.ts'
import {
  forgetLogin,
  type KeptLogin,
  keepChoices,
  type LoginChoices,
  readKeptLogin,
  SECRET_VARIABLE,
} from '../target/kept-login.ts'
import { resolveTarget, type Target } from '../target/target.ts'
import { isLoopback } from '../target/url-words.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure, usageFailure } from '../terminal/failure.ts'
import type { Output } from '../terminal/output.ts'
import { showJSON, showLine } from '../terminal/terminal-text.ts'
import type { Invocation } from './shared/invocation.ts'

interface LoginVerbOptions extends ConnectionOptions {
  scope?: readonly string[]
  clientId?: string
  redirectUri?: string
  /** `false` with `--no-resource`. */
  resource?: boolean
  assumePkce?: boolean
  param?: readonly string[]
  /** `false` with `--no-open`. */
  open?: boolean
  status?: boolean
}

/** The user has five minutes for the login page. */
const LOGIN_SECONDS = 330

export async function loginVerb(invocation: Invocation<LoginVerbOptions>): Promise<number> {
  const { options, output, interruption } = invocation
  const target = await findUrl(invocation, 'login')
  if (options.status === true) return printStatus(target, output)
  const choices = readLoginChoices(options)
  const isNew = Object.keys(choices).length > 0
  // Tokens of another client or with other scopes would be taken for this login.
  if (isNew) for (const url of urlsOf(target)) await forgetLogin(url)
  const request = {
    target,
    options: { ...options, login: true, connectTimeout: LOGIN_SECONDS },
    output,
    interruption,
    login: { opensBrowser: options.open !== false, ...(isNew && { choices }) },
  }
  const reached = await withClient(request, async (client) => client.serverInfo?.name)
  for (const url of urlsOf(target)) {
    const kept = await readKeptLogin(url)
    if (kept === undefined) continue
    if (isNew) keepChoices(url, choices)
    print(output, kept, `Logged in to ${kept.resource}`)
    return EXIT.done
  }
  if (output.isJSON) output.print(showJSON({ loggedIn: false, loginRequired: false }))
  else output.print(`${showLine(reached ?? target.label)} does not require a login.`)
  return EXIT.done
}

/** What was typed for this login. */
function readLoginChoices(options: LoginVerbOptions): LoginChoices {
  const { clientId, redirectUri, resource, assumePkce, param = [] } = options
  const scopes = options.scope?.flatMap((scope) => scope.split(/[\s,]+/)).filter((scope) => scope !== '')
  if (redirectUri !== undefined) checkRedirectUri(redirectUri)
  return {
    ...(clientId !== undefined && { clientId }),
    ...(clientId !== undefined && process.env[SECRET_VARIABLE] && { hasSecret: true }),
    ...(scopes !== undefined && scopes.length > 0 && { scopes }),
    ...(redirectUri !== undefined && { redirectUri }),
    ...(resource === false && { resource }),
    ...(assumePkce === true && { assumePkce }),
    ...(param.length > 0 && { parameters: Object.fromEntries(param.map(readParameter)) }),
  }
}

/** The command listens there. */
function checkRedirectUri(uri: string): void {
  const url = URL.canParse(uri) ? new URL(uri) : undefined
  if (url?.protocol === 'http:' && isLoopback(url.hostname) && url.port !== '') return
  throw usageFailure(
    `--redirect-uri ${uri} is not an address of this machine with a port.`,
    'Example: --redirect-uri http://localhost:8976/callback',
  )
}

/** Its value is not repeated: it may be a secret. */
function readParameter(text: string): [name: string, value: string] {
  const [, name, value] = /^([\w.-]+)=(.+)$/s.exec(text) ?? []
  if (name !== undefined && value !== undefined) return [name, value]
  throw usageFailure(
    'A value of --param is not of the form key=value.',
    'Example: --param audience=https://api.example.com',
  )
}

export async function logoutVerb(invocation: Invocation<LoginVerbOptions>): Promise<number> {
  const { options, output } = invocation
  const target = await findUrl(invocation, 'logout')
  if (options.status === true) return printStatus(target, output)
  const forgotten = await Promise.all(urlsOf(target).map(forgetLogin))
  const wasLoggedIn = forgotten.includes(true)
  if (output.isJSON) output.print(showJSON({ loggedIn: false, wasLoggedIn }))
  else
    output.print(
      wasLoggedIn ? `Logged out of ${showLine(target.label)}` : `There was no login at ${showLine(target.label)}`,
    )
  return EXIT.done
}

/** Without a connection: what is kept. */
async function printStatus(target: Target, output: Output): Promise<number> {
  for (const url of urlsOf(target)) {
    const kept = await readKeptLogin(url)
    if (kept === undefined) continue
    print(output, kept, `Logged in to ${kept.resource}`)
    return EXIT.done
  }
  if (output.isJSON) output.print(showJSON({ loggedIn: false }))
  else output.print(`Not logged in to ${showLine(target.label)}`)
  return EXIT.notAuthorized
}

function print(output: Output, kept: KeptLogin, title: string): void {
  const { resource, issuer, scopes, expiresAt, canRefresh } = kept
  const expires = expiresAt === undefined ? undefined : new Date(expiresAt).toISOString()
  if (output.isJSON) {
    output.print(showJSON({ loggedIn: true, resource, issuer, scopes, expiresAt: expires, canRefresh }))
    return
  }
  output.print(showLine(title))
  output.print(`  Authorization server  ${showLine(issuer)}`)
  if (scopes.length > 0) output.print(`  Scopes                ${scopes.map(showLine).join(' ')}`)
  if (expires !== undefined)
    output.print(`  Token expires         ${expires}${canRefresh ? ' (refreshed when needed)' : ''}`)
}

async function findUrl(
  { words, afterDashes, options, output }: Invocation<LoginVerbOptions>,
  verb: string,
): Promise<Target> {
  const [word] = words
  const example = `Give a URL or @name of a configured server, as in: mcpwire ${verb} https://example.com/mcp`
  if (word === undefined && afterDashes === undefined && options.config === undefined) {
    throw usageFailure('The target is missing.', example)
  }
  const target = await resolveTarget({ word, command: afterDashes }, options, output).catch((error: unknown) => {
    const isOther = error instanceof Failure && error.slug === 'bad-target' && word?.startsWith('@') === false
    throw isOther ? usageFailure(error.message, example) : error
  })
  if ('url' in target.entry) return target
  throw usageFailure(`${verb} needs a URL target: only servers over HTTP have logins.`, example)
}

function urlsOf({ entry, candidates }: Target): readonly string[] {
  return candidates ?? ('url' in entry ? [entry.url] : [])
}
