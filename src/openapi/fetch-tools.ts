// HTTP calls described by hand, typed by their schemas: the same engine without a document.
import type { ToolDefinition, ToolOptions } from '../mcpserver/tools/tool.ts'
import type { CallerArguments, NoMap, Schema, Standard, StructuredResult } from '../mcpserver/tools/typed.ts'
import { rangeError, typeError } from '../primitives/help.ts'
import { checkKeys, checkKind, type KnownKeys } from '../primitives/options.ts'
import { createSchemaEngine } from '../schema/engine.ts'
import { resolveSchema } from '../schema/user-schema.ts'
import type { ToolAnnotations } from '../types/features/tools.ts'
import { ApiClient, type OperationCall } from './call/api-client.ts'
import type { OpenAPIAuth } from './call/credentials.ts'
import { objectAt } from './document/members.ts'
import { toSettings } from './map-document.ts'
import type { OpenAPIOperation } from './operations/collect.ts'
import { annotationsOf } from './operations/extension.ts'
import type { SecurityScheme } from './operations/security.ts'
import { Servers } from './operations/servers.ts'
import type { OpenAPIToolsOptions } from './options.ts'
import { type BodyPlan, type ParameterPlan, parsePath, type RequestPlan } from './request/plan.ts'
import { defaultExplode, defaultStyle, type Location } from './request/styles.ts'

/** Where an argument goes. */
export type FetchPlace = 'path' | 'query' | 'header' | 'cookie' | 'body'

/** One HTTP call as a tool. */
export interface FetchTool<
  Input extends Schema | undefined = Schema | undefined,
  Output extends Schema | undefined = Schema | undefined,
> {
  /** The HTTP method (default: `GET`). */
  method?: string | undefined
  /** The path below `baseUrl`, with arguments in braces, as in `/users/{id}`. */
  path: string
  /** The schema of the arguments (default: no arguments). */
  input?: (Input & (Standard | NoMap<Input>)) | undefined
  /** The schema of the answer. An answer that does not fit fails the call. */
  output?: (Output & (Standard | NoMap<Output>)) | undefined
  /** What the tool does and when to use it, for the model. */
  describe?: string | undefined
  /**
   * Where arguments go that are not in the path (default: into the query for GET, HEAD and DELETE, else into a JSON body).
   */
  in?: Readonly<Record<string, FetchPlace>> | undefined
  /** Hints for hosts (default: by the method). */
  annotations?: ToolAnnotations | undefined
}

/** Options of `fetchTools()`. */
export interface FetchToolsOptions
  extends Pick<
    OpenAPIToolsOptions,
    'headers' | 'fetch' | 'timeoutMs' | 'responses' | 'nullAsEmpty' | 'allowInsecureAuth'
  > {
  /** The address of the API. */
  baseUrl: string | URL
  /** A bearer token, or another credential, for every call (default: none). */
  auth?: OpenAPIAuth | undefined
}

/** The tools that `fetchTools()` makes of these descriptions. */
export type FetchToolDefinitions<Tools> = {
  [Name in keyof Tools & string]: Tools[Name] extends { input?: infer Input; output?: infer Output }
    ? ToolDefinition<Name, CallerArguments<Given<Input>>, StructuredResult<Given<Output>>>
    : never
}[keyof Tools & string][]

type Given<S> = unknown extends S ? undefined : S extends undefined ? undefined : S

const TOOL_KEYS: KnownKeys<FetchTool> = {
  method: 'string',
  path: 'string',
  input: true,
  output: true,
  describe: 'string',
  in: 'object',
  annotations: 'object',
}

export const OPTIONS_KEYS: KnownKeys<FetchToolsOptions> = {
  baseUrl: true,
  auth: true,
  headers: 'object',
  fetch: 'function',
  timeoutMs: 'number',
  responses: 'object',
  nullAsEmpty: 'boolean',
  allowInsecureAuth: 'boolean',
}

const SCHEME = 'auth'

/**
 * Tools that call an API over HTTP, each described by hand. Arguments in the path are put there, others go into the query or into
 * a JSON body.
 *
 * @example
 * ```ts
 * import { fetchTools } from 'mcpwire/openapi'
 * import { z } from 'zod'
 * const get_user = { path: '/users/{id}', input: z.object({ id: z.string() }), describe: 'Gets a user.' }
 * const tools = fetchTools({ get_user }, { baseUrl: 'https://api.example.com', auth: () => process.env.TOKEN })
 * ```
 */
export function fetchTools<
  const Tools extends { readonly [Name in keyof Tools]: FetchTool<Schema | undefined, Schema | undefined> },
