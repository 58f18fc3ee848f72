// mcpwire openapi: a server whose tools are the operations of an OpenAPI document.
import {
  OpenAPIError,
  type OpenAPIReport,
  type OpenAPIServer,
  type OpenAPIServerOptions,
  type OperationMatch,
  openAPIServer,
} from 'mcpwire/openapi'
import { inOwnWords } from '../errors/own-words.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure, usageFailure } from '../terminal/failure.ts'
import type { Output } from '../terminal/output.ts'
import { showLine } from '../terminal/terminal-text.ts'
import type { Invocation } from './shared/invocation.ts'
import { checkServeOptions, type ServeOptions, serveUntilEnd } from './shared/serve.ts'

interface OpenAPIVerbOptions extends ServeOptions {
  baseUrl?: string
  include?: readonly string[]
  exclude?: readonly string[]
  auth?: readonly string[]
  authOrigin?: readonly string[]
}

/** Resolves when the client has gone, or a signal has come. */
export async function openAPIVerb({ words, options, output }: Invocation<OpenAPIVerbOptions>): Promise<number> {
  checkServeOptions(options)
  const { baseUrl, include, exclude, authOrigin } = options
  const auth = readAuth(options.auth ?? [])
  const server = await open(words[0] ?? '', {
    ...(baseUrl !== undefined && { baseUrl: checkBaseUrl(baseUrl) }),
    ...(include !== undefined && { include: include.map(readMatch) }),
    ...(exclude !== undefined && { exclude: exclude.map(readMatch) }),
    auth,
    ...(authOrigin !== undefined && { authOrigins: authOrigin.map(checkOrigin) }),
    server: { onFault: (fault) => output.note(`mcpwire: ${showLine(fault.message)}`) },
  })
  await using _server = server
  checkSchemes(Object.keys(auth), server.report)
  tellReport(server.report, output)
  await serveUntilEnd(server, options, output)
  return EXIT.done
}

const BASE_URL = 'Give the address of the API with --base-url.'
const CONFIRM = 'Give the address of the API with --base-url, or its origin with --auth-origin.'
const FETCH = 'Check the URL, or download the document and give its path.'
const CORRECT = 'Correct the document. It is OpenAPI 3.0, 3.1 or 3.2, as JSON or YAML.'

async function open(document: string, options: OpenAPIServerOptions): Promise<OpenAPIServer> {
  try {
    return await openAPIServer(document, options)
  } catch (error) {
    if (!(error instanceof OpenAPIError)) throw error
    const isMissing = (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT'
    const where = error.pointer === '#' ? '' : ` (at ${error.pointer})`
    throw new Failure(
      isMissing ? `The file ${showLine(document)} does not exist.` : `${inOwnWords(error.message)}${where}`,
      {
        exitCode: EXIT.noConnection,
        slug: 'bad-openapi',
        cause: error,
        // The option of the function is an option here, too.
        hint: isMissing ? 'Check the path.' : hintFor(error.message),
      },
    )
  }
}

function hintFor(message: string): string {
  if (message.includes(' cannot be fetched: ')) return FETCH
  if (message.includes('authOrigins')) return CONFIRM
  return message.includes('baseUrl') ? BASE_URL : CORRECT
}

/** Values are read from the environment, so that no secret is in the list of processes or in a history. */
function readAuth(given: readonly string[]): Record<string, string> {
  const entries = given.map((word) => {
    const at = word.indexOf('=')
    const [scheme, variable] = [word.slice(0, at), word.slice(at + 1)]
    if (at < 1 || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(variable)) {
      const shown = at < 1 ? 'The value of --auth' : `The value of --auth for "${showLine(scheme)}"`
      throw usageFailure(`${shown} is not of the form scheme=VARIABLE.`, 'Example: --auth bearerAuth=API_TOKEN')
    }
    const value = process.env[variable]
    if (value === undefined || value === '') {
      throw usageFailure(
        `The environment variable ${variable} of --auth is not set.`,
        `Set it before the command, as in: ${variable}=… mcpwire openapi …`,
      )
    }
    return [scheme, value] as const
  })
  const names = entries.map(([scheme]) => scheme)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw usageFailure(`--auth names "${showLine(twice)}" twice.`)
  return Object.fromEntries(entries)
}

function checkSchemes(named: readonly string[], { schemes }: OpenAPIReport): void {
  const known = schemes.map(({ name }) => name)
  const unknown = named.find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw usageFailure(
    `The document has no security scheme "${showLine(unknown)}".`,
    known.length === 0
      ? 'It has none at all.'
      : `It has ${known
          .slice(0, 10)
          .map((name) => showLine(name))
          .join(', ')}.`,
  )
}

function checkBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (isHttp && url?.username === '' && url.password === '') return text
  throw usageFailure(
    '--base-url must be an http(s) URL without a user name.',
    'Example: --base-url https://api.example.com/v1',
  )
}

function checkOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (isHttp && `${url?.origin}/` === url?.href && !url.hostname.includes('*')) return text
  throw usageFailure(
    '--auth-origin must be an http(s) origin without a path.',
    'Example: --auth-origin https://uploads.example.com',
  )
}

const METHOD_AND_PATH = /^([A-Za-z]+) (\/.*)$/

/** `tag:issues`, `/pets/**`, `GET /pets/*`, or an operation id, in which `*` stands for any characters. */
function readMatch(word: string): OperationMatch {
  if (word.startsWith('tag:')) return { tags: [word.slice('tag:'.length)] }
  if (word.startsWith('/')) return { path: word }
  const [, method, path] = METHOD_AND_PATH.exec(word) ?? []
  if (method !== undefined && path !== undefined) return { methods: [method.toLowerCase()], path }
  if (word === '' || /\s/.test(word)) {
    throw usageFailure(
      `"${showLine(word)}" is not an operation.`,
      'Give tag:name, a path, a method and a path in quotes, or an operation id.',
    )
  }
  if (!word.includes('*')) return { operationId: word }
  const parts = word.split(/\*+/).map((part) => part.replace(/[\\^$.+?()[\]{}|]/g, '\\$&'))
  return { operationId: new RegExp(`^${parts.join('.*')}$`) }
}

const MAX_SHOWN = 5

/** What the document says and no tool can do. What the options leave out is as it was asked for. */
function tellReport({ operations, mapped }: OpenAPIReport, output: Output): void {
  const problems = operations.filter(({ isProblem }) => isProblem)
  if (mapped === 0) output.note('mcpwire: No operation became a tool. Look at --include and --exclude.')
  for (const { method, path, reason = '' } of problems.slice(0, MAX_SHOWN)) {
    output.note(`mcpwire: ${method.toUpperCase()} ${showLine(path)} is left out: ${showLine(reason)}`)
  }
  if (problems.length > MAX_SHOWN) output.note(`mcpwire: ${problems.length - MAX_SHOWN} more are left out.`)
  const others = new Set(operations.flatMap(({ notes }) => notes.filter((note) => note.includes('authOrigins'))))
  for (const note of [...others].slice(0, MAX_SHOWN)) {
    output.note(`mcpwire: ${showLine(note.replace('List it in authOrigins', 'Name it with --auth-origin'))}`)
  }
}
