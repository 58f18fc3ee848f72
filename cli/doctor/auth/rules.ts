// What can be wrong with the authorization of a server, by its documents.
import { explain } from '../../errors/explain.ts'
import { type LoginChoices, SECRET_VARIABLE } from '../../target/kept-login.ts'
import { type Finding, fault, firstLine, warning } from '../findings/step.ts'
import { findLoginProblems } from './login-rules.ts'
import { recognizeProvider } from './providers.ts'
import type { Walk } from './walk.ts'

export interface AuthorizationFacts {
  readonly walk: Walk
  readonly url: string
  readonly choices: LoginChoices
  readonly ms: number
  readonly signal: AbortSignal
}

export interface AuthorizationProblem {
  readonly state: 'fault' | 'warning'
  /** One line. */
  readonly text: string
  readonly cause: string
  /** What to do, where no option of a login helps. */
  readonly fix?: string
  /** The words to add to `mcpwire login`. */
  readonly option?: string
  /** The option of `oauth()`. */
  readonly member?: string
  /** Of the documents that the server publishes: it stops everyone else who logs in. */
  readonly isOfServer?: boolean
}

/** All of them, the worst first. */
export async function findAuthorizationProblems(facts: AuthorizationFacts): Promise<AuthorizationProblem[]> {
  const discovery = findDiscoveryProblem(facts)
  if (discovery !== undefined) return [discovery]
  const { server } = facts.walk
  if (server === undefined) return []
  const hasSecret = Boolean(process.env[SECRET_VARIABLE])
  const problems = await findLoginProblems({ ...facts, server, provider: recognizeProvider(server), hasSecret })
  return problems.sort((a, b) => Number(b.state === 'fault') - Number(a.state === 'fault'))
}

const PUBLISH =
  'Publish the metadata of the resource (RFC 9728) at /.well-known/oauth-protected-resource. requireBearer() of mcpwire/auth does it.'

/** What stops a login before it has found an authorization server. */
function findDiscoveryProblem({ walk, url }: AuthorizationFacts): AuthorizationProblem | undefined {
  const { error, failure, resource, server } = walk
  if (failure !== undefined) {
    const { message, cause = 'The connection failed.', fix = 'Try again.' } = explain(failure)
    return { state: 'fault', isOfServer: true, text: firstLine(message), cause, fix }
  }
  if (resource === undefined && server === undefined && (error === undefined || error.step !== 'challenge')) {
    return {
      state: 'fault',
      isOfServer: true,
      text: 'HTTP 401, and nothing says where to get a token: there is no metadata of the resource or of an authorization server',
      cause:
        'The server requires a token, but publishes neither resource metadata nor the metadata of an authorization server.',
      fix: `${PUBLISH} Or use --token with a token of the server.`,
    }
  }
  if (error === undefined) return undefined
  // Whether PKCE is missing is a question of what a login needs.
  if (error.code === 'pkce_not_supported') return undefined
  const known = DISCOVERY.get(error.code) ?? OTHER
  return { state: 'fault', isOfServer: true, text: error.message, cause: known.cause, fix: known.fix(url) }
}

const DISCOVERY = new Map<string, { cause: string; fix: (url: string) => string }>([
  [
    'resource_mismatch',
    {
      cause: 'The metadata is for another resource. A client must not send tokens for one server to another.',
      fix: (url) => `Set the resource of the metadata to ${url}, or use the URL that it names.`,
    },
  ],
  [
    'untrusted_metadata_url',
    {
      cause: 'The WWW-Authenticate header points to metadata on another origin.',
      fix: () => 'Serve the metadata on the origin of the server. In a program, list the origin in metadataOrigins.',
    },
  ],
  [
    'no_authorization_server',
    {
      cause: 'authorization_servers in the metadata of the resource is empty.',
      fix: () => 'Add the issuer of the authorization server to authorization_servers.',
    },
  ],
  [
    'discovery_failed',
    {
      cause: 'The authorization server publishes no metadata where RFC 8414 and OpenID Connect Discovery put it.',
      fix: () => 'Check the issuer in authorization_servers. It must be spelled as the authorization server spells it.',
    },
  ],
  [
    'issuer_mismatch',
    {
      cause:
        'The metadata names another issuer than the resource does. They are compared character by character, with the slash at the end.',
      fix: () =>
        'Write the issuer into authorization_servers exactly as the metadata of the authorization server has it.',
    },
  ],
  [
    'invalid_metadata',
    {
      cause: 'A metadata document is not the JSON object that the RFC asks for.',
      fix: () => 'Correct the document. A web application that answers every path with a page causes this too.',
    },
  ],
  [
    'insecure_url',
    {
      cause: 'Tokens go over https only, and over http to this machine.',
      fix: () => 'Use https URLs in the metadata.',
    },
  ],
  [
    'private_address',
    {
      cause: 'A server on the internet names an authorization server in a private network.',
      fix: () => 'Use a public URL. In a program, set allowPrivateAddresses if the network is yours.',
    },
  ],
  [
    'network_failed',
    { cause: 'A document could not be fetched.', fix: () => 'Check the URL and that its server runs.' },
  ],
  [
    'timeout',
    { cause: 'A server did not answer in time.', fix: () => 'Check that it runs, or use --connect-timeout.' },
  ],
])

const OTHER = {
  cause: 'A step of the login failed before its page.',
  fix: () => 'Correct what the message names, at the server or at the authorization server.',
}

export interface Judgement {
  readonly url: string
  readonly details: readonly string[]
  readonly isConnected: boolean
  /** Whether there is a token that the server does not take. */
  readonly isRefused: boolean
  readonly hasOwnToken: boolean
  /** Why the server may refuse the token, by what the token says. */
  readonly tokenProblem: string | undefined
}

/** `undefined` where nothing is wrong and nothing is left to do. */
export function toFinding(problems: readonly AuthorizationProblem[], judgement: Judgement): Finding | undefined {
  const { url, details, isConnected, isRefused, hasOwnToken, tokenProblem } = judgement
  // Who is logged in needs no advice on how to do it.
  const open = isConnected ? problems.filter(({ isOfServer }) => isOfServer === true) : problems
  const [first] = open
  const lines = [...details, ...open.slice(1).map(({ text }) => text)]
  const options = open.flatMap(({ option }) => option ?? [])
  const login = `mcpwire login ${url}${options.length === 0 ? '' : ` ${options.join(' ')}`}`
  if (first !== undefined) {
    const inProgram = open.flatMap(({ member }) => member ?? [])
    const fix = [
      ...open.flatMap(({ fix: one }) => one ?? []),
      ...(options.length === 0 ? [] : [`Run: ${login}`]),
      ...(inProgram.length === 0 ? [] : [`In a program: oauth({ ${inProgram.join(', ')} })`]),
    ]
    const create = first.state === 'fault' && !isConnected ? fault : warning
    return create(first.text, 'login-failed', { cause: first.cause, fix, details: lines })
  }
  if (isRefused) {
    const what = hasOwnToken ? 'The server refuses the token' : 'The server refuses the kept login'
    return fault(what, 'unauthorized', {
      cause: tokenProblem ?? 'The token has expired, was revoked, or is for another resource or issuer.',
      fix: hasOwnToken ? 'Use another token.' : `Run: ${login}`,
      details: lines,
    })
  }
  if (isConnected) return undefined
  return warning('A login is needed', 'unauthorized', { fix: `Run: ${login}`, details: lines })
}
