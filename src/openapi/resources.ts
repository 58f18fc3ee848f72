// Operations as resources: those that only read, by their path, with what they need in a template.
import type { Context } from '../mcpserver/handlers/context.ts'
import type { AnyResourceDefinition } from '../mcpserver/resources/resource.ts'
import { encodeBase64 } from '../primitives/base64.ts'
import { isPlainObject } from '../primitives/json/objects.ts'
import { ErrorCode } from '../types/errors/error-codes.ts'
import { MCPError } from '../types/errors/errors.ts'
import type { CallToolResult } from '../types/features/tools.ts'
import { type ApiClient, type OperationCall, Refused } from './call/api-client.ts'
import { cutJSON, cutLines } from './call/cut.ts'
import type { ReadAnswer } from './call/read-answer.ts'
import { toFailure } from './call/to-result.ts'
import { listAt, type Members, objectAt } from './document/members.ts'
import { MappingProblem } from './document/problem.ts'
import type { ParameterPlan } from './request/plan.ts'
import { shortName } from './text/short-name.ts'

export interface ResourceFacts {
  /** The title of the document: the host of the URIs is made of it. */
  readonly server: string
  readonly input: Members
  readonly name: string
  readonly title: string | undefined
  readonly description: string | undefined
  readonly scopes: readonly string[] | undefined
}

export interface MadeResource {
  readonly kind: 'resource' | 'template'
  readonly uri: string
  readonly definition: AnyResourceDefinition
}

/** Throws `MappingProblem` for an operation that does more than read, or needs what a URI cannot hold. */
export function toResourceDefinition(
  wanted: 'resource' | 'template',
  call: OperationCall,
  client: ApiClient,
  facts: ResourceFacts,
): MadeResource {
  const { operation, plan } = call
  if (operation.method !== 'get') {
    throw new MappingProblem('Only GET operations can be resources.', operation.pointer)
  }
  const required = new Set(listAt(facts.input, 'required'))
  const free = plan.parameters.filter(({ fixed }) => fixed === undefined)
  const inUri = free.filter((parameter) => parameter.in === 'path' || parameter.in === 'query')
  const missing = free.find((parameter) => !inUri.includes(parameter) && required.has(parameter.argument))
  if (missing !== undefined || plan.body?.isRequired === true) {
    throw new MappingProblem('It needs a header, a cookie or a body, which a URI cannot hold.', operation.pointer)
  }
  const variables = new Map(inUri.map((parameter) => [variableOf(parameter), parameter]))
  const needsValues = inUri.some(({ argument }) => required.has(argument))
  if (wanted === 'resource' && needsValues) {
    throw new MappingProblem('It needs arguments: make it a template.', operation.pointer)
  }
  const uri = uriOf(call, facts, wanted === 'resource' ? new Map() : variables)
  const { name, title, description, scopes } = facts
  const meta = { name, ...(title && { title }), ...(description && { description }), ...(scopes && { scopes }) }
  const types = inputTypes(facts.input)
  const read = async (values: Readonly<Record<string, unknown>>, ctx: Context) => {
    const args: Members = {}
    for (const [variable, { argument }] of variables) {
      const value = values[variable]
      if (value !== undefined && value !== '') args[argument] = toArgument(value, types.get(argument))
    }
    const answer = await client.request(call, args, ctx)
    if (answer instanceof Refused) throw failed(answer.result)
    return contentsOf(answer, client.maxBytes, uriOfRead(ctx) ?? uri)
  }
  const isTemplate = uri.includes('{')
  const definition: AnyResourceDefinition = isTemplate ? { uriTemplate: uri, meta, read } : { uri, meta, read }
  return { kind: isTemplate ? 'template' : 'resource', uri, definition }
}

/** Names of variables have fewer characters than names of arguments. */
function variableOf({ argument }: ParameterPlan): string {
  return argument.replace(/[^A-Za-z0-9_]/g, '_')
}

function uriOf(
  { plan }: OperationCall,
  { server }: ResourceFacts,
  variables: ReadonlyMap<string, ParameterPlan>,
): string {
  const host =
    shortName(server, 60, /[^A-Za-z0-9-]+/g)
      .replaceAll('_', '-')
      .toLowerCase() || 'api'
  const variable = (name: string) =>
    [...variables].find(([, parameter]) => parameter.in === 'path' && parameter.name === name)?.[0] ?? name
  const path = plan.path.map((part, index) => (index % 2 === 0 ? part : `{${variable(part)}}`)).join('')
  const query = [...variables].filter(([, parameter]) => parameter.in === 'query').map(([name]) => name)
  return `openapi://${host}${path}${query.length === 0 ? '' : `{?${query.join(',')}}`}`
}

function inputTypes(input: Members): ReadonlyMap<string, unknown> {
  return new Map(
    Object.entries(objectAt(input, 'properties')).map(([name, schema]) => [
      name,
      isPlainObject(schema) ? schema['type'] : undefined,
    ]),
  )
}

/** Values of a URI are texts; lists of the document are separated by commas there. */
function toArgument(value: unknown, type: unknown): unknown {
  if (type === 'array' && typeof value === 'string') return value.split(',')
  return value
}

function failed({ content }: CallToolResult): MCPError {
  const [block] = content
  return new MCPError(ErrorCode.InternalError, block?.type === 'text' ? block.text : 'The API could not be read')
}

/** Of the request that is answered, where there is one. */
function uriOfRead({ request }: Context): string | undefined {
  const uri = request.method === 'resources/read' ? request.params?.['uri'] : undefined
  return typeof uri === 'string' ? uri : undefined
}

/** `undefined` where the API says that there is nothing. */
function contentsOf(answer: ReadAnswer, maxBytes: number, uri: string): unknown {
  const { status, kind, json, text, bytes, type } = answer
  if (status === 404 || status === 410 || kind === 'nothing') return undefined
  if (status >= 400) throw failed(toFailure(answer, undefined))
  if (kind === 'binary' || kind === 'media') {
    return { uri, mimeType: type || 'application/octet-stream', blob: encodeBase64(bytes) }
  }
  const cut = json === undefined ? cutLines(text, maxBytes) : cutJSON(json.value, maxBytes, false)
  return { uri, mimeType: type || (json === undefined ? 'text/plain' : 'application/json'), text: cut.text }
}