>(tools: Tools, options: FetchToolsOptions): FetchToolDefinitions<Tools> {
  checkKeys('fetchTools()', options, OPTIONS_KEYS)
  checkKind('The first argument of fetchTools()', tools, 'object')
  const { auth, baseUrl, ...others } = options
  if (baseUrl === undefined) throw typeError('wrong-option', 'fetchTools() needs the option baseUrl.')
  const servers = new Servers({ baseUrl }, undefined)
  const place = { value: {}, document: { base: '', value: {}, survey: NO_SURVEY }, pointer: '#' }
  const base = servers.baseOf(place, place, place)
  const client = new ApiClient(
    toSettings({ ...others, auth: auth === undefined ? {} : { [SCHEME]: auth }, strictResponses: true }),
    (url) => servers.checkTokenUrl(url),
  )
  const definitions = Object.entries(tools as Record<string, FetchTool>).map(([name, tool]): ToolDefinition => {
    const { call, toolOptions } = planTool(name, tool, auth)
    return {
      name,
      options: toolOptions,
      run: (args: Record<string, unknown>, ctx) => client.call({ ...call, base }, args, ctx),
    }
  })
  return definitions as FetchToolDefinitions<Tools>
}

const NO_SURVEY = {
  values: 0,
  outside: new Set<string>(),
  anchors: new Map<string, object>(),
  ids: new Map<string, object>(),
}

function planTool(name: string, tool: FetchTool, auth: OpenAPIAuth | undefined) {
  checkKeys(`the tool ${JSON.stringify(name)} of fetchTools()`, tool, TOOL_KEYS)
  const { method = 'GET', path, input, output, describe, annotations } = tool
  checkKind(`The path of the tool ${JSON.stringify(name)}`, path, 'string', "path: '/users/{id}'")
  if (!/^[A-Za-z]{1,20}$/.test(method)) {
    throw rangeError('wrong-option', `The method of the tool ${JSON.stringify(name)} must be one such as GET.`)
  }
  const operation: OpenAPIOperation = {
    method: method.toLowerCase(),
    path,
    operationId: name,
    tags: [],
    deprecated: false,
    pointer: '#',
  }
  const scheme: SecurityScheme = { name: SCHEME, type: 'http', scheme: isPassword(auth) ? 'basic' : 'bearer' }
  const call: Omit<OperationCall, 'base'> = {
    operation,
    plan: planRequest(name, tool, method.toUpperCase()),
    alternatives: auth === undefined ? [] : [[{ scheme, scopes: [] }]],
    fits: () => undefined,
    listsOutput: output !== undefined,
    onMisfit: () => {},
  }
  const toolOptions: ToolOptions = {
    ...(describe !== undefined && { description: describe }),
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    annotations: annotations ?? annotationsOf(operation.method),
  }
  return { call, toolOptions }
}

function isPassword(auth: OpenAPIAuth | undefined): boolean {
  return typeof auth === 'object' && 'username' in auth
}

function planRequest(name: string, tool: FetchTool, method: string): RequestPlan {
  const path = parsePath(tool.path)
  const inPath = new Set(path.path.filter((_, index) => index % 2 === 1))
  const names = argumentNames(tool)
  for (const part of inPath) {
    if (names.includes(part)) continue
    throw rangeError(
      'wrong-option',
      `The path of the tool ${JSON.stringify(name)} has {${part}}, and its input has no such argument.`,
    )
  }
  const usual: FetchPlace = ['GET', 'HEAD', 'DELETE', 'OPTIONS'].includes(method) ? 'query' : 'body'
  const placeOf = (argument: string) => (inPath.has(argument) ? 'path' : (tool.in?.[argument] ?? usual))
  const parameters = names
    .filter((argument) => placeOf(argument) !== 'body')
    .map((argument) => parameter(argument, placeOf(argument) as Location))
  const members = names.filter((argument) => placeOf(argument) === 'body')
  const body: BodyPlan | undefined =
    members.length === 0
      ? undefined
      : {
          format: { mediaType: 'application/json', kind: 'json', encoding: new Map() },
          isRequired: true,
          members: new Map(members.map((member) => [member, member])),
          takesOthers: false,
        }
  return { method, ...path, parameters, body, accept: 'application/json, */*;q=0.5' }
}

function parameter(argument: string, location: Location): ParameterPlan {
  const style = defaultStyle(location)
  return {
    argument,
    name: argument,
    in: location,
    style,
    explode: defaultExplode(style),
    allowReserved: false,
    allowEmptyValue: false,
  }
}

/** The arguments by name: those that the schema of the input lists. */
function argumentNames({ input }: FetchTool): string[] {
  if (input === undefined) return []
  const { jsonSchema } = resolveSchema(input, { direction: 'input', engine: createSchemaEngine() })
  return Object.keys(objectAt(jsonSchema, 'properties'))
}
