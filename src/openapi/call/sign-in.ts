// A user who has no account at the API yet is asked to open the page that connects one.
import type { SignIn, SignInOutcome } from '../../auth/client/sign-in-required.ts'
import type { Context } from '../../mcpserver/handlers/context.ts'
import { limitTotalTime, unlessAborted } from '../../primitives/async/abort.ts'
import { hasClientCapability } from '../../server/asking/client-capabilities.ts'
import type { ConnectionCore } from '../../server/connection.ts'
import { connectionOfRequest } from '../../server/context.ts'
import { UrlElicitationRequiredError } from '../../types/errors/errors.ts'
import { isModernVersion } from '../../types/protocol/versions.ts'
import { callerOf } from './credentials.ts'

/** A client that comes back early waits for its user this long. */
const WAIT_MS = 30_000
const COMPLETE = 'notifications/elicitation/complete'

/**
 * `undefined` when the user has signed in; otherwise why the call ends. Throws `UrlElicitationRequiredError` for clients of
 * 2025-11-25, which call again by themselves.
 */
export async function askToSignIn(ctx: Context, signIn: SignIn): Promise<string | undefined> {
  const { request } = ctx
  const { clientCapabilities, protocolVersion } = request
  const message = `Sign in at '${signIn.source}' to connect it to your account.`
  if (!hasClientCapability(clientCapabilities, { elicitation: { url: {} } }, protocolVersion))
    return inWords(ctx, signIn)
  if (!isModernVersion(protocolVersion)) {
    tellWhenConnected(connectionOfRequest(request), signIn)
    throw new UrlElicitationRequiredError(
      [{ mode: 'url', message, url: signIn.url, elicitationId: signIn.id }],
      message,
    )
  }
  const { action } = await ctx.elicitUrl(message, signIn.url)
  if (action !== 'accept') return `The sign-in was refused: '${signIn.source}' is not connected.`
  const outcome = await outcomeOf(signIn, ctx.signal)
  if (outcome === 'connected') return undefined
  if (outcome === 'waiting') return `The sign-in at '${signIn.source}' has not ended yet. Call again when it has.`
  return `The sign-in was refused, or its time is over: '${signIn.source}' is not connected. Call again to try anew.`
}

/** What each client was told of already: it hears once that its user is done, however often it has called. */
const told = new WeakMap<ConnectionCore, Set<string>>()

function tellWhenConnected(connection: ConnectionCore, { id, ended }: SignIn): void {
  const known = told.get(connection) ?? new Set()
  told.set(connection, known)
  if (known.has(id)) return
  known.add(id)
  void ended.then((outcome) => {
    known.delete(id)
    if (outcome === 'connected') void connection.backChannel.notify(COMPLETE, { elicitationId: id })
  })
}

/** The page is a secret of the user: it does not go through a remote client that cannot open it. */
function inWords(ctx: Context, signIn: SignIn): string {
  const where = callerOf(ctx).isLocal
    ? `The user has to open ${signIn.url} and sign in`
    : signIn.overview === undefined
      ? 'The user needs a client that can open sign-in pages (elicitation by URL)'
      : 'The user has to open the page of connections on the website of this server, and sign in there'
  return `'${signIn.source}' needs to be connected to the account of the user. ${where}; then call again.`
}

async function outcomeOf(signIn: SignIn, signal: AbortSignal): Promise<SignInOutcome | 'waiting'> {
  const over = new Error('The time to wait is over.')
  const limit = limitTotalTime(WAIT_MS, signal, () => over)
  try {
    return await unlessAborted(signIn.ended, limit.signal ?? signal)
  } catch (error) {
    if (error === over) return 'waiting'
    throw error
  } finally {
    limit.clear()
  }
}
